// Cumulative maxima and minima with their indices.

#include <algorithm>

#include "backend/cpu_backend.h"
#include "cpu/loops.h"
#include "cpu/parallel.h"
#include "functors/reducers.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

template <class T>
void scan_line(const ScanExtremesCall& call, char* values, char* indices, const char* in) {
  using C = Compute<T>;
  // Not read before the first element.
  C best = C();
  int64_t best_index = -1;
  for (int64_t i = 0; i < call.n; ++i) {
    T element = *reinterpret_cast<const T*>(in + i * call.in_step);
    C x = load(element);
    // A NaN is replaced only by a later NaN.
    bool better = (call.largest ? x >= best : x <= best) && best == best;
    if (best_index < 0 || x != x || better) {
      best = x;
      best_index = i;
    }
    // This conversion is exact.
    *reinterpret_cast<T*>(values + i * call.value_step) = convert<T>(best);
    *reinterpret_cast<int64_t*>(indices + i * call.index_step) = best_index + call.index_base;
  }
}

template <class T>
void scan_lines(const ScanExtremesCall& call, int64_t begin, int64_t end) {
  for_each_run(call.plan, begin, end, [&](char* const* data, const int64_t* next, int64_t m) {
    for (int64_t k = 0; k < m; ++k) {
      scan_line<T>(call, data[0] + k * next[0], data[1] + k * next[1], data[2] + k * next[2]);
    }
  });
}

}  // namespace

namespace TH_ISA {

void run_scan_extremes(const ScanExtremesCall& call) {
  int64_t grain = std::max<int64_t>(1, Grain::cheap / call.n);
  parallel_for(call.plan.numel, grain, [&](int64_t begin, int64_t end) {
    dispatch(call.dtype, [&](auto zero) { scan_lines<decltype(zero)>(call, begin, end); });
  });
}

}  // namespace TH_ISA
}  // namespace th
