#include <cstdarg>
#include <cstdio>

#include "backend/findings.h"
#include "memory/error.h"
#include "ops/on_device.h"

namespace th {

uint32_t device_check(Device&, int argument, const char* format, ...) {
  char text[Error::kLength];
  va_list values;
  va_start(values, format);
  std::vsnprintf(text, sizeof(text), format, values);
  va_end(values);
  return number_of_check(argument, text);
}

}  // namespace th
