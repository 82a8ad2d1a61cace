// The distinct values of elements, if they are few.

#include "backend/cpu_backend.h"
#include "cpu/kernels/distinct_keys.h"
#include "cpu/workspace.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

template <class T>
bool find_distinct(const DistinctCall& call) {
  using Keys = DistinctKeys<T>;
  Workspace<char> memory(Keys::bytes(call.most));
  Keys keys(memory.data(), call.most);
  auto* const in = reinterpret_cast<const T*>(call.in);
  int64_t* const numbers = call.numbers;
  const bool few =
      numbers ? keys.number(in, 1, call.n, 0, [=](int64_t i, uint32_t k) { numbers[i] = k; })
              : keys.number(in, 1, call.n, 0, [](int64_t, uint32_t) {});
  if (!few) return false;
  keys.sort();
  if (keys.has_nan()) return false;
  auto* const values = reinterpret_cast<T*>(call.values);
  for (int64_t r = 0; r < keys.count(); ++r) {
    values[r] = in[keys.first(r)];
    call.counts[r] = keys.total(r);
    call.firsts[r] = keys.first(r) + call.index_base;
  }
  if (numbers) {
    for (int64_t i = 0; i < call.n; ++i) numbers[i] = keys.rank(numbers[i]) + call.index_base;
  }
  *call.found = keys.count();
  return true;
}

}  // namespace

namespace TH_ISA {

void run_distinct(const DistinctCall& call) {
  dispatch(call.dtype, [&](auto zero) {
    if (!find_distinct<decltype(zero)>(call)) *call.found = -1;
  });
}

}  // namespace TH_ISA
}  // namespace th
