#include "base/error.h"

#include <cstdio>
#include <cstring>

#include "THGeneral.h"
#include "base/numeric_locale.h"

namespace th {

__thread int64_t shown_base = TH_INDEX_BASE;

long long shown(int64_t number) noexcept {
  return number < 0 || number == INT64_MAX ? number : number + shown_base;
}

Error::Error(int argument, const char* format, va_list values) noexcept : argument_(argument) {
  NumericLocale numbers;
  std::vsnprintf(text_, sizeof(text_), format, values);
  // printf shows the sign of NaN, which means nothing.
  while (char* nan = std::strstr(text_, " -nan")) {
    std::memmove(nan + 1, nan + 2, std::strlen(nan + 1));
  }
}

void fail(const char* format, ...) {
  va_list values;
  va_start(values, format);
  Error error(0, format, values);
  va_end(values);
  throw error;
}

void fail_argument(int argument, const char* format, ...) {
  va_list values;
  va_start(values, format);
  Error error(argument, format, values);
  va_end(values);
  throw error;
}

void fail_interrupted(const char* format, ...) {
  va_list values;
  va_start(values, format);
  InterruptedError error(0, format, values);
  va_end(values);
  throw error;
}

}  // namespace th
