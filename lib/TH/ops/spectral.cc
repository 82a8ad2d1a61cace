// Short-time Fourier transforms, and convolution by Fourier transforms.

#include <algorithm>

#include "backend/fourier_call.h"
#include "base/error.h"
#include "ops/complex.h"
#include "tensor/checked.h"
#include "tensor/new_vector.h"

namespace th {
namespace {

// ---- short-time transforms

// The frames of a signal: n elements each, `hop` apart. `pad` elements are added at both ends.
struct Frames {
  int64_t n, hop, count, pad;
  int64_t total() const { return n + hop * (count - 1); }
};

// Checks the window and the hop, and sets the default of the hop.
template <class A>
Frames frames_of(A& a, const Shapes& s) {
  const Tensor& window = *a.window;
  if (window.nDimension != 1 || window.size[0] == 0) {
    s.fail(a.window, "a vector is expected, got size %s", shape_text(window).c_str());
  }
  const int64_t n = window.size[0];
  if (a.hop < 0) s.fail(a.hop, "a hop of %lld is negative", as_long(a.hop));
  if (a.hop == 0) a.hop = std::max<int64_t>(n / 4, 1);
  return {n, a.hop, 0, a.center ? n / 2 : 0};
}

template <class A>
Frames frames_of(const A& a, int64_t count) {
  const int64_t n = a.window->size[0];
  return {n, a.hop, count, a.center ? n / 2 : 0};
}

TensorRef padded_by_reflection(Tensor* t, int64_t pad) {
  int64_t widths[2 * kMaxDims] = {};
  const int ndim = t->nDimension;
  widths[2 * ndim - 2] = widths[2 * ndim - 1] = pad;
  return made(t->dtype, [&](Tensor* r) {
    ops::padMode(r, t, Sizes{2 * ndim, widths}, "reflect", Scalar(0));
  });
}

TensorRef with_dims_swapped(const TensorRef& t, int64_t dim1, int64_t dim2) {
  return view_of(t, [&](Tensor* v) { views::transpose(v, t.get(), dim1, dim2); });
}

TensorRef product_of(const TensorRef& t, const TensorRef& window) {
  return made(t->dtype, [&](Tensor* r) { ops::cmul(r, t.get(), expanded(window, *t).get()); });
}

// Returns the sums of the frames in the last two dimensions of t, each at its position.
TensorRef overlapped(const TensorRef& t, const Frames& frames) {
  const int64_t last = t->nDimension - 2;
  int64_t size[kMaxDims];
  std::copy_n(t->size, last, size);
  size[last] = frames.count * frames.n;
  TensorRef flat = reshaped(t.get(), static_cast<int>(last) + 1, size);
  size[last] = frames.total();
  TensorRef sums = filled(*t, t->dtype, static_cast<int>(last) + 1, size, 0);
  TensorRef index = new_long_vector(frames.count * frames.n, [&](int64_t k) {
    return TH_INDEX_BASE + k / frames.n * frames.hop + k % frames.n;
  });
  ops::indexAdd(sums.get(), last, index.get(), flat.get());
  return sums;
}

}  // namespace

void shapes(args::stft& a, Shapes& s) {
  Frames frames = frames_of(a, s);
  const Tensor& t = *a.t;
  if (t.nDimension == 0 || t.nDimension > kMaxDims - 2) {
    s.fail(a.t, "a tensor of 1 to %d dimensions is expected, got %d", kMaxDims - 2, t.nDimension);
  }
  const int last = t.nDimension - 1;
  const int64_t length = t.size[last];
  if (frames.pad >= length && frames.pad > 0) {
    s.fail(a.t, "%lld elements are too few to reflect %lld of them at both ends", as_long(length),
           as_long(frames.pad));
  }
  const int64_t total = length + 2 * frames.pad;
  if (total < frames.n) {
    s.fail(a.t, "%lld elements are fewer than those of the window, %lld", as_long(total),
           as_long(frames.n));
  }
  int64_t size[kMaxDims];
  std::copy_n(t.size, last, size);
  size[last] = frames.n / 2 + 1;
  size[last + 1] = (total - frames.n) / frames.hop + 1;
  size[last + 2] = 2;
  s.set(a.r_, last + 3, size);
}

void calls(args::stft& a) {
  if (a.r_->numel() == 0) return;
  const DType type = compute_type(a.t->dtype);
  const int64_t last = a.t->nDimension - 1;
  const Frames frames = frames_of(a, a.r_->size[last + 1]);
  TensorRef signal = in_type(a.t, type), window = in_type(a.window, type);
  if (frames.pad > 0) signal = padded_by_reflection(signal.get(), frames.pad);
  TensorRef parts = view_of(
      signal, [&](Tensor* v) { views::unfold(v, signal.get(), last, frames.n, frames.hop); });
  TensorRef spectra =
      made(type, [&](Tensor* r) { ops::rfft(r, product_of(parts, window).get(), 0, -1, 'b'); });
  ops::copy(a.r_, with_dims_swapped(spectra, last, last + 1).get());
}

void shapes(args::istft& a, Shapes& s) {
  Frames frames = frames_of(a, s);
  const Tensor& t = *a.t;
  const int ndim = t.nDimension;
  if (complex_dims(t) < 2 || t.size[ndim - 3] != frames.n / 2 + 1 || t.size[ndim - 2] == 0) {
    s.fail(a.t, "frequencies x frames x 2 is expected, with %lld frequencies, got size %s",
           as_long(frames.n / 2 + 1), shape_text(t).c_str());
  }
  frames.count = t.size[ndim - 2];
  const int64_t most = frames.total() - frames.pad;
  if (a.length < 0) {
    s.fail(a.length, "the length is %lld", as_long(a.length));
  }
  int64_t size[kMaxDims];
  std::copy_n(t.size, ndim - 3, size);
  size[ndim - 3] = a.length > 0 ? a.length : most - frames.pad;
  if (size[ndim - 3] == 0) s.fail(a.t, "the frames have no elements beyond the padding");
  s.set(a.r_, ndim - 2, size);
}

void calls(args::istft& a) {
  if (a.r_->numel() == 0) return;
  const DType type = compute_type(a.t->dtype);
  const int64_t last = a.r_->nDimension - 1;
  const Frames frames = frames_of(a, a.t->size[last + 1]);
  TensorRef window = in_type(a.window, type), whole = in_type(a.t, type);
  TensorRef spectra = with_dims_swapped(whole, last, last + 1);
  TensorRef parts = made(type, [&](Tensor* r) { ops::irfft(r, spectra.get(), frames.n, -1, 'b'); });
  TensorRef sums = overlapped(product_of(parts, window), frames);
  TensorRef squares = made(type, [&](Tensor* r) { ops::cmul(r, window.get(), window.get()); });
  const int64_t all[] = {frames.count, frames.n};
  TensorRef weights = overlapped(view_of(squares,
                                         [&](Tensor* v) {
                                           views::expand(v, squares.get(), {2, all});
                                         }),
                                 frames);
  // A longer result ends with 0.
  const int64_t length = std::min(a.r_->size[last], weights->size[0] - frames.pad);
  TensorRef used = narrowed(weights, 0, frames.pad, length);
  if (!(ops::minall(used.get()).to_double() > 1e-11)) {
    fail("the sum of the squared windows is 0 at some elements");
  }
  TensorRef middle = narrowed(sums, last, frames.pad, length);
  TensorRef r =
      made(type, [&](Tensor* q) { ops::cdiv(q, middle.get(), expanded(used, *middle).get()); });
  if (length < a.r_->size[last]) ops::zero(a.r_);
  ops::copy(narrowed(view_of(a.r_), last, 0, length).get(), r.get());
}

// ---- convolution

namespace {

// The part of the full convolution that the mode selects, along one dimension.
struct Part {
  int64_t first, size;
};
Part part_of_full(char mode, int64_t a, int64_t b) {
  if (mode == 'f') return {0, checked_add(a, b - 1, "a size")};
  if (mode == 's') return {(b - 1) / 2, a};
  return {std::min(a, b) - 1, std::max(a, b) - std::min(a, b) + 1};
}

}  // namespace

void shapes(args::fftConvolve& a, Shapes& s) {
  const Tensor &x = *a.a, &y = *a.b;
  if (a.mode != 'f' && a.mode != 's' && a.mode != 'v') {
    s.fail(a.mode, "'full', 'same' or 'valid' is expected, got '%c'", a.mode);
  }
  if (x.nDimension != y.nDimension || x.nDimension == kMaxDims) {
    s.fail(a.b, "tensors of the same number of dimensions are expected, up to %d, got %d and %d",
           kMaxDims - 1, x.nDimension, y.nDimension);
  }
  if (x.numel() == 0 || y.numel() == 0) {
    s.fail(a.b, "tensors with elements are expected, got sizes %s and %s", shape_text(x).c_str(),
           shape_text(y).c_str());
  }
  bool first_is_larger = true, second_is_larger = true;
  int64_t size[kMaxDims];
  for (int d = 0; d < x.nDimension; ++d) {
    first_is_larger = first_is_larger && x.size[d] >= y.size[d];
    second_is_larger = second_is_larger && y.size[d] >= x.size[d];
    size[d] = part_of_full(a.mode, x.size[d], y.size[d]).size;
  }
  if (a.mode == 'v' && !first_is_larger && !second_is_larger) {
    s.fail(a.b, "no operand lies inside of the other one: sizes %s and %s", shape_text(x).c_str(),
           shape_text(y).c_str());
  }
  s.set(a.r_, x.nDimension, size);
}

void calls(args::fftConvolve& a) {
  const DType type = compute_type(a.a->dtype);
  const int ndim = a.a->nDimension;
  int64_t sizes[kMaxDims], dims[kMaxDims];
  for (int d = 0; d < ndim; ++d) {
    sizes[d] = fast_fourier_size(part_of_full('f', a.a->size[d], a.b->size[d]).size);
    dims[d] = d;
  }
  const Sizes lengths = {ndim, sizes}, all = {ndim, dims};
  const auto spectrum = [&](Tensor* t) {
    TensorRef x = in_type(t, type);
    return made(type, [&](Tensor* r) { ops::rfftnSizes(r, x.get(), lengths, all, 'b'); });
  };
  TensorRef x = spectrum(a.a), y = spectrum(a.b);
  TensorRef product = made(type, [&](Tensor* r) { ops::complexMul(r, x.get(), y.get()); });
  TensorRef full =
      made(type, [&](Tensor* r) { ops::irfftnSizes(r, product.get(), lengths, all, 'b'); });
  for (int d = 0; d < ndim; ++d) {
    full = narrowed(full, d, part_of_full(a.mode, a.a->size[d], a.b->size[d]).first, a.r_->size[d]);
  }
  ops::copy(a.r_, full.get());
}

}  // namespace th
