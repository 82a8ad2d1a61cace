#include "cuda/batch_pointers.h"

#include "simt/launch.h"

namespace th {

namespace {

__global__ void write_addresses(void** to, char* first, int64_t step, int64_t count) {
  const int64_t threads = int64_t{gridDim.x} * blockDim.x;
  for (int64_t k = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; k < count; k += threads) {
    to[k] = first + k * step;
  }
}

}  // namespace

void write_pointers(Queue& queue, void** to, char* first, int64_t step, int64_t count) {
  TH_LAUNCH(queue, (write_addresses), blocks_for(queue, count), kThreads, 0, to, first, step,
            count);
}

}  // namespace th
