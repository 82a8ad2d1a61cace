#ifndef TH_OPS_COMPLEX_H
#define TH_OPS_COMPLEX_H

// Complex tensors: the last dimension, of size 2, has the real and the imaginary part.

#include "base/error.h"
#include "ops/compose.h"

namespace th {

// Returns the number of the other dimensions. Throws if t is not a complex tensor.
inline int complex_dims(const Tensor& t) {
  const int last = t.nDimension - 1;
  if (last >= 1 && t.size[last] == 2) return last;
  fail("a complex tensor is expected, with a last dimension of size 2, got a size of %s",
       shape_text(t).c_str());
}

// Returns the norm with which the opposite Fourier transform has the same factor.
inline char opposite_norm(char norm) { return norm == 'b' ? 'f' : norm == 'f' ? 'b' : norm; }

namespace {

inline TensorRef part_of(const TensorRef& t, int64_t part) {
  return selected(t, t->nDimension - 1, part);
}

}  // namespace
}  // namespace th

#endif
