#ifndef TH_CPU_KERNELS_EXPONENTIALS_H
#define TH_CPU_KERNELS_EXPONENTIALS_H

#include <limits>

#include "cpu/kernels/element_loop.h"
#include "tensor/convert.h"

namespace th {
namespace {

// The number of elements of whole blocks of vectors, at least n.
inline int64_t padded_to_lanes(int64_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

// Replaces n elements by their exponentials. x has space for padded_to_lanes(n) of them.
template <class T>
inline void exponentials(T* x, int64_t n) {
  const T* const in[] = {x};
  const functor::exp<T> exp(nullptr);
  compute_block(exp, in, x, padded_to_lanes(n), std::make_index_sequence<1>());
}

template <class T>
using ComputeOf = typename Numeric<T>::Compute;

// Calls f(first, n, x) for each block of n elements, from number `first` on. x: a buffer with the
// elements in their compute type, and with space for padded_to_lanes(n) of them.
template <class T, class F>
inline void each_block(const T* t, int64_t count, const F& f) {
  alignas(64) ComputeOf<T> x[kBlock];
  for (int64_t first = 0; first < count; first += kBlock) {
    const int64_t n = count - first < kBlock ? count - first : kBlock;
    load_block<T>(reinterpret_cast<const char*>(t + first), sizeof(T), n, x);
    f(first, n, x);
  }
}

// The largest of n elements that are not NaN; -infinity if all of them are NaN.
template <class T>
inline ComputeOf<T> largest_of(const T* t, int64_t n) {
  using A = ComputeOf<T>;
  A largest = -std::numeric_limits<A>::infinity();
  if constexpr (std::is_same_v<T, A>) {
#pragma omp simd reduction(max : largest)
    for (int64_t i = 0; i < n; ++i) largest = t[i] > largest ? t[i] : largest;
    // The reduction starts at -infinity with GCC, but at the lowest finite number with Clang.
    if (largest == std::numeric_limits<A>::lowest()) {
      largest = -std::numeric_limits<A>::infinity();
      for (int64_t i = 0; i < n; ++i) largest = t[i] > largest ? t[i] : largest;
    }
  } else {
    each_block(t, n, [&](int64_t, int64_t m, const A* x) {
      const A of_block = largest_of(x, m);
      largest = of_block > largest ? of_block : largest;
    });
  }
  return largest;
}

// The sum of the elements of whole blocks of vectors. The order of additions is the same for all
// instruction sets.
template <class A>
inline A sum_of_lanes(const A* x, int64_t padded) {
  A sum[kLanes] = {};
  for (int64_t i = 0; i < padded; i += kLanes) {
    for (int64_t j = 0; j < kLanes; ++j) sum[j] += x[i + j];
  }
  for (int64_t half = kLanes / 2; half > 0; half /= 2) {
    for (int64_t j = 0; j < half; ++j) sum[j] += sum[j + half];
  }
  return sum[0];
}

// Calls f(row, first, n, exponentials) for each block of n elements of each row, from number
// `first` on: the exponentials of the elements minus shift(row, largest), where largest() returns
// the largest element of the row. The rows are contiguous. The exponentials end with zeros up to
// padded_to_lanes(n). A buffer holds as many short rows as fit.
template <class T, class Shift, class F>
inline void each_block_of_exponentials(const T* t, int64_t rows, int64_t count, const Shift& shift,
                                       const F& f) {
  using A = ComputeOf<T>;
  constexpr A kNothing = -std::numeric_limits<A>::infinity();
  alignas(64) A x[kBlock];
  const int64_t padded = padded_to_lanes(count), together = count > kBlock ? 1 : kBlock / padded;
  const auto load = [&](const T* from, int64_t n, A* to) {
    load_block<T>(reinterpret_cast<const char*>(from), sizeof(T), n, to);
    for (int64_t i = n; i < padded_to_lanes(n); ++i) to[i] = kNothing;
  };
  const auto subtract = [](A* from, int64_t n, double of_row) {
    const A number = static_cast<A>(of_row);
    for (int64_t i = 0; i < padded_to_lanes(n); ++i) from[i] -= number;
  };
  for (int64_t row = 0; row < rows; row += together) {
    const T* const first_row = t + row * count;
    if (count > kBlock) {
      const double of_row = shift(row, [&] { return largest_of(first_row, count); });
      for (int64_t first = 0; first < count; first += kBlock) {
        const int64_t n = count - first < kBlock ? count - first : kBlock;
        load(first_row + first, n, x);
        subtract(x, n, of_row);
        exponentials(x, n);
        f(row, first, n, x);
      }
      continue;
    }
    const int64_t some = rows - row < together ? rows - row : together;
    for (int64_t i = 0; i < some; ++i) load(first_row + i * count, count, x + i * padded);
    for (int64_t i = 0; i < some; ++i) {
      A* const own = x + i * padded;
      subtract(own, count, shift(row + i, [&] { return largest_of(own, padded); }));
    }
    exponentials(x, some * padded);
    for (int64_t i = 0; i < some; ++i) f(row + i, 0, count, x + i * padded);
  }
}

}  // namespace
}  // namespace th

#endif
