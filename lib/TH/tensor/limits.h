#ifndef TH_TENSOR_LIMITS_H
#define TH_TENSOR_LIMITS_H

namespace th {

// Far more dimensions than needed, but few enough to keep loop plans on the stack.
constexpr int kMaxDims = 64;

// The number of threads of one operation.
constexpr int kMaxThreads = 4096;

}  // namespace th

#endif
