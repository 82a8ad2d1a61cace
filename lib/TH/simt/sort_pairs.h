#ifndef TH_SIMT_SORT_PAIRS_H
#define TH_SIMT_SORT_PAIRS_H

#include "simt/queue.h"

namespace th {

// Rows of n unsigned keys, of which the bits from key_bits on are 0, each with a value that goes
// with it, and room for as many.
template <class Key>
struct PairBuffers {
  int64_t rows, n;
  int key_bits;
  Key* keys;
  uint32_t* values;
  Key* other_keys;
  uint32_t* other_values;
};

// Sorts each row by its keys, stably; keys and other_keys, values and other_values change places
// where the result is in the others. In soft/ by the standard library, in cuda/ by CUB.
void sort_pairs(Queue& queue, PairBuffers<uint8_t>* pairs);
void sort_pairs(Queue& queue, PairBuffers<uint16_t>* pairs);
void sort_pairs(Queue& queue, PairBuffers<uint32_t>* pairs);
void sort_pairs(Queue& queue, PairBuffers<uint64_t>* pairs);

}  // namespace th

#endif
