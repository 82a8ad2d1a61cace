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

}  // namespace
}  // namespace th

#endif
