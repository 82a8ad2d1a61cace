#include "memory/synced_memory.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "memory/error.h"
#include "memory/stats.h"

namespace th {

namespace {

// Single elements of a block of more than kSmallCopy bytes that are read from a device one by one,
// before all of the block comes over.
constexpr uint8_t kFewReads = 8;
constexpr size_t kSmallCopy = 65536;

ByteRange hull(ByteRange a, ByteRange b) {
  if (a.begin == a.end) return b;
  if (b.begin == b.end) return a;
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

char* at(void* block, size_t offset) { return static_cast<char*>(block) + offset; }

}  // namespace

SyncedMemory::SyncedMemory(size_t bytes, THAllocator* allocator, void* allocator_context) noexcept
    : head_(Head::uninitialized),
      owns_host_(true),
      bytes_(bytes),
      host_(nullptr),
      allocator_(allocator),
      allocator_context_(allocator_context) {}

SyncedMemory::SyncedMemory(void* host, size_t bytes, THAllocator* allocator,
                           void* allocator_context) noexcept
    : head_(Head::cpu),
      host_ready_(kMayRead | kMayWrite),
      owns_host_(allocator != nullptr),
      bytes_(bytes),
      host_(host),
      allocator_(allocator ? allocator : &THDefaultAllocator),
      allocator_context_(allocator_context) {}

SyncedMemory::~SyncedMemory() {
  try {
    finish_copy();
  } catch (...) {
    // A destructor has nobody to tell; the device will say so at its next use.
  }
  release_host();
  release_device();
}

// The host may write without asking only where there is no device block to remember it for, or all
// of that is stale already.
void SyncedMemory::set_head(Head head) noexcept {
  uint8_t ready = 0;
  if (copying_ != Copying::to_host) {
    bool all_stale = !device_block_ || (stale_.begin == 0 && stale_.end == bytes_);
    if (head == Head::cpu) ready = all_stale ? kMayRead | kMayWrite : kMayRead;
    if (head == Head::synced) ready = kMayRead;
  }
  head_.store(head, std::memory_order_release);
  host_ready_.store(ready, std::memory_order_release);
}

void* SyncedMemory::cpu(Access access, ByteRange range) {
  std::lock_guard<std::mutex> lock(mutex_);
  Head head = head_.load(std::memory_order_relaxed);
  bool reads = access != Access::overwrite;
  if (access == Access::overwrite) range = {0, bytes_};
  if (copying_ == Copying::to_host || (copying_ == Copying::to_device && access != Access::read)) {
    finish_copy();
  }
  switch (head) {
    case Head::uninitialized:
      need_host_block();
      if (reads && bytes_) std::memset(host_, 0, bytes_);
      stale_ = {0, bytes_};
      set_head(Head::cpu);
      return host_;
    case Head::device:
      need_host_block();
      if (reads) host_from_device();
      stale_ = {0, 0};
      break;
    default:
      break;
  }
  if (access == Access::read) {
    set_head(head == Head::cpu ? Head::cpu : Head::synced);
  } else {
    stale_ = hull(stale_, range);
    set_head(Head::cpu);
  }
  return host_;
}

void* SyncedMemory::device(Access access, Device& device, ByteRange range) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (device_ != &device) move_to(device);
  need_device_block();
  Head head = head_.load(std::memory_order_relaxed);
  bool reads = access != Access::overwrite;
  if (access == Access::overwrite) range = {0, bytes_};
  if (copying_ != Copying::nothing && !ordered_) {
    device_->order(event_);
    ordered_ = true;
  }
  switch (head) {
    case Head::uninitialized:
      if (reads && bytes_) device_->fill_zero(device_block_, bytes_);
      stale_ = {0, bytes_};
      set_head(Head::device);
      reads_ = 0;
      return device_block_;
    case Head::cpu:
      if (reads) device_from_host();
      stale_ = {0, 0};
      break;
    default:
      break;
  }
  if (access == Access::read) {
    set_head(head == Head::device ? Head::device : Head::synced);
  } else {
    // The host must not take a copy for valid that the device's work now runs ahead of.
    if (copying_ == Copying::to_host) finish_copy();
    stale_ = hull(stale_, range);
    reads_ = 0;
    set_head(Head::device);
  }
  return device_block_;
}

void SyncedMemory::host_from_device() {
  if (stale_.begin < stale_.end) {
    device_->copy_to_host(at(host_, stale_.begin), at(device_block_, stale_.begin),
                          stale_.end - stale_.begin);
  }
}

void SyncedMemory::device_from_host() {
  if (stale_.begin < stale_.end) {
    device_->copy_to_device(at(device_block_, stale_.begin), at(host_, stale_.begin),
                            stale_.end - stale_.begin);
  }
}

void SyncedMemory::read_bytes(size_t offset, size_t count, void* out) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (head_.load(std::memory_order_relaxed) == Head::device && bytes_ > kSmallCopy &&
        reads_ < kFewReads) {
      ++reads_;
      device_->copy_to_host(out, at(device_block_, offset), count);
      return;
    }
  }
  std::memcpy(out, at(cpu(Access::read), offset), count);
}

