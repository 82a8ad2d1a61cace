#ifndef TH_CPU_KERNELS_ELEMENT_LOOP_H
#define TH_CPU_KERNELS_ELEMENT_LOOP_H

// The element-wise loop of the CPU, over elements of the compute type. Plain arithmetic is a loop
// over memory that the compiler vectorizes. The vector versions of C library functions round
// differently from the scalar ones. So for these functions, partial blocks and operands that are
// not contiguous are copied to buffers, and every element is computed by the vector version. The
// result of an element does not depend on its position or on the division of the work.

#include <cstring>
#include <tuple>
#include <utility>

#ifdef __F16C__
#include <immintrin.h>
#endif

#include "cpu/element_kernels.h"
#include "cpu/kernels/reciprocal.h"
#include "cpu/kernels/vector_functors.h"
#include "functors/functors.h"
#include "functors/rows.h"
#include "tensor/convert.h"

namespace th {
namespace {

constexpr int kBlock = 256;  // elements in a buffer, which stays in the L1 cache
constexpr int kLanes = 16;   // at least the number of lanes of the widest float vector

template <class T>
inline T read(const char* p) {
  T value;
  std::memcpy(&value, p, sizeof(T));
  return value;
}

// Elements with a stride of 2, known at compile time so that the loop is vectorized.
template <class T>
__attribute__((noinline)) void take_every_second(const char* data, int64_t n, char* to) {
  T* __restrict out = reinterpret_cast<T*>(to);
  const T* in = reinterpret_cast<const T*>(data);
  for (int64_t i = 0; i < n; ++i) out[i] = in[2 * i];
}
template <size_t item>
using Word = std::conditional_t<
    item == 1, uint8_t,
    std::conditional_t<item == 2, uint16_t, std::conditional_t<item == 4, uint32_t, uint64_t>>>;

template <class T, class C>
inline void load_block(const char* data, int64_t stride, int64_t n, C* out) {
  if (stride == static_cast<int64_t>(sizeof(T))) {
    const T* in = reinterpret_cast<const T*>(data);
    int64_t i = 0;
#ifdef __F16C__
    if constexpr (std::is_same_v<T, Half> && std::is_same_v<C, float>) {
#ifdef __AVX512F__
      for (; i + 16 <= n; i += 16) {
        __m256i half = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in + i));
        _mm512_storeu_ps(out + i, _mm512_maskz_cvtph_ps(0xffff, half));
      }
#endif
      const auto load_eight = [in, out](int64_t k) {
        __m128i half = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + k));
        _mm256_storeu_ps(out + k, _mm256_cvtph_ps(half));
      };
#pragma GCC unroll 4
      for (; i + 8 <= n; i += 8) load_eight(i);
      if (i < n && n >= 8) {  // The last vector overlaps the one before it.
        load_eight(n - 8);
        i = n;
      }
    }
#endif
    for (; i < n; ++i) out[i] = convert<C>(in[i]);
  } else if (stride == 0) {
    C value = convert<C>(*reinterpret_cast<const T*>(data));
    for (int64_t i = 0; i < n; ++i) out[i] = value;
  } else if (std::is_same_v<T, C> && stride == 2 * static_cast<int64_t>(sizeof(T))) {
    if constexpr (std::is_same_v<T, C>) {
      take_every_second<Word<sizeof(T)>>(data, n, reinterpret_cast<char*>(out));
    }
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
#ifdef __AVX512F__
      for (; i + 16 <= n; i += 16) {
        __m256i half =
            _mm512_maskz_cvtps_ph(0xffff, _mm512_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), half);
      }
#endif
      const auto store_eight = [in, out](int64_t k) {
        __m128i half = _mm256_cvtps_ph(_mm256_loadu_ps(in + k), _MM_FROUND_TO_NEAREST_INT);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + k), half);
      };
#pragma GCC unroll 4
      for (; i + 8 <= n; i += 8) store_eight(i);
      if (i < n && n >= 8) {
        store_eight(n - 8);
        i = n;
      }
    }
#endif
    for (; i < n; ++i) out[i] = convert<T>(in[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) *reinterpret_cast<T*>(data + i * stride) = convert<T>(in[i]);
  }
}

