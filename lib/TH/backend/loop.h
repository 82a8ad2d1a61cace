#ifndef TH_BACKEND_LOOP_H
#define TH_BACKEND_LOOP_H

#include <cstdint>

#include "tensor/dtype.h"

namespace th {

constexpr int kMaxOperands = 4;

// The inner loop of an element-wise operation over n elements. Operand 0 is the output; strides are
// in bytes. context: further parameters, usually the operation's numbers.
using Loop = void (*)(char* const* data, const int64_t* stride, int64_t n, const void* context);

}  // namespace th

#endif
