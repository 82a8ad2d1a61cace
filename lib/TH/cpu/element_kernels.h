#ifndef TH_CPU_ELEMENT_KERNELS_H
#define TH_CPU_ELEMENT_KERNELS_H

// Tables of the element-wise loops: one for each family of rows in THOps.def, to compile them in
// parallel, and one of copies.

#include "backend/loop.h"
#include "base/element_op.h"
#include "tensor/type_sets.h"

namespace th {

// Loops for each element type of operands and result. 16-bit types use the loop of float.
// Predicates write bytes.
struct ElementKernel {
  ElementOp op;
  TypeTable<Loop> loops;
};
struct ElementKernels {
  const ElementKernel* rows;
  int count;
};

struct CopyKernels {
  Loop copy[kDTypes][kDTypes];  // [to][from]
};

const ElementKernels& unary_kernels();
const ElementKernels& binary_kernels();
const ElementKernels& scaled_kernels();
const ElementKernels& compare_kernels();
const CopyKernels& copy_kernels();

}  // namespace th

#endif
