#ifndef TH_OPS_SPATIAL_H
#define TH_OPS_SPATIAL_H

// The parameters of operations on batches of images, with a number for each spatial dimension.

#include "base/error.h"
#include "ops/call.h"
#include "ops/ops.h"
#include "tensor/checked.h"

namespace th {

constexpr int kMaxSpatial = 3;

// Reads a parameter of kind `each` for `dims` dimensions into the last elements of to[3]; the
// others become 1. Throws unless it has one number, or one for each dimension, of at least `least`.
template <class Arguments>
void read_each(const Arguments& a, const Sizes& field, const char* what, int dims, int64_t least,
               int64_t* to) {
  const int number = argument_number(a, field);
  if (field.ndim != 1 && field.ndim != dims) {
    fail_argument(number, "%s: one number%s expected, got %d", what,
                  dims == 1   ? " is"
                  : dims == 2 ? " or two numbers are"
                              : " or three numbers are",
                  field.ndim);
  }
  for (int d = 0; d < kMaxSpatial; ++d) {
    const int own = d - (kMaxSpatial - dims);
    to[d] = own < 0 ? 1 : field.size[field.ndim == 1 ? 0 : own];
    if (own >= 0 && to[d] < least) {
      fail_argument(number, "%s: a number of at least %lld is expected, got %lld", what,
                    as_long(least), as_long(to[d]));
    }
    if (to[d] > kMostElements) {
      fail_argument(number, "%s is too large: %lld", what, as_long(to[d]));
    }
  }
}

// Throws unless t has channels and `dims` spatial dimensions, and perhaps a batch.
template <class Arguments>
void check_channels(const Arguments& a, Tensor* const& field, int dims) {
  const Tensor& t = *field;
  if (t.nDimension == dims + 1 || t.nDimension == dims + 2) return;
  fail_argument(argument_number(a, field),
                "%d dimensions, or %d without a batch, are expected, got %s", dims + 2, dims + 1,
                shape_text(t).c_str());
}
inline int64_t batch_of(const Tensor& t, int dims) {
  return t.nDimension == dims + 2 ? t.size[0] : 1;
}
inline int64_t channels_of(const Tensor& t, int dims) { return t.size[t.nDimension - dims - 1]; }
// Copies the spatial sizes; those that are missing become 1.
inline void spatial_sizes(const Tensor& t, int dims, int64_t* to) {
  for (int d = 0; d < kMaxSpatial; ++d) {
    const int own = d - (kMaxSpatial - dims);
    to[d] = own < 0 ? 1 : t.size[t.nDimension - dims + own];
  }
}

// The shape of t with other spatial sizes, from size[3]. Returns the number of dimensions.
inline int with_spatial_sizes(const Tensor& t, int dims, const int64_t* size, int64_t* shape) {
  const int leading = t.nDimension - dims;
  for (int d = 0; d < t.nDimension; ++d) {
    shape[d] = d < leading ? t.size[d] : size[kMaxSpatial - dims + d - leading];
  }
  return t.nDimension;
}

}  // namespace th

#endif
