// Weighted sums along a dimension, each of a few neighbors.

#include <algorithm>

#include "backend/cpu_backend.h"
#include "cpu/parallel.h"
#include "tensor/convert.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

template <class T>
using ComputeOf = typename Numeric<T>::Compute;

// Calls f(offset of the element, weight) for the elements of sum j whose weight is not 0. The sums
// are accumulated in double, so that the mean of equal floats is exact.
template <class F>
void for_terms(const ResampleCall& call, int64_t j, const F& f) {
  const int64_t first = call.first[j] - call.index_base;
  for (int64_t w = 0; w < call.width; ++w) {
    const double weight = call.weights[j * call.width + w];
    if (weight != 0) f((first + w) * call.inner, weight);
  }
}

// Sums along the last dimension.
template <class T>
void resample_line(const ResampleCall& call, const T* in, T* out) {
  for (int64_t j = 0; j < call.count; ++j) {
    double sum = 0;
    for_terms(call, j, [&](int64_t at, double weight) {
      sum += weight * static_cast<double>(load(in[at]));
    });
    out[j] = convert<T>(static_cast<ComputeOf<T>>(sum));
  }
}

// Sums of rows, kPart elements at a time.
template <class T>
void resample_rows(const ResampleCall& call, const T* in, T* out) {
  constexpr int64_t kPart = 64;
  for (int64_t j = 0; j < call.count; ++j, out += call.inner) {
    for (int64_t begin = 0; begin < call.inner; begin += kPart) {
      const int64_t n = std::min(kPart, call.inner - begin);
      double sum[kPart] = {};
      for_terms(call, j, [&](int64_t at, double weight) {
        const T* row = in + at + begin;
        for (int64_t k = 0; k < n; ++k) sum[k] += weight * static_cast<double>(load(row[k]));
      });
      for (int64_t k = 0; k < n; ++k) {
        out[begin + k] = convert<T>(static_cast<ComputeOf<T>>(sum[k]));
      }
    }
  }
}

}  // namespace

namespace TH_ISA {

void run_resample(const ResampleCall& call) {
  const int64_t work = std::max<int64_t>(call.count * call.inner * call.width, 1);
  parallel_for(call.outer, std::max<int64_t>(1, Grain::cheap / work),
               [&](int64_t begin, int64_t end) {
                 dispatch_types<FloatingTypes>(call.dtype, [&](auto zero) {
                   using T = decltype(zero);
                   for (int64_t k = begin; k < end; ++k) {
                     const T* in = reinterpret_cast<const T*>(call.in) + k * call.size * call.inner;
                     T* out = reinterpret_cast<T*>(call.out) + k * call.count * call.inner;
                     call.inner == 1 ? resample_line(call, in, out) : resample_rows(call, in, out);
                   }
                 });
               });
}

}  // namespace TH_ISA
}  // namespace th