// n is a multiple of kLanes, so that only whole vectors are used.
template <class F, class C, size_t... K>
inline void compute_block(const F& f, const C* const* in, C* out, int64_t n,
                          std::index_sequence<K...>) {
  const C* const at[] = {in[K]...};
#ifdef TH_HAVE_VECTORS
  if constexpr (InVectors<F>::exists) {
    using V = vector::Of<C>;
    constexpr int64_t lanes = sizeof(V) / sizeof(C);
    static_assert(kLanes % lanes == 0, "blocks are whole vectors");
    vector::Words lowest = {};
    for (int64_t i = 0; i < n; i += lanes) {
      const V y = InVectors<F>::run(vector::load<V>(at[K] + i)...);
      if constexpr (InVectors<F>::has_rest) {
        const auto words = (vector::Words)y;
        lowest = words < lowest ? words : lowest;
      }
      vector::store(out + i, y);
    }
    if constexpr (InVectors<F>::has_rest) InVectors<F>::finish(out, n, lowest);
    return;
  }
#endif
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) out[i] = f(at[K][i]...);
}

template <class F, class C, size_t... K>
void blocked_loop(char* const* data, const int64_t* stride, int64_t n, const F& f,
                  std::index_sequence<K...> inputs) {
  constexpr int64_t item = sizeof(C);
  alignas(64) C buffer[sizeof...(K)][kBlock];
  alignas(64) C out[kBlock];
  // Inputs with stride 0 are copied to their buffers once.
  const int64_t most = n < kBlock ? (n + kLanes - 1) / kLanes * kLanes : kBlock;
  ((stride[K + 1] == 0 ? load_block<C, C>(data[K + 1], 0, most, buffer[K]) : void()), ...);
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t m = n - i < kBlock ? n - i : kBlock;
    const int64_t padded = (m + kLanes - 1) / kLanes * kLanes;
    const bool whole = m == padded;
    auto input = [&](const char* at, int64_t step, C* own) -> const C* {
      if (step == 0) return own;
      if (step == item && whole) return reinterpret_cast<const C*>(at);
      load_block<C, C>(at, step, m, own);
      for (int64_t j = m; j < padded; ++j) own[j] = own[m - 1];
      return own;
    };
    const C* in[] = {input(data[K + 1] + i * stride[K + 1], stride[K + 1], buffer[K])...};
    char* to = data[0] + i * stride[0];
    if (stride[0] == item && whole) {
      compute_block(f, in, reinterpret_cast<C*>(to), m, inputs);
    } else {
      compute_block(f, in, out, padded, inputs);
      store_block<C, C>(to, stride[0], m, out);
    }
  }
}

// An operand in memory, or a single element used for all positions.
template <class T, bool constant>
struct Input {
  const T* at;
  T operator[](int64_t i) const { return at[i]; }
};
template <class T>
struct Input<T, true> {
  T value;
  explicit Input(const T* at) : value(*at) {}
  T operator[](int64_t) const { return value; }
};

// A faster form of a functor that is exact only for some operands.
template <class F>
struct Quick {
  static constexpr bool exists = false;
};

template <class T>
struct Quick<functor::cdiv<T>> {
  static constexpr bool exists = std::is_integral_v<T>;
  using Word = std::make_unsigned_t<std::conditional_t<exists, T, int>>;
  static Word misfit(T a, T b) {
    // Division by -1 may wrap.
    bool bad = b == 0 || (std::is_signed_v<T> && b == static_cast<T>(-1));
    if constexpr (sizeof(T) == 8) {
      constexpr int64_t limit = int64_t{1} << 50;
      bad |= a >= limit || a <= -limit || b >= limit || b <= -limit;
    }
    return bad;
  }
  static T run(T a, T b) {
    return static_cast<T>(static_cast<RealOf<T>>(a) / static_cast<RealOf<T>>(b));
  }
  static T run(T a, const Reciprocal<T>& b) { return b.truncated(a); }
};

