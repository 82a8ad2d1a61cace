// Sorting on the software device by the standard library, as one task of the queue.

#include <algorithm>
#include <utility>
#include <vector>

#include "simt/sort_pairs.h"

namespace th {

namespace {

template <class Key>
void sort_rows(const PairBuffers<Key>& from) {
  std::vector<std::pair<Key, uint32_t>> row(static_cast<size_t>(from.n));
  for (int64_t first = 0; first < from.rows * from.n; first += from.n) {
    for (size_t i = 0; i < row.size(); ++i) {
      row[i] = {(from.keys + first)[i], (from.values + first)[i]};
    }
    std::stable_sort(row.begin(), row.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (size_t i = 0; i < row.size(); ++i) {
      (from.other_keys + first)[i] = row[i].first;
      (from.other_values + first)[i] = row[i].second;
    }
  }
}

template <class Key>
void queue_sort(Queue& queue, PairBuffers<Key>* pairs) {
  queue.enqueue([from = *pairs] { sort_rows(from); });
  std::swap(pairs->keys, pairs->other_keys);
  std::swap(pairs->values, pairs->other_values);
}

}  // namespace

void sort_pairs(Queue& queue, PairBuffers<uint8_t>* pairs) { queue_sort(queue, pairs); }
void sort_pairs(Queue& queue, PairBuffers<uint16_t>* pairs) { queue_sort(queue, pairs); }
void sort_pairs(Queue& queue, PairBuffers<uint32_t>* pairs) { queue_sort(queue, pairs); }
void sort_pairs(Queue& queue, PairBuffers<uint64_t>* pairs) { queue_sort(queue, pairs); }

}  // namespace th
