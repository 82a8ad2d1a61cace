// Blocks of Fourier transforms: reading the input, the transform, and writing the output.

#include <cstring>

#include "cpu/fourier_kernels.h"
#include "cpu/kernels/fourier_stages.h"
#include "cpu/square.h"

namespace th {
namespace {

template <class T>
struct Block {
  const FourierBlock<T>& block;
  const FourierCall& call = *block.call;
  const FourierPlan<T>& plan = *block.plan;
  const int64_t lanes = block.lanes;
  T* next = block.work;  // free work memory

  Split<T> allocate(int64_t n) {
    const int64_t size = fourier_array(n, lanes);
    const Split<T> s = {next, next + size};
    next += 2 * size;
    return s;
  }
  static Split<T> swapped(Split<T> s) { return {s.im, s.re}; }

  // ---- complex transforms. x and y are work memory; returns the one that has the result.

  Split<T> transform(const FourierPlan<T>& p, Split<T> x, Split<T> y) {
    if (p.convolution) return transform_by_convolution(p, x);
    int64_t s = lanes;
    for (int k = 0; k < p.stages; ++k) {
      run_stage(p.stage[k], s, x, y);
      s *= p.stage[k].radix;
      std::swap(x, y);
    }
    return x;
  }

  Split<T> transform_by_convolution(const FourierPlan<T>& p, Split<T> x) {
    const FourierPlan<T>& inner = *p.convolution;
    const int64_t n = p.n, m = inner.n;
    T* const saved = next;
    Split<T> a = allocate(m), b = allocate(m);
    multiply(a, x, p.chirp, n);
    std::memset(a.re + n * lanes, 0, static_cast<size_t>((m - n) * lanes) * sizeof(T));
    std::memset(a.im + n * lanes, 0, static_cast<size_t>((m - n) * lanes) * sizeof(T));
    Split<T> product = transform(inner, a, b);
    multiply(product, product, p.spectrum, m);
    const Split<T> other = product.re == a.re ? b : a;
    // The inverse transform is the transform with real and imaginary parts exchanged.
    const Split<T> r = swapped(transform(inner, swapped(product), swapped(other)));
    multiply(x, r, p.chirp, n);
    next = saved;
    return x;
  }

  // Multiplies n elements of each lane by factors: n real parts, then n imaginary parts.
  void multiply(Split<T> to, Split<T> from, const T* factors, int64_t n) const {
    for (int64_t i = 0; i < n; ++i) {
      const T re = factors[i], im = factors[n + i];
      const T *a = from.re + i * lanes, *b = from.im + i * lanes;
      T *r = to.re + i * lanes, *s = to.im + i * lanes;
#pragma GCC ivdep
      for (int64_t k = 0; k < lanes; ++k) {
        const T x = a[k], y = b[k];
        r[k] = x * re - y * im;
        s[k] = x * im + y * re;
      }
    }
  }

  // ---- input and output

  // Returns true if the lanes are `distance` bytes apart.
  template <class Pointer>
  bool are_lanes_apart(Pointer* lane, int64_t distance) const {
    for (int64_t k = 1; k < lanes; ++k) {
      if (lane[k] - lane[k - 1] != distance) return false;
    }
    return true;
  }

