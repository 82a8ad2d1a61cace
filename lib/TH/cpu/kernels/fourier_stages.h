#ifndef TH_CPU_KERNELS_FOURIER_STAGES_H
#define TH_CPU_KERNELS_FOURIER_STAGES_H

// The stages of a mixed-radix Fourier transform in Stockham's order, which needs no reordering at
// the end. A stage reads x and writes y, where s is the product of the radices before it times the
// number of lanes:
//   y[q + s * (radix * p + k)] = w(p, k) * sum over j of x[q + s * (p + rest * j)] * root(j * k)
// for q < s and p < rest. Vectors hold neighbours q or, in the first stage of a single transform,
// where s is 1, neighbours p.

#include <cstring>

#include "cpu/fourier_plan.h"
#include "cpu/kernels/vector_bytes.h"

namespace th {
namespace {

// A vector of T. One of the size of T is T itself.
template <class T, int bytes>
struct VectorOf {
  typedef T Type __attribute__((vector_size(bytes)));
};
template <>
struct VectorOf<float, sizeof(float)> {
  using Type = float;
};
template <>
struct VectorOf<double, sizeof(double)> {
  using Type = double;
};

template <class V, class T>
inline V load_vector(const T* at) {
  V v;
  std::memcpy(&v, at, sizeof(V));
  return v;
}
template <class T, class V>
inline void store_vector(T* at, V v) {
  std::memcpy(at, &v, sizeof(V));
}

// Arrays of real and imaginary parts.
template <class T>
struct Split {
  T *re, *im;
};

template <class V>
struct Complex {
  V re, im;
  Complex operator+(const Complex& b) const { return {re + b.re, im + b.im}; }
  Complex operator-(const Complex& b) const { return {re - b.re, im - b.im}; }
};
template <class V, class W>
inline Complex<V> times(const Complex<V>& a, W re, W im) {
  return {a.re * re - a.im * im, a.re * im + a.im * re};
}
template <class V>
inline Complex<V> times_minus_i(const Complex<V>& a) {
  return {a.im, -a.re};
}

// ---- transforms of `radix` elements in registers

template <class V>
inline void transform4(Complex<V>& a, Complex<V>& b, Complex<V>& c, Complex<V>& d) {
  const Complex<V> even = a + c, odd = a - c, sum = b + d, turned = times_minus_i(b - d);
  a = even + sum;
  b = odd + turned;
  c = even - sum;
  d = odd - turned;
}

template <class T, class V>
inline void transform8(Complex<V>* a) {
  constexpr T half_root = static_cast<T>(0.70710678118654752440);
  transform4(a[0], a[2], a[4], a[6]);
  transform4(a[1], a[3], a[5], a[7]);
  const Complex<V> b1 = {(a[3].re + a[3].im) * half_root, (a[3].im - a[3].re) * half_root};
  const Complex<V> b2 = times_minus_i(a[5]);
  const Complex<V> b3 = {(a[7].im - a[7].re) * half_root, (a[7].re + a[7].im) * -half_root};
  const Complex<V> c0 = a[0], c1 = a[2], c2 = a[4], c3 = a[6], b0 = a[1];
  a[0] = c0 + b0;
  a[1] = c1 + b1;
  a[2] = c2 + b2;
  a[3] = c3 + b3;
  a[4] = c0 - b0;
  a[5] = c1 - b1;
  a[6] = c2 - b2;
  a[7] = c3 - b3;
}

// The same for an odd number of elements. most: that number, or the largest one.
template <int most, class T, class V>
inline void transform_odd(int radix, const T* roots, Complex<V>* a) {
  const int half = radix / 2;
  Complex<V> sum[most / 2 + 1], difference[most / 2 + 1];
  Complex<V> first = a[0];
  for (int j = 1; j <= half; ++j) {
    sum[j] = a[j] + a[radix - j];
    difference[j] = a[j] - a[radix - j];
    first = first + sum[j];
  }
  for (int k = 1; k <= half; ++k) {
    Complex<V> even = a[0], odd = {};
    for (int j = 1, turn = k; j <= half; ++j) {
      const T cosine = roots[turn], sine = roots[radix + turn];
      even.re += sum[j].re * cosine;
      even.im += sum[j].im * cosine;
      odd.re += difference[j].im * sine;
      odd.im -= difference[j].re * sine;
      turn += k;
      if (turn >= radix) turn -= radix;
    }
    // a[1] ... a[half] are in sum and difference, so they may be overwritten.
    a[k] = even + odd;
    a[radix - k] = even - odd;
  }
  a[0] = first;
}

template <int radix, class T, class V>
inline void transform_registers(const T* roots, Complex<V>* a) {
  if constexpr (radix == 2) {
    const Complex<V> b = a[1];
    a[1] = a[0] - b;
    a[0] = a[0] + b;
  } else if constexpr (radix == 4) {
    transform4(a[0], a[1], a[2], a[3]);
  } else if constexpr (radix == 8) {
    transform8<T>(a);
  } else {
    transform_odd<radix>(radix, roots, a);
  }
}

// ---- stages

// A radix known at compile time: an array of that size. `any`: kLargestRadix at most.
template <int radix_, class T>
struct Stage {
  static constexpr int most = radix_ ? radix_ : kLargestRadix;
  const FourierStage<T>& stage;
  int64_t s;
  Split<T> x, y;

