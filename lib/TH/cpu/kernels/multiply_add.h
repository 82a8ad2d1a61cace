#ifndef TH_CPU_KERNELS_MULTIPLY_ADD_H
#define TH_CPU_KERNELS_MULTIPLY_ADD_H

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "cpu/kernels/vector_bytes.h"

namespace th {
namespace {

// Returns a * b + c, for vectors of kVectorBytes. It is rounded once if the instruction set has a
// fused multiply-add (AVX2 and AVX-512).
template <class T, class Vector>
Vector multiply_add_vectors(Vector a, Vector b, Vector c) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 4) {
    return (Vector)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
  } else {
    return (Vector)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
  }
#elif defined(__AVX2__)
  if constexpr (sizeof(T) == 4) {
    return (Vector)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
  } else {
    return (Vector)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
  }
#else
  return a * b + c;
#endif
}

// The same for a number a.
template <class T, class Vector>
Vector multiply_add(T a, Vector b, Vector c) {
  return multiply_add_vectors<T>(a - Vector{}, b, c);
}

}  // namespace
}  // namespace th

#endif
