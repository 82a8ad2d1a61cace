#ifndef TH_CUDA_WITH_SCRATCH_H
#define TH_CUDA_WITH_SCRATCH_H

#include "simt/queue.h"

namespace th {
namespace {

// Runs an algorithm of CUB: f(nullptr, bytes) sets the size of the scratch memory, and f(scratch,
// bytes) queues the work.
template <class F>
void with_scratch(Queue& queue, const F& f) {
  size_t bytes = 0;
  queue.check(f(nullptr, bytes));
  Scratch scratch(queue, bytes > 0 ? bytes : 1);
  queue.check(f(scratch.as<void>(), bytes));
}

}  // namespace
}  // namespace th

#endif
