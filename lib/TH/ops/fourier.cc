// Fourier transforms, frequencies and windows.

#include <algorithm>
#include <cmath>

#include "backend/fourier_call.h"
#include "base/error.h"
#include "ops/complex.h"
#include "tensor/new_vector.h"

namespace th {
namespace {

enum class Fourier { fft, ifft, rfft, irfft };

bool reads_complex(Fourier t) { return t != Fourier::rfft; }
bool writes_complex(Fourier t) { return t != Fourier::irfft; }
bool is_inverse(Fourier t) { return t == Fourier::ifft || t == Fourier::irfft; }

// The dimensions of a transform, and its length along each: the number of complex elements of fft
// and ifft, of real elements of rfft and irfft. The last dimension is the real one.
struct Lengths {
  int ndim = 0;  // dimensions of the tensor
  int count = 0;
  int64_t dim[kMaxDims], n[kMaxDims];
};

int counted_dims(Fourier kind, const Tensor& t) {
  if (reads_complex(kind)) return complex_dims(t);
  if (t.nDimension == 0) fail("a tensor without dimensions has no elements");
  if (t.nDimension == kMaxDims) {
    fail("a tensor of %d dimensions is expected at most, got %d", kMaxDims - 1, kMaxDims);
  }
  return t.nDimension;
}

// Returns the length of a transform along a dimension. n: as requested; 0: the default. real: the
// result is real.
int64_t length_along(const Tensor& t, int64_t dim, int64_t n, bool real) {
  if (n < 0) fail("a length of %lld is negative", as_long(n));
  if (n > 0) return n;
  const int64_t size = t.size[dim], length = real ? 2 * (size - 1) : size;
  if (length > 0) return length;
  fail("dimension %lld of %s has too few elements for a transform without a given length",
       shown(dim), shape_text(t).c_str());
}

// sizes, dims: null for the defaults, which are 0 and all dimensions.
Lengths lengths_of(Fourier kind, const Tensor& t, const Sizes* sizes, const Sizes* dims) {
  Lengths lengths;
  lengths.ndim = counted_dims(kind, t);
  lengths.count = dims ? dims->ndim : lengths.ndim;
  if (lengths.count == 0) fail("a list of at least one dimension is expected");
  if (sizes && sizes->ndim != lengths.count) {
    fail("%d sizes are given for %d dimensions", sizes->ndim, lengths.count);
  }
  bool is_used[kMaxDims] = {};
  for (int k = 0; k < lengths.count; ++k) {
    const int64_t d = dims ? wrap_dim(lengths.ndim, dims->size[k]) : k;
    if (is_used[d]) fail("dimension %lld is listed twice", shown(d));
    is_used[d] = true;
    lengths.dim[k] = d;
    const bool real = kind == Fourier::irfft && k == lengths.count - 1;
    lengths.n[k] = length_along(t, d, sizes ? sizes->size[k] : 0, real);
  }
  return lengths;
}

Lengths lengths_of_last_two(Fourier kind, const Tensor& t) {
  const int64_t dims[] = {-2, -1};
  const Sizes both = {2, dims};
  return lengths_of(kind, t, nullptr, &both);
}

// a: the arguments of a transform.
template <class A>
void set_result(A& a, Shapes& s, Fourier kind, const Lengths& lengths) {
  if (a.norm != 'b' && a.norm != 'o' && a.norm != 'f') {
    s.fail(a.norm, "'backward', 'ortho' or 'forward' is expected, got '%c'", a.norm);
  }
  int64_t size[kMaxDims];
  std::copy_n(a.t->size, lengths.ndim, size);
  for (int k = 0; k < lengths.count; ++k) {
    const bool half = kind == Fourier::rfft && k == lengths.count - 1;
    size[lengths.dim[k]] = half ? lengths.n[k] / 2 + 1 : lengths.n[k];
  }
  size[lengths.ndim] = 2;
  s.set(a.r_, lengths.ndim + (writes_complex(kind) ? 1 : 0), size);
}

// ---- one dimension

template <class A>
void shapes_of_line(A& a, Shapes& s, Fourier kind) {
  Lengths lengths;
  lengths.ndim = counted_dims(kind, *a.t);
  lengths.count = 1;
  lengths.dim[0] = a.dimension = s.dim(a.dimension, lengths.ndim);
  lengths.n[0] = a.n = length_along(*a.t, a.dimension, a.n, kind == Fourier::irfft);
  set_result(a, s, kind, lengths);
}

double scale_of(int64_t n, bool inverse, char norm) {
  const auto count = static_cast<double>(n);
  if (norm == 'o') return 1 / std::sqrt(count);
  return inverse == (norm == 'b') ? 1 / count : 1;
}

FourierKind kind_of(Fourier t) {
  if (t == Fourier::rfft) return FourierKind::real_to_complex;
  return t == Fourier::irfft ? FourierKind::complex_to_real : FourierKind::complex;
}

void transform_line(Op op, Fourier kind, Tensor* r, Tensor* t, int64_t n, int64_t dim, char norm) {
  if (r->numel() == 0) return;
  if (t->numel() == 0) return ops::fill(r, 0);
  run(op, device_of({r, t}), [&](Operands& at) {
    const size_t item = item_size(t->dtype);
    const auto bytes = static_cast<int64_t>(item);
    const int ndim = t->nDimension - (reads_complex(kind) ? 1 : 0);
    Placed in = at.read(t);
    const int64_t *to = r->stride, *from = in.tensor->stride;
    FourierCall call;
    call.dtype = t->dtype;
    call.kind = kind_of(kind);
    call.inverse = is_inverse(kind);
    call.scale = scale_of(n, call.inverse, norm);
    call.n = n;
    call.in_count = t->size[dim];
    call.out_step = to[dim] * bytes;
    call.in_step = from[dim] * bytes;
    call.out_part = writes_complex(kind) ? to[ndim] * bytes : 0;
    call.in_part = reads_complex(kind) ? from[ndim] * bytes : 0;
    call.plan.start(ndim, t->size, static_cast<int>(dim));
    call.plan.add(at.overwrite(r), item, to);
    call.plan.add(in.data, item, from);
    call.plan.plan();
    return call;
  });
}

template <class A>
void line(A& a, Fourier kind) {
  const DType type = compute_type(a.t->dtype);
  if (a.t->dtype == type) return transform_line(A::op, kind, a.r_, a.t, a.n, a.dimension, a.norm);
  TensorRef t = in_type(a.t, type), r(tensor_new(type));
  resize_as(r.get(), *a.r_);
  transform_line(A::op, kind, r.get(), t.get(), a.n, a.dimension, a.norm);
  ops::copy(a.r_, r.get());
}

// ---- several dimensions

void call_line(Fourier kind, Tensor* r, Tensor* t, int64_t n, int64_t dim, char norm) {
  switch (kind) {
    case Fourier::fft:
      return ops::fft(r, t, n, dim, norm);
    case Fourier::ifft:
      return ops::ifft(r, t, n, dim, norm);
    case Fourier::rfft:
      return ops::rfft(r, t, n, dim, norm);
    case Fourier::irfft:
      return ops::irfft(r, t, n, dim, norm);
  }
}

// The real dimension is the first one to transform in rfft, the last one in irfft.
void transform_lines(Tensor* r, Tensor* t, Fourier kind, const Lengths& lengths, char norm) {
  const Fourier other = is_inverse(kind) ? Fourier::ifft : Fourier::fft;
  const int last = lengths.count - 1;
  TensorRef current = shared(t);
  for (int k = 0; k <= last; ++k) {
    const int at = is_inverse(kind) ? k : last - k;
    TensorRef next = k == last ? shared(r) : empty(t->dtype);
    call_line(at == last ? kind : other, next.get(), current.get(), lengths.n[at], lengths.dim[at],
              norm);
    current = std::move(next);
  }
}

// ---- frequencies and windows

void set_vector(Tensor*& r, const int64_t& n, Shapes& s) {
  if (n < 0) s.fail(n, "the number of elements is %lld", as_long(n));
  s.set(r, 1, &n);
}

template <class A>
void set_frequencies(A& a, Shapes& s, int64_t count) {
  if (a.n < 1) s.fail(a.n, "1 element is expected at least, got %lld", as_long(a.n));
  if (!(a.d != 0)) s.fail(a.d, "the time between samples is %g", a.d);
  s.set(a.r_, 1, &count);
}

// Fills r with f(k / N), where N is the number of intervals. A symmetric window of one element is
// its middle.
template <class F>
void fill_window(Tensor* r, bool periodic, const F& f) {
  const int64_t n = r->numel();
  const auto intervals = static_cast<double>(periodic ? n : n - 1);
  // A single element is the middle of the window.
  TensorRef values = new_double_vector(
      n, [&](int64_t k) { return n == 1 ? 1 : f(static_cast<double>(k) / intervals); });
  ops::copy(r, values.get());
}

constexpr double kTurn = 6.283185307179586476925;

// The modified Bessel function of order 0, for 0 <= x <= 700.
double bessel_i0(double x) {
  double term = 1, sum = 1;
  for (int k = 1; term > 1e-17 * sum; ++k) {
    term *= x / (2 * k) * (x / (2 * k));
    sum += term;
  }
  return sum;
}

void shift_dims(Tensor* r, Tensor* t, const Sizes& dims, bool back) {
  int64_t shifts[kMaxDims];
  for (int k = 0; k < dims.ndim; ++k) {
    const int64_t size = t->size[wrap_dim(t->nDimension, dims.size[k])];
    shifts[k] = back ? -(size / 2) : size / 2;
  }
  ops::rollDims(r, t, Sizes{dims.ndim, shifts}, dims);
}

template <class A>
void shapes_of_shift(A& a, Shapes& s, const Sizes& dims) {
  for (int k = 0; k < dims.ndim; ++k) wrap_dim(a.t->nDimension, dims.size[k]);
  s.set(a.r_, *a.t);
}

template <class A>
void shapes_of_vector_shift(A& a, Shapes& s) {
  if (a.t->nDimension != 1) {
    s.fail(a.t, "a tensor of size %s needs a list of dimensions", shape_text(*a.t).c_str());
  }
  s.set(a.r_, *a.t);
}

const int64_t kFirst = 0;

}  // namespace

#define TH_TRANSFORM_LINES(name, row, ...)                                               \
  void shapes(args::row& a, Shapes& s) { set_result(a, s, Fourier::name, __VA_ARGS__); } \
  void calls(args::row& a) { transform_lines(a.r_, a.t, Fourier::name, __VA_ARGS__, a.norm); }
#define TH_TRANSFORM(name)                                                                   \
  void shapes(args::name& a, Shapes& s) { shapes_of_line(a, s, Fourier::name); }             \
  void calls(args::name& a) { line(a, Fourier::name); }                                      \
  TH_TRANSFORM_LINES(name, name##nSizes, lengths_of(Fourier::name, *a.t, &a.sizes, &a.dims)) \
  TH_TRANSFORM_LINES(name, name##nDims, lengths_of(Fourier::name, *a.t, nullptr, &a.dims))   \
  TH_TRANSFORM_LINES(name, name##n, lengths_of(Fourier::name, *a.t, nullptr, nullptr))       \
  TH_TRANSFORM_LINES(name, name##2, lengths_of_last_two(Fourier::name, *a.t))
TH_TRANSFORM(fft)
TH_TRANSFORM(ifft)
TH_TRANSFORM(rfft)
TH_TRANSFORM(irfft)
#undef TH_TRANSFORM
#undef TH_TRANSFORM_LINES

void shapes(args::fftfreq& a, Shapes& s) { set_frequencies(a, s, a.n); }
void calls(args::fftfreq& a) {
  const double step = 1 / (static_cast<double>(a.n) * a.d);
  const int64_t n = a.n, half = (n + 1) / 2;
  TensorRef values = new_double_vector(
      n, [&](int64_t k) { return static_cast<double>(k < half ? k : k - n) * step; });
  ops::copy(a.r_, values.get());
}

void shapes(args::rfftfreq& a, Shapes& s) { set_frequencies(a, s, a.n / 2 + 1); }
void calls(args::rfftfreq& a) {
  const double step = 1 / (static_cast<double>(a.n) * a.d);
  TensorRef values =
      new_double_vector(a.n / 2 + 1, [&](int64_t k) { return static_cast<double>(k) * step; });
  ops::copy(a.r_, values.get());
}

void shapes(args::fftshiftDims& a, Shapes& s) { shapes_of_shift(a, s, a.dims); }
void calls(args::fftshiftDims& a) { shift_dims(a.r_, a.t, a.dims, false); }
void shapes(args::ifftshiftDims& a, Shapes& s) { shapes_of_shift(a, s, a.dims); }
void calls(args::ifftshiftDims& a) { shift_dims(a.r_, a.t, a.dims, true); }
void shapes(args::fftshift& a, Shapes& s) { shapes_of_vector_shift(a, s); }
void calls(args::fftshift& a) { shift_dims(a.r_, a.t, {1, &kFirst}, false); }
void shapes(args::ifftshift& a, Shapes& s) { shapes_of_vector_shift(a, s); }
void calls(args::ifftshift& a) { shift_dims(a.r_, a.t, {1, &kFirst}, true); }

void shapes(args::hannWindow& a, Shapes& s) { set_vector(a.r_, a.n, s); }
void calls(args::hannWindow& a) {
  fill_window(a.r_, a.periodic, [](double x) { return 0.5 - 0.5 * std::cos(kTurn * x); });
}
void shapes(args::hammingWindow& a, Shapes& s) { set_vector(a.r_, a.n, s); }
void calls(args::hammingWindow& a) {
  fill_window(a.r_, a.periodic, [](double x) { return 0.54 - 0.46 * std::cos(kTurn * x); });
}
void shapes(args::blackmanWindow& a, Shapes& s) { set_vector(a.r_, a.n, s); }
void calls(args::blackmanWindow& a) {
  fill_window(a.r_, a.periodic, [](double x) {
    return 0.42 - 0.5 * std::cos(kTurn * x) + 0.08 * std::cos(2 * kTurn * x);
  });
}
void shapes(args::bartlettWindow& a, Shapes& s) { set_vector(a.r_, a.n, s); }
void calls(args::bartlettWindow& a) {
  fill_window(a.r_, a.periodic, [](double x) { return 1 - std::fabs(2 * x - 1); });
}
void shapes(args::kaiserWindow& a, Shapes& s) {
  if (!(a.beta >= 0 && a.beta <= 700)) {
    s.fail(a.beta, "a number from 0 to 700 is expected, got %g", a.beta);
  }
  set_vector(a.r_, a.n, s);
}
void calls(args::kaiserWindow& a) {
  const double whole = bessel_i0(a.beta);
  fill_window(a.r_, a.periodic, [&](double x) {
    const double y = 2 * x - 1;
    return bessel_i0(a.beta * std::sqrt(std::max(0.0, 1 - y * y))) / whole;
  });
}

// ---- transforms of signals whose second half is the conjugate of the first

void shapes(args::hfft& a, Shapes& s) { shapes_of_line(a, s, Fourier::irfft); }
void calls(args::hfft& a) {
  TensorRef conjugate = made(a.t->dtype, [&](Tensor* r) { ops::complexConj(r, a.t); });
  ops::irfft(a.r_, conjugate.get(), a.n, a.dimension, opposite_norm(a.norm));
}
void shapes(args::ihfft& a, Shapes& s) { shapes_of_line(a, s, Fourier::rfft); }
void calls(args::ihfft& a) {
  TensorRef half = made(
      a.t->dtype, [&](Tensor* r) { ops::rfft(r, a.t, a.n, a.dimension, opposite_norm(a.norm)); });
  ops::complexConj(a.r_, half.get());
}

}  // namespace th
