#ifndef TH_CPU_KERNELS_REDUCE_LOOPS_H
#define TH_CPU_KERNELS_REDUCE_LOOPS_H

// The loops that reductions are made of, for each element type.

#include <cstdint>

#include "backend/reduce_call.h"
#include "tensor/type_sets.h"

namespace th {

// The most results that one call of a loop makes.
constexpr int64_t kReduceWidth = 1024;

// count reductions of n elements each.
struct ReduceBlock {
  const char* data;
  int64_t n;
  int64_t step;  // bytes from one element of a reduction to the next
  int64_t count;
  int64_t next;  // bytes from one reduction's first element to the next one's
  // The elements of each reduction lie together (step is their size); else those of all
  // reductions do (next is it).
  bool rows;
  // This many steps of all reductions lie together and may be worked on as one.
  int64_t fold;
  // For powers: one for all; for deviation: one for each reduction.
  const double* parameter;
  // Products of rows of floating-point numbers take one element after the other.
  bool in_order;
};

using ReduceLoop = void (*)(const ReduceBlock& block, Wide* out);
// index: of the first element that equals (or, where it is NaN, is NaN as) the reduction's value,
// from 0; the value is set to that element.
using FindLoop = void (*)(const ReduceBlock& block, Wide* value, int64_t* index);
// Writes n elements of a, or of a - b, as what the type computes in; strides in bytes.
using GatherLoop = void (*)(char* out, const char* a, int64_t a_step, const char* b, int64_t b_step,
                            int64_t n);
// Writes n values as elements, step bytes apart.
using WriteLoop = void (*)(char* out, int64_t step, const Wide* value, int64_t n);

struct ReduceLoops {
  TypeTable<ReduceLoop> reduce[kReducers];
  TypeTable<FindLoop> find;
  TypeTable<GatherLoop> gather;
  TypeTable<WriteLoop> write;
};

namespace TH_ISA {

extern const ReduceLoops reduce_loops;

// Transform::product and ::unequal.
void reduce_products(const ReduceAllCall& call);
void reduce_unequal(const ReduceAllCall& call);

}  // namespace TH_ISA

}  // namespace th

#endif
