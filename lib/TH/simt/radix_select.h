#ifndef TH_SIMT_RADIX_SELECT_H
#define TH_SIMT_RADIX_SELECT_H

#include "simt/queue.h"

namespace th {

// Rows of n elements, at most 2^32 - 1 each. The elements `first` to first + count - 1 of a row's
// stable sorted order are selected; first is 0 or count is 1. All arrays are contiguous and do not
// overlap.
struct SelectRows {
  bool descending;
  int64_t rows, n, first, count;
  const char* in;
  char* elements;     // rows x count
  uint32_t* numbers;  // the positions of the elements in their rows, from 0
};

// Writes the selected elements so that a stable sort puts them into the sorted order of the row:
// those before the last one by their position, then those that are equal to the last one.
void select_rows(Queue& queue, DType dtype, const SelectRows& call);

}  // namespace th

#endif
