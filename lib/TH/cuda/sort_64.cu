#include "cuda/sort_rows.h"

namespace th {

void sort_pairs(Queue& queue, PairBuffers<uint64_t>* pairs) { sort_rows(queue, pairs); }

}  // namespace th
