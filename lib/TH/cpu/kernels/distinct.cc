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
  if (!keys.template number<true>(in, 1, call.n, 0, [=](int64_t i, uint32_t k) { numbers[i] = k; }))
    return false;
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

// Writes the distinct values of elements of 8 or 16 bits, and the numbers of elements with each of
// them unless counts is null. Returns the number of values, or -1 if an element cannot be restored
// from its key.
template <class T>
int64_t mark_values(const T* in, int64_t n, T* values, int64_t* counts) {
  using Key = typename SortKey<T>::Key;
  constexpr int64_t keys = int64_t{1} << 8 * sizeof(T);
  Workspace<uint8_t> memory(keys);
  Workspace<int64_t> totals(counts ? keys : 0);
  uint8_t* const present = memory.data();
  std::fill_n(present, keys, 0);
  std::fill_n(totals.data(), counts ? keys : 0, 0);
  bool exact = true;
  for (int64_t i = 0; i < n; ++i) {
    exact &= SortKey<T>::is_exact(in[i]);
    present[SortKey<T>::key(in[i])] = 1;
  }
  if (!exact) return -1;
  for (int64_t i = 0; counts && i < n; ++i) ++totals[SortKey<T>::key(in[i])];
  int64_t count = 0;
  for (int64_t first = 0; first < keys; first += sizeof(uint64_t)) {
    uint64_t any;
    std::memcpy(&any, present + first, sizeof any);
    for (int64_t key = first; any != 0 && key < first + int64_t{sizeof any}; ++key) {
      if (!present[key]) continue;
      if (counts) counts[count] = totals[key];
      values[count++] = SortKey<T>::element(static_cast<Key>(key));
    }
  }
  return count;
}

// The same if the distinct values are few; otherwise returns -1.
template <class T>
int64_t find_few_values(const T* in, int64_t n, T* values, int64_t* counts) {
  using Keys = DistinctKeys<T>;
  const int64_t most = std::min(n / 8, kMostDistinct);
  Workspace<char> memory(Keys::bytes(most));
  Keys keys(memory.data(), most);
  const auto ignore = [](int64_t, uint32_t) {};
  const bool found = counts ? keys.template number<true>(in, 1, n, 0, ignore)
                            : keys.template number<false>(in, 1, n, 0, ignore);
  if (!found || !keys.are_exact()) return -1;
  keys.sort();
  for (int64_t r = 0; r < keys.count(); ++r) {
    values[r] = SortKey<T>::element(keys.key(r));
    if (counts) counts[r] = keys.total(r);
  }
  return keys.count();
}

// The same by sorting the keys of all elements.
template <class T>
int64_t sort_values(const T* in, int64_t n, T* values, int64_t* counts) {
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
  // At first, counts holds the last position of each value.
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) {
    keys[count] = keys[i];
    if (counts) counts[count] = i;
    count += i + 1 == n || keys[i] != keys[i + 1];
  }
  for (int64_t r = 0; r < count; ++r) values[r] = SortKey<T>::element(static_cast<Key>(keys[r]));
  for (int64_t r = count - 1; counts && r >= 0; --r) {
    counts[r] -= r ? counts[r - 1] : -1;
  }
  return count;
}

// The same for integers that are near each other; otherwise returns -1.
template <class T>
int64_t mark_integers(const T* in, int64_t n, T* values, int64_t* counts) {
  T least = in[0], most = in[0];
  for (int64_t i = 1; i < n; ++i) {
    least = in[i] < least ? in[i] : least;
    most = in[i] > most ? in[i] : most;
  }
  const uint64_t range = static_cast<uint64_t>(most) - static_cast<uint64_t>(least);
  if (range >= static_cast<uint64_t>(n)) return -1;
  const auto keys = static_cast<int64_t>(range) + 1;
  const auto key = [=](T x) { return static_cast<uint64_t>(x) - static_cast<uint64_t>(least); };
  Workspace<uint8_t> present(counts ? 0 : keys);
  Workspace<int64_t> totals(counts ? keys : 0);
  int64_t count = 0;
  const auto put = [&](int64_t k) {
    values[count++] = static_cast<T>(static_cast<uint64_t>(least) + static_cast<uint64_t>(k));
  };
  if (!counts) {
    std::fill_n(present.data(), keys, 0);
    for (int64_t i = 0; i < n; ++i) present.data()[key(in[i])] = 1;
    for (int64_t k = 0; k < keys; ++k) {
      if (present[k]) put(k);
    }
    return count;
  }
  std::fill_n(totals.data(), keys, 0);
  for (int64_t i = 0; i < n; ++i) ++totals.data()[key(in[i])];
  for (int64_t k = 0; k < keys; ++k) {
    if (!totals[k]) continue;
    counts[count] = totals[k];
    put(k);
  }
  return count;
}

template <class T>
int64_t find_values(const T* in, int64_t n, T* values, int64_t* counts) {
  if constexpr (sizeof(T) <= 2) {
    constexpr int64_t kFewestMarked = sizeof(T) == 1 ? 32 : 4096;
    return n < kFewestMarked ? sort_values(in, n, values, counts)
                             : mark_values(in, n, values, counts);
  } else {
    constexpr int64_t kFewestHashed = 256;
    int64_t found = -1;
    if constexpr (std::is_integral_v<T>) {
      if (n >= kFewestHashed) found = mark_integers(in, n, values, counts);
    }
    if (found < 0 && n >= kFewestHashed) found = find_few_values(in, n, values, counts);
    return found < 0 ? sort_values(in, n, values, counts) : found;
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
    *call.found = find_values(reinterpret_cast<const T*>(call.in), call.n,
                              reinterpret_cast<T*>(call.values), call.counts);
  });
}

}  // namespace TH_ISA
}  // namespace th
