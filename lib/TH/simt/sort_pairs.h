#ifndef TH_SIMT_SORT_PAIRS_H
#define TH_SIMT_SORT_PAIRS_H

#include "simt/queue.h"

namespace th {

// Rows of n unsigned keys with a value each, and buffers of the same size. Key bits from key_bits
// on are 0.
template <class Key>
struct PairBuffers {
  int64_t rows, n;
  int key_bits;
  Key* keys;
  uint32_t* values;
  Key* other_keys;
  uint32_t* other_values;
};

// Sorts each row stably by its keys. If the result is in the other buffers, swaps the pointers.
// Implemented by the standard library in soft/ and by CUB in cuda/.
void sort_pairs(Queue& queue, PairBuffers<uint8_t>* pairs);
void sort_pairs(Queue& queue, PairBuffers<uint16_t>* pairs);
void sort_pairs(Queue& queue, PairBuffers<uint32_t>* pairs);
void sort_pairs(Queue& queue, PairBuffers<uint64_t>* pairs);

}  // namespace th

#endif
