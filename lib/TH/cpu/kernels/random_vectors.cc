// A separate file, because the other files must use the scalar functions of the C library.

#include "cpu/kernels/random_vectors.h"

#include "functors/distributions.h"
#include "functors/functors.h"

namespace th {
namespace TH_ISA {

void normal_vectors(const uint32_t* word, int64_t pairs, double* out) {
  constexpr int64_t kMost = 256;
  double angle[kMost], radius[kMost], sine[kMost];
  for (int64_t first = 0; first < pairs; first += kMost) {
    const uint32_t* w = word + 2 * first;
    double* to = out + 2 * first;
    const int64_t n = pairs - first < kMost ? pairs - first : kMost;
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) {
      angle[i] = normal_angle(unit_of(w[2 * i]));
      radius[i] = normal_radius(unit_of(w[2 * i + 1]));
    }
    // Separate loops, because there is no vector function for sine and cosine together.
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) sine[i] = std::sin(angle[i]);
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) angle[i] = std::cos(angle[i]);
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) {
      to[2 * i] = radius[i] * angle[i];
      to[2 * i + 1] = radius[i] * sine[i];
    }
  }
}

void log_vectors(const uint32_t* word, int64_t n, double* out) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) out[i] = log_of_rest(unit_of(word[i]));
}

}  // namespace TH_ISA
}  // namespace th