  // Reads `count` of n elements of one part of each lane; the others become 0. offset: of the part.
  void read_part(T* to, int64_t n, int64_t count, int64_t step, int64_t offset) const {
    if (count > n) count = n;
    for (int64_t k = 0; k < lanes; ++k) {
      const char* from = block.in[k] + offset;
      for (int64_t i = 0; i < count; ++i) {
        to[i * lanes + k] = *reinterpret_cast<const T*>(from + i * step);
      }
    }
    std::memset(to + count * lanes, 0, static_cast<size_t>((n - count) * lanes) * sizeof(T));
  }
  void read_split(Split<T> to, int64_t n, int64_t count, int64_t step, int64_t part) const {
    constexpr int64_t item = sizeof(T);
    if (part != item || count > n ||
        (lanes == 1 ? step != 2 * item : !are_lanes_apart(block.in, 2 * item))) {
      if (part == item && step == 2 * item && count <= n) return read_pairs(to, n, count);
      read_part(to.re, n, count, step, 0);
      return read_part(to.im, n, count, step, part);
    }
    // Pairs are contiguous over the elements of a single lane, or over the lanes.
    const int64_t rows = lanes == 1 ? 1 : count, width = lanes == 1 ? count : lanes;
    for (int64_t i = 0; i < rows; ++i) {
      const T* from = reinterpret_cast<const T*>(block.in[0] + i * step);
      T *re = to.re + i * lanes, *im = to.im + i * lanes;
#pragma GCC ivdep
      for (int64_t k = 0; k < width; ++k) {
        re[k] = from[2 * k];
        im[k] = from[2 * k + 1];
      }
    }
    const size_t rest = static_cast<size_t>((n - count) * lanes) * sizeof(T);
    std::memset(to.re + count * lanes, 0, rest);
    std::memset(to.im + count * lanes, 0, rest);
  }

  void write_part(const T* from, int64_t n, int64_t step, int64_t offset) const {
    const T scale = static_cast<T>(call.scale);
    for (int64_t k = 0; k < lanes; ++k) {
      char* to = block.out[k] + offset;
      for (int64_t i = 0; i < n; ++i) {
        *reinterpret_cast<T*>(to + i * step) = from[i * lanes + k] * scale;
      }
    }
  }
  void write_split(Split<T> from, int64_t n, int64_t step, int64_t part) const {
    constexpr int64_t item = sizeof(T);
    if (part != item || (lanes == 1 ? step != 2 * item : !are_lanes_apart(block.out, 2 * item))) {
      if (part == item && step == 2 * item) return write_pairs(from, n);
      write_part(from.re, n, step, 0);
      return write_part(from.im, n, step, part);
    }
    const T scale = static_cast<T>(call.scale);
    const int64_t rows = lanes == 1 ? 1 : n, width = lanes == 1 ? n : lanes;
    for (int64_t i = 0; i < rows; ++i) {
      T* to = reinterpret_cast<T*>(block.out[0] + i * step);
      const T *re = from.re + i * lanes, *im = from.im + i * lanes;
#pragma GCC ivdep
      for (int64_t k = 0; k < width; ++k) {
        to[2 * k] = re[k] * scale;
        to[2 * k + 1] = im[k] * scale;
      }
    }
  }

  // Both functions are for pairs that are contiguous over the elements of each lane. They transpose
  // squares: the real and imaginary parts of kHalf elements in kSquare lanes.
  static constexpr int64_t kSquare = Square<T>::size, kHalf = kSquare / 2;
  using Row = typename Square<T>::Row;

  void read_pairs(Split<T> to, int64_t n, int64_t count) const {
    const auto in = [&](int64_t k) { return reinterpret_cast<const T*>(block.in[k]); };
    const int64_t whole_lanes = lanes / kSquare * kSquare, whole = count / kHalf * kHalf;
    for (int64_t k = 0; k < whole_lanes; k += kSquare) {
      for (int64_t i = 0; i < whole; i += kHalf) {
        Row row[kSquare];
        for (int64_t j = 0; j < kSquare; ++j) row[j] = Square<T>::load(in(k + j) + 2 * i);
        Square<T>::transpose(row);
        for (int64_t j = 0; j < kHalf; ++j) {
          Square<T>::store(to.re + (i + j) * lanes + k, row[2 * j]);
          Square<T>::store(to.im + (i + j) * lanes + k, row[2 * j + 1]);
        }
      }
    }
    for (int64_t k = 0; k < lanes; ++k) {
      for (int64_t i = k < whole_lanes ? whole : 0; i < count; ++i) {
        to.re[i * lanes + k] = in(k)[2 * i];
        to.im[i * lanes + k] = in(k)[2 * i + 1];
      }
    }
    const size_t rest = static_cast<size_t>((n - count) * lanes) * sizeof(T);
    std::memset(to.re + count * lanes, 0, rest);
    std::memset(to.im + count * lanes, 0, rest);
  }

