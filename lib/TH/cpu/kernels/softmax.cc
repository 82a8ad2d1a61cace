// Softmax of rows, or its logarithm.

#include <cmath>

#include "backend/cpu_backend.h"
#include "cpu/kernels/exponentials.h"
#include "cpu/parallel.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

// The order of additions is the same for all instruction sets.
template <class A>
inline A sum_of(const A* x, int64_t n) {
  constexpr int64_t kSums = 16;
  A sum[kSums] = {};
  int64_t i = 0;
  for (; i + kSums <= n; i += kSums) {
    for (int64_t j = 0; j < kSums; ++j) sum[j] += x[i + j];
  }
  for (int64_t j = 0; i + j < n; ++j) sum[j] += x[i + j];
  for (int64_t half = kSums / 2; half > 0; half /= 2) {
    for (int64_t j = 0; j < half; ++j) sum[j] += sum[j + half];
  }
  return sum[0];
}

template <class T>
void softmax_row(const T* t, T* r, int64_t n, bool logarithm) {
  using A = ComputeOf<T>;
  // The result has space for the exponentials.
  constexpr bool keeps = std::is_same_v<T, A>;
  const A largest = largest_of(t, n);
  double total = 0;
  each_block_of_exponentials(t, n, static_cast<double>(largest),
                             [&](int64_t first, int64_t m, const A* e) {
                               total += static_cast<double>(sum_of(e, m));
                               for (int64_t i = 0; keeps && !logarithm && i < m; ++i) {
                                 r[first + i] = convert<T>(e[i]);
                               }
                             });
  const A sum = static_cast<A>(total);
  if (logarithm) {
    const A shift = static_cast<A>(std::log(total));
    for (int64_t i = 0; i < n; ++i) r[i] = convert<T>(load(t[i]) - largest - shift);
  } else if constexpr (keeps) {
    for (int64_t i = 0; i < n; ++i) r[i] /= sum;
  } else {
    each_block_of_exponentials(t, n, static_cast<double>(largest),
                               [&](int64_t first, int64_t m, const A* e) {
                                 for (int64_t i = 0; i < m; ++i) {
                                   r[first + i] = convert<T>(e[i] / sum);
                                 }
                               });
  }
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
