#ifndef TH_CUDA_SORT_ROWS_H
#define TH_CUDA_SORT_ROWS_H

// Sorting by CUB. There is one file for each key type, because nvcc needs long to compile it.

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <climits>
#include <utility>

#include "cuda/with_scratch.h"
#include "simt/sort_pairs.h"

namespace th {
namespace {

// Longer rows are sorted one after another by the whole device, if they are few or very long.
constexpr int64_t kLongRow = 16384;
constexpr int64_t kFewRows = 64;
constexpr int64_t kVeryLongRow = 262144;

struct RowBegin {
  int n;
  __host__ __device__ int operator()(int row) const { return row * n; }
};

// The buffers of rows starting with row `first`.
template <class Key>
struct Buffers {
  cub::DoubleBuffer<Key> keys;
  cub::DoubleBuffer<uint32_t> values;

  Buffers(const PairBuffers<Key>& pairs, int64_t first)
      : keys(pairs.keys + first * pairs.n, pairs.other_keys + first * pairs.n),
        values(pairs.values + first * pairs.n, pairs.other_values + first * pairs.n) {}
};

// Sorts one row with the whole device.
template <class Key>
bool sort_row(Queue& queue, const PairBuffers<Key>& pairs, int64_t row) {
  Buffers<Key> buffers(pairs, row);
  with_scratch(queue, [&](void* scratch, size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, buffers.keys, buffers.values, pairs.n, 0,
                                           pairs.key_bits, queue.stream());
  });
  return buffers.keys.selector != 0;
}

// Sorts each row with one block of threads. CUB counts the elements in int.
template <class Key>
bool sort_segments(Queue& queue, const PairBuffers<Key>& pairs, int64_t first, int64_t count) {
  Buffers<Key> buffers(pairs, first);
  auto begin = thrust::make_transform_iterator(thrust::make_counting_iterator(0),
                                               RowBegin{static_cast<int>(pairs.n)});
  with_scratch(queue, [&](void* scratch, size_t& bytes) {
    return cub::DeviceSegmentedRadixSort::SortPairs(
        scratch, bytes, buffers.keys, buffers.values, static_cast<int>(count * pairs.n),
        static_cast<int>(count), begin, begin + 1, 0, pairs.key_bits, queue.stream());
  });
  return buffers.keys.selector != 0;
}

template <class Key>
void sort_rows(Queue& queue, PairBuffers<Key>* pairs) {
  int64_t rows = pairs->rows, n = pairs->n;
  bool one_by_one = rows == 1 || n >= kVeryLongRow || (n >= kLongRow && rows <= kFewRows);
  int64_t at_once = one_by_one ? 1 : INT_MAX / n;
  // All rows have the same length and need the same number of passes, so all results are in the
  // same buffers.
  bool in_others = false;
  for (int64_t row = 0; row < rows; row += at_once) {
    in_others = one_by_one ? sort_row(queue, *pairs, row)
                           : sort_segments(queue, *pairs, row, std::min(at_once, rows - row));
  }
  if (!in_others) return;
  std::swap(pairs->keys, pairs->other_keys);
  std::swap(pairs->values, pairs->other_values);
}

}  // namespace
}  // namespace th

#endif
