#ifndef TH_TENSOR_VIEWS_H
#define TH_TENSOR_VIEWS_H

// Views: each function makes r a view of t's storage without moving elements. r may be t.
// Dimensions and indices count from 0; negative ones count from the end.

#include "base/visibility.h"
#include "tensor/tensor.h"

namespace th TH_VISIBLE {

// A list of sizes. In view and reshape one of them may be -1 and is inferred.
struct Sizes {
  int ndim;
  const int64_t* size;
};

namespace views {

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
// The new shape must be possible without copying: t is contiguous or its strides fit. Else an
// error.
void view(Tensor* r, Tensor* t, Sizes sizes);
void viewAs(Tensor* r, Tensor* t, Tensor* like);

}  // namespace views

// Copies sizes to out, with a -1 replaced so that the number of elements is numel. Throws if that
// is impossible.
void infer_sizes(const Sizes& sizes, int64_t numel, int64_t* out);
// Computes strides that view t in the given shape without copying. Returns false if there are none.
bool view_strides(const Tensor& t, int ndim, const int64_t* size, int64_t* stride);
// Computes the shape to which a and b broadcast by NumPy's rules. Returns false if they do not.
bool broadcast_sizes(int ndim_a, const int64_t* a, int ndim_b, const int64_t* b, int* ndim,
                     int64_t* size);

}  // namespace TH_VISIBLE

#endif