  void write_pairs(Split<T> from, int64_t n) const {
    const T scale = static_cast<T>(call.scale);
    const auto out = [&](int64_t k) { return reinterpret_cast<T*>(block.out[k]); };
    const int64_t whole_lanes = lanes / kSquare * kSquare, whole = n / kHalf * kHalf;
    for (int64_t k = 0; k < whole_lanes; k += kSquare) {
      for (int64_t i = 0; i < whole; i += kHalf) {
        Row row[kSquare];
        for (int64_t j = 0; j < kHalf; ++j) {
          row[2 * j] = Square<T>::load(from.re + (i + j) * lanes + k) * scale;
          row[2 * j + 1] = Square<T>::load(from.im + (i + j) * lanes + k) * scale;
        }
        Square<T>::transpose(row);
        for (int64_t j = 0; j < kSquare; ++j) Square<T>::store(out(k + j) + 2 * i, row[j]);
      }
    }
    for (int64_t k = 0; k < lanes; ++k) {
      for (int64_t i = k < whole_lanes ? whole : 0; i < n; ++i) {
        out(k)[2 * i] = from.re[i * lanes + k] * scale;
        out(k)[2 * i + 1] = from.im[i * lanes + k] * scale;
      }
    }
  }

  // ---- kinds of transforms

  void run_complex() {
    Split<T> x = allocate(plan.n), y = allocate(plan.n);
    read_split(call.inverse ? swapped(x) : x, plan.n, call.in_count, call.in_step, call.in_part);
    const Split<T> r = transform(plan, x, y);
    write_split(call.inverse ? swapped(r) : r, plan.n, call.out_step, call.out_part);
  }

  // An odd number of real elements.
  void run_from_real() {
    Split<T> x = allocate(plan.n), y = allocate(plan.n);
    read_part(x.re, plan.n, call.in_count, call.in_step, 0);
    std::memset(x.im, 0, static_cast<size_t>(plan.n * lanes) * sizeof(T));
    write_split(transform(plan, x, y), plan.n / 2 + 1, call.out_step, call.out_part);
  }

  void run_to_real() {
    const int64_t n = plan.n, half = n / 2;
    Split<T> x = allocate(n), y = allocate(n);
    read_split(x, half + 1, call.in_count, call.in_step, call.in_part);
    std::memset(x.im, 0, static_cast<size_t>(lanes) * sizeof(T));
    for (int64_t i = 1; i <= half; ++i) {
      for (int64_t k = 0; k < lanes; ++k) {
        x.re[(n - i) * lanes + k] = x.re[i * lanes + k];
        x.im[(n - i) * lanes + k] = -x.im[i * lanes + k];
      }
    }
    write_part(transform(plan, swapped(x), swapped(y)).im, n, call.out_step, 0);
  }

  // An even number of real elements: those with an even index are the real parts of plan.n complex
  // elements, the others the imaginary parts.
  void run_from_pairs() {
    const int64_t n = plan.n;
    Split<T> x = allocate(n), y = allocate(n);
    if (call.in_count % 2 == 0 || call.in_count > 2 * n) {
      read_split(x, n, call.in_count / 2, 2 * call.in_step, call.in_step);
    } else {
      read_part(x.re, n, call.in_count / 2 + 1, 2 * call.in_step, 0);
      read_part(x.im, n, call.in_count / 2, 2 * call.in_step, call.in_step);
    }
    const Split<T> z = transform(plan, x, y), r = z.re == x.re ? y : x;
    const T* const roots = plan.half_roots;
    constexpr T half = static_cast<T>(0.5);
    mix(z, 0, 0, roots[0], roots[n + 1], r, 0, half);
    mix_all(z, 1, static_cast<T>(1), r, half);
    mix(z, 0, 0, roots[n], roots[2 * n + 1], r, n, half);
    write_split(r, n + 1, call.out_step, call.out_part);
  }