#if defined(__FMA__) || defined(__aarch64__)
// fmod divides bit by bit. If the quotient is below 2^52 (2^23 in float), its rounded floor is at
// most 1 too large. A fused multiplication then gives a - b * floor exactly.
template <class T>
struct QuickRest {
  static constexpr bool exists = std::is_floating_point_v<T>;
  using Word = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  static Word misfit(T a, T b) {
    const T limit = sizeof(T) == 4 ? T(0x1p23) : T(0x1p52), size = std::fabs(b);
    const Word large = !(std::fabs(a) < size * limit);
    const Word infinite = !(size < std::numeric_limits<T>::infinity());
    return large | infinite;
  }
  // The remainder of x by a positive size, from 0 to size.
  static T rest_of(T x, T size) {
    const T rest = std::fma(-std::floor(x / size), size, x), next = rest + size;
    return rest < 0 ? next : rest;
  }
  static T fmod(T a, T b) { return std::copysign(rest_of(std::fabs(a), std::fabs(b)), a); }
};
template <class T>
struct Quick<functor::cremainderExact<T>> : QuickRest<T> {
  static T run(T a, T b) {
    return std::copysign(QuickRest<T>::rest_of(a * std::copysign(T(1), b), std::fabs(b)), b);
  }
};
template <class T>
struct QuickRestOfReals : QuickRest<T> {
  static T run(T a, T b) { return QuickRest<T>::fmod(a, b); }
};
// As floored_quotient.
template <class T>
struct QuickFloorOfReals : QuickRest<T> {
  static T run(T a, T b) {
    const T rest = QuickRest<T>::fmod(a, b);
    const bool differs = rest != 0 && (rest < 0) != (b < 0);
    const T q = (a - rest) / b - (differs ? T(1) : T(0)), whole = std::floor(q);
    const T rounded = q - whole > T(0.5) ? whole + 1 : whole;
    return q == 0 ? std::copysign(T(0), a / b) : rounded;
  }
};
#else
template <class T>
struct QuickRestOfReals {
  static constexpr bool exists = false;
};
template <class T>
struct QuickFloorOfReals {
  static constexpr bool exists = false;
};
#endif
template <class T>
struct QuickRestOfIntegers : Quick<functor::cdiv<T>> {
  static T run(T a, T b) {
    return functor::minus(a, functor::times(Quick<functor::cdiv<T>>::run(a, b), b));
  }
  static T run(T a, const Reciprocal<T>& b) { return b.rest(a, b.truncated(a)); }
};
template <class T>
struct Quick<functor::cfmod<T>>
    : std::conditional_t<std::is_integral_v<T>, QuickRestOfIntegers<T>, QuickRestOfReals<T>> {};
template <class T>
struct Quick<functor::cremainder<T>> : Quick<functor::cdiv<T>> {
  static T run(T a, T b) {
    const T rest = QuickRestOfIntegers<T>::run(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? functor::plus(rest, b) : rest;
  }
  static T run(T a, const Reciprocal<T>& b) { return b.rest(a, b.floored(a)); }
};
template <class T>
struct QuickFloorOfIntegers : Quick<functor::cdiv<T>> {
  static T run(T a, T b) {
    return whole_floor<T>(static_cast<RealOf<T>>(a) / static_cast<RealOf<T>>(b));
  }
  static T run(T a, const Reciprocal<T>& b) { return b.floored(a); }
};
template <class T>
struct Quick<functor::floorDivide<T>>
    : std::conditional_t<std::is_integral_v<T>, QuickFloorOfIntegers<T>, QuickFloorOfReals<T>> {};

// Uses the fast form for blocks whose elements are all in its range.
template <class Q, class Out, class F, class... In>
inline void quick_loop(Out* out, int64_t n, const F& f, const In&... in) {
  for (int64_t first = 0; first < n; first += kBlock) {
    const int64_t end = n - first < kBlock ? n : first + kBlock;
    typename Q::Word misfits = 0;
    for (int64_t i = first; i < end; ++i) misfits |= Q::misfit(in[i]...);
    if (misfits) {
      for (int64_t i = first; i < end; ++i) out[i] = f(in[i]...);
    } else {
#pragma GCC ivdep
      for (int64_t i = first; i < end; ++i) out[i] = Q::run(in[i]...);
    }
  }
}

// Strides of common layouts are compile-time constants, so that the loop is vectorized.
template <class Out, class... In, bool... constant, class F, size_t... K>
inline void fixed_loop(char* const* data, int64_t n, const F& f, std::index_sequence<K...>,
                       std::integer_sequence<bool, constant...>) {
  Out* out = reinterpret_cast<Out*>(data[0]);
  const std::tuple<Input<In, constant>...> in{
      Input<In, constant>{reinterpret_cast<const In*>(data[K + 1])}...};
  constexpr bool is_constant[] = {constant...};
  if constexpr (Quick<F>::exists && std::is_integral_v<Out> && is_constant[1]) {
    quick_loop<Quick<F>>(out, n, f, std::get<0>(in), Reciprocal<Out>(std::get<1>(in)[0]));
  } else if constexpr (Quick<F>::exists) {
    quick_loop<Quick<F>>(out, n, f, std::get<K>(in)...);
  } else {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) out[i] = f(std::get<K>(in)[i]...);
  }
}

inline bool is_once_or_twice(int64_t stride, size_t item) {
  return stride == static_cast<int64_t>(item) || stride == 2 * static_cast<int64_t>(item);
}

