#include <mutex>
#include <utility>

#include "memory/synced_memory.h"

namespace th {

void SyncedMemory::swap(SyncedMemory& other) noexcept {
  Head head = head_.load();
  head_.store(other.head_.load());
  other.head_.store(head);
  uint8_t ready = host_ready_.load();
  host_ready_.store(other.host_ready_.load());
  other.host_ready_.store(ready);
  host_users_.store(other.host_users_.exchange(host_users_.load()));
  std::swap(copying_, other.copying_);
  std::swap(owns_host_, other.owns_host_);
  std::swap(host_from_heap_, other.host_from_heap_);
  std::swap(disowned_, other.disowned_);
  std::swap(host_owner_, other.host_owner_);
  std::swap(keeps_context_, other.keeps_context_);
  std::swap(ordered_, other.ordered_);
  std::swap(reads_, other.reads_);
  std::swap(bytes_, other.bytes_);
  std::swap(host_, other.host_);
  std::swap(block_, other.block_);
  std::swap(stale_, other.stale_);
  Device* device = device_;
  set_device_used(other.device_);
  other.set_device_used(device);
  std::swap(event_, other.event_);
  std::swap(allocator_, other.allocator_);
  std::swap(allocator_context_, other.allocator_context_);
}

}  // namespace th
