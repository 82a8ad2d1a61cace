#ifndef TH_CUDA_BATCH_POINTERS_H
#define TH_CUDA_BATCH_POINTERS_H

#include "simt/queue.h"

namespace th {

// Queues a kernel that writes `count` addresses, which start at `first` and are `step` bytes apart.
void write_pointers(Queue& queue, void** to, char* first, int64_t step, int64_t count);

}  // namespace th

#endif
