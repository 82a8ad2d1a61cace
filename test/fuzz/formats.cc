// Formats whose readers are C++ classes: pictures, arrays, tables as text.

#include "formats.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "io/array_file.h"
#include "io/csv.h"
#include "io/picture.h"

namespace {

constexpr int64_t kMostBytes = int64_t{1} << 24;

void read_picture(const th::PictureFormat& format, const uint8_t* bytes, size_t size) {
  th::PictureShape shape = format.shape(bytes, size);
  if (shape.row_bytes() > kMostBytes / shape.height) return;
  std::vector<unsigned char> pixels(static_cast<size_t>(shape.row_bytes() * shape.height));
  format.read(bytes, size, pixels.data());
}

// The extension of a file name selects its format, so the bytes become files of these names.
std::string path_with(const char* extension) {
  static char folder[] = "/tmp/fuzz_formats_XXXXXX";
  static const bool made = mkdtemp(folder) != nullptr;
  return made ? std::string(folder) + "/bytes" + extension : "";
}

void read_arrays(const uint8_t* bytes, size_t size, const char* extension) {
  const std::string path = path_with(extension);
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (!file) return;
  bool written = std::fwrite(bytes, 1, size, file) == size;
  written = std::fclose(file) == 0 && written;
  if (!written) return;
  auto reader = th::ArrayReader::open(path.c_str());
  for (size_t k = 0; k < reader->count(); ++k) {
    for (bool map : {false, true}) {
      if (reader->array(k).bytes() > kMostBytes) continue;
      reader->begin(k, map);
      while (reader->run(4096)) {
      }
      reader->finish();
    }
  }
}

template <class F>
void accept_errors(F&& read) {
  try {
    read();
  } catch (const std::exception&) {
    // Damaged files are errors.
  }
}

void read_table(const uint8_t* bytes, size_t size, bool together, th::CsvInvalid invalid) {
  auto count = static_cast<int64_t>(size);
  th::StorageRef storage(th::storage_new(th::DType::Char, count));
  if (count) std::memcpy(storage->cpu(th::Access::overwrite), bytes, size);
  th::CsvStyle style;
  style.find_separator = style.find_decimal = true;
  style.invalid = invalid;
  style.missing = th::kCsvMissing;
  th::CsvReader reader(storage.get(), style, 0);
  reader.read_head(th::CsvReader::Head::found_out);
  auto kind = together ? th::CsvKind::real : th::CsvKind::any;
  reader.begin(std::vector<th::CsvKind>(reader.columns(), kind), together, INT64_MAX);
  while (!reader.run(4096)) {
  }
  for (size_t k = 0; k < (together ? 1 : reader.columns()); ++k) {
    if (reader.kind(k) != th::CsvKind::text) {
      reader.numbers(k);
      continue;
    }
    for (int64_t row = 0; row < reader.rows(); ++row) reader.text(k, row);
    accept_errors([&] { reader.dates(k); });
  }
}

}  // namespace

void read_formats(const uint8_t* bytes, size_t size) {
  accept_errors([&] { read_picture(th::kPng, bytes, size); });
  accept_errors([&] { read_picture(th::kJpeg, bytes, size); });
  accept_errors([&] { read_arrays(bytes, size, ".npy"); });
  accept_errors([&] { read_arrays(bytes, size, ".npz"); });
  accept_errors([&] { read_arrays(bytes, size, ".safetensors"); });
  accept_errors([&] { read_table(bytes, size, true, th::CsvInvalid::error); });
  for (auto invalid : {th::CsvInvalid::error, th::CsvInvalid::nan, th::CsvInvalid::text}) {
    accept_errors([&] { read_table(bytes, size, false, invalid); });
  }
}
