// Search in sorted rows.

#include <type_traits>

#include "backend/cpu_backend.h"
#include "cpu/loops.h"
#include "cpu/parallel.h"
#include "functors/search.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

// Searches for this many elements at a time: each waits for memory, but not for another one.
constexpr int kTogether = 8;

// Returns what is compared: the element itself where its type has the order of the sort keys,
// except for NaN.
template <class T>
inline auto in_order(T x) {
  if constexpr (std::is_arithmetic_v<T>) {
    return x;
  } else {
    return SortKey<T>::key(x);
  }
}
template <class T>
using Ordered = decltype(in_order(T()));

// Computes elements_before() of each value, which is not NaN, for n >= 1 contiguous elements. It
// has no branches, which would be mispredicted.
template <bool right, class T>
void search_together(const T* sorted, int64_t n, const Ordered<T>* values, int64_t* before) {
  const auto is_before = [&](const T* at, int j) {
    const Ordered<T> other = in_order(*at);
    return right ? other <= values[j] : other < values[j];
  };
  const T* from[kTogether];
  for (int j = 0; j < kTogether; ++j) from[j] = sorted;
  for (int64_t left = n; left > 1;) {
    const int64_t half = left / 2;
#pragma GCC unroll 8
    for (int j = 0; j < kTogether; ++j) {
      const T* next = from[j] + half;
      from[j] = is_before(next - 1, j) ? next : from[j];
    }
    left -= half;
  }
  for (int j = 0; j < kTogether; ++j) before[j] = from[j] - sorted + is_before(from[j], j);
}

template <class T>
void search_row(const SearchCall& call, const T* sorted, char* const* data, const int64_t* next,
                int64_t m) {
  const auto value_at = [&](int64_t k) {
    return *reinterpret_cast<const T*>(data[1] + k * next[1]);
  };
  for (int64_t first = 0; first < m; first += kTogether) {
    Ordered<T> values[kTogether];
    int64_t before[kTogether];
    const int64_t count = m - first < kTogether ? m - first : kTogether;
    for (int64_t j = 0; j < kTogether; ++j) {
      values[j] = in_order(value_at(first + (j < count ? j : 0)));
    }
    if (call.right) {
      search_together<true>(sorted, call.n, values, before);
    } else {
      search_together<false>(sorted, call.n, values, before);
    }
    for (int64_t j = 0; j < count; ++j) {
      if (values[j] != values[j]) {
        before[j] = elements_before(reinterpret_cast<const char*>(sorted), call.n, call.step,
                                    value_at(first + j), call.right);
      }
      *reinterpret_cast<int64_t*>(data[0] + (first + j) * next[0]) = before[j] + call.index_base;
    }
  }
}

template <class T>
void search(const SearchCall& call, int64_t begin, int64_t end) {
  for_each_run(call.plan, begin, end, [&](char* const* data, const int64_t* next, int64_t m) {
    const bool in_one_row = next[2] == 0 && call.step == static_cast<int64_t>(sizeof(T));
    if (in_one_row && m >= kTogether / 2 && call.n > 0) {
      return search_row(call, reinterpret_cast<const T*>(data[2]), data, next, m);
    }
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
