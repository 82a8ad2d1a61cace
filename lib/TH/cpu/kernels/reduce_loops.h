#ifndef TH_CPU_KERNELS_REDUCE_LOOPS_H
#define TH_CPU_KERNELS_REDUCE_LOOPS_H

// The inner loops of reductions, for each element type.

#include <cstdint>

#include "backend/reduce_call.h"
#include "tensor/type_sets.h"

namespace th {

// Maximum number of results of one call of a loop.
constexpr int64_t kReduceWidth = 1024;

// How many bytes ahead a reduction of contiguous elements prefetches. 0 means not at all: fewer
// elements may be in a cache, where the prefetches of the processor suffice.
inline int64_t bytes_ahead(int64_t elements, int64_t item) {
  return elements >= (int64_t{16} << 20) / item ? 8192 : 0;
}

// A block of `count` reductions of n elements each.
struct ReduceBlock {
  const char* data;
  int64_t n;
  int64_t step;  // bytes from one element of a reduction to the next
  int64_t count;
  int64_t next;  // bytes from one reduction's first element to the next one's
  // True: the elements of each reduction are contiguous (step is the element size). False: the
  // elements with the same index of all reductions are contiguous (next is the element size).
  bool rows;
  // This number of steps of all reductions is contiguous and may be processed as one row.
  int64_t fold;
  // powers: one parameter for all; deviation: one for each reduction.
  const double* parameter;
  // Rows of floating-point numbers are multiplied strictly in order.
  bool in_order;
  int64_t ahead = 0;  // for rows: see bytes_ahead
};

using ReduceLoop = void (*)(const ReduceBlock& block, Wide* out);
// Finds the index, from 0, of the first element equal to the reduction's value (or the first NaN if
// the value is NaN). Sets the value to that element.
using FindLoop = void (*)(const ReduceBlock& block, Wide* value, int64_t* index);
// Writes n elements of a, or of a - b, in the compute type. Strides are in bytes.
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
