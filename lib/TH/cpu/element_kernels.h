#ifndef TH_CPU_ELEMENT_KERNELS_H
#define TH_CPU_ELEMENT_KERNELS_H

// The tables of the element-wise loops: one for each family of rows in THOps.def, so that they are
// compiled beside each other, and one of copies.

#include "backend/op.h"
#include "backend/loop.h"
#include "tensor/type_sets.h"

namespace th {

// Loops over elements of one type, operands and result; a 16-bit type has none, but float's. The
// loops of a predicate give bytes.
struct ElementKernel {
  Op op;
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
