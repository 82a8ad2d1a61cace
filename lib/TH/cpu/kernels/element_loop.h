#ifndef TH_CPU_KERNELS_ELEMENT_LOOP_H
#define TH_CPU_KERNELS_ELEMENT_LOOP_H

// The one element-wise loop of the CPU. Where elements are computed in their own type by plain
// arithmetic, the compiler vectorises a loop over memory. Otherwise blocks of elements are brought
// into buffers of the compute type, computed there in whole vectors, and stored: so an element's
// result does not depend on where it lies or how the work was cut, even though the vector versions
// of the transcendental functions round differently from the scalar ones.

#include <cstring>
#include <utility>

#ifdef __F16C__
#include <immintrin.h>
#endif

#include "backend/loop.h"
#include "tensor/convert.h"

namespace th {
namespace {

constexpr int kBlock = 256;  // elements in a buffer: it stays in the first-level cache
constexpr int kLanes = 16;   // at least the lanes of the widest vector of float

template <class T>
inline T read(const char* p) {
  T value;
  std::memcpy(&value, p, sizeof(T));
  return value;
}

template <class T, class C>
inline void load_block(const char* data, int64_t stride, int64_t n, C* out) {
  if (stride == static_cast<int64_t>(sizeof(T))) {
    const T* in = reinterpret_cast<const T*>(data);
    int64_t i = 0;
#ifdef __F16C__
    if constexpr (std::is_same_v<T, Half> && std::is_same_v<C, float>) {
      for (; i + 8 <= n; i += 8) {
        __m128i half = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i));
        _mm256_storeu_ps(out + i, _mm256_cvtph_ps(half));
      }
    }
#endif
    for (; i < n; ++i) out[i] = convert<C>(in[i]);
  } else if (stride == 0) {
    C value = convert<C>(*reinterpret_cast<const T*>(data));
    for (int64_t i = 0; i < n; ++i) out[i] = value;
  } else {
    for (int64_t i = 0; i < n; ++i) {
      out[i] = convert<C>(*reinterpret_cast<const T*>(data + i * stride));
    }
  }
}

template <class T, class C>
inline void store_block(char* data, int64_t stride, int64_t n, const C* in) {
  if (stride == static_cast<int64_t>(sizeof(T))) {
    T* out = reinterpret_cast<T*>(data);
    int64_t i = 0;
#ifdef __F16C__
    if constexpr (std::is_same_v<T, Half> && std::is_same_v<C, float>) {
      for (; i + 8 <= n; i += 8) {
        __m128i half = _mm256_cvtps_ph(_mm256_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i), half);
      }
    }
#endif
    for (; i < n; ++i) out[i] = convert<T>(in[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) *reinterpret_cast<T*>(data + i * stride) = convert<T>(in[i]);
  }
}

// n is a multiple of kLanes, so that whole vectors do all of it.
template <class F, class C, size_t... K>
inline void compute_block(const F& f, C (*buffer)[kBlock], C* out, int64_t n,
                          std::index_sequence<K...>) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) out[i] = f(buffer[K][i]...);
}

template <class F, class T, class C, size_t... K>
void blocked_loop(char* const* data, const int64_t* stride, int64_t n, const F& f,
                  std::index_sequence<K...> inputs) {
  alignas(64) C buffer[sizeof...(K)][kBlock];
  alignas(64) C out[kBlock];
  for (int64_t i = 0; i < n; i += kBlock) {
    int64_t m = n - i < kBlock ? n - i : kBlock;
    (load_block<T, C>(data[K + 1] + i * stride[K + 1], stride[K + 1], m, buffer[K]), ...);
    int64_t padded = (m + kLanes - 1) / kLanes * kLanes;
    for (int64_t j = m; j < padded; ++j) ((buffer[K][j] = buffer[K][m - 1]), ...);
    compute_block(f, buffer, out, padded, inputs);
    store_block<T, C>(data[0] + i * stride[0], stride[0], m, out);
  }
}

