#ifndef TENSOR_TEST_C_TEST_DEVICE_H
#define TENSOR_TEST_C_TEST_DEVICE_H

// The device that the device tests run on: the software device, or the one that the environment
// variable TENSOR_TEST_C_DEVICE names.

#include <cstdlib>
#include <cstring>
#include <string>

#include "backend/device_list.h"
#include "base/error.h"
#include "tensor/dtype.h"

namespace test_device {

inline const char* name() {
  const char* chosen = std::getenv("TENSOR_TEST_C_DEVICE");
  return chosen && *chosen ? chosen : "soft";
}

// Returns null if the device is missing, and sets *problem.
inline th::Device* find(std::string* problem) {
  try {
    return th::find_device(name());
  } catch (const th::Error& error) {
    *problem = error.what();
    return nullptr;
  }
}

// The relative error that results may have against the CPU's. The software device calls the same
// mathematical functions. Those of CUDA differ by a few units in the last place.
inline double tolerance(th::DType type) {
  if (std::strncmp(name(), "soft", 4) == 0) return 0;
  switch (type) {
    case th::DType::Half:
      return 0x1p-9;
    case th::DType::BFloat16:
      return 0x1p-6;
    case th::DType::Float:
      return 0x1p-20;
    case th::DType::Double:
      return 0x1p-48;
    default:
      return 0;
  }
}

}  // namespace test_device

#endif
