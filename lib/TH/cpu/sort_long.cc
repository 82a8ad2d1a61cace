#include "cpu/sort_long.h"

#include "cpu/kernels/sort_rows.h"

namespace th {

void sort_long_rows(const SortCall& call) {
  dispatch(call.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (sizeof(T) <= 4) sort_rows<T, Pack128>(call);
  });
}

}  // namespace th
