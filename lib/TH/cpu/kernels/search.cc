// Search in sorted rows.

#include "backend/cpu_backend.h"
#include "cpu/loops.h"
#include "cpu/parallel.h"
#include "functors/search.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

template <class T>
void search(const SearchCall& call, int64_t begin, int64_t end) {
  for_each_run(call.plan, begin, end, [&](char* const* data, const int64_t* next, int64_t m) {
    for (int64_t k = 0; k < m; ++k) {
      T x = *reinterpret_cast<const T*>(data[1] + k * next[1]);
      const char* sorted = data[2] + k * next[2];
      *reinterpret_cast<int64_t*>(data[0] + k * next[0]) =
          elements_before(sorted, call.n, call.step, x, call.right) + call.index_base;
    }
  });
}

}  // namespace

namespace TH_ISA {

void run_search(const SearchCall& call) {
  parallel_for(call.plan.numel, Grain::costly, [&](int64_t begin, int64_t end) {
    dispatch(call.dtype, [&](auto zero) { search<decltype(zero)>(call, begin, end); });
  });
}

}  // namespace TH_ISA
}  // namespace th
