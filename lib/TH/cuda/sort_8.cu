#include "cuda/sort_rows.h"

namespace th {

uint32_t* sort_pairs(Queue& queue, const KeyRows<uint8_t>& rows) { return sort_rows(queue, rows); }

}  // namespace th