void SyncedMemory::set_cpu(void* host) {
  if (!host && bytes_) fail("set_cpu: no memory given");
  std::lock_guard<std::mutex> lock(mutex_);
  finish_copy();
  release_host();
  host_ = host;
  owns_host_ = false;
  stale_ = {0, bytes_};
  set_head(Head::cpu);
}

void SyncedMemory::set_device(Device& device, void* block) {
  if (!block && bytes_) fail("set_device: no memory given");
  std::lock_guard<std::mutex> lock(mutex_);
  finish_copy();
  release_device();
  set_device_used(&device);
  device_block_ = block;
  owns_device_block_ = false;
  stale_ = {0, bytes_};
  reads_ = 0;
  set_head(Head::device);
}

void SyncedMemory::push_async(Device& device) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (head_.load(std::memory_order_relaxed) != Head::cpu) {
    fail("push_async: the head is not at the CPU");
  }
  if (device_ != &device) move_to(device);
  need_device_block();
  finish_copy();
  if (stale_.begin < stale_.end) {
    event_ = device_->push_async(at(device_block_, stale_.begin), at(host_, stale_.begin),
                                 stale_.end - stale_.begin);
    copying_ = Copying::to_device;
    ordered_ = false;
  }
  stale_ = {0, 0};
  set_head(Head::synced);
}

void SyncedMemory::pull_async() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (head_.load(std::memory_order_relaxed) != Head::device) {
    fail("pull_async: the head is not at a device");
  }
  need_host_block();
  finish_copy();
  if (stale_.begin < stale_.end) {
    event_ = device_->pull_async(at(host_, stale_.begin), at(device_block_, stale_.begin),
                                 stale_.end - stale_.begin);
    copying_ = Copying::to_host;
    ordered_ = false;
  }
  stale_ = {0, 0};
  set_head(Head::synced);
}

void SyncedMemory::wait() {
  std::lock_guard<std::mutex> lock(mutex_);
  finish_copy();
  set_head(head_.load(std::memory_order_relaxed));
}

void SyncedMemory::leave_device() {
  if (head() == Head::device) cpu(Access::read);
  std::lock_guard<std::mutex> lock(mutex_);
  finish_copy();
  release_device();
  if (head_.load(std::memory_order_relaxed) != Head::uninitialized) set_head(Head::cpu);
}

void SyncedMemory::resize(size_t bytes, bool on_device) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!owns_host_ || (device_block_ && !owns_device_block_)) {
    fail("memory that belongs to someone else cannot be resized");
  }
  finish_copy();
  Head head = head_.load(std::memory_order_relaxed);
  if (head == Head::device || (head == Head::synced && on_device)) {
    resize_on_device(bytes);
  } else {
    resize_on_host(bytes);
  }
}

void SyncedMemory::resize_on_device(size_t bytes) {
  void* moved = nullptr;
  if (bytes) {
    moved = device_->allocate(bytes);
    try {
      size_t kept = std::min(bytes, bytes_);
      if (kept) device_->copy_within(moved, device_block_, kept);
      if (bytes > kept) device_->fill_zero(at(moved, kept), bytes - kept);
    } catch (...) {
      device_->release(moved);
      throw;
    }
  }
  release_device();
  release_host();
  bytes_ = bytes;
  if (moved) take_device_block(moved);
  stale_ = {0, bytes};
  set_head(moved ? Head::device : Head::uninitialized);
}

