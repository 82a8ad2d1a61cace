#ifndef TH_BACKEND_SELECT_CALL_H
#define TH_BACKEND_SELECT_CALL_H

// Elements chosen by masks, or by being no zeros. Plans are in the order of the elements. For
// results in which the chosen lie one after the other, the elements are cut into chunks, and those
// chosen in each are counted first.

#include <cstdint>

#include "backend/loop_plan.h"
#include "tensor/dtype.h"

namespace th {

constexpr int kSelectThreads = 256;
constexpr int kSelectItems = 8;  // elements of a thread
constexpr int64_t kSelectChunk = kSelectThreads * kSelectItems;

inline int64_t select_chunks(int64_t elements) {
  return (elements + kSelectChunk - 1) / kSelectChunk;
}

// before[c] = how many elements of plan.data[0] are chosen before chunk c, before[chunks] all.
struct CountCall {
  DType dtype;
  uint32_t mask_check;   // unless 0, reports a value above 1 of a mask
  uint32_t limit_check;  // unless 0, reports a count above limit
  int64_t limit;
  int64_t* before;
  LoopPlan plan;
};

// The chosen elements of plan.data[1], by the mask plan.data[0], one after the other.
struct MaskedSelectCall {
  DType dtype;
  const int64_t* before;
  char* out;
  int64_t step;  // bytes
  LoopPlan plan;
};

// The elements of plan.data[1] chosen by the mask plan.data[0] become those of `from`, one after
// the other; those for which `from` has no element left stay.
struct MaskedCopyCall {
  DType dtype;
  const int64_t* before;
  const char* from;  // contiguous
  int64_t limit;     // elements there
  LoopPlan plan;
};

// The subscripts of elements of plan.data[0] that are no zeros, as rows.
struct NonzeroCall {
  DType dtype;
  const int64_t* before;
  char* out;
  int64_t row_step, column_step;  // bytes
  int ndim;
  int64_t size[kMaxDims];  // the outermost first
  LoopPlan plan;
};

// The elements of plan.data[0] become a value where the mask plan.data[1] is not 0.
struct MaskedFillCall {
  DType dtype;
  uint32_t check;  // unless 0, reports a mask's value above 1
  uint64_t value;  // the element's bits
  LoopPlan plan;
};

// Zeros where column - row is above the diagonal, or below it.
struct TriangleCall {
  DType dtype;
  bool above;
  int64_t diagonal;
  int64_t rows, columns;
  int64_t row_step, column_step;  // bytes; columns lie closer
  char* out;
};

}  // namespace th

#endif
