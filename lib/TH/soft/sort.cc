// Sorting on the software device: by the standard library, as one task of the queue.

#include <algorithm>
#include <utility>
#include <vector>

#include "simt/sort_pairs.h"

namespace th {

namespace {

template <class Key>
void sort_rows(const KeyRows<Key>& rows) {
  std::vector<std::pair<Key, uint32_t>> pairs(static_cast<size_t>(rows.n));
  for (int64_t row = 0; row < rows.rows; ++row) {
    const Key* keys = rows.keys + row * rows.n;
    const uint32_t* numbers = rows.numbers + row * rows.n;
    for (size_t i = 0; i < pairs.size(); ++i) pairs[i] = {keys[i], numbers[i]};
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    uint32_t* out = rows.other_numbers + row * rows.n;
    for (size_t i = 0; i < pairs.size(); ++i) out[i] = pairs[i].second;
  }
}

template <class Key>
uint32_t* queue_sort(Queue& queue, const KeyRows<Key>& rows) {
  queue.enqueue([rows] { sort_rows(rows); });
  return rows.other_numbers;
}

}  // namespace

uint32_t* sort_pairs(Queue& q, const KeyRows<uint8_t>& rows) { return queue_sort(q, rows); }
uint32_t* sort_pairs(Queue& q, const KeyRows<uint16_t>& rows) { return queue_sort(q, rows); }
uint32_t* sort_pairs(Queue& q, const KeyRows<uint32_t>& rows) { return queue_sort(q, rows); }
uint32_t* sort_pairs(Queue& q, const KeyRows<uint64_t>& rows) { return queue_sort(q, rows); }

}  // namespace th
