#ifndef TH_BACKEND_LOOP_PLAN_H
#define TH_BACKEND_LOOP_PLAN_H

#include <cstddef>
#include <cstdint>

#include "tensor/limits.h"

namespace th {

// Maximum number of dimensions on devices, after merging.
constexpr int kDeviceDims = 12;
constexpr int kPlanOperands = 4;
// Operands of a fused expression: the result and the inputs.
constexpr int kFusedOperands = 13;

// The loop over the elements of several operands of one shape. ops/ builds it and each backend
// executes it. Build it from a shape, add the operands, then call plan(). That drops dimensions of
// size 1, sorts the others by the strides of operand 0, and merges dimensions that are contiguous
// with each other. Operand 0 is the output, except in calls that define it otherwise.
template <int most>
struct LoopPlanOf {
  int ndim;
  int operands;
  int skipped;         // the dimension of the shape that is skipped; -1: none
  bool shared_output;  // elements of operand 0 share memory; set by plan()
  int64_t numel;
  int64_t trailing;  // product of the sizes after the skipped dimension
  // The innermost dimension first; strides are in bytes.
  int64_t size[kMaxDims];
  int64_t stride[most][kMaxDims];
  char* data[most];

  LoopPlanOf() {}  // uninitialized, because it is large
  LoopPlanOf(int dims, const int64_t* sizes) { start(dims, sizes); }
  LoopPlanOf(int dims, const int64_t* sizes, int dim) { start(dims, sizes, dim); }
  // Starts a loop over all elements of a shape. A shape without dimensions has no elements.
  void start(int dims, const int64_t* sizes);
  // Starts a loop over all positions of a shape in the dimensions other than dim.
  void start(int dims, const int64_t* sizes, int dim);
  // Starts a loop over operands that are all contiguous; plan() is not necessary.
  void start_contiguous(int64_t elements) {
    ndim = 1;
    operands = 0;
    skipped = -1;
    shared_output = false;
    numel = size[0] = elements;
    trailing = 1;
  }
  void add_contiguous(char* at, size_t item) {
    stride[operands][0] = static_cast<int64_t>(item);
    data[operands++] = at;
  }

  // Copies only the used part of another plan.
  void copy(const LoopPlanOf& other);

  // Adds an operand. strides: in elements, for each dimension of the original shape.
  void add(char* at, size_t item, const int64_t* strides);
  // Adds an operand that has the same element at all positions.
  void add_constant(char* at);
  // keep_order: visit the elements in the order of the shape.
  void plan(bool keep_order = false);

  int64_t inner_size() const { return ndim ? size[0] : numel; }
  int64_t inner_stride(int operand) const { return ndim ? stride[operand][0] : 0; }
};

using LoopPlan = LoopPlanOf<kPlanOperands>;
using FusedPlan = LoopPlanOf<kFusedOperands>;

}  // namespace th

#endif
