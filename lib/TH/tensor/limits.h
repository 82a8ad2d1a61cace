#ifndef TH_TENSOR_LIMITS_H
#define TH_TENSOR_LIMITS_H

namespace th {

// Far above what anyone uses, and small enough for plans of loops to live on the stack.
constexpr int kMaxDims = 64;

}  // namespace th

#endif
