#ifndef TH_TENSOR_VIEWS_H
#define TH_TENSOR_VIEWS_H

// Views: every function makes r a view of t's storage without moving an element. r may be t.
// Dimensions and indices count from 0, or from the end where negative.

#include "tensor/tensor.h"
#include "memory/visibility.h"

namespace th TH_VISIBLE {

// Sizes as an argument; one of them may be -1 in view and reshape, and is inferred.
struct Sizes {
  int ndim;
  const int64_t* size;
};

namespace ops {

void set(Tensor* r, Tensor* t);
void narrow(Tensor* r, Tensor* t, int64_t dim, int64_t first, int64_t size);
void select(Tensor* r, Tensor* t, int64_t dim, int64_t index);
void transpose(Tensor* r, Tensor* t, int64_t dim1, int64_t dim2);
void t(Tensor* r, Tensor* t);  // of a matrix
void permute(Tensor* r, Tensor* t, Sizes dims);
void unfold(Tensor* r, Tensor* t, int64_t dim, int64_t size, int64_t step);
void squeeze(Tensor* r, Tensor* t);
void squeeze1d(Tensor* r, Tensor* t, int64_t dim);
void unsqueeze1d(Tensor* r, Tensor* t, int64_t dim);
void expand(Tensor* r, Tensor* t, Sizes sizes);
void expandAs(Tensor* r, Tensor* t, Tensor* like);
// The sizes must be possible without copying: t contiguous, or its strides fit.
void view(Tensor* r, Tensor* t, Sizes sizes);
void viewAs(Tensor* r, Tensor* t, Tensor* like);

}  // namespace ops

// sizes with its -1 replaced so that numel elements result; throws where that cannot be.
void infer_sizes(const Sizes& sizes, int64_t numel, int64_t* out);
// Strides that read t in the given shape without copying; false where there are none.
bool view_strides(const Tensor& t, int ndim, const int64_t* size, int64_t* stride);
// The shape all of the given shapes broadcast to by NumPy's rules; false where they do not.
bool broadcast_sizes(int ndim_a, const int64_t* a, int ndim_b, const int64_t* b, int* ndim,
                     int64_t* size);

}  // namespace TH_VISIBLE

#endif
