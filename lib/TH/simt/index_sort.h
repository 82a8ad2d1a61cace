#ifndef TH_SIMT_INDEX_SORT_H
#define TH_SIMT_INDEX_SORT_H

#include "simt/queue.h"

namespace th {

// n pairs in the order of their keys, of which only the lowest bits count; equal ones stay in
// their order.
void sort_indices(Queue& queue, const uint32_t* keys, uint32_t* sorted_keys, const uint32_t* values,
                  uint32_t* sorted_values, int64_t n, int bits);
void sort_indices(Queue& queue, const uint64_t* keys, uint64_t* sorted_keys, const uint64_t* values,
                  uint64_t* sorted_values, int64_t n, int bits);

}  // namespace th

#endif
