#ifndef TH_BACKEND_CALLS_H
#define TH_BACKEND_CALLS_H

// What is handed to a device to do: one plain struct for each operation of DeviceOp. Sizes, types
// and layouts were checked by the caller; memory is the device's.

#include <cstdint>

#include "backend/check_call.h"
#include "backend/product_call.h"
#include "backend/reduce_call.h"
#include "backend/index_call.h"
#include "backend/select_call.h"
#include "backend/loop.h"
#include "backend/loop_plan.h"
#include "backend/random_call.h"
#include "backend/scan_call.h"
#include "backend/sort_call.h"
#include "tensor/dtype.h"

namespace th {

// The operations, and their structs: run_<name>(Queue&, const Struct&) does it on a device.
#define TH_DEVICE_OPS(X)             \
  X(element, ElementCall)            \
  X(copy, CopyCall)                  \
  X(fill, FillCall)                  \
  X(generate, GenerateCall)          \
  X(product, ProductCall)            \
  X(reduce_all, ReduceAllCall)       \
  X(reduce_dim, ReduceDimCall)       \
  X(check, CheckCall)                \
  X(gather, GatherCall)              \
  X(scatter, ScatterCall)            \
  X(count, CountCall)                \
  X(masked_select, MaskedSelectCall) \
  X(masked_copy, MaskedCopyCall)     \
  X(nonzero, NonzeroCall)            \
  X(masked_fill, MaskedFillCall)     \
  X(triangle, TriangleCall)          \
  X(random, RandomCall)              \
  X(bernoulli, BernoulliCall)        \
  X(multinomial, MultinomialCall)    \
  X(sort, SortCall)                  \
  X(scan, ScanCall)

enum class DeviceOp : int {
#define TH_DEVICE_OP(name, Struct) name,
  TH_DEVICE_OPS(TH_DEVICE_OP)
#undef TH_DEVICE_OP
};

// The element-wise kernels: a row of THOps.def, and a few that share their loops.
enum class ElementKernel : int {
#define TH_UNARY(name, types, cost, doc) name,
#define TH_SCALAR(name, lua, types, cost, doc) name,
#define TH_BINARY(name, lua, types, cost, doc) name,
#define TH_SCALED(name, lua, types, cost, doc) name,
#define TH_TERNARY(name, types, cost, doc) name,
#define TH_COMPARE(name, doc) \
  name##_value_to_byte, name##_tensor_to_byte, name##_value_to_same, name##_tensor_to_same,
#include "THOps.def"
  tpow,
  clamp,
  lerp,
  count
};

// plan.data[0] = kernel(plan.data[1], ...), where all inputs are of type dtype.
struct ElementCall {
  ElementKernel kernel;
  DType dtype;
  Scalar params[2];
  Loop loop;      // the CPU's
  int64_t grain;  // elements below which one thread is best
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

// Element i of a contiguous vector of n, in order: a + i * b, or 10^(a + i * b); in integers
// where both scalars are.
struct GenerateCall {
  DType dtype;
  bool power_of_ten;
  Scalar a, b;
  int64_t n;
  char* out;
};

}  // namespace th

#endif
