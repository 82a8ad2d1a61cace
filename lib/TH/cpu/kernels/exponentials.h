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

// Calls f(first, n, exponentials) for each block of a row: the exponentials of t - shift.
template <class T, class F>
inline void each_block_of_exponentials(const T* t, int64_t count, double shift, const F& f) {
  using A = ComputeOf<T>;
  each_block(t, count, [&](int64_t first, int64_t n, A* x) {
    for (int64_t i = 0; i < n; ++i) x[i] -= static_cast<A>(shift);
    for (int64_t i = n; i < padded_to_lanes(n); ++i) x[i] = 0;
    exponentials(x, n);
    f(first, n, x);
  });
}

}  // namespace
}  // namespace th

#endif
