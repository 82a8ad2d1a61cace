#ifndef TH_CPU_SQUARE_H
#define TH_CPU_SQUARE_H

#include <cstdint>
#include <cstring>
#include <utility>

namespace th {
namespace {

// A square of elements: as many rows as a vector of 16 bytes, which every instruction set has, has
// elements.
template <class T>
struct Square {
  static constexpr int64_t size = 16 / sizeof(T);
  typedef T Row __attribute__((vector_size(16)));

  static Row load(const T* at) {
    Row value;
    std::memcpy(&value, at, sizeof(value));
    return value;
  }
  static void store(T* at, Row value) { std::memcpy(at, &value, sizeof(value)); }

  // Each round interleaves the rows of the upper half with those of the lower half.
  static void transpose(Row* row) {
    constexpr auto lanes = std::make_index_sequence<size>();
    Row next[size];
#pragma GCC unroll 4
    for (int64_t round = 1; round < size; round *= 2) {
#pragma GCC unroll 8
      for (int64_t i = 0; i < size / 2; ++i) {
        next[2 * i] = interleave<0>(row[i], row[i + size / 2], lanes);
        next[2 * i + 1] = interleave<size / 2>(row[i], row[i + size / 2], lanes);
      }
#pragma GCC unroll 16
      for (int64_t i = 0; i < size; ++i) row[i] = next[i];
    }
  }

 private:
  // Interleaves the lanes of a and b, starting with lane `first`.
  template <size_t first, size_t... K>
  static Row interleave(Row a, Row b, std::index_sequence<K...>) {
#if defined(__clang__) || __GNUC__ >= 12
    return __builtin_shufflevector(a, b, (first + K / 2 + (K % 2 ? size : 0))...);
#else
    using Lanes = decltype(a < b);  // integers
    return __builtin_shuffle(a, b,
                             Lanes{static_cast<int8_t>(first + K / 2 + (K % 2 ? size : 0))...});
#endif
  }
};

}  // namespace
}  // namespace th

#endif
