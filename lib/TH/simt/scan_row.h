#ifndef TH_SIMT_SCAN_ROW_H
#define TH_SIMT_SCAN_ROW_H

#include "simt/queue.h"

namespace th {

// The cumulative sums, or products, of a contiguous row of n unsigned integers, in one pass over
// the memory. in and out may be the same memory. Implemented by a loop in soft/ and by CUB in
// cuda/, which combines in no particular order, so results of other types would not be
// reproducible.
void scan_row(Queue& queue, bool product, const uint8_t* in, uint8_t* out, int64_t n);
void scan_row(Queue& queue, bool product, const uint16_t* in, uint16_t* out, int64_t n);
void scan_row(Queue& queue, bool product, const uint32_t* in, uint32_t* out, int64_t n);
void scan_row(Queue& queue, bool product, const uint64_t* in, uint64_t* out, int64_t n);

}  // namespace th

#endif
