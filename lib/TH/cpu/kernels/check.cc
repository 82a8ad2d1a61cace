// Checks of input values.

#include "backend/cpu_backend.h"
#include "cpu/loops.h"
#include "cpu/parallel.h"

namespace th {
namespace {

template <class T, class Is>
bool has_bad(const LoopPlan& plan, int64_t limit, int64_t also) {
  using Word = std::conditional_t<sizeof(T) == 8, uint64_t,
                                  std::conditional_t<sizeof(T) == 1, uint8_t, uint32_t>>;
  bool found = false;
  parallel_for(plan.numel, Grain::cheap, [&](int64_t begin, int64_t end) {
    for_each_run(plan, begin, end, [&](char* const* at, const int64_t* stride, int64_t n) {
      const char* p = at[0];
      const int64_t step = stride[0];
      // The flag has the size of the elements, so that the loop is vectorized.
      Word bad = 0;
      if (step == static_cast<int64_t>(sizeof(T))) {
        auto* x = reinterpret_cast<const T*>(p);
#pragma omp simd reduction(| : bad)
        for (int64_t i = 0; i < n; ++i) bad |= static_cast<Word>(Is::is_bad(x[i], limit, also));
      } else {
        for (int64_t i = 0; i < n; ++i, p += step) {
          bad |= static_cast<Word>(Is::is_bad(*reinterpret_cast<const T*>(p), limit, also));
        }
      }
      if (bad) __atomic_store_n(&found, true, __ATOMIC_RELAXED);
    });
  });
  return found;
}

template <class T, class Is>
void check(const CheckCall& call) {
  if (!has_bad<T, Is>(call.plan, call.limit, call.also)) return;
  int64_t number = 0;
  for_each_run(
      call.plan, 0, call.plan.numel, [&](char* const* at, const int64_t* stride, int64_t n) {
        for (int64_t i = 0; i < n && !call.found->check; ++i) {
          T x = *reinterpret_cast<const T*>(at[0] + i * stride[0]);
          ++number;
          if (!Is::is_bad(x, call.limit, call.also)) continue;
          call.found->check = call.check;
          call.found->value = std::is_floating_point_v<T> ? number : static_cast<int64_t>(x);
        }
      });
}

}  // namespace

namespace TH_ISA {

void run_check(const CheckCall& call) {
  dispatch(call.condition, [&](auto condition) {
    using Is = decltype(condition);
    dispatch(call.dtype, [&](auto zero) {
      using T = decltype(zero);
      if constexpr (Is::template kHas<T>) check<T, Is>(call);
    });
  });
}

}  // namespace TH_ISA
}  // namespace th
