#ifndef TH_BACKEND_LOOP_H
#define TH_BACKEND_LOOP_H

#include <cstdint>

#include "tensor/dtype.h"

namespace th {

constexpr int kMaxOperands = 4;

// The inner loop of an element-wise op: n elements, operand 0 is the output, strides in bytes.
// context: what else the loop needs, its numbers for most.
using Loop = void (*)(char* const* data, const int64_t* stride, int64_t n, const void* context);

}  // namespace th

#endif
