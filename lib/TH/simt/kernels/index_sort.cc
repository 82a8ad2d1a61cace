#include "simt/index_sort.h"

#ifdef __CUDACC__
#include <cub/device/device_radix_sort.cuh>
#else
#include <algorithm>
#include <numeric>
#include <vector>
#endif

namespace th {
namespace {

#ifdef __CUDACC__

template <class K>
void sort_by_key(Queue& queue, const K* keys, K* sorted_keys, const K* values, K* sorted_values,
                 int64_t n, int bits) {
  size_t bytes = 0;
  queue.check(cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, sorted_keys, values,
                                              sorted_values, n, 0, bits, queue.stream()));
  Scratch scratch(queue, bytes);
  queue.check(cub::DeviceRadixSort::SortPairs(scratch.as<void>(), bytes, keys, sorted_keys, values,
                                              sorted_values, n, 0, bits, queue.stream()));
}

#else

template <class K>
void sort_by_key(Queue& queue, const K* keys, K* sorted_keys, const K* values, K* sorted_values,
                 int64_t n, int bits) {
  K mask = bits < static_cast<int>(8 * sizeof(K)) ? (K(1) << bits) - 1 : ~K(0);
  queue.enqueue([=] {
    std::vector<int64_t> order(n);
    std::iota(order.begin(), order.end(), int64_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t a, int64_t b) { return (keys[a] & mask) < (keys[b] & mask); });
    for (int64_t i = 0; i < n; ++i) {
      sorted_keys[i] = keys[order[i]];
      sorted_values[i] = values[order[i]];
    }
  });
}

#endif

}  // namespace

void sort_indices(Queue& queue, const uint32_t* keys, uint32_t* sorted_keys, const uint32_t* values,
                  uint32_t* sorted_values, int64_t n, int bits) {
  sort_by_key(queue, keys, sorted_keys, values, sorted_values, n, bits);
}

void sort_indices(Queue& queue, const uint64_t* keys, uint64_t* sorted_keys, const uint64_t* values,
                  uint64_t* sorted_values, int64_t n, int bits) {
  sort_by_key(queue, keys, sorted_keys, values, sorted_values, n, bits);
}

}  // namespace th
