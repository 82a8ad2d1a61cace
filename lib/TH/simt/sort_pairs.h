#ifndef TH_SIMT_SORT_PAIRS_H
#define TH_SIMT_SORT_PAIRS_H

#include "simt/queue.h"

namespace th {

// Rows of n unsigned keys, each with a number that goes with it, and room for as many.
template <class Key>
struct KeyRows {
  int64_t rows, n;
  Key* keys;
  uint32_t* numbers;
  Key* other_keys;
  uint32_t* other_numbers;
};

// Sorts each row by its keys, stably. Returns where the numbers are then: one of both places. In
// soft/ by the standard library, in cuda/ by CUB.
uint32_t* sort_pairs(Queue& queue, const KeyRows<uint8_t>& rows);
uint32_t* sort_pairs(Queue& queue, const KeyRows<uint16_t>& rows);
uint32_t* sort_pairs(Queue& queue, const KeyRows<uint32_t>& rows);
uint32_t* sort_pairs(Queue& queue, const KeyRows<uint64_t>& rows);

}  // namespace th

#endif
