#ifndef TH_BACKEND_SELECT_CALL_H
#define TH_BACKEND_SELECT_CALL_H

// Selection of elements by masks, or of nonzero elements. Plans keep the order of the elements. If
// the selected elements are packed into a result, the elements are divided into chunks and the
// selected ones of each chunk are counted first.

#include <cstdint>

#include "backend/loop_plan.h"
#include "tensor/dtype.h"

namespace th {

constexpr int kSelectThreads = 256;
constexpr int kSelectItems = 8;  // elements per thread
constexpr int64_t kSelectChunk = kSelectThreads * kSelectItems;

inline int64_t select_chunks(int64_t elements) {
  return (elements + kSelectChunk - 1) / kSelectChunk;
}

// before[c] = the number of selected elements in the chunks before c; before[chunks] = the total.
struct CountCall {
  DType dtype;
  uint32_t mask_check;   // unless 0, reports a mask value above 1
  uint32_t limit_check;  // unless 0, reports a total above limit
  int64_t limit;
  int64_t* before;
  LoopPlan plan;
};

// Packs the elements of plan.data[1] selected by the mask plan.data[0] into out.
struct MaskedSelectCall {
  DType dtype;
  const int64_t* before;
  char* out;
  int64_t step;  // bytes
  LoopPlan plan;
};

// Replaces the elements of plan.data[1] selected by the mask plan.data[0] with consecutive elements
// of `from`. If `from` has too few elements, the remaining ones do not change.
struct MaskedCopyCall {
  DType dtype;
  const int64_t* before;
  const char* from;  // contiguous
  int64_t limit;     // elements there
  LoopPlan plan;
};

// Writes the subscripts of the nonzero elements of plan.data[0] as the rows of a matrix.
struct NonzeroCall {
  DType dtype;
  const int64_t* before;
  char* out;
  int64_t row_step, column_step;  // bytes
  int ndim;
  int64_t size[kMaxDims];  // the outermost first
  LoopPlan plan;
};

// Fills the elements of plan.data[0] where the mask plan.data[1] is not 0.
struct MaskedFillCall {
  DType dtype;
  uint32_t check;  // unless 0, reports a mask value above 1
  uint64_t value;  // the element's bits
  LoopPlan plan;
};

// Sets elements with column - row > diagonal (above), or < diagonal (below), to 0.
struct TriangleCall {
  DType dtype;
  bool above;
  int64_t diagonal;
  int64_t rows, columns;
  int64_t row_step, column_step;  // bytes; column_step is the smaller one
  char* out;
};

}  // namespace th

// The rows of TH_KERNEL_OPS.
#define TH_SELECT_OPS(X)             \
  X(count, CountCall)                \
  X(masked_select, MaskedSelectCall) \
  X(masked_copy, MaskedCopyCall)     \
  X(nonzero, NonzeroCall)            \
  X(masked_fill, MaskedFillCall)     \
  X(triangle, TriangleCall)

#endif