template <class Out, class... In, class F, size_t... K>
void direct_loop(char* const* data, const int64_t* stride, int64_t n, const F& f,
                 std::index_sequence<K...> inputs) {
  if (stride[0] == static_cast<int64_t>(sizeof(Out))) {
    if (((stride[K + 1] == static_cast<int64_t>(sizeof(In))) && ...)) {
      fixed_loop<Out, In...>(data, n, f, inputs,
                             std::integer_sequence<bool, (static_cast<void>(K), false)...>());
      return;
    }
    if constexpr (sizeof...(K) == 2) {
      constexpr int64_t item[] = {sizeof(In)...};
      if (stride[1] == item[0] && stride[2] == 0) {
        fixed_loop<Out, In...>(data, n, f, inputs, std::integer_sequence<bool, false, true>());
        return;
      }
      if (stride[1] == 0 && stride[2] == item[1]) {
        fixed_loop<Out, In...>(data, n, f, inputs, std::integer_sequence<bool, true, false>());
        return;
      }
    } else if constexpr (sizeof...(K) == 3) {
      // As in where(mask, t, 0).
      constexpr int64_t item[] = {sizeof(In)...};
      if (stride[1] == item[0] && stride[2] == item[1] && stride[3] == 0) {
        fixed_loop<Out, In...>(data, n, f, inputs,
                               std::integer_sequence<bool, false, false, true>());
        return;
      }
      if (stride[1] == item[0] && stride[2] == 0 && stride[3] == item[2]) {
        fixed_loop<Out, In...>(data, n, f, inputs,
                               std::integer_sequence<bool, false, true, false>());
        return;
      }
      if (stride[1] == item[0] && stride[2] == 0 && stride[3] == 0) {
        fixed_loop<Out, In...>(data, n, f, inputs,
                               std::integer_sequence<bool, false, true, true>());
        return;
      }
    }
  }
#ifdef TH_HAVE_VECTORS
  // If memory is the limit, vectors of 8-byte elements do not make up for the buffers.
  constexpr int64_t kMostBuffered = ((sizeof(In) < sizeof(int64_t)) && ...) ? INT64_MAX : 1 << 17;
  if (n <= kMostBuffered && stride[0] == static_cast<int64_t>(sizeof(Out)) && n >= kLanes &&
      (is_once_or_twice(stride[K + 1], sizeof(In)) && ...)) {
    alignas(64) char buffer[sizeof...(K)][kBlock * sizeof(int64_t)];
    const int64_t packed[] = {stride[0], static_cast<int64_t>(sizeof(In))...};
    for (int64_t i = 0; i < n; i += kBlock) {
      const int64_t m = n - i < kBlock ? n - i : kBlock;
      auto input = [&](char* at, int64_t step, size_t item, auto take, char* own) {
        if (step == static_cast<int64_t>(item)) return at;
        take(at, m, own);
        return own;
      };
      char* const at[] = {data[0] + i * stride[0],
                          input(data[K + 1] + i * stride[K + 1], stride[K + 1], sizeof(In),
                                &take_every_second<Word<sizeof(In)>>, buffer[K])...};
      direct_loop<Out, In...>(at, packed, m, f, inputs);
    }
    return;
  }
#endif
  // Local copies, because for the compiler the elements written may alias the strides.
  char* out = data[0];
  const int64_t step = stride[0];
  const char* in[] = {data[K + 1]...};
  const int64_t steps[] = {stride[K + 1]...};
  for (int64_t i = 0; i < n; ++i) {
    *reinterpret_cast<Out*>(out) = f(*reinterpret_cast<const In*>(in[K])...);
    out += step;
    ((in[K] += steps[K]), ...);
  }
}

// F is a functor of its compute type; all operands have that type.
template <class F, bool vector_math>
struct ElementLoopOf {
  template <class... In>
  struct Arguments {
    static void loop(char* const* data, const int64_t* stride, int64_t n, const void* numbers) {
      using Out = typename Operator<F>::Result;
      F f(static_cast<const Scalar*>(numbers));
      if constexpr (vector_math && std::is_floating_point_v<Out>) {
        blocked_loop<F, Out>(data, stride, n, f, std::index_sequence_for<In...>());
      } else {
        direct_loop<Out, In...>(data, stride, n, f, std::index_sequence_for<In...>());
      }
    }
  };
};

// The loops of a row: one for each type of the set that is its own compute type, and one for float.
template <template <class> class F, class Set, bool vector_math>
constexpr auto element_loops() {
  return for_types<Set>([](auto zero) -> Loop {
    using T = decltype(zero);
    if constexpr (IsReduced<T>::value) {
      return nullptr;
    } else {
      return &Operator<F<T>>::template Apply<
          ElementLoopOf<F<T>, vector_math>::template Arguments>::loop;
    }
  });
}

}  // namespace
}  // namespace th

// A row's entry in a table, for those who use namespace row_flag.
#define TH_ELEMENT(name, lua, types, parameters, Functor, grain, flags, ...) \
  {ElementOp::name, element_loops<functor::Functor, type_set::types, ((flags)&vector_math) != 0>()},

#endif
