// Pools of windows of images.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "ops/compose.h"
#include "ops/spatial.h"
#include "tensor/bands.h"

namespace th {

namespace {

struct Windows {
  PoolWindows along[kMaxSpatial];

  void counts(int64_t* to) const {
    for (int d = 0; d < kMaxSpatial; ++d) to[d] = along[d].count;
  }
};

template <class Arguments>
void check_elements(const Arguments& a, int dims) {
  check_channels(a, a.t, dims);
  for (int d = a.t->nDimension - dims; d < a.t->nDimension; ++d) {
    if (a.t->size[d] > 0) continue;
    fail_argument(argument_number(a, a.t), "dimension %lld of %s has no elements", shown(d),
                  shape_text(*a.t).c_str());
  }
}

// The number of windows along a dimension; less than 1 if there are none.
int64_t window_count(const PoolWindows& w, bool ceil_mode) {
  const char* what = "a size";
  const int64_t reach = checked_mul(w.kernel - 1, w.dilation, what);
  const int64_t size = checked_add(w.size, checked_mul(2, w.padding, what), what) - reach - 1;
  if (!ceil_mode) return size < 0 ? 0 : size / w.stride + 1;
  const int64_t size_up = checked_add(size, w.stride - 1, what);
  if (size_up < 0) return 0;
  const int64_t count = size_up / w.stride + 1;
  // The last window must begin at an element, or in the padding before it.
  return (count - 1) * w.stride >= w.size + w.padding ? count - 1 : count;
}

// The windows of maxPool and avgPool. dilation: null for none.
template <class Arguments>
Windows pool_windows(const Arguments& a, int dims, const Sizes* dilation) {
  check_elements(a, dims);
  int64_t size[kMaxSpatial], kernel[kMaxSpatial], stride[kMaxSpatial], padding[kMaxSpatial];
  int64_t step[kMaxSpatial] = {1, 1, 1};
  spatial_sizes(*a.t, dims, size);
  read_each(a, a.size, "size", dims, 1, kernel);
  read_each(a, a.stride, "stride", dims, 0, stride);
  read_each(a, a.padding, "padding", dims, 0, padding);
  if (dilation) read_each(a, *dilation, "dilation", dims, 1, step);
  Windows windows;
  for (int d = 0; d < kMaxSpatial; ++d) {
    if (d < kMaxSpatial - dims) padding[d] = 0;
    if (stride[d] == 0) stride[d] = kernel[d];
    if (padding[d] > kernel[d] / 2) {
      fail_argument(argument_number(a, a.padding),
                    "padding of at most half of the size is expected, got %lld for size %lld",
                    as_long(padding[d]), as_long(kernel[d]));
    }
    PoolWindows& w = windows.along[d];
    w = {size[d], 0, kernel[d], stride[d], padding[d], step[d]};
    w.count = window_count(w, a.ceilMode);
    if (w.count < 1) {
      fail_argument(argument_number(a, a.t),
                    "a window of %lld elements with dilation %lld is larger than the padded input "
                    "of %s",
                    as_long(kernel[d]), as_long(step[d]), shape_text(*a.t).c_str());
    }
  }
  return windows;
}

template <class Arguments>
Windows adaptive_windows(const Arguments& a, int dims) {
  check_elements(a, dims);
  int64_t size[kMaxSpatial], count[kMaxSpatial];
  spatial_sizes(*a.t, dims, size);
  read_each(a, a.size, "size", dims, 1, count);
  Windows windows;
  for (int d = 0; d < kMaxSpatial; ++d) {
    checked_mul(size[d], count[d] + 1, "the product of two sizes");
    windows.along[d] = {size[d], count[d], 0, 0, 0, 1};
  }
  return windows;
}

// ---- maxima

// Throws if a dilated window skips all elements.
template <class Arguments>
void check_windows(const Arguments& a, const Windows& windows) {
  for (const PoolWindows& w : windows.along) {
    if (w.dilation == 1) continue;
    for (int64_t k = 0; k < w.count; ++k) {
      int64_t first, elements;
      w.window(k, &first, &elements);
      if (elements > 0) continue;
      fail_argument(argument_number(a, a.padding),
                    "window %lld contains only padding: size %lld, dilation %lld, padding %lld",
                    as_long(k + 1), as_long(w.kernel), as_long(w.dilation), as_long(w.padding));
    }
  }
}

template <class Arguments>
void set_maxima(Arguments& a, int dims, const Windows& windows, Shapes& s) {
  int64_t size[kMaxSpatial], shape[kMaxDims];
  windows.counts(size);
  const int ndim = with_spatial_sizes(*a.t, dims, size, shape);
  s.set(a.values_, ndim, shape, Layout::contiguous);
  s.set(a.indices_, ndim, shape, Layout::contiguous);
}

template <class Arguments>
void find_maxima(Arguments& a, int dims, const Windows& windows) {
  if (a.values_->numel() == 0) return;
  const TensorRef t = contiguous(a.t);
  run(Arguments::op, device_of({a.t}), [&](Operands& at) {
    MaxPoolCall call;
    call.dtype = t->dtype;
    call.planes = batch_of(*t, dims) * channels_of(*t, dims);
    std::copy(windows.along, windows.along + kMaxSpatial, call.windows);
    call.index_base = TH_INDEX_BASE;
    call.in = at.read(t.get()).data;
    call.values = at.overwrite(a.values_);
    call.indices = reinterpret_cast<int64_t*>(at.overwrite(a.indices_));
    return call;
  });
}

// ---- means

using Divisors = std::vector<double>;

// The numbers by which the sums of the windows along a dimension are divided.
Divisors divisors(const PoolWindows& w, bool counts_padding) {
  Divisors list(static_cast<size_t>(w.count));
  for (int64_t k = 0; k < w.count; ++k) {
    int64_t first, elements;
    w.window(k, &first, &elements);
    if (w.kernel && counts_padding) {
      const int64_t begin = k * w.stride - w.padding;
      elements = std::min(begin + w.kernel, w.size + w.padding) - begin;
    }
    list[static_cast<size_t>(k)] = static_cast<double>(elements);
  }
  return list;
}

bool are_equal(const Divisors& list) {
  return std::all_of(list.begin(), list.end(), [&](double x) { return x == list[0]; });
}

// Returns the divisors of all windows, the products of those along the dimensions.
TensorRef products(const Divisors* along, int dims) {
  int64_t size[kMaxSpatial];
  for (int d = 0; d < kMaxSpatial; ++d) size[d] = static_cast<int64_t>(along[d].size());
  Divisors list;
  for (const double a : along[0]) {
    for (const double b : along[1]) {
      for (const double c : along[2]) list.push_back(a * b * c);
    }
  }
  const TensorRef all = new_double_vector(static_cast<int64_t>(list.size()),
                                          [&](int64_t k) { return list[static_cast<size_t>(k)]; });
  return reshaped(all.get(), dims, size + kMaxSpatial - dims);
}

Bands window_bands(const PoolWindows& w, double weight) {
  const int64_t kernel = w.kernel ? w.kernel : (w.size + w.count - 1) / w.count + 1;
  return new_bands(w.count, std::min(kernel, w.size), TH_INDEX_BASE, [&](int64_t k, double* to) {
    int64_t first, elements;
    w.window(k, &first, &elements);
    std::fill(to, to + elements, weight);
    return first;
  });
}

// Multiplies by the bands of each spatial dimension. Returns r, or a new tensor of the type in
// which 16-bit floats are computed.
TensorRef resampled(Tensor* r, Tensor* t, int dims, const Bands* bands) {
  const DType type = compute_type(t->dtype);
  TensorRef current = in_type(t, type);
  for (int d = 0; d < dims; ++d) {
    const Bands& b = bands[kMaxSpatial - dims + d];
    TensorRef next = d == dims - 1 && r->dtype == type ? shared(r) : empty(type);
    ops::resample(next.get(), current.get(), t->nDimension - dims + d, b.first.get(),
                  b.weights.get());
    current = std::move(next);
  }
  return current;
}

// Returns true if there is one window with all elements, each once, and without padding.
bool is_whole(const Windows& windows) {
  return std::all_of(windows.along, windows.along + kMaxSpatial, [](const PoolWindows& w) {
    return w.count == 1 && (w.kernel == 0 || (w.kernel == w.size && w.padding == 0));
  });
}

void compute_means(Tensor* r, Tensor* t, int dims, const Windows& windows, bool counts_padding) {
  if (is_whole(windows)) {
    int64_t reduced[kMaxSpatial];
    std::iota(reduced, reduced + dims, t->nDimension - dims);
    return ops::meanDims(r, t, Sizes{dims, reduced}, true);
  }
  if (r->numel() == 0) return;
  // Long windows of signals are rows of a view: a matrix of their weights would be larger than t.
  // Windows of less than 6 elements are faster with the matrix.
  const PoolWindows& w = windows.along[kMaxSpatial - 1];
  const bool complete = w.padding == 0 && (w.count - 1) * w.stride + w.kernel <= w.size;
  if (dims == 1 && w.kernel >= 6 && complete) {
    const TensorRef view = view_of(
        shared(t), [&](Tensor* v) { views::unfold(v, t, t->nDimension - 1, w.kernel, w.stride); });
    const int64_t last[] = {t->nDimension};
    return ops::meanDims(r, view.get(), Sizes{1, last}, false);
  }
  // A sum is divided once, because weights of 1 / n are rounded. Its terms are divided by powers of
  // two, which is exact, so that it does not overflow.
  Divisors along[kMaxSpatial] = {{1}, {1}, {1}};
  Bands bands[kMaxSpatial];
  for (int d = kMaxSpatial - dims; d < kMaxSpatial; ++d) {
    along[d] = divisors(windows.along[d], counts_padding);
    const double most = *std::max_element(along[d].begin(), along[d].end());
    const double weight = std::exp2(-std::ceil(std::log2(most)));
    for (double& n : along[d]) n *= weight;
    bands[d] = window_bands(windows.along[d], weight);
  }
  const TensorRef sums = resampled(r, t, dims, bands);
  const bool equal = std::all_of(along, along + kMaxSpatial, are_equal);
  const double product = along[0][0] * along[1][0] * along[2][0];
  if (equal && product != 1) {
    ops::div(sums.get(), sums.get(), product);
  } else if (!equal) {
    const TensorRef all = in_type(products(along, dims).get(), sums->dtype);
    ops::cdiv(sums.get(), sums.get(), expanded(all, *sums).get());
  }
  if (sums.get() != r) ops::copy(r, sums.get());
}

template <class Arguments>
void set_means(Arguments& a, int dims, const Windows& windows, Shapes& s) {
  int64_t size[kMaxSpatial], shape[kMaxDims];
  windows.counts(size);
  const int ndim = with_spatial_sizes(*a.t, dims, size, shape);
  s.set(a.r_, ndim, shape);
}

// ---- interpolation

// The position in the input of position k of the result, both from 0.
struct Grid {
  int64_t size, count;
  double scale;  // 1 / the distance of two positions; 0: the quotient of the sizes
  bool linear, align_corners;

