#ifndef TH_SIMT_KERNELS_PAIR_H
#define TH_SIMT_KERNELS_PAIR_H

// Sums, differences and products of pairs of 16-bit elements, for which GPUs have instructions. The
// results are those of float arithmetic, rounded to 16 bits: rounding to float before changes
// nothing, because a float has more than twice as many bits.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "functors/functors.h"
#include "simt/simt.h"
#include "tensor/convert.h"

#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

namespace th {
namespace {

// Two elements of type T, in one register.
template <class T>
struct Pair {
  uint32_t bits;
};

#ifdef __CUDACC__

// The pair `intrinsic(a, b)`. function: that of functor:: for the float values of elements.
#define TH_ON_PAIRS(a, b, intrinsic, function) \
  on_pairs(a, b, [](auto x, auto y) { return intrinsic(x, y); })

template <class T, class F>
__device__ __forceinline__ Pair<T> on_pairs(Pair<T> a, Pair<T> b, const F& f) {
  std::conditional_t<std::is_same_v<T, Half>, __half2, __nv_bfloat162> x, y;
  std::memcpy(&x, &a, sizeof(a));
  std::memcpy(&y, &b, sizeof(b));
  x = f(x, y);
  std::memcpy(&a, &x, sizeof(a));
  return a;
}

#else

#define TH_ON_PAIRS(a, b, intrinsic, function) \
  on_pairs(a, b, [](float x, float y) { return functor::function(x, y); })

template <class T, class F>
Pair<T> on_pairs(Pair<T> a, Pair<T> b, const F& f) {
  T x[2], y[2];
  std::memcpy(x, &a, sizeof(a));
  std::memcpy(y, &b, sizeof(b));
  for (int j = 0; j < 2; ++j) x[j] = convert<T>(f(load(x[j]), load(y[j])));
  std::memcpy(&a, x, sizeof(a));
  return a;
}

#endif

// The functor on pairs that computes the same as functor F on elements of type T.
template <class F, class T>
struct PairFunctor {
  static constexpr bool exists = false;
};

#define TH_PAIR_FUNCTOR(name, of, intrinsic, function, condition)               \
  template <class T>                                                            \
  struct name {                                                                 \
    __device__ __forceinline__ Pair<T> operator()(Pair<T> a, Pair<T> b) const { \
      return TH_ON_PAIRS(a, b, intrinsic, function);                            \
    }                                                                           \
  };                                                                            \
  template <class T>                                                            \
  struct PairFunctor<functor::of<float>, T> {                                   \
    static constexpr bool exists = IsReduced<T>::value;                         \
    using Type = name<T>;                                                       \
    static bool applies(const functor::of<float>& f) { return condition; }      \
  }

TH_PAIR_FUNCTOR(PairSum, cadd, __hadd2_rn, plus, f.value == 1);
TH_PAIR_FUNCTOR(PairDifference, csub, __hsub2_rn, minus, f.value == 1);
TH_PAIR_FUNCTOR(PairProduct, cmul, __hmul2_rn, times, (static_cast<void>(f), true));

#undef TH_PAIR_FUNCTOR
#undef TH_ON_PAIRS

}  // namespace
}  // namespace th

#endif
