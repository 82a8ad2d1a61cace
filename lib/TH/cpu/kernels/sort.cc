#include "backend/cpu_backend.h"
#include "cpu/kernels/sort_rows.h"
#include "cpu/sort_long.h"

namespace th {
namespace TH_ISA {

void run_sort(const SortCall& call) {
  dispatch(call.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (sizeof(T) <= 4) {
      if (static_cast<uint64_t>(call.n) <= Pack64::kIndexLimit) return sort_rows<T, Pack64>(call);
      return sort_long_rows(call);
    } else {
      sort_rows<T, Pack128>(call);
    }
  });
}

}  // namespace TH_ISA
}  // namespace th
