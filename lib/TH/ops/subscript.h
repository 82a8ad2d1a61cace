#ifndef TH_OPS_SUBSCRIPT_H
#define TH_OPS_SUBSCRIPT_H

#include "ops/ops.h"

namespace th TH_VISIBLE {

// One entry of a subscript: t[{2, {1, -1, 2}, indices}] has three. Each entry applies to one
// dimension; a mask of k dimensions applies to k.
struct Subscript {
  enum class Kind { index, range, indices } kind;
  int64_t first, last;  // from 0, last included; an index uses only first
  int64_t step;         // not 0; from first, step leads toward last
  Tensor* tensor;       // a LongTensor of indices from 1, or from the end where negative; or a
                        // ByteTensor, a mask
};
inline Subscript new_subscript(Subscript::Kind kind) { return {kind, 0, 0, 1, nullptr}; }

// Reads the selected elements: r becomes a view of t, or a copy if a step is negative or there are
// tensors. As in NumPy, tensors are broadcast together; the broadcast dimensions replace the first
// indexed dimension, or come first if the tensors are not adjacent.
void subscript_read(Tensor* r, Tensor* t, const Subscript* subscripts, int count);
// Writes the selected elements: sets them to src, which is broadcast or paired in order, or to
// value. accumulate adds instead; it requires subscripts with tensors.
void subscript_write(Tensor* t, const Subscript* subscripts, int count, Tensor* src,
                     bool accumulate = false);
void subscript_fill(Tensor* t, const Subscript* subscripts, int count, Scalar value,
                    bool accumulate = false);

}  // namespace TH_VISIBLE

#endif
