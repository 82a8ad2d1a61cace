#include "io/file.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "base/numeric_locale.h"
#include "memory/caller_blocks.h"
#include "memory/heap.h"
#include "tensor/convert.h"

namespace th {

namespace {

bool is_byte(DType type) { return type == DType::Byte || type == DType::Char; }

}  // namespace

void swap_bytes(char* data, size_t item_bytes, size_t n) {
  for (size_t k = 0; k < n; ++k, data += item_bytes) std::reverse(data, data + item_bytes);
}

File::File(const char* mode)
    : readable(mode && *mode == 'r'), writable(mode && std::strchr(mode, 'w') != nullptr) {
  if (!mode || (std::strcmp(mode, "r") && std::strcmp(mode, "w") && std::strcmp(mode, "rw"))) {
    fail("a mode 'r', 'w' or 'rw' is expected, got '%s'", mode ? mode : "NULL");
  }
}

void File::check_open() const {
  if (!is_open()) fail("attempt to use a closed file");
}

StorageRef File::map(DType, ptrdiff_t, ptrdiff_t) { fail("a file on disk is expected"); }

void File::fail_quietly(const char* format, ...) {
  failed = true;
  if (quiet) return;
  char text[Error::kLength];
  va_list values;
  va_start(values, format);
  std::vsnprintf(text, sizeof(text), format, values);
  va_end(values);
  fail("%s", text);
}

void File::check_readable() const {
  check_open();
  if (!readable) fail("attempt to read in a write-only file");
}

size_t File::read_some(DType type, char* data, size_t n) {
  if (binary) return read_binary(type, data, n);
  if (is_byte(type)) return read_bytes(data, n);
  size_t item = item_size(type), count = 0;
  while (count < n && read_number(type, data + count * item)) ++count;
  return count;
}

void File::end_reading(size_t count, size_t n) {
  if (!binary && spacing && n > 0) {
    int byte = next_byte();
    if (byte >= 0 && byte != '\n') put_back(byte);
  }
  if (count != n) fail_quietly("read error: read %zu blocks instead of %zu", count, n);
}

size_t File::read(DType type, void* data, size_t n) {
  check_readable();
  size_t count = read_some(type, static_cast<char*>(data), n);
  end_reading(count, n);
  return count;
}

StorageRef File::read_storage(DType type, size_t n) {
  check_readable();
  constexpr size_t kFirst = 1 << 16;
  const size_t item = item_size(type);
  size_t capacity = n;
  if (n > kFirst) {
    // Each number has at least one byte.
    size_t left = available(), bytes = !binary ? 1 : type == DType::Long ? long_bytes : item;
    capacity = left == kUnknown ? kFirst : std::min(n, left / bytes);
  }
  StorageRef storage(storage_new(type, static_cast<ptrdiff_t>(capacity)));
  size_t count = 0;
  for (;;) {
    auto* data = capacity ? static_cast<char*>(storage->cpu(Access::write)) : nullptr;
    count += capacity ? read_some(type, data + count * item, capacity - count) : 0;
    if (count < capacity || capacity == n) break;
    capacity = std::min(n, std::max(capacity + kFirst, capacity * 2));
    storage_resize(storage.get(), static_cast<ptrdiff_t>(capacity));
  }
  end_reading(count, n);
  if (count != capacity) storage_resize(storage.get(), static_cast<ptrdiff_t>(count));
  return storage;
}

void File::fail_to_write(size_t count, size_t n) {
  const int reason = errno;
  fail_quietly("write error: wrote %zu blocks instead of %zu%s%s", count, n, reason ? ": " : "",
               reason ? std::strerror(reason) : "");
}

size_t File::write(DType type, const void* data, size_t n) {
  check_open();
  if (!writable) fail("attempt to write in a read-only file");
  errno = 0;
  size_t count = 0;
  if (binary) {
    count = write_binary(type, static_cast<const char*>(data), n);
  } else if (is_byte(type)) {
    count = write_bytes(data, n);
  } else {
    size_t item = item_size(type);
    for (; count < n; ++count) {
      if (count && spacing && write_bytes(" ", 1) != 1) break;
      if (!write_number(type, static_cast<const char*>(data) + count * item)) break;
    }
  }
  if (!binary && spacing && n > 0) write_bytes("\n", 1);
  if (count != n) fail_to_write(count, n);
  return count;
}

size_t File::read_binary(DType type, char* data, size_t n) {
  if (type == DType::Long && long_bytes == 4) {
    std::vector<int32_t> shorts(n);
    size_t count = read_bytes(shorts.data(), n * 4) / 4;
    if (swapped) swap_bytes(reinterpret_cast<char*>(shorts.data()), 4, count);
    std::copy_n(shorts.begin(), count, reinterpret_cast<int64_t*>(data));
    return count;
  }
  size_t item = item_size(type), count = read_bytes(data, n * item) / item;
  if (swapped) swap_bytes(data, item, count);
  return count;
}

size_t File::write_binary(DType type, const char* data, size_t n) {
  size_t item = item_size(type);
  bool shorter = type == DType::Long && long_bytes == 4;
  if (!shorter && (!swapped || item == 1)) return write_bytes(data, n * item) / item;
  std::vector<char> bytes(data, data + n * item);
  if (shorter) {
    item = 4;
    for (size_t k = 0; k < n; ++k) {
      int64_t value = reinterpret_cast<const int64_t*>(data)[k];
      auto shorter_value = static_cast<int32_t>(value);
      if (shorter_value != value) {
        fail_quietly("%" PRId64 " does not fit into a long of 4 bytes", value);
        return 0;
      }
      std::memcpy(&bytes[k * 4], &shorter_value, 4);
    }
  }
  if (swapped) swap_bytes(bytes.data(), item, n);
  return write_bytes(bytes.data(), n * item) / item;
}

bool File::read_number(DType type, void* to) {
  const bool integral = is_integral(type);
  int byte = next_byte();
  while (byte >= 0 && std::isspace(byte)) byte = next_byte();
  constexpr size_t kLongest = 4096;  // an exact decimal fraction of a double has 1,100 digits
  std::string text;
  // A sign is at the beginning of a number or of its exponent.
  const auto may_have_sign = [&] {
    return text.empty() || (!integral && std::strchr("eEpP", text.back()));
  };
  while (byte >= 0 && text.size() <= kLongest &&
         (std::isdigit(byte) || ((byte == '-' || byte == '+') && may_have_sign()) ||
          (!integral && (std::isalpha(byte) || byte == '.')))) {
    text += static_cast<char>(byte);
    byte = next_byte();
  }
  if (byte >= 0) put_back(byte);
  if (text.size() > kLongest) return false;
  char* end = nullptr;
  NumericLocale numbers;
  errno = 0;
  Scalar value = integral ? Scalar(static_cast<int64_t>(std::strtoll(text.c_str(), &end, 10)))
                          : Scalar(std::strtod(text.c_str(), &end));
  for (const size_t used = end - text.c_str(); text.size() > used; text.pop_back()) {
    put_back(static_cast<unsigned char>(text.back()));
  }
  if (text.empty()) return false;
  const bool fits = dispatch(type, [&](auto zero) {
    using T = decltype(zero);
    const T element = convert<T>(value);
    std::memcpy(to, &element, sizeof(element));
    return !integral || (errno != ERANGE && convert<int64_t>(element) == convert<int64_t>(value));
  });
  if (!fits) {
    fail_quietly("read error: %.40s does not fit into %s", text.c_str(), name_with_article(type));
  }
  return fits;
}

bool File::write_number(DType type, const void* from) {
  char text[64];
  int length = 0;
  NumericLocale numbers;
  dispatch(type, [&](auto zero) {
    using T = decltype(zero);
    T value;
    std::memcpy(&value, from, sizeof(value));
    if constexpr (std::is_integral_v<T>) {
      length = std::snprintf(text, sizeof(text), "%" PRId64, static_cast<int64_t>(value));
    } else {
      length = std::snprintf(text, sizeof(text), sizeof(T) == 8 ? "%.17g" : "%.9g",
                             static_cast<double>(load(value)));
    }
  });
  return write_bytes(text, length) == static_cast<size_t>(length);
}

size_t File::read_text(bool line, char** text) {
  check_readable();
  std::string all;
  int byte = next_byte();
  const bool none = byte < 0;
  if (line) {
    for (; byte >= 0 && byte != '\n'; byte = next_byte()) all += static_cast<char>(byte);
  } else if (!none) {
    all += static_cast<char>(byte);
    char some[1 << 14];
    while (size_t count = read_bytes(some, sizeof(some))) all.append(some, count);
  }
  auto* block = static_cast<char*>(caller_allocate(all.size() + 1));
  std::memcpy(block, all.c_str(), all.size() + 1);
  *text = block;
  if (none) {
    caller_free(block);
    *text = nullptr;
    fail_quietly("read error: read 0 blocks instead of 1");
  }
  return all.size();
}

size_t File::write_text(const char* text, size_t size) {
  check_open();
  if (!writable) fail("attempt to write in a read-only file");
  errno = 0;
  size_t count = write_bytes(text, size);
  if (count != size) fail_to_write(count, size);
  return count;
}

}  // namespace th
