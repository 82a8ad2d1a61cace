#ifndef TH_CPU_REDUCE_KERNELS_H
#define TH_CPU_REDUCE_KERNELS_H

// The loops of the reductions and scans.

#include <cstdint>

#include "functors/reduction.h"
#include "tensor/type_sets.h"

namespace th {

// The most results that one call makes.
constexpr int64_t kReduceWidth = 512;

// count reductions of n elements each.
struct ReduceCall {
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
};

using ReduceKernel = void (*)(const ReduceCall& call, Wide* out);
// index: of the first element that equals (or, where it is NaN, is NaN as) the reduction's value,
// from 0; the value is set to that element.
using FindKernel = void (*)(const ReduceCall& call, Wide* value, int64_t* index);
// Writes n elements of a, or of a - b, as what the type computes in; strides in bytes.
using GatherKernel = void (*)(char* out, const char* a, int64_t a_step, const char* b,
                              int64_t b_step, int64_t n);

// Writes n values as elements, step bytes apart.
using WriteKernel = void (*)(char* out, int64_t step, const Wide* value, int64_t n);

struct ReduceKernels {
  TypeTable<ReduceKernel> reduce[kReducers];
  TypeTable<FindKernel> find;
  TypeTable<GatherKernel> gather;
  TypeTable<WriteKernel> write;
};

// count <= kReduceWidth scans of n elements each; in and out may be the same elements.
struct ScanCall {
  const char* in;
  int64_t in_step;  // bytes from one element of a scan to the next
  int64_t in_next;  // bytes from one scan to the next
  char* out;
  int64_t out_step;
  int64_t out_next;
  int64_t n;
  int64_t count;
};
using ScanKernel = void (*)(const ScanCall& call);

struct ScanKernels {
  TypeTable<ScanKernel> sum;
  TypeTable<ScanKernel> prod;
};

const ReduceKernels& reduce_kernels();
const ScanKernels& scan_kernels();

}  // namespace th

#endif
