#include "simt/failure.h"

#include <cstdarg>
#include <cstdio>

namespace th {

void fail(DeviceStatus status, const char* format, ...) {
  DeviceFailure failure;
  failure.status = status;
  va_list values;
  va_start(values, format);
  std::vsnprintf(failure.text, sizeof failure.text, format, values);
  va_end(values);
  throw failure;
}

}  // namespace th
