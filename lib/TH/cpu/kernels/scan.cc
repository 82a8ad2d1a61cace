#include "cpu/reduce_kernels.h"
#include "functors/reducers.h"

namespace th {
namespace {

template <class T, class A>
inline T narrow(A a) {
  if constexpr (std::is_integral_v<A>) {
    return static_cast<T>(a);
  } else {
    return convert<T>(a);
  }
}

template <class R, class T>
inline void scan_one(const char* in, int64_t in_step, char* out, int64_t out_step, int64_t n) {
  typename R::A a = R::init();
  for (int64_t i = 0; i < n; ++i) {
    a = R::combine(a, R::map(load(*reinterpret_cast<const T*>(in + i * in_step)), 0));
    *reinterpret_cast<T*>(out + i * out_step) = narrow<T>(a);
  }
}

template <template <class> class Reducer, class T>
void scan(const ScanCall& call) {
  using R = Reducer<T>;
  constexpr int64_t item = sizeof(T);
  if (call.count == 1 || call.in_next != item || call.out_next != item) {
    for (int64_t k = 0; k < call.count; ++k) {
      scan_one<R, T>(call.in + k * call.in_next, call.in_step, call.out + k * call.out_next,
                     call.out_step, call.n);
    }
    return;
  }
  alignas(64) typename R::A acc[kReduceWidth];
  for (int64_t j = 0; j < call.count; ++j) acc[j] = R::init();
  for (int64_t i = 0; i < call.n; ++i) {
    auto* in = reinterpret_cast<const T*>(call.in + i * call.in_step);
    auto* out = reinterpret_cast<T*>(call.out + i * call.out_step);
    // in and out are the same row, or do not overlap.
#pragma GCC ivdep
    for (int64_t j = 0; j < call.count; ++j) {
      acc[j] = R::combine(acc[j], R::map(load(in[j]), 0));
      out[j] = narrow<T>(acc[j]);
    }
  }
}

}  // namespace

namespace TH_ISA {

extern const ScanKernels scan_kernels;
constexpr ScanKernels scan_kernels = {
    for_types<AllTypes>([](auto zero) { return &scan<Sum, decltype(zero)>; }),
    for_types<AllTypes>([](auto zero) { return &scan<Prod, decltype(zero)>; })};

}  // namespace TH_ISA
}  // namespace th
