#ifndef TH_BACKEND_WALK_H
#define TH_BACKEND_WALK_H

#include <cstdint>

namespace th {

// Dimensions that are left after those that lie in memory as one were merged.
constexpr int kDeviceDims = 12;
constexpr int kWalkOperands = 4;

// The elements of up to four operands of one shape. The innermost dimension comes first; strides
// are in bytes. Operand 0 is the output, unless said otherwise.
struct Walk {
  int ndim;
  int operands;
  int64_t numel;
  int64_t size[kDeviceDims];
  int64_t stride[kWalkOperands][kDeviceDims];
  char* data[kWalkOperands];
};

}  // namespace th

#endif
