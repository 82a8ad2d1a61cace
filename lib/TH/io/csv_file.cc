// Files of tables: finds out how a file is written, and writes files.

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "base/error.h"
#include "io/ascii.h"
#include "io/csv.h"
#include "io/file.h"
#include "io/file_format.h"
#include "io/replace_file.h"
#include "ops/ops.h"
#include "tensor/convert.h"

namespace th {

namespace {

StorageRef bytes_of(const char* filename) {
  std::unique_ptr<File> file(open_for_seeking(filename));
  if (!file->seek_end()) fail("not a regular file");
  const size_t size = file->position();
  file->seek(0);
  errno = 0;
  StorageRef bytes = file->read_storage(DType::Char, size);
  // A file of /sys may be shorter than its size.
  if (static_cast<size_t>(bytes->size) != size && errno) {
    fail("read error: read %td bytes instead of %zu: %s", bytes->size, size, std::strerror(errno));
  }
  if (bytes->size == 0) fail("the file is empty");
  return bytes;
}

}  // namespace

std::unique_ptr<CsvReader> open_csv(const char* filename, CsvStyle style, int64_t skipped_lines) {
  return with_file_name(filename, [&] {
    if (!style.separator && style.find_separator) style.separator = csv_separator(filename, 0);
    return std::make_unique<CsvReader>(bytes_of(filename).get(), std::move(style), skipped_lines);
  });
}

namespace {

// Returns the number of elements before the first one that is out of the range of To.
template <class From, class To>
int64_t convert_all(const From* from, To* to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    to[i] = convert<To>(from[i]);
    if constexpr (std::is_integral_v<From> && std::is_integral_v<To>) {
      if (static_cast<From>(to[i]) != from[i]) return i;
    }
  }
  return count;
}

}  // namespace

StorageRef csv_converted(CsvReader& reader, size_t column, Storage* numbers, DType type) {
  StorageRef result(storage_new(type, numbers->size));
  dispatch(type, [&](auto zero) {
    auto* to = static_cast<decltype(zero)*>(result->cpu(Access::overwrite));
    void* from = numbers->cpu(Access::read);
    const int64_t done = numbers->dtype == DType::Long
                             ? convert_all(static_cast<const int64_t*>(from), to, numbers->size)
                             : convert_all(static_cast<const double*>(from), to, numbers->size);
    if (done < numbers->size) reader.fail_out_of_range(column, done, type);
  });
  return result;
}

StorageRef csv_numbers(CsvReader& reader, size_t column, DType type) {
  StorageRef numbers = reader.numbers(column);
  if (numbers->dtype == type) return numbers;
  return csv_converted(reader, column, numbers.get(), type);
}

// ---- writing ------------------------------------------------------------------------------------

bool is_plain_csv(const char* text, size_t size, char separator) {
  if (size == 0 || !separator) return false;
  const char first = text[0], last = text[size - 1];
  if (is_ascii_space(first) || first == '#' || is_ascii_space(last)) return false;
  // At the beginning of a file, a byte order mark would be skipped.
  if (size >= 3 && std::memcmp(text, "\xef\xbb\xbf", 3) == 0) return false;
  // The reader would take a comma, ';' or a tab for the separator, and refuses NUL.
  const std::string special{'"', '\r', '\n', '\0', ',', ';', '\t', separator};
  return std::find_first_of(text, text + size, special.begin(), special.end()) == text + size;
}

std::string csv_field(const std::string& text, char separator) {
  if (is_plain_csv(text.data(), text.size(), separator)) return text;
  std::string field = "\"";
  for (char c : text) {
    if (c == '"') field += c;
    field += c;
  }
  return field + "\"";
}

void save_csv(const char* filename, Tensor* t, const std::vector<std::string>* names) {
  if (t->nDimension < 1 || t->nDimension > 2) {
    fail("%s: a tensor of 1 or 2 dimensions is expected, got %d", filename, t->nDimension);
  }
  const int64_t columns = t->nDimension == 2 ? t->size[1] : 1;
  if (columns == 0) fail("%s: a table has at least one column", filename);
  if (names && names->size() != static_cast<size_t>(columns)) {
    fail("%s: %zu names for %lld columns", filename, names->size(), as_long(columns));
  }
  const char separator = csv_separator(filename, 0);
  std::string head;
  for (size_t k = 0; names && k < names->size(); ++k) {
    head += csv_field((*names)[k], separator) + (k + 1 < names->size() ? separator : '\n');
  }
  t->check_storage();
  TensorRef dense = contiguous(t);
  with_file_name(filename, [&] {
    Replacement replacement(filename);
    std::unique_ptr<File> file(open_disk_file(replacement.path().c_str(), "w", false));
    file->binary = true;
    file->write_text(head.data(), head.size());
    constexpr int64_t kStep = 1 << 16;
    const int64_t step = std::max<int64_t>(kStep / columns, 1) * columns, count = dense->numel();
    for (int64_t at = 0; at < count; at += step) {
      StorageRef text = csv_rows(dense->storage, dense->storageOffset + at,
                                 std::min(step, count - at), columns, separator);
      file->write_text(static_cast<const char*>(text->cpu(Access::read)),
                       static_cast<size_t>(text->size));
    }
    file->close();
    replacement.commit();
  });
}

}  // namespace th
