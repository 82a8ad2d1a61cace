#ifndef TH_CUDA_SORT_ROWS_H
#define TH_CUDA_SORT_ROWS_H

// Sorting by CUB. It takes nvcc long to compile, so there is one file for each type of key.

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <climits>

#include "simt/sort_pairs.h"

namespace th {
namespace {

// Longer rows are sorted by the whole device one after another, where they are few or very long.
constexpr int64_t kLongRow = 16384;
constexpr int64_t kFewRows = 64;
constexpr int64_t kVeryLongRow = 262144;

struct RowBegin {
  int n;
  __host__ __device__ int operator()(int row) const { return row * n; }
};

// Calls sort(nullptr, bytes) for the room it needs, then sort(room, bytes).
template <class Sort>
void with_room(Queue& queue, const Sort& sort) {
  size_t bytes = 0;
  queue.check(sort(nullptr, bytes));
  Scratch room(queue, bytes > 0 ? bytes : 1);
  queue.check(sort(room.as<void>(), bytes));
}

template <class Key>
uint32_t* sort_row(Queue& queue, const KeyRows<Key>& rows, int64_t first) {
  cub::DoubleBuffer<Key> keys(rows.keys + first, rows.other_keys + first);
  cub::DoubleBuffer<uint32_t> numbers(rows.numbers + first, rows.other_numbers + first);
  with_room(queue, [&](void* room, size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(room, bytes, keys, numbers, rows.n, 0, 8 * sizeof(Key),
                                           queue.stream());
  });
  return numbers.Current() - first;
}

// Rows first ... first + count - 1, a block of threads for each; CUB counts the elements in int.
template <class Key>
uint32_t* sort_segments(Queue& queue, const KeyRows<Key>& rows, int64_t first, int64_t count) {
  int64_t at = first * rows.n;
  cub::DoubleBuffer<Key> keys(rows.keys + at, rows.other_keys + at);
  cub::DoubleBuffer<uint32_t> numbers(rows.numbers + at, rows.other_numbers + at);
  auto begin = thrust::make_transform_iterator(thrust::make_counting_iterator(0),
                                               RowBegin{static_cast<int>(rows.n)});
  with_room(queue, [&](void* room, size_t& bytes) {
    return cub::DeviceSegmentedRadixSort::SortPairs(
        room, bytes, keys, numbers, static_cast<int>(count * rows.n), static_cast<int>(count),
        begin, begin + 1, 0, 8 * sizeof(Key), queue.stream());
  });
  return numbers.Current() - at;
}

template <class Key>
uint32_t* sort_rows(Queue& queue, const KeyRows<Key>& rows) {
  bool one_by_one =
      rows.rows == 1 || rows.n >= kVeryLongRow || (rows.n >= kLongRow && rows.rows <= kFewRows);
  int64_t at_once = one_by_one ? 1 : INT_MAX / rows.n;
  uint32_t* where = rows.numbers;
  // Rows of one length take as many passes, so all end in the same of both places.
  for (int64_t row = 0; row < rows.rows; row += at_once) {
    int64_t count = std::min(at_once, rows.rows - row);
    where =
        one_by_one ? sort_row(queue, rows, row * rows.n) : sort_segments(queue, rows, row, count);
  }
  return where;
}

}  // namespace
}  // namespace th

#endif
