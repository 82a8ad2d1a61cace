#ifndef TH_SIMT_LAUNCH_H
#define TH_SIMT_LAUNCH_H

// The number of blocks of a kernel launch. It is limited; a grid-stride loop processes the rest.

#include "simt/simt.h"

namespace th {
namespace {

constexpr int kThreads = 256;  // per block, unless the kernel has its own value

inline unsigned at_most(const Queue& queue, int64_t blocks) {
  return static_cast<unsigned>(blocks < queue.most_blocks() ? blocks : queue.most_blocks());
}

// One thread for each of `threads` items.
inline unsigned blocks_for(const Queue& queue, int64_t threads) {
  return at_most(queue, (threads + kThreads - 1) / kThreads);
}

}  // namespace
}  // namespace th

#endif