  int radix() const { return radix_ ? radix_ : stage.radix; }

  template <class V>
  void transform(Complex<V>* a) const {
    if constexpr (radix_ != 0) {
      transform_registers<radix_>(stage.roots, a);
    } else {
      transform_odd<most>(stage.radix, stage.roots, a);
    }
  }

  // The vector at q of group p.
  template <class V, bool has_twiddles>
  void group(int64_t p, int64_t q, const Complex<T>* twiddles) const {
    Complex<V> a[most];
    const int64_t from = q + s * p, to = q + s * radix() * p, gap = s * stage.rest;
    for (int j = 0; j < radix(); ++j) {
      a[j] = {load_vector<V>(x.re + from + j * gap), load_vector<V>(x.im + from + j * gap)};
    }
    transform(a);
    for (int k = 0; k < radix(); ++k) {
      if (has_twiddles && k > 0) a[k] = times(a[k], twiddles[k].re, twiddles[k].im);
      store_vector(y.re + to + k * s, a[k].re);
      store_vector(y.im + to + k * s, a[k].im);
    }
  }

  // The vectors of one group, narrower ones at the end.
  template <int bytes, bool has_twiddles>
  void groups(int64_t p, int64_t q, const Complex<T>* twiddles) const {
    constexpr int64_t width = bytes / static_cast<int64_t>(sizeof(T));
    for (; q + width <= s; q += width) {
      group<typename VectorOf<T, bytes>::Type, has_twiddles>(p, q, twiddles);
    }
    if constexpr (width > 1) {
      if (q < s) groups<(bytes > 16 ? bytes / 2 : sizeof(T)), has_twiddles>(p, q, twiddles);
    }
  }

  void run() const {
    if (stage.rest == 1) return groups<kVectorBytes, false>(0, 0, nullptr);
    if (s == 1) return run_single();
    Complex<T> twiddles[most];
    for (int64_t p = 0; p < stage.rest; ++p) {
      for (int k = 1; k < radix(); ++k) {
        const T* row = stage.twiddles + 2 * (k - 1) * stage.rest;
        twiddles[k] = {row[p], row[stage.rest + p]};
      }
      groups<kVectorBytes, true>(p, 0, twiddles);
    }
  }

  // s is 1: the results of neighbours p are not contiguous.
  template <int bytes>
  int64_t singles(int64_t p) const {
    using V = typename VectorOf<T, bytes>::Type;
    constexpr int64_t width = bytes / static_cast<int64_t>(sizeof(T));
    for (; p + width <= stage.rest; p += width) {
      Complex<V> a[most];
      for (int j = 0; j < radix(); ++j) {
        a[j] = {load_vector<V>(x.re + p + j * stage.rest),
                load_vector<V>(x.im + p + j * stage.rest)};
      }
      transform(a);
      for (int k = 1; k < radix(); ++k) {
        const T* row = stage.twiddles + 2 * (k - 1) * stage.rest + p;
        a[k] = times(a[k], load_vector<V>(row), load_vector<V>(row + stage.rest));
      }
      T re[most][width], im[most][width];
      for (int k = 0; k < radix(); ++k) {
        store_vector(re[k], a[k].re);
        store_vector(im[k], a[k].im);
      }
      T *to_re = y.re + p * radix(), *to_im = y.im + p * radix();
      for (int64_t i = 0; i < width; ++i) {
        for (int k = 0; k < radix(); ++k) {
          to_re[i * radix() + k] = re[k][i];
          to_im[i * radix() + k] = im[k][i];
        }
      }
    }
    return p;
  }
  void run_single() const { singles<sizeof(T)>(singles<kVectorBytes>(0)); }
};

template <class T>
void run_stage(const FourierStage<T>& stage, int64_t s, Split<T> x, Split<T> y) {
  switch (stage.radix) {
    case 2:
      return Stage<2, T>{stage, s, x, y}.run();
    case 3:
      return Stage<3, T>{stage, s, x, y}.run();
    case 4:
      return Stage<4, T>{stage, s, x, y}.run();
    case 5:
      return Stage<5, T>{stage, s, x, y}.run();
    case 7:
      return Stage<7, T>{stage, s, x, y}.run();
    case 8:
      return Stage<8, T>{stage, s, x, y}.run();
    case 11:
      return Stage<11, T>{stage, s, x, y}.run();
    case 13:
      return Stage<13, T>{stage, s, x, y}.run();
    default:
      return Stage<0, T>{stage, s, x, y}.run();
  }
}

}  // namespace
}  // namespace th

#endif