  void run_to_pairs() {
    const int64_t n = plan.n;
    Split<T> x = allocate(n), y = allocate(n);
    read_split(x, n + 1, call.in_count, call.in_step, call.in_part);
    std::memset(x.im, 0, static_cast<size_t>(lanes) * sizeof(T));
    std::memset(x.im + n * lanes, 0, static_cast<size_t>(lanes) * sizeof(T));
    mix_all(x, 0, static_cast<T>(-1), y, static_cast<T>(1));
    const Split<T> r = swapped(transform(plan, swapped(y), swapped(x)));
    write_split(r, n, 2 * call.out_step, call.out_step);
  }

  // r = scale * (a + conj b - i * w * (a - conj b)), w = re + i * im. V: T or a vector of T.
  template <class V>
  static void mix_one(V a_re, V a_im, V b_re, V b_im, T re, T im, T scale, V* r_re, V* r_im) {
    const V even_re = a_re + b_re, even_im = a_im - b_im;
    const V odd_re = a_re - b_re, odd_im = a_im + b_im;
    *r_re = scale * (even_re + (re * odd_im + im * odd_re));
    *r_im = scale * (even_im + (im * odd_im - re * odd_re));
  }
  // The same for elements of each lane: r[i] from a[at] and b = a[mirror].
  void mix(Split<T> a, int64_t at, int64_t mirror, T re, T im, Split<T> r, int64_t i,
           T scale) const {
    const auto run = [&](auto zero, int64_t k) {
      using V = decltype(zero);
      const int64_t from = at * lanes + k, back = mirror * lanes + k, to = i * lanes + k;
      V x, y;
      mix_one(load_vector<V>(a.re + from), load_vector<V>(a.im + from), load_vector<V>(a.re + back),
              load_vector<V>(a.im + back), re, im, scale, &x, &y);
      store_vector(r.re + to, x);
      store_vector(r.im + to, y);
    };
    // The compiler would leave loops over few lanes scalar.
    using Wide = typename VectorOf<T, kVectorBytes>::Type;
    constexpr int64_t wide = kVectorBytes / sizeof(T);
    int64_t k = 0;
    for (; k + wide <= lanes; k += wide) run(Wide{}, k);
    for (; k < lanes; ++k) run(T{}, k);
  }
  // The same for each i from `first` to n - 1, of a[i] and a[n - i], with the roots as the factors.
  // sign: of their real parts. A single lane is vectorized along its elements.
  void mix_all(Split<T> a, int64_t first, T sign, Split<T> r, T scale) const {
    const int64_t n = plan.n;
    const T *re = plan.half_roots, *im = re + n + 1;
    if (lanes > 1) {
      for (int64_t i = first; i < n; ++i) mix(a, i, n - i, sign * re[i], im[i], r, i, scale);
      return;
    }
#pragma GCC ivdep
    for (int64_t i = first; i < n; ++i) {
      mix_one(a.re[i], a.im[i], a.re[n - i], a.im[n - i], sign * re[i], im[i], scale, r.re + i,
              r.im + i);
    }
  }

  void run() {
    const bool pairs = call.n % 2 == 0;
    switch (call.kind) {
      case FourierKind::complex:
        return run_complex();
      case FourierKind::real_to_complex:
        return pairs ? run_from_pairs() : run_from_real();
      case FourierKind::complex_to_real:
        return pairs ? run_to_pairs() : run_to_real();
    }
  }
};

template <class T>
void run_block(const FourierBlock<T>& block) {
  Block<T>{block}.run();
}

}  // namespace

namespace TH_ISA {

extern const FourierKernels fourier_kernels;
constexpr FourierKernels fourier_kernels = {&run_block<float>, &run_block<double>};

}  // namespace TH_ISA
}  // namespace th
