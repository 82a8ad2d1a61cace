#ifndef TH_BACKEND_LOOP_PLAN_H
#define TH_BACKEND_LOOP_PLAN_H

#include <cstddef>
#include <cstdint>

#include "tensor/limits.h"

namespace th {

// Dimensions that devices take, after those that lie in memory as one were merged.
constexpr int kDeviceDims = 12;
constexpr int kPlanOperands = 4;
// Of an expression that is evaluated at once: its result, and what it is of.
constexpr int kFusedOperands = 13;

// What ops/ decides and every backend loops by: the elements of operands of one shape, up to four.
// It is made of a shape, then of operands, then planned, which drops dimensions of size 1, orders
// the others by the strides of operand 0, and merges what lies in memory as one. Operand 0 is the
// output, unless a call says otherwise.
template <int most>
struct LoopPlanOf {
  int ndim;
  int operands;
  int skipped;         // the dimension of the given shape that is left out; -1: none
  bool shared_output;  // elements of operand 0 are one place in memory; known when planned
  int64_t numel;
  int64_t trailing;  // elements of the shape's dimensions behind the one that is left out
  // The innermost dimension first; strides are in bytes.
  int64_t size[kMaxDims];
  int64_t stride[most][kMaxDims];
  char* data[most];

  LoopPlanOf() {}  // not even zeros: it is large
  LoopPlanOf(int dims, const int64_t* sizes) { start(dims, sizes); }
  LoopPlanOf(int dims, const int64_t* sizes, int dim) { start(dims, sizes, dim); }
  // For all elements of a shape; without a dimension there is none.
  void start(int dims, const int64_t* sizes);
  // For the positions beside dimension dim of a shape: those of all other dimensions.
  void start(int dims, const int64_t* sizes, int dim);
  // For operands that are all contiguous: nothing is left to plan.
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

  // What is in use of another plan, rather than all of its room.
  void copy(const LoopPlanOf& other);

  // strides: in elements, for each dimension of the shape as it was given.
  void add(char* at, size_t item, const int64_t* strides);
  // An operand that is one element for all.
  void add_constant(char* at);
  // keep_order: the elements stay in the order of the shape.
  void plan(bool keep_order = false);

  int64_t inner_size() const { return ndim ? size[0] : numel; }
  int64_t inner_stride(int operand) const { return ndim ? stride[operand][0] : 0; }
};

using LoopPlan = LoopPlanOf<kPlanOperands>;
using FusedPlan = LoopPlanOf<kFusedOperands>;

}  // namespace th

#endif
