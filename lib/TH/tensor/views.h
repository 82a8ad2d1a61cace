#ifndef TH_TENSOR_VIEWS_H
#define TH_TENSOR_VIEWS_H

// Views: each function makes r a view of t's storage without moving elements. r may be t.
// Dimensions and indices count from 0; negative ones count from the end. Errors about a parameter
// are ParameterErrors, so parameters are references.

#include "base/error.h"
#include "base/visibility.h"
#include "tensor/tensor.h"

namespace th TH_VISIBLE {

// A list of sizes. In view and reshape one of them may be -1 and is inferred.
struct Sizes {
  int ndim;
  const int64_t* size;
};

// An error about a parameter, given by its address. The caller of a view function that knows which
// argument the parameter is converts it to an error about that argument.
class ParameterError : public Error {
 public:
  ParameterError(const void* parameter, const char* format, va_list values) noexcept
      : Error(0, format, values), parameter_(parameter) {}
  const void* parameter() const noexcept { return parameter_; }

 private:
  const void* parameter_;
};

namespace views {

void set(Tensor* r, Tensor* const& t);
void narrow(Tensor* r, Tensor* const& t, const int64_t& dim, const int64_t& first,
            const int64_t& size);
void select(Tensor* r, Tensor* const& t, const int64_t& dim, const int64_t& index);
void transpose(Tensor* r, Tensor* const& t, const int64_t& dim1, const int64_t& dim2);
void t(Tensor* r, Tensor* const& t);  // of a matrix
void permute(Tensor* r, Tensor* const& t, const Sizes& dims);
void unfold(Tensor* r, Tensor* const& t, const int64_t& dim, const int64_t& size,
            const int64_t& step);
void squeeze(Tensor* r, Tensor* const& t);
void squeeze1d(Tensor* r, Tensor* const& t, const int64_t& dim);
void unsqueeze1d(Tensor* r, Tensor* const& t, const int64_t& dim);
void expand(Tensor* r, Tensor* const& t, const Sizes& sizes);
void expandAs(Tensor* r, Tensor* const& t, Tensor* const& like);
// The new shape must be possible without copying: t is contiguous or its strides fit. Else an
// error.
void view(Tensor* r, Tensor* const& t, const Sizes& sizes);
void viewAs(Tensor* r, Tensor* const& t, Tensor* const& like);

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