  int64_t nearest(int64_t k) const {
    const int64_t at =
        scale == 0 ? static_cast<int64_t>(static_cast<double>(k) * static_cast<double>(size) /
                                          static_cast<double>(count))
                   : static_cast<int64_t>(static_cast<double>(k) / scale);
    return std::min(at, size - 1);
  }
  double position(int64_t k) const {
    const auto n = static_cast<double>(size), m = static_cast<double>(count);
    const auto at = static_cast<double>(k);
    if (align_corners) return count > 1 ? at * (n - 1) / (m - 1) : 0;
    return std::max(0.0, (scale == 0 ? (at + 0.5) * (n / m) : (at + 0.5) / scale) - 0.5);
  }
  Bands bands() const {
    const int64_t width = linear ? std::min<int64_t>(2, size) : 1;
    return new_bands(count, width, TH_INDEX_BASE, [&](int64_t k, double* to) {
      if (!linear) {
        to[0] = 1;
        return nearest(k);
      }
      const double at = std::min(position(k), static_cast<double>(size - 1));
      const int64_t first = std::min(static_cast<int64_t>(at), size - width);
      const double rest = at - static_cast<double>(first);
      to[0] = width == 1 ? 1 : 1 - rest;
      if (width == 2) to[1] = rest;
      return first;
    });
  }
};

bool is_linear(const char* mode) {
  return !std::strcmp(mode, "linear") || !std::strcmp(mode, "bilinear") ||
         !std::strcmp(mode, "trilinear");
}

// Checks the input and the mode. Returns the number of spatial dimensions.
template <class Arguments>
int interpolated_dims(const Arguments& a) {
  if (!is_linear(a.mode) && std::strcmp(a.mode, "nearest") != 0) {
    fail_argument(argument_number(a, a.mode), "'nearest' or 'linear' is expected, got '%s'",
                  a.mode);
  }
  if (a.alignCorners && !is_linear(a.mode)) {
    fail_argument(argument_number(a, a.alignCorners), "the mode 'nearest' has no alignCorners");
  }
  const int dims = a.t->nDimension - 2;
  if (dims >= 1 && dims <= kMaxSpatial) {
    check_elements(a, dims);
    return dims;
  }
  fail_argument(argument_number(a, a.t), "batch x channels x size is expected, got %s",
                shape_text(*a.t).c_str());
}

template <class Arguments>
void interpolate(Arguments& a, double scale) {
  const int dims = a.t->nDimension - 2;
  int64_t size[kMaxSpatial], count[kMaxSpatial];
  spatial_sizes(*a.t, dims, size);
  spatial_sizes(*a.r_, dims, count);
  const bool linear = is_linear(a.mode);
  Bands bands[kMaxSpatial];
  for (int d = kMaxSpatial - dims; d < kMaxSpatial; ++d) {
    bands[d] = Grid{size[d], count[d], scale, linear, a.alignCorners != 0}.bands();
  }
  if (a.r_->numel() == 0) return;
  const TensorRef all = resampled(a.r_, a.t, dims, bands);
  if (all.get() != a.r_) ops::copy(a.r_, all.get());
}

}  // namespace

#define TH_POOLS(dims)                                                                 \
  void shapes(args::maxPool##dims##d& a, Shapes& s) {                                  \
    const Windows windows = pool_windows(a, dims, &a.dilation);                        \
    check_windows(a, windows);                                                         \
    set_maxima(a, dims, windows, s);                                                   \
  }                                                                                    \
  void calls(args::maxPool##dims##d& a) {                                              \
    find_maxima(a, dims, pool_windows(a, dims, &a.dilation));                          \
  }                                                                                    \
  void shapes(args::adaptiveMaxPool##dims##d& a, Shapes& s) {                          \
    set_maxima(a, dims, adaptive_windows(a, dims), s);                                 \
  }                                                                                    \
  void calls(args::adaptiveMaxPool##dims##d& a) {                                      \
    find_maxima(a, dims, adaptive_windows(a, dims));                                   \
  }                                                                                    \
  void shapes(args::avgPool##dims##d& a, Shapes& s) {                                  \
    set_means(a, dims, pool_windows(a, dims, nullptr), s);                             \
  }                                                                                    \
  void calls(args::avgPool##dims##d& a) {                                              \
    compute_means(a.r_, a.t, dims, pool_windows(a, dims, nullptr), a.countIncludePad); \
  }                                                                                    \
  void shapes(args::adaptiveAvgPool##dims##d& a, Shapes& s) {                          \
    set_means(a, dims, adaptive_windows(a, dims), s);                                  \
  }                                                                                    \
  void calls(args::adaptiveAvgPool##dims##d& a) {                                      \
    compute_means(a.r_, a.t, dims, adaptive_windows(a, dims), false);                  \
  }
TH_POOLS(1)
TH_POOLS(2)
TH_POOLS(3)

void shapes(args::interpolate& a, Shapes& s) {
  const int dims = interpolated_dims(a);
  int64_t size[kMaxSpatial], shape[kMaxDims];
  read_each(a, a.size, "size", dims, 1, size);
  const int ndim = with_spatial_sizes(*a.t, dims, size, shape);
  s.set(a.r_, ndim, shape);
}
void calls(args::interpolate& a) { interpolate(a, 0); }

void shapes(args::upsample& a, Shapes& s) {
  const int dims = interpolated_dims(a);
  int64_t size[kMaxSpatial], shape[kMaxDims];
  spatial_sizes(*a.t, dims, size);
  for (int d = kMaxSpatial - dims; d < kMaxSpatial; ++d) {
    const double scaled = static_cast<double>(size[d]) * a.scale;
    if (!(scaled >= 1 && scaled < static_cast<double>(kMostElements))) {
      s.fail(a.scale, "a scale that gives at least one element is expected, got %g for %s", a.scale,
             shape_text(*a.t).c_str());
    }
    size[d] = static_cast<int64_t>(scaled);
  }
  const int ndim = with_spatial_sizes(*a.t, dims, size, shape);
  s.set(a.r_, ndim, shape);
}
void calls(args::upsample& a) { interpolate(a, a.scale); }

// ---- sums of neighbors

void shapes(args::resample& a, Shapes& s) {
  const Tensor &t = *a.t, &weights = *a.weights;
  a.dimension = s.dim(a.dimension, t);
  if (weights.nDimension != 2 || a.first->nDimension != 1 || a.first->size[0] != weights.size[0] ||
      weights.numel() == 0) {
    s.fail(a.weights,
           "a matrix with a row for each of the first elements of %s is expected, got %s",
           shape_text(*a.first).c_str(), shape_text(weights).c_str());
  }
  if (!are_bands(a.first, a.weights, t.size[a.dimension], TH_INDEX_BASE)) {
    s.fail(a.first, "elements out of range of %lld elements, or not in order",
           as_long(t.size[a.dimension]));
  }
  int64_t shape[kMaxDims];
  std::copy(t.size, t.size + t.nDimension, shape);
  shape[a.dimension] = weights.size[0];
  s.set(a.r_, t.nDimension, shape, Layout::contiguous);
}
void calls(args::resample& a) {
  if (a.r_->numel() == 0) return;
  const TensorRef t = contiguous(a.t), first = contiguous(a.first), weights = contiguous(a.weights);
  run(a.op, device_of({a.t}), [&](Operands& at) {
    ResampleCall call;
    call.dtype = t->dtype;
    call.outer = call.inner = 1;
    for (int d = 0; d < t->nDimension; ++d) {
      if (d < a.dimension) call.outer *= t->size[d];
      if (d > a.dimension) call.inner *= t->size[d];
    }
    call.size = t->size[a.dimension];
    call.count = weights->size[0];
    call.width = weights->size[1];
    call.index_base = TH_INDEX_BASE;
    call.in = at.read(t.get()).data;
    call.first = reinterpret_cast<const int64_t*>(at.read(first.get()).data);
    call.weights = reinterpret_cast<const double*>(at.read(weights.get()).data);
    call.out = at.overwrite(a.r_);
    return call;
  });
}

}  // namespace th
