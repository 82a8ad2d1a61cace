#include "cuda/staging.h"

#include <algorithm>
#include <cstring>

#include "cuda/failure.h"

namespace th {

// Waits until the slot's last copy has ended. Returns false if it must not wait or no memory can be
// pinned.
bool Staging::prepare(Slot* slot, bool may_wait) {
  if (slot->copied && may_wait) {
    check_cuda(cudaEventSynchronize(slot->copied), "copying to the device");
  }
  if (slot->copied && !may_wait && !has_ended(cudaEventQuery(slot->copied))) return false;
  if (!slot->buffer) slot->buffer = static_cast<char*>(memory_.allocate(slot_bytes_));
  if (slot->buffer && !slot->copied) slot->copied = events_.take();
  return slot->buffer != nullptr;
}

bool Staging::copy(cudaStream_t stream, void* to, const void* from, size_t bytes, bool may_wait) {
  std::lock_guard<std::mutex> lock(mutex_);
  for (size_t done = 0; done < bytes;) {
    // If fewer slots than wanted can be pinned, the first ones are used.
    if (!prepare(&slots_[next_], may_wait)) {
      if (next_ == 0 || slots_[next_].buffer) return false;
      next_ = 0;
      continue;
    }
    Slot& slot = slots_[next_];
    next_ = (next_ + 1) % slots_.size();
    const size_t part = std::min(slot_bytes_, bytes - done);
    std::memcpy(slot.buffer, static_cast<const char*>(from) + done, part);
    check_cuda(cudaMemcpyAsync(static_cast<char*>(to) + done, slot.buffer, part,
                               cudaMemcpyHostToDevice, stream),
               "copying to the device");
    check_cuda(cudaEventRecord(slot.copied, stream), "copying to the device");
    done += part;
  }
  return true;
}

}  // namespace th
