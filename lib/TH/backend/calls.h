#ifndef TH_BACKEND_CALLS_H
#define TH_BACKEND_CALLS_H

// The kernel calls of a backend: one plain struct for each operation of BackendOp. The caller has
// checked sizes, types and layouts. All memory is that of the device that runs the call.

#include <cstdint>

#include "backend/check_call.h"
#include "backend/complex_call.h"
#include "backend/convolution_call.h"
#include "backend/distance_call.h"
#include "backend/fused_call.h"
#include "backend/index_call.h"
#include "backend/loop_plan.h"
#include "backend/network_call.h"
#include "backend/product_call.h"
#include "backend/quantized_call.h"
#include "backend/random_call.h"
#include "backend/reduce_call.h"
#include "backend/scan_call.h"
#include "backend/search_call.h"
#include "backend/select_call.h"
#include "backend/sort_call.h"
#include "backend/spatial_call.h"
#include "base/element_op.h"
#include "tensor/dtype.h"

namespace th {

// The operations with kernels on every backend, in the headers of their structs or below.
// run_<name>(Queue&, const Struct&) runs one on a device.
#define TH_KERNEL_OPS(X)    \
  X(element, ElementCall)   \
  X(copy, CopyCall)         \
  X(fill, FillCall)         \
  X(generate, GenerateCall) \
  TH_PRODUCT_OPS(X)         \
  TH_QUANTIZED_OPS(X)       \
  TH_REDUCE_OPS(X)          \
  TH_CHECK_OPS(X)           \
  TH_INDEX_OPS(X)           \
  TH_SELECT_OPS(X)          \
  TH_RANDOM_OPS(X)          \
  TH_SORT_OPS(X)            \
  TH_SCAN_OPS(X)            \
  TH_SEARCH_OPS(X)          \
  TH_CONVOLUTION_OPS(X)     \
  TH_NETWORK_OPS(X)         \
  TH_DISTANCE_OPS(X)        \
  TH_COMPLEX_OPS(X)         \
  TH_SPATIAL_OPS(X)         \
  TH_FUSED_OPS(X)

// The operations of libraries such as LAPACK (backend/linalg_call.h), and Fourier transforms
// (backend/fourier_call.h). They are defined once for the CPU, not for each instruction set.
#define TH_LIBRARY_OPS(X)         \
  X(factor, FactorCall)           \
  X(solve, SolveCall)             \
  X(eigen, EigenCall)             \
  X(svd, SvdCall)                 \
  X(determinant, DeterminantCall) \
  X(fourier, FourierCall)

#define TH_BACKEND_OPS(X) \
  TH_KERNEL_OPS(X)        \
  TH_LIBRARY_OPS(X)

enum class BackendOp : int {
#define TH_BACKEND_OP(name, Struct) name,
  TH_BACKEND_OPS(TH_BACKEND_OP)
#undef TH_BACKEND_OP
};

#define TH_BACKEND_OP(name, Struct) struct Struct;
TH_LIBRARY_OPS(TH_BACKEND_OP)
#undef TH_BACKEND_OP

// An element-wise operation of THOps.def: plan.data[0] (type result) = op(plan.data[1], ...,
// params). The inputs have type dtype or the type that the row specifies.
struct ElementCall {
  ElementOp op;
  DType dtype, result;
  Scalar params[2];
  int64_t grain;  // minimum number of elements per thread
  LoopPlan plan;
};

// plan.data[0] = plan.data[1], converted.
struct CopyCall {
  DType to, from;
  LoopPlan plan;
};

// plan.data[0] = value, converted.
struct FillCall {
  DType dtype;
  Scalar value;
  LoopPlan plan;
};

// Element i of a contiguous vector of n elements is a + i * b, or 10^(a + i * b). Computed in
// integers if both scalars are integers.
struct GenerateCall {
  DType dtype;
  bool power_of_ten;
  Scalar a, b;
  int64_t n;
  char* out;
};

}  // namespace th

#endif