void SyncedMemory::resize_on_host(size_t bytes) {
  if (host_) {
    void* moved = nullptr;
    if (allocator_->realloc && !host_owner_) {
      moved = allocator_->realloc(allocator_context_, host_, static_cast<ptrdiff_t>(bytes));
    } else {
      if (bytes) moved = allocator_->malloc(allocator_context_, static_cast<ptrdiff_t>(bytes));
      if (moved) std::memcpy(moved, host_, std::min(bytes, bytes_));
      release_host();
    }
    host_ = moved;
    if (bytes > bytes_) std::memset(at(host_, bytes_), 0, bytes - bytes_);
  }
  release_device();
  bytes_ = bytes;
  stale_ = {0, bytes};
  // Without a block there is nothing valid: what the memory grows by is yet to be allocated.
  set_head(host_ ? Head::cpu : Head::uninitialized);
}

void SyncedMemory::swap(SyncedMemory& other) noexcept {
  Head head = head_.load();
  head_.store(other.head_.load());
  other.head_.store(head);
  uint8_t ready = host_ready_.load();
  host_ready_.store(other.host_ready_.load());
  other.host_ready_.store(ready);
  std::swap(copying_, other.copying_);
  std::swap(owns_host_, other.owns_host_);
  std::swap(host_owner_, other.host_owner_);
  std::swap(owns_device_block_, other.owns_device_block_);
  std::swap(ordered_, other.ordered_);
  std::swap(reads_, other.reads_);
  std::swap(bytes_, other.bytes_);
  std::swap(host_, other.host_);
  std::swap(device_block_, other.device_block_);
  std::swap(stale_, other.stale_);
  Device* device = device_;
  set_device_used(other.device_);
  other.set_device_used(device);
  std::swap(event_, other.event_);
  std::swap(allocator_, other.allocator_);
  std::swap(allocator_context_, other.allocator_context_);
}

Device& SyncedMemory::need_device() {
  Device* device = this->device();
  if (!device) device = default_device();
  if (!device) fail("there is no device: this build or this machine has a CPU only");
  return *device;
}

// What is on one device goes to another.
void SyncedMemory::move_to(Device& device) {
  Head head = head_.load(std::memory_order_relaxed);
  if (device_block_) {
    finish_copy();
    if (!owns_device_block_) fail("memory that belongs to someone else cannot change the device");
    if (head == Head::device) {
      void* moved = device.allocate(bytes_);
      try {
        device.copy_from(*device_, moved, device_block_, bytes_);
      } catch (...) {
        device.release(moved);
        throw;
      }
      release_device();
      take_device_block(moved);
    } else {
      release_device();
      if (head == Head::synced) head = Head::cpu;
      stale_ = {0, bytes_};
      set_head(head);
    }
  }
  set_device_used(&device);
}

void SyncedMemory::need_host_block() {
  if (host_ || bytes_ == 0) return;
  if (device_ && allocator_ == &THDefaultAllocator) {
    host_ = device_->allocate_host(bytes_);
    if (host_) host_owner_ = device_;
  }
  if (!host_) host_ = allocator_->malloc(allocator_context_, static_cast<ptrdiff_t>(bytes_));
  owns_host_ = true;
  stale_ = {0, bytes_};
}

void SyncedMemory::need_device_block() {
  if (device_block_ || bytes_ == 0) return;
  take_device_block(device_->allocate(bytes_));
  stale_ = {0, bytes_};
}

void SyncedMemory::take_device_block(void* block) noexcept {
  device_block_ = block;
  owns_device_block_ = true;
  account_device_bytes(static_cast<int64_t>(bytes_));
}

void SyncedMemory::finish_copy() {
  if (copying_ == Copying::nothing) return;
  Copying direction = std::exchange(copying_, Copying::nothing);
  void* event = std::exchange(event_, nullptr);
  try {
    device_->wait(event);
  } catch (...) {
    device_->release_event(event);
    // Nobody may believe what did not arrive.
    if (head_.load(std::memory_order_relaxed) == Head::synced) {
      stale_ = {0, bytes_};
      set_head(direction == Copying::to_device ? Head::cpu : Head::device);
    }
    throw;
  }
  device_->release_event(event);
}

void SyncedMemory::release_host() noexcept {
  if (host_ && owns_host_) {
    if (host_owner_) {
      host_owner_->release_host(host_);
    } else {
      allocator_->free(allocator_context_, host_);
    }
  }
  host_owner_ = nullptr;
  host_ = nullptr;
}

void SyncedMemory::release_device() noexcept {
  if (device_block_ && owns_device_block_) {
    device_->release(device_block_);
    account_device_bytes(-static_cast<int64_t>(bytes_));
  }
  device_block_ = nullptr;
  owns_device_block_ = false;
}

}  // namespace th
