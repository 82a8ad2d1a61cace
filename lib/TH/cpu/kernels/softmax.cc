// Softmax of rows, or its logarithm.

#include <cmath>

#include "backend/cpu_backend.h"
#include "cpu/kernels/exponentials.h"
#include "cpu/parallel.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

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

// Writes t - largest - log(sum) for a row.
template <class T>
void log_softmax_row(const T* t, T* r, int64_t n, ComputeOf<T> largest, double sum) {
  using A = ComputeOf<T>;
  const A log = static_cast<A>(std::log(sum));
  each(t, r, n, [largest, log](A x) { return x - largest - log; });
}

// Rows of more elements than a block.
template <class T>
void softmax_row(const T* t, T* r, int64_t n, bool logarithm) {
  using A = ComputeOf<T>;
  // The result has space for the exponentials.
  const bool keeps = std::is_same_v<T, A> && !logarithm;
  const A largest = largest_of(t, n);
  const auto shift = [&](int64_t, const auto&) { return static_cast<double>(largest); };
  double total = 0;
  each_block_of_exponentials(t, 1, n, shift, [&](int64_t, int64_t first, int64_t m, const A* e) {
    total += static_cast<double>(sum_of_lanes(e, padded_to_lanes(m)));
    if (keeps) each<A>(e, r + first, m, [](A x) { return x; });
  });
  if (logarithm) return log_softmax_row(t, r, n, largest, total);
  const A sum = static_cast<A>(total);
  if (keeps) return each(r, r, n, [sum](A x) { return x / sum; });
  each_block_of_exponentials(t, 1, n, shift, [&](int64_t, int64_t first, int64_t m, const A* e) {
    each(e, r + first, m, [sum](A x) { return x / sum; });
  });
}

// Rows of which a block holds at least one.
template <class T>
void short_softmax_rows(const T* t, T* r, int64_t rows, int64_t n, bool logarithm) {
  using A = ComputeOf<T>;
  A largest[kBlock];  // of the rows in a block
  const auto shift = [&](int64_t row, const auto& largest_of_row) {
    return static_cast<double>(largest[row % kBlock] = largest_of_row());
  };
  each_block_of_exponentials(t, rows, n, shift, [&](int64_t row, int64_t, int64_t, const A* e) {
    const A sum = sum_of_lanes(e, padded_to_lanes(n));
    if (logarithm) return log_softmax_row(t + row * n, r + row * n, n, largest[row % kBlock], sum);
    each(e, r + row * n, n, [sum](A x) { return x / sum; });
  });
}

}  // namespace

namespace TH_ISA {

void run_softmax(const SoftmaxCall& call) {
  dispatch_types<FloatingTypes>(call.dtype, [&](auto zero) {
    using T = decltype(zero);
    const int64_t n = call.n;
    parallel_for(call.rows, Grain::costly / n + 1, [&](int64_t begin, int64_t end) {
      const T* t = reinterpret_cast<const T*>(call.t) + begin * n;
      T* r = reinterpret_cast<T*>(call.r) + begin * n;
      if (n <= kBlock) return short_softmax_rows(t, r, end - begin, n, call.logarithm);
      for (int64_t row = begin; row < end; ++row, t += n, r += n) {
        softmax_row(t, r, n, call.logarithm);
      }
    });
  });
}

}  // namespace TH_ISA
}  // namespace th
