#ifndef TH_CPU_ELEMENT_KERNELS_H
#define TH_CPU_ELEMENT_KERNELS_H

// The tables of the element-wise loops, one per family of rows in THOps.def; null where a row is
// not defined for the element type.

#include "backend/loop.h"

namespace th {

struct UnaryKernels {
#define TH_UNARY(name, types, cost, doc) Loop name[kDTypes];
#include "THOps.def"
};

struct ValueKernels {
#define TH_SCALAR(name, lua, types, cost, doc) Loop name[kDTypes];
#include "THOps.def"
  Loop tpow[kDTypes];
  Loop clamp[kDTypes];
};

struct BinaryKernels {
#define TH_SCALED(name, lua, types, cost, doc) Loop name[kDTypes];
#define TH_BINARY(name, lua, types, cost, doc) Loop name[kDTypes];
#include "THOps.def"
  Loop lerp[kDTypes];
};

struct TernaryKernels {
#define TH_TERNARY(name, types, cost, doc) Loop name[kDTypes];
#include "THOps.def"
};

struct CompareLoops {
  Loop value_to_byte[kDTypes];
  Loop tensor_to_byte[kDTypes];
  Loop value_to_same[kDTypes];
  Loop tensor_to_same[kDTypes];
};
struct CompareKernels {
#define TH_COMPARE(name, doc) CompareLoops name;
#include "THOps.def"
};

struct CopyKernels {
  Loop copy[kDTypes][kDTypes];  // [to][from]
};

const UnaryKernels& unary_kernels();
const ValueKernels& value_kernels();
const BinaryKernels& binary_kernels();
const TernaryKernels& ternary_kernels();
const CompareKernels& compare_kernels();
const CopyKernels& copy_kernels();

}  // namespace th

#endif
