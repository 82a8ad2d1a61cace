#ifndef TH_SIMT_LAUNCH_H
#define TH_SIMT_LAUNCH_H

// How many blocks of threads a kernel is launched with; its loop takes what is left (a grid-stride
// loop).

#include "simt/simt.h"

namespace th {
namespace {

constexpr int kThreads = 256;  // of a block, unless the kernel says otherwise

inline unsigned at_most(const Queue& queue, int64_t blocks) {
  return static_cast<unsigned>(blocks < queue.most_blocks() ? blocks : queue.most_blocks());
}

// For a thread each.
inline unsigned blocks_for(const Queue& queue, int64_t threads) {
  return at_most(queue, (threads + kThreads - 1) / kThreads);
}

}  // namespace
}  // namespace th

#endif
