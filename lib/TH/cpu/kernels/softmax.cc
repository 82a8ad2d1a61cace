// Softmax of rows, or its logarithm.

#include <cmath>

#include "backend/cpu_backend.h"
#include "cpu/kernels/exponentials.h"
#include "cpu/parallel.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

// The sum of n elements. x has space for padded_to_lanes(n) of them. The order of additions is the
// same for all instruction sets.
template <class A>
inline A sum_of(A* x, int64_t n) {
  constexpr int64_t kSums = 16;
  static_assert(kLanes % kSums == 0, "the rest is whole sums");
  const int64_t padded = padded_to_lanes(n);
  for (int64_t i = n; i < padded; ++i) x[i] = 0;
  A sum[kSums] = {};
  for (int64_t i = 0; i < padded; i += kSums) {
    for (int64_t j = 0; j < kSums; ++j) sum[j] += x[i + j];
  }
  for (int64_t half = kSums / 2; half > 0; half /= 2) {
    for (int64_t j = 0; j < half; ++j) sum[j] += sum[j + half];
  }
  return sum[0];
}

// Writes f(x) of each element x of `from`.
template <class X, class T, class F>
inline void each(const X* from, T* to, int64_t n, const F& f) {
  if constexpr (std::is_same_v<X, T> && std::is_same_v<T, ComputeOf<T>>) {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) to[i] = f(from[i]);
  } else {
    each_block(from, n, [&](int64_t first, int64_t m, ComputeOf<X>* x) {
      for (int64_t i = 0; i < m; ++i) x[i] = f(x[i]);
      store_block<T>(reinterpret_cast<char*>(to + first), sizeof(T), m, x);
    });
  }
}

template <class T>
void softmax_row(const T* t, T* r, int64_t n, bool logarithm) {
  using A = ComputeOf<T>;
  // The result has space for the exponentials.
  const bool keeps = std::is_same_v<T, A> && !logarithm;
  const A largest = largest_of(t, n);
  const auto shift = static_cast<double>(largest);
  double total = 0;
  each_block_of_exponentials(t, n, shift, [&](int64_t first, int64_t m, A* e) {
    total += static_cast<double>(sum_of(e, m));
    if (keeps) each<A>(e, r + first, m, [](A x) { return x; });
  });
  const A sum = static_cast<A>(total);
  if (keeps) return each(r, r, n, [sum](A x) { return x / sum; });
  if (logarithm) {
    const A log = static_cast<A>(std::log(total));
    return each(t, r, n, [largest, log](A x) { return x - largest - log; });
  }
  each_block_of_exponentials(t, n, shift, [&](int64_t first, int64_t m, const A* e) {
    each(e, r + first, m, [sum](A x) { return x / sum; });
  });
}

}  // namespace

namespace TH_ISA {

void run_softmax(const SoftmaxCall& call) {
  dispatch_types<FloatingTypes>(call.dtype, [&](auto zero) {
    using T = decltype(zero);
    const int64_t n = call.n;
    parallel_for(call.rows, Grain::costly / n + 1, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        softmax_row(reinterpret_cast<const T*>(call.t) + row * n,
                    reinterpret_cast<T*>(call.r) + row * n, n, call.logarithm);
      }
    });
  });
}

}  // namespace TH_ISA
}  // namespace th
