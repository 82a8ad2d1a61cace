// Cumulative sums and products.

#include <algorithm>

#include "backend/cpu_backend.h"
#include "cpu/loops.h"
#include "cpu/parallel.h"
#include "functors/reducers.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

// Maximum number of scans that run side by side.
constexpr int64_t kScanWidth = 512;

// count <= kScanWidth scans of n elements each. in and out may be the same memory.
struct ScanBlock {
  const char* in;
  int64_t in_step;  // bytes from one element of a scan to the next
  int64_t in_next;  // bytes from one scan to the next
  char* out;
  int64_t out_step;
  int64_t out_next;
  int64_t n;
  int64_t count;
};
using ScanLoop = void (*)(const ScanBlock& block);

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
void scan(const ScanBlock& block) {
  using R = Reducer<T>;
  constexpr int64_t item = sizeof(T);
  if (block.count == 1 || block.in_next != item || block.out_next != item) {
    for (int64_t k = 0; k < block.count; ++k) {
      scan_one<R, T>(block.in + k * block.in_next, block.in_step, block.out + k * block.out_next,
                     block.out_step, block.n);
    }
    return;
  }
  alignas(64) typename R::A acc[kScanWidth];
  for (int64_t j = 0; j < block.count; ++j) acc[j] = R::init();
  for (int64_t i = 0; i < block.n; ++i) {
    auto* in = reinterpret_cast<const T*>(block.in + i * block.in_step);
    auto* out = reinterpret_cast<T*>(block.out + i * block.out_step);
    // in and out are the same row or do not overlap.
#pragma GCC ivdep
    for (int64_t j = 0; j < block.count; ++j) {
      acc[j] = R::combine(acc[j], R::map(load(in[j]), 0));
      out[j] = narrow<T>(acc[j]);
    }
  }
}

constexpr auto sums = for_types<AllTypes>([](auto zero) { return &scan<Sum, decltype(zero)>; });
constexpr auto products =
    for_types<AllTypes>([](auto zero) { return &scan<Prod, decltype(zero)>; });

}  // namespace

namespace TH_ISA {

void run_scan(const ScanCall& call) {
  ScanLoop loop = call.product ? products[call.dtype] : sums[call.dtype];
  int64_t grain = std::max<int64_t>(1, Grain::cheap / call.n);
  parallel_for(call.plan.numel, grain, [&](int64_t begin, int64_t end) {
    for_each_run(
        call.plan, begin, end, [&](char* const* data, const int64_t* stride, int64_t count) {
          for (int64_t k = 0; k < count; k += kScanWidth) {
            loop({data[1] + k * stride[1], call.in_step, stride[1], data[0] + k * stride[0],
                  call.out_step, stride[0], call.n, std::min(kScanWidth, count - k)});
          }
        });
  });
}

}  // namespace TH_ISA
}  // namespace th
