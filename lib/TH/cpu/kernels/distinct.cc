// The distinct values of elements.

#include <algorithm>
#include <cstring>
#include <type_traits>

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
  if (!keys.number(in, 1, call.n, 0, [=](int64_t i, uint32_t k) { numbers[i] = k; })) return false;
  keys.sort();
  if (keys.has_nan()) return false;
  auto* const values = reinterpret_cast<T*>(call.values);
  for (int64_t r = 0; r < keys.count(); ++r) {
    values[r] = in[keys.first(r)];
    call.counts[r] = keys.total(r);
    call.firsts[r] = keys.first(r) + call.index_base;
  }
  for (int64_t i = 0; i < call.n; ++i) numbers[i] = keys.rank(numbers[i]) + call.index_base;
  *call.found = keys.count();
  return true;
}

// Writes the distinct values of elements of 8 or 16 bits. Returns their number, or -1 if an element
// cannot be restored from its key.
template <class T>
int64_t mark_values(const T* in, int64_t n, T* values) {
  using Key = typename SortKey<T>::Key;
  constexpr int64_t keys = int64_t{1} << 8 * sizeof(T);
  Workspace<uint8_t> memory(keys);
  uint8_t* const present = memory.data();
  std::fill_n(present, keys, 0);
  bool exact = true;
  for (int64_t i = 0; i < n; ++i) {
    exact &= SortKey<T>::is_exact(in[i]);
    present[SortKey<T>::key(in[i])] = 1;
  }
  if (!exact) return -1;
  int64_t count = 0;
  for (int64_t first = 0; first < keys; first += sizeof(uint64_t)) {
    uint64_t any;
    std::memcpy(&any, present + first, sizeof any);
    for (int64_t key = first; any != 0 && key < first + int64_t{sizeof any}; ++key) {
      if (present[key]) values[count++] = SortKey<T>::element(static_cast<Key>(key));
    }
  }
  return count;
}

// Writes the distinct values if they are few. Returns their number, or -1.
template <class T>
int64_t find_few_values(const T* in, int64_t n, T* values) {
  using Keys = DistinctKeys<T>;
  const int64_t most = std::min(n / 8, kMostDistinct);
  Workspace<char> memory(Keys::bytes(most));
  Keys keys(memory.data(), most);
  if (!keys.number(in, 1, n, 0, [](int64_t, uint32_t) {}) || !keys.are_exact()) return -1;
  keys.sort();
  for (int64_t r = 0; r < keys.count(); ++r) values[r] = SortKey<T>::element(keys.key(r));
  return keys.count();
}

// Writes the distinct values by sorting the keys of all elements. Returns their number, or -1 if an
// element cannot be restored from its key.
template <class T>
int64_t sort_values(const T* in, int64_t n, T* values) {
  using Key = typename SortKey<T>::Key;
  // Highway sorts no bytes, and 16-bit integers slowly.
  using Wide = std::conditional_t<(sizeof(T) < 4), uint32_t, Key>;
  Workspace<Wide> memory(n);
  Wide* const keys = memory.data();
  bool exact = true;
  for (int64_t i = 0; i < n; ++i) {
    exact &= SortKey<T>::is_exact(in[i]);
    keys[i] = SortKey<T>::key(in[i]);
  }
  if (!exact) return -1;
  sort_keys(keys, n);
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) {
    keys[count] = keys[i];
    count += i + 1 == n || keys[i] != keys[i + 1];
  }
  for (int64_t r = 0; r < count; ++r) values[r] = SortKey<T>::element(static_cast<Key>(keys[r]));
  return count;
}

template <class T>
int64_t find_values(const T* in, int64_t n, T* values) {
  if constexpr (sizeof(T) <= 2) {
    constexpr int64_t kFewestMarked = sizeof(T) == 1 ? 32 : 4096;
    return n < kFewestMarked ? sort_values(in, n, values) : mark_values(in, n, values);
  } else {
    constexpr int64_t kFewestHashed = 256;
    const int64_t few = n < kFewestHashed ? -1 : find_few_values(in, n, values);
    return few < 0 ? sort_values(in, n, values) : few;
  }
}

}  // namespace

namespace TH_ISA {

void run_distinct(const DistinctCall& call) {
  dispatch(call.dtype, [&](auto zero) {
    if (!find_distinct<decltype(zero)>(call)) *call.found = -1;
  });
}

void run_distinctValues(const DistinctValuesCall& call) {
  dispatch(call.dtype, [&](auto zero) {
    using T = decltype(zero);
    *call.found =
        find_values(reinterpret_cast<const T*>(call.in), call.n, reinterpret_cast<T*>(call.values));
  });
}

}  // namespace TH_ISA
}  // namespace th