// Strides are compile-time where the layout is a common one, so that the loop vectorises.
template <class F, class Out, class T, int64_t... Stride, size_t... K>
inline void fixed_loop(char* const* data, int64_t n, const F& f, std::index_sequence<K...>) {
  Out* out = reinterpret_cast<Out*>(data[0]);
  const T* in[] = {reinterpret_cast<const T*>(data[K + 1])...};
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) out[i] = convert<Out>(f(in[K][i * Stride]...));
}

template <class F, class Out, class T, size_t... K>
void direct_loop(char* const* data, const int64_t* stride, int64_t n, const F& f,
                 std::index_sequence<K...> inputs) {
  constexpr int64_t item = sizeof(T);
  if (stride[0] == static_cast<int64_t>(sizeof(Out))) {
    if (((stride[K + 1] == item) && ...)) {
      fixed_loop<F, Out, T, (K * 0 + 1)...>(data, n, f, inputs);
      return;
    }
    if constexpr (sizeof...(K) == 2) {
      if (stride[1] == item && stride[2] == 0) {
        fixed_loop<F, Out, T, 1, 0>(data, n, f, inputs);
        return;
      }
      if (stride[1] == 0 && stride[2] == item) {
        fixed_loop<F, Out, T, 0, 1>(data, n, f, inputs);
        return;
      }
    }
  }
  // In locals: as far as the compiler knows, the elements written may be the strides.
  char* out = data[0];
  const int64_t step = stride[0];
  const char* in[] = {data[K + 1]...};
  const int64_t steps[] = {stride[K + 1]...};
  for (int64_t i = 0; i < n; ++i) {
    *reinterpret_cast<Out*>(out) = convert<Out>(f(*reinterpret_cast<const T*>(in[K])...));
    out += step;
    ((in[K] += steps[K]), ...);
  }
}

// Inputs of type T, output of T: r = f(inputs...). F<C> is the functor for compute type C.
template <template <class> class F, class T, int inputs, bool vector_math>
void element_loop(char* const* data, const int64_t* stride, int64_t n, const Scalar* params) {
  using C = typename Numeric<T>::Compute;
  F<C> f(params);
  if constexpr (IsReduced<T>::value || (vector_math && std::is_floating_point_v<T>)) {
    blocked_loop<F<C>, T, C>(data, stride, n, f, std::make_index_sequence<inputs>());
  } else {
    direct_loop<F<C>, T, T>(data, stride, n, f, std::make_index_sequence<inputs>());
  }
}

enum Cost { cheap, costly };

// The entries of a row's table, by the row's set of types.
#define TH_KERNELS_INTEGRAL(F, inputs, cost)             \
  &element_loop<F, uint8_t, inputs, cost == costly>,     \
      &element_loop<F, int8_t, inputs, cost == costly>,  \
      &element_loop<F, int16_t, inputs, cost == costly>, \
      &element_loop<F, int32_t, inputs, cost == costly>, \
      &element_loop<F, int64_t, inputs, cost == costly>
#define TH_KERNELS_FLOATING(F, inputs, cost)                                                   \
  nullptr, nullptr, nullptr, nullptr, nullptr, &element_loop<F, Half, inputs, cost == costly>, \
      &element_loop<F, BFloat16, inputs, cost == costly>,                                      \
      &element_loop<F, float, inputs, cost == costly>,                                         \
      &element_loop<F, double, inputs, cost == costly>
#define TH_KERNELS_ALL(F, inputs, cost)                                                 \
  TH_KERNELS_INTEGRAL(F, inputs, cost), &element_loop<F, Half, inputs, cost == costly>, \
      &element_loop<F, BFloat16, inputs, cost == costly>,                               \
      &element_loop<F, float, inputs, cost == costly>,                                  \
      &element_loop<F, double, inputs, cost == costly>

}  // namespace
}  // namespace th

#endif
