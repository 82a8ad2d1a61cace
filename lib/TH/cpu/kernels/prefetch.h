#ifndef TH_CPU_KERNELS_PREFETCH_H
#define TH_CPU_KERNELS_PREFETCH_H

#include <cstdint>

namespace th {
namespace {

// Reads the cache line of x[offset] ahead. The address may be outside of the array of x.
template <class T>
inline void prefetch(const T* x, int64_t offset) {
  const auto address = reinterpret_cast<uintptr_t>(x) + static_cast<uintptr_t>(offset) * sizeof(T);
  __builtin_prefetch(reinterpret_cast<const void*>(address));
}

// Prefetches the cache lines of n elements, `ahead` bytes after x.
template <int64_t n, class T>
inline void prefetch_lines(const T* x, int64_t ahead) {
  constexpr int64_t kLine = 64, bytes = n * static_cast<int64_t>(sizeof(T));
#pragma GCC unroll 32
  for (int64_t line = 0; line < bytes; line += kLine) {
    prefetch(reinterpret_cast<const char*>(x), ahead + line);
  }
}

}  // namespace
}  // namespace th

#endif
