#include "tensor/views.h"

#include <algorithm>
#include <cstdarg>

#include "base/error.h"
#include "tensor/checked.h"
#include "tensor/geometry.h"

namespace th {

void infer_sizes(const Sizes& sizes, int64_t numel, int64_t* out) {
  if (sizes.ndim > kMaxDims) checked_numel(sizes.ndim, sizes.size);
  int unknown = -1;
  int64_t known = 1;
  for (int d = 0; d < sizes.ndim; ++d) {
    out[d] = sizes.size[d];
    if (out[d] == -1) {
      if (unknown >= 0) fail("only one of the sizes may be -1");
      unknown = d;
    } else if (out[d] < 0) {
      fail("size %lld of dimension %lld is negative", as_long(out[d]), shown(d));
    } else if (!mul_fits(known, out[d], &known)) {
      fail("sizes %s are too large", shape_text(sizes.ndim, sizes.size).c_str());
    }
  }
  if (unknown >= 0) {
    if (known == 0 || numel % known != 0) {
      fail("%lld elements do not fill sizes %s", as_long(numel),
           shape_text(sizes.ndim, sizes.size).c_str());
    }
    out[unknown] = numel / known;
  }
}

bool view_strides(const Tensor& t, int ndim, const int64_t* size, int64_t* stride) {
  if (t.numel() == 0 || ndim == 0) {
    for (int d = ndim - 1; d >= 0; --d) {
      stride[d] = d == ndim - 1 ? 1 : stride_before(size[d + 1], stride[d + 1]);
    }
    return true;
  }
  // Splits groups of old dimensions that are contiguous with each other into new dimensions. The
  // tensor is not empty, so products of sizes and strides (for sizes other than 1) cannot overflow.
  int d_new = ndim - 1;
  int d_old = t.nDimension - 1;
  while (d_old >= 0) {
    int64_t group = t.size[d_old];
    int64_t step = t.stride[d_old];
    while (d_old > 0 &&
           (t.size[d_old - 1] == 1 || group == 1 || t.stride[d_old - 1] == group * step)) {
      if (group == 1) step = t.stride[d_old - 1];
      group *= t.size[--d_old];
    }
    int64_t filled = 1;
    while (d_new >= 0 && (filled < group || size[d_new] == 1)) {
      stride[d_new] = step * filled;
      filled *= size[d_new--];
    }
    if (filled != group) return false;
    --d_old;
  }
  return d_new < 0;
}

bool broadcast_sizes(int ndim_a, const int64_t* a, int ndim_b, const int64_t* b, int* ndim,
                     int64_t* size) {
  *ndim = std::max(ndim_a, ndim_b);
  for (int d = 1; d <= *ndim; ++d) {
    int64_t size_a = d <= ndim_a ? a[ndim_a - d] : 1;
    int64_t size_b = d <= ndim_b ? b[ndim_b - d] : 1;
    if (size_a != size_b && size_a != 1 && size_b != 1) return false;
    size[*ndim - d] = size_a == 1 ? size_b : size_a;
  }
  return true;
}

namespace views {

namespace {

[[noreturn]] void fail_parameter(const void* parameter, const char* format, ...)
    __attribute__((format(printf, 2, 3)));
void fail_parameter(const void* parameter, const char* format, ...) {
  va_list values;
  va_start(values, format);
  ParameterError error(parameter, format, values);
  va_end(values);
  throw error;
}

// Returns f(). Its errors are about a parameter.
template <class F>
auto about(const void* parameter, const F& f) -> decltype(f()) {
  try {
    return f();
  } catch (const Error& error) {
    fail_parameter(parameter, "%s", error.what());
  }
}

int dim_of(int ndim, const int64_t& dim, const char* owner = "tensor") {
  return about(&dim, [&] { return wrap_dim(ndim, dim, 0, owner); });
}

void apply(Tensor* r, Tensor* t, const Geometry& g) {
  set_storage(r, t->storage, g.offset, g.ndim, g.size, g.stride);
}
// The same for a view of elements of t, which needs fewer checks.
void apply_part(Tensor* r, Tensor* t, const Geometry& g) {
  set_part(r, *t, g.offset, g.ndim, g.size, g.stride);
}

}  // namespace

void set(Tensor* r, Tensor* const& t) { set_view(r, *t); }

void narrow(Tensor* r, Tensor* const& t, const int64_t& dim, const int64_t& first,
            const int64_t& size) {
  int d = dim_of(t->nDimension, dim);
  int64_t whole = t->size[d];
  int64_t start = first < 0 ? first + whole : first;
  if (size < 0 || start < 0 || start > whole - size) {
    fail_parameter(size < 0 ? &size : &first,
                   "range of %lld from %lld on is out of range of dimension %lld of size %lld",
                   as_long(size), shown(first), shown(d), as_long(whole));
  }
  Geometry g(*t);
  g.size[d] = size;
  if (size > 0) g.advance(d, start);
  apply_part(r, t, g);
}

void select(Tensor* r, Tensor* const& t, const int64_t& dim, const int64_t& index) {
  int d = dim_of(t->nDimension, dim);
  if (t->nDimension == 1) fail_parameter(&t, "cannot select on a vector");
  Geometry g(*t);
  about(&index, [&] { g.select(d, index); });
  apply_part(r, t, g);
}

void transpose(Tensor* r, Tensor* const& t, const int64_t& dim1, const int64_t& dim2) {
  int a = dim_of(t->nDimension, dim1), b = dim_of(t->nDimension, dim2);
  Geometry g(*t);
  std::swap(g.size[a], g.size[b]);
  std::swap(g.stride[a], g.stride[b]);
  apply_part(r, t, g);
}

void t(Tensor* r, Tensor* const& t) {
  if (t->nDimension != 2) {
    fail_parameter(&t, "a matrix is expected, got a tensor of size %s", shape_text(*t).c_str());
  }
  transpose(r, t, 0, 1);
}

void permute(Tensor* r, Tensor* const& t, const Sizes& dims) {
  if (dims.ndim != t->nDimension) {
    fail_parameter(&dims, "%d dimensions given for a %dD tensor", dims.ndim, t->nDimension);
  }
  Geometry g(*t);
  bool seen[kMaxDims] = {};
  for (int i = 0; i < dims.ndim; ++i) {
    int d = about(&dims, [&] { return wrap_dim(*t, dims.size[i]); });
    if (seen[d]) fail_parameter(&dims, "dimension %lld is given twice", shown(d));
    seen[d] = true;
    g.size[i] = t->size[d];
    g.stride[i] = t->stride[d];
  }
  apply_part(r, t, g);
}

void unfold(Tensor* r, Tensor* const& t, const int64_t& dim, const int64_t& size,
            const int64_t& step) {
  int d = dim_of(t->nDimension, dim);
  if (size <= 0 || size > t->size[d]) {
    fail_parameter(&size, "slices of %lld do not fit into dimension %lld of size %lld",
                   as_long(size), shown(d), as_long(t->size[d]));
  }
  if (step <= 0) fail_parameter(&step, "step %lld is not positive", as_long(step));
  Geometry g(*t);
  g.insert(g.ndim, size, t->stride[d]);
  g.size[d] = (t->size[d] - size) / step + 1;
  if (!mul_fits(step, t->stride[d], &g.stride[d])) g.stride[d] = 0;  // there is only one slice
  apply(r, t, g);
}

void squeeze(Tensor* r, Tensor* const& t) {
  Geometry g(*t);
  for (int d = g.ndim - 1; d >= 0; --d) {
    if (g.size[d] == 1 && g.ndim > 1) g.erase(d);
  }
  apply_part(r, t, g);
}

void squeeze1d(Tensor* r, Tensor* const& t, const int64_t& dim) {
  int d = dim_of(t->nDimension, dim);
  Geometry g(*t);
  if (g.size[d] == 1 && g.ndim > 1) g.erase(d);
  apply_part(r, t, g);
}

void unsqueeze1d(Tensor* r, Tensor* const& t, const int64_t& dim) {
  if (t->nDimension == 0) fail_parameter(&t, "cannot unsqueeze a tensor without dimensions");
  const int d = dim_of(t->nDimension + 1, dim, "result");
  Geometry g(*t);
  g.insert(d, 1, d < g.ndim ? checked_mul(g.size[d], g.stride[d], "a stride") : 1);
  apply(r, t, g);
}

namespace {

// parameter: the one that the sizes are from.
void expand_to(Tensor* r, Tensor* t, const Sizes& sizes, const void* parameter) {
  int extra = sizes.ndim - t->nDimension;
  if (t->nDimension == 0 || extra < 0) {
    fail_parameter(parameter, "a tensor of size %s cannot be expanded to %s",
                   shape_text(*t).c_str(), shape_text(sizes.ndim, sizes.size).c_str());
  }
  Geometry g(*t);
  for (int d = 0; d < extra; ++d) g.insert(0, 1, 0);
  for (int d = 0; d < sizes.ndim; ++d) {
    int64_t target = sizes.size[d];
    if (target == g.size[d] || (target == -1 && d >= extra)) continue;
    if (g.size[d] != 1 || target < 0) {
      fail_parameter(parameter,
                     "a tensor of size %s cannot be expanded to %s: only dimensions of size 1 "
                     "expand",
                     shape_text(*t).c_str(), shape_text(sizes.ndim, sizes.size).c_str());
    }
    g.size[d] = target;
    g.stride[d] = 0;
  }
  apply(r, t, g);
}

}  // namespace

void expand(Tensor* r, Tensor* const& t, const Sizes& sizes) { expand_to(r, t, sizes, &sizes); }

void expandAs(Tensor* r, Tensor* const& t, Tensor* const& like) {
  // like may be r, so copy its sizes.
  int64_t size[kMaxDims];
  std::copy(like->size, like->size + like->nDimension, size);
  expand_to(r, t, Sizes{like->nDimension, size}, &like);
}

namespace {

void view_as(Tensor* r, Tensor* const& t, const Sizes& sizes, const void* parameter) {
  int64_t size[kMaxDims], stride[kMaxDims];
  int64_t numel = t->numel();
  const int64_t count = about(parameter, [&] {
    infer_sizes(sizes, numel, size);
    return checked_numel(sizes.ndim, size);
  });
  if (count != numel) {
    fail_parameter(parameter, "a tensor of size %s cannot be viewed as %s", shape_text(*t).c_str(),
                   shape_text(sizes.ndim, sizes.size).c_str());
  }
  if (!view_strides(*t, sizes.ndim, size, stride)) {
    fail_parameter(&t,
                   "the layout of this tensor of size %s cannot be viewed as %s without "
                   "copying: use contiguous() first, or reshape",
                   shape_text(*t).c_str(), shape_text(sizes.ndim, sizes.size).c_str());
  }
  set_part(r, *t, t->storageOffset, sizes.ndim, size, stride);
}

}  // namespace

void view(Tensor* r, Tensor* const& t, const Sizes& sizes) { view_as(r, t, sizes, &sizes); }

void viewAs(Tensor* r, Tensor* const& t, Tensor* const& like) {
  view_as(r, t, Sizes{like->nDimension, like->size}, &like);
}

}  // namespace views
}  // namespace th
