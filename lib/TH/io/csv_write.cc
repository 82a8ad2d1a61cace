#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/error.h"
#include "io/csv.h"
#include "tensor/checked.h"
#include "tensor/convert.h"

namespace th {

namespace {

// The reader rounds to double before it rounds to float. The shortest texts of all floats are read
// as the same float in spite of this, except for this one and its negative: 7.038531e-26 is read as
// another float.
constexpr float kRoundedTwice = 0x1.5c87fap-84F;

template <class T>
char* write_number(char* to, T value) {
  if constexpr (IsReduced<T>::value) {
    return write_number(to, convert<float>(value));
  } else {
    if (value != value) value = std::numeric_limits<T>::quiet_NaN();  // write NaN without sign
    if constexpr (std::is_same_v<T, float>) {
      if (std::fabs(value) == kRoundedTwice) {
        return std::to_chars(to, to + kCsvDigits, value, std::chars_format::general, 9).ptr;
      }
    }
    return std::to_chars(to, to + kCsvDigits, value).ptr;
  }
}

}  // namespace

StorageRef csv_rows(Storage* storage, int64_t first, int64_t count, int64_t columns,
                    char separator) {
  if (first < 0 || count < 0 || columns < 1 || first > storage->size ||
      count > storage->size - first) {
    fail("%lld elements from element %lld on exceed a storage of %td elements", as_long(count),
         as_long(first), storage->size);
  }
  StorageRef text(storage_new(DType::Char, checked_mul(count, kCsvDigits + 1, "the text")));
  auto* begin = static_cast<char*>(text->cpu(Access::overwrite));
  char* to = begin;
  dispatch(storage->dtype, [&](auto zero) {
    using T = decltype(zero);
    auto* data = static_cast<const T*>(storage->cpu(Access::read)) + first;
    for (int64_t i = 0; i < count; ++i) {
      to = write_number(to, data[i]);
      *to++ = (i + 1) % columns == 0 ? '\n' : separator;
    }
  });
  storage_resize(text.get(), to - begin);
  return text;
}

size_t csv_number(Storage* storage, int64_t index, char* text) {
  alignas(8) char element[8];
  storage_read(storage, index, element);
  size_t size = 0;
  dispatch(storage->dtype, [&](auto zero) {
    std::memcpy(&zero, element, sizeof(zero));
    size = static_cast<size_t>(write_number(text, zero) - text);
  });
  return size;
}

}  // namespace th
