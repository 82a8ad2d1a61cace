#ifndef TH_CPU_KERNELS_REDUCE_FIND_H
#define TH_CPU_KERNELS_REDUCE_FIND_H

// Finds the first element that is equal to a reduced value, of each reduction of a block.

#include <type_traits>
#include <utility>

#include "cpu/kernels/reduce_loops.h"
#include "functors/reducers.h"
#include "functors/sort_key.h"

namespace th {
namespace {

// Number of rows compared together.
constexpr int64_t kFindRows = 4;

template <class C>
inline C from_wide(Wide value) {
  if constexpr (std::is_integral_v<C>) {
    return static_cast<C>(value.i);
  } else {
    return static_cast<C>(value.d);
  }
}
template <class C>
inline bool is_same(C x, C value) {
  return (x == value) | ((x != x) & (value != value));
}

// same ? i : index, branch-free because the condition is unpredictable.
inline int64_t pick(bool same, int64_t i, int64_t index) {
  return index ^ ((index ^ i) & -static_cast<int64_t>(same));
}

// Advances first to the chunk of the first match, or to the rest of less than a chunk. Returns true
// if there is a match. The result of a comparison is as wide as an element, so that none is packed.
template <int64_t chunk, class T>
inline bool find_chunk(const T* x, int64_t n, Compute<T> value, int64_t* first) {
  using Number = typename UnsignedOf<sizeof(Compute<T>)>::Type;
  for (; *first + chunk <= n; *first += chunk) {
    const T* const part = x + *first;
    Number found = 0;
    for (int64_t j = 0; j < chunk; ++j) found |= Number(is_same(load(part[j]), value) ? 1 : 0);
    if (found) return true;
  }
  return false;
}

template <class T>
__attribute__((noinline)) int64_t find_wide_chunk(const T* x, int64_t n, Compute<T> value) {
  int64_t first = 0;
  find_chunk<256>(x, n, value, &first);
  return first;
}

template <class T>
inline int64_t find_in_run(const T* x, int64_t n, Compute<T> value) {
  constexpr int64_t chunk = 64, kLong = 4096;
  // A wide chunk with a match is searched again.
  int64_t first = n >= kLong ? find_wide_chunk(x, n, value) : 0;
  if (!find_chunk<chunk>(x, n, value, &first)) {
    while (first < n - 1 && !is_same(load(x[first]), value)) ++first;
    return first;
  }
  using Number = std::make_signed_t<typename UnsignedOf<sizeof(Compute<T>)>::Type>;
  Number least = chunk - 1;
  for (Number j = 0; j < chunk; ++j) {
    const Number number = is_same(load(x[first + j]), value) ? j : Number(chunk - 1);
    least = number < least ? number : least;
  }
  return first + least;
}

template <class T, size_t... K>
inline int64_t last_match(int64_t index, int64_t row, const T* x, int64_t step, Compute<T> value,
                          std::index_sequence<K...>) {
  ((index = pick(is_same(load(x[-static_cast<int64_t>(K) * step]), value),
                 row - static_cast<int64_t>(K), index)),
   ...);
  return index;
}

// Searches one column after the other, to the first match.
template <class T>
inline void find_in_narrow_columns(const ReduceBlock& block, const Wide* value, int64_t* index) {
  using C = Compute<T>;
  constexpr int64_t chunk = 16;
  const int64_t step = block.step / static_cast<int64_t>(sizeof(T));
  for (int64_t j = 0; j < block.count; ++j) {
    const T* const x = reinterpret_cast<const T*>(block.data) + j;
    const C target = from_wide<C>(value[j]);
    int64_t i = 0;
    for (bool found = false; i + chunk <= block.n; i += chunk) {
#pragma GCC unroll 16
      for (int64_t k = 0; k < chunk; ++k) found |= is_same(load(x[(i + k) * step]), target);
      if (found) break;
    }
    while (i < block.n - 1 && !is_same(load(x[i * step]), target)) ++i;
    index[j] = i;
  }
}

// Searches rows backward, so that the first match remains.
template <class T>
void find_in_columns(const ReduceBlock& block, const Wide* value, int64_t* index) {
  constexpr int64_t kNarrow = sizeof(T) == 1 ? 8 : sizeof(T) == 8 ? 3 : 4;
  if (block.count <= kNarrow) return find_in_narrow_columns<T>(block, value, index);
  using C = Compute<T>;
  alignas(64) C target[kReduceWidth];
  auto* x = reinterpret_cast<const T*>(block.data);
  int64_t step = block.step / static_cast<int64_t>(sizeof(T));
  int64_t width = block.count;
  for (int64_t j = 0; j < width; ++j) {
    target[j] = from_wide<C>(value[j]);
    index[j] = 0;
  }
  int64_t i = block.n - 1;
  for (; i >= kFindRows - 1; i -= kFindRows) {
    const T* row = x + i * step;
#pragma GCC ivdep
    for (int64_t j = 0; j < width; ++j) {
      index[j] =
          last_match(index[j], i, row + j, step, target[j], std::make_index_sequence<kFindRows>());
    }
  }
  for (; i >= 0; --i) {
    const T* row = x + i * step;
#pragma GCC ivdep
    for (int64_t j = 0; j < width; ++j) {
      index[j] = pick(is_same(load(row[j]), target[j]), i, index[j]);
    }
  }
}

template <class T>
void find(const ReduceBlock& block, Wide* value, int64_t* index) {
  using C = Compute<T>;
  if (!block.rows) find_in_columns<T>(block, value, index);
  for (int64_t k = 0; k < block.count; ++k) {
    auto* x = reinterpret_cast<const T*>(block.data + k * block.next);
    if (block.rows) index[k] = find_in_run(x, block.n, from_wide<C>(value[k]));
    if constexpr (!std::is_integral_v<C>) {
      // 0 equals -0, so read the value at the index.
      x = reinterpret_cast<const T*>(block.data + k * block.next + index[k] * block.step);
      value[k].d = load(*x);
    }
  }
}

}  // namespace
}  // namespace th

#endif
