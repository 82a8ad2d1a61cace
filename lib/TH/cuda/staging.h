#ifndef TH_CUDA_STAGING_H
#define TH_CUDA_STAGING_H

#include <cstddef>
#include <mutex>
#include <vector>

#include "cuda/events.h"
#include "cuda/host_memory.h"

namespace th {

// Pinned buffers through which copies from ordinary host memory go, in turn. So the caller may
// change its memory at once, and the driver need not synchronize. The buffers are allocated at the
// first copy.
class Staging {
 public:
  Staging(HostMemory& memory, EventPool& events, size_t slots, size_t slot_bytes)
      : memory_(memory), events_(events), slot_bytes_(slot_bytes), slots_(slots) {}

  // Queues a copy to the device. If it needs a buffer that an earlier copy still reads, it waits
  // for that copy. Returns false if no memory can be pinned; then nothing is done.
  bool copy(cudaStream_t stream, void* to, const void* from, size_t bytes) {
    return copy(stream, to, from, bytes, true);
  }
  // The same for a copy that fits into one buffer. Returns false if it would have to wait.
  bool copy_at_once(cudaStream_t stream, void* to, const void* from, size_t bytes) {
    return copy(stream, to, from, bytes, false);
  }

 private:
  struct Slot {
    char* buffer = nullptr;
    cudaEvent_t copied = nullptr;  // null: never used
  };

  bool copy(cudaStream_t stream, void* to, const void* from, size_t bytes, bool may_wait);
  bool prepare(Slot* slot, bool may_wait);

  HostMemory& memory_;
  EventPool& events_;
  const size_t slot_bytes_;
  std::mutex mutex_;
  std::vector<Slot> slots_;
  size_t next_ = 0;
};

}  // namespace th

#endif
