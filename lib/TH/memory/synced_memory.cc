#include "memory/synced_memory.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "memory/heap.h"

namespace th {

namespace {

// After kFewReads reads of single elements, a block of more than kSmallCopy bytes is copied to the
// host as a whole. Smaller blocks are copied at the first read.
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
      keeps_context_(!host &&
                     (allocator == &THMapAllocator || allocator == &THRefcountedMapAllocator)),
      bytes_(bytes),
      host_(host),
      allocator_(allocator ? allocator : &THDefaultAllocator),
      allocator_context_(allocator_context) {}

SyncedMemory::~SyncedMemory() {
  try {
    await_copy();
  } catch (...) {
    // A destructor cannot report errors. The device reports them at its next use.
  }
  const bool keeps_context = keeps_context_ && !disowned_;
  release_host();
  if (keeps_context && keeps_context_) allocator_->free(allocator_context_, nullptr);
  release_device();
}

// The host may write without a state change only if there is no device block, or if that is already
// marked as stale completely.
void SyncedMemory::set_head(Head head) noexcept {
  uint8_t ready = 0;
  if (copying_ != Copying::to_host) {
    bool all_stale = !block_ || (stale_.begin == 0 && stale_.end == bytes_);
    if (head == Head::cpu) ready = all_stale ? kMayRead | kMayWrite : kMayRead;
    if (head == Head::synced) ready = kMayRead;
  }
  head_.store(head, std::memory_order_release);
  host_ready_.store(ready, std::memory_order_release);
}

// Makes a state change under the lock. If memory runs out, it collects garbage and tries again. The
// garbage collection runs without the lock, because finalizers may access this very memory.
template <class Change>
void SyncedMemory::transition(Change change) {
  {
    DeferGC defer_gc;
    try {
      Lock lock(mutex_);
      change(lock);
      return;
    } catch (const Error&) {
      if (!defer_gc.requested()) throw;
    }
  }
  collect_garbage();
  DeferGC defer_gc;
  Lock lock(mutex_);
  change(lock);
}

// Waits until all work that writes the device block has been queued. Releases the lock meanwhile.
void SyncedMemory::await_writers(Lock& lock) {
  while (block_ && block_->being_written()) {
    if (Lease::thread_writes()) {
      fail("memory that is leased for writing on %s was requested elsewhere", device_->name());
    }
    SharedBlock* block = block_;
    block->retain();
    lock.unlock();
    block->wait_for_writers();
    lock.lock();
    block->release();
  }
}

void* SyncedMemory::cpu(Access access, ByteRange range) {
  if (void* host = ready(access)) return host;
  void* host = nullptr;
  // The most frequent case, a first access on the host: the memory is allocated without the lock,
  // because the allocation may run finalizers. They may resize this block, so the state is checked
  // again.
  const size_t bytes = bytes_;
  if (head() == Head::uninitialized && !device() && bytes) {
    const bool from_heap = is_heap(*allocator_);
    host = new_host_block(access != Access::overwrite);
    Lock lock(mutex_);
    if (head() == Head::uninitialized && !device() && !host_ && bytes_ == bytes) {
      host_ = host;
      owns_host_ = true;
      host_from_heap_ = from_heap;
      stale_ = {0, bytes_};
      set_head(Head::cpu);
      return host_;
    }
    lock.unlock();
    free_host_block(host, from_heap);
  }
  transition([&](Lock& lock) { host = bring_to_host(lock, access, range); });
  return host;
}

void* SyncedMemory::bring_to_host(Lock& lock, Access access, ByteRange range) {
  await_writers(lock);
  Head head = head_.load(std::memory_order_relaxed);
  bool reads = access != Access::overwrite;
  if (access == Access::overwrite) range = {0, bytes_};
  if (copying_ == Copying::to_host || (copying_ == Copying::to_device && access != Access::read)) {
    finish_copy();
  }
  switch (head) {
    case Head::uninitialized:
      if (host_ && reads) std::memset(host_, 0, bytes_);
      need_host_block(reads);
      stale_ = {0, bytes_};
      set_head(Head::cpu);
      return host_;
    case Head::device:
      need_host_block(false);
      if (reads) host_from_device();
      if (access == Access::read && shares_device()) return host_;
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

char* SyncedMemory::lease(Access access, Device& device, ByteRange range, Lease* lease) {
  transition([&](Lock& lock) {
    bring_to_device(lock, access, device, range);
    *lease = Lease(block_, access != Access::read);
  });
  return static_cast<char*>(lease->data());
}

void* SyncedMemory::device(Access access, Device& device, ByteRange range) {
  void* block = nullptr;
  transition([&](Lock& lock) {
    bring_to_device(lock, access, device, range);
    block = on_device(0);
  });
  return block;
}

void SyncedMemory::bring_to_device(Lock& lock, Access access, Device& device, ByteRange range) {
  bool reads = access != Access::overwrite;
  if (access == Access::overwrite) range = {0, bytes_};
  // Small blocks come from the device's cache, which is faster.
  const bool is_new = need_device_block(lock, device, reads, kSmallCopy + 1);
  Head head = head_.load(std::memory_order_relaxed);
  if (copying_ != Copying::nothing && !ordered_) {
    device_->order(event_);
    ordered_ = true;
  }
  switch (head) {
    case Head::uninitialized:
      if (reads && bytes_) device_->fill_zero(on_device(0), bytes_);
      stale_ = {0, bytes_};
      set_head(Head::device);
      reads_ = 0;
      return;
    case Head::cpu:
      if (reads) device_from_host(is_new);
      stale_ = {0, 0};
      break;
    default:
      break;
  }
  if (shares_device()) {
    access = Access::write;
    range = {0, bytes_};
  }
  if (access == Access::read) {
    set_head(head == Head::device ? Head::device : Head::synced);
  } else {
    // Finish a copy to the host first: after this write the host must not treat it as current.
    if (copying_ == Copying::to_host) finish_copy();
    stale_ = hull(stale_, range);
    reads_ = 0;
    set_head(Head::device);
  }
}

void SyncedMemory::host_from_device() {
  if (stale_.begin < stale_.end) {
    device_->copy_to_host(at(host_, stale_.begin), on_device(stale_.begin),
                          stale_.end - stale_.begin);
  }
}

// is_new: this copy is the first use of the block.
void SyncedMemory::device_from_host(bool is_new) {
  if (stale_.begin == stale_.end) return;
  try {
    finish_copy();
    event_ = device_->upload(on_device(stale_.begin), at(host_, stale_.begin),
                             stale_.end - stale_.begin, is_new);
  } catch (...) {
    if (is_new) release_device();
    throw;
  }
  if (!event_) return;
  copying_ = Copying::to_device;
  ordered_ = true;
  // The caller may change or free its memory after this access.
  if (!owns_host_) await_copy();
}

void SyncedMemory::read_bytes(size_t offset, size_t count, void* out) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const bool is_shared = shares_device();
    if (head_.load(std::memory_order_relaxed) == Head::device &&
        (is_shared || (bytes_ > kSmallCopy && reads_ < kFewReads))) {
      if (!is_shared) ++reads_;
      device_->copy_to_host(out, on_device(offset), count);
      return;
    }
  }
  std::memcpy(out, at(cpu(Access::read), offset), count);
}

void SyncedMemory::set_cpu(void* host) {
  if (!host && bytes_) fail("set_cpu: memory is expected, got NULL");
  transition([&](Lock& lock) {
    await_writers(lock);
    finish_copy();
    release_host();
    host_ = host;
    owns_host_ = false;
    stale_ = {0, bytes_};
    set_head(Head::cpu);
  });
}

void SyncedMemory::refuse_shared() const {
  if (shares_host()) fail("this memory is shared by two storages and cannot leave the CPU");
}

void SyncedMemory::set_device(Device& device, void* block, SharedBlock::Release release,
                              void* context) {
  if (!block && bytes_) fail("set_device: memory is expected, got NULL");
  refuse_shared();
  transition([&](Lock& lock) {
    await_writers(lock);
    finish_copy();
    SharedBlock* borrowed = SharedBlock::borrow(device, block, release, context);
    release_device();
    set_device_used(&device);
    block_ = borrowed;
    stale_ = {0, bytes_};
    reads_ = 0;
    set_head(Head::device);
  });
}

SharedBlock* SyncedMemory::share_device(Device& device) {
  SharedBlock* shared = nullptr;
  transition([&](Lock& lock) {
    bring_to_device(lock, Access::write, device, {0, bytes_});
    shared = block_;
    if (!shared) return;
    shared->retain();
    shared->share(1);
  });
  return shared;
}

bool SyncedMemory::is_device_shared() {
  Lock lock(mutex_);
  return shares_device();
}

void SyncedMemory::push_async(Device& device) {
  transition([&](Lock& lock) {
    if (head_.load(std::memory_order_relaxed) != Head::cpu) {
      fail("push_async: the head is not at the CPU");
    }
    begin_push(lock, device);
  });
}

void SyncedMemory::begin_push(Lock& lock, Device& device) {
  if (shares_device()) return bring_to_device(lock, Access::read, device, {0, bytes_});
  const bool is_new = need_device_block(lock, device, true, 0);
  finish_copy();
  if (stale_.begin < stale_.end) {
    try {
      event_ = device_->push_async(on_device(stale_.begin), at(host_, stale_.begin),
                                   stale_.end - stale_.begin, is_new);
    } catch (...) {
      // Only this copy may use a new block first.
      if (is_new) release_device();
      throw;
    }
    copying_ = Copying::to_device;
    ordered_ = false;
  }
  stale_ = {0, 0};
  set_head(Head::synced);
}

void SyncedMemory::pull_async() {
  transition([&](Lock& lock) {
    await_writers(lock);
    if (head_.load(std::memory_order_relaxed) != Head::device) {
      fail("pull_async: the head is not at a device");
    }
    begin_pull();
  });
}

void SyncedMemory::begin_pull() {
  // The next read copies.
  if (shares_device()) return;
  need_host_block(false);
  finish_copy();
  if (stale_.begin < stale_.end) {
    event_ = device_->pull_async(at(host_, stale_.begin), on_device(stale_.begin),
                                 stale_.end - stale_.begin);
    copying_ = Copying::to_host;
    ordered_ = false;
  }
  stale_ = {0, 0};
  set_head(Head::synced);
}

void SyncedMemory::wait() {
  transition([&](Lock&) {
    finish_copy();
    set_head(head_.load(std::memory_order_relaxed));
  });
}

void SyncedMemory::prefetch(Device* device) {
  transition([&](Lock& lock) {
    if (!device) await_writers(lock);
    Head head = head_.load(std::memory_order_relaxed);
    if (bytes_ == 0 || head == Head::uninitialized) return;
    if (!device) {
      if (head == Head::device) begin_pull();
    } else if (head == Head::cpu) {
      begin_push(lock, *device);
    } else {
      bring_to_device(lock, Access::read, *device, {0, bytes_});
    }
  });
}

void SyncedMemory::leave_device() {
  transition([&](Lock& lock) {
    await_writers(lock);
    Head head = head_.load(std::memory_order_relaxed);
    if (head == Head::device) bring_to_host(lock, Access::read, {0, bytes_});
    finish_copy();
    release_device();
    if (head != Head::uninitialized) set_head(Head::cpu);
  });
}

void SyncedMemory::resize(size_t bytes, bool on_device) {
  transition([&](Lock& lock) {
    await_writers(lock);
    if (!owns_host_ || (block_ && !block_->owned())) {
      fail("memory that the caller owns cannot be resized");
    }
    finish_copy();
    Head head = head_.load(std::memory_order_relaxed);
    if (head == Head::device || (head == Head::synced && on_device)) {
      resize_on_device(bytes);
    } else {
      resize_on_host(bytes);
    }
  });
}

Device& SyncedMemory::need_device() {
  Device* device = this->device();
  if (!device) device = default_device();
  if (!device) fail("there is no device: this build or this machine has a CPU only");
  return *device;
}

// Ensures that there is a block on this device. Copies the bytes from another device if they are
// needed. Returns true if the first use of the block must be a copy of all bytes from the host.
// That overtakes queued work. It is possible for blocks of at least least_for_copy bytes.
bool SyncedMemory::need_device_block(Lock& lock, Device& device, bool reads,
                                     size_t least_for_copy) {
  refuse_shared();
  if (block_ && device_ != &device) await_writers(lock);
  if (block_ && device_ == &device) return false;
  if (block_ && !block_->owned()) {
    fail("memory that the caller owns cannot change the device");
  }
  finish_copy();
  Head head = head_.load(std::memory_order_relaxed);
  const bool from_host = head == Head::cpu || head == Head::synced;
  const bool for_copy = reads && from_host && bytes_ && bytes_ >= least_for_copy;
  SharedBlock* block = bytes_ ? SharedBlock::allocate(device, bytes_, for_copy) : nullptr;
  if (block_ && head == Head::device && reads) {
    try {
      device.copy_from(*device_, block->data(), block_->data(), bytes_);
    } catch (...) {
      block->release();
      throw;
    }
  }
  release_device();
  set_device_used(&device);
  block_ = block;
  if (head == Head::device) return false;
  stale_ = {0, bytes_};
  set_head(head == Head::synced ? Head::cpu : head);
  return for_copy;
}

void SyncedMemory::finish_copy() {
  const bool to_host = copying_ == Copying::to_host;
  await_copy();
  // The operations that computed the copied elements have ended, too.
  if (to_host) device_->raise_failed_checks();
}

void SyncedMemory::await_copy() {
  if (copying_ == Copying::nothing) return;
  Copying direction = std::exchange(copying_, Copying::nothing);
  void* event = std::exchange(event_, nullptr);
  try {
    device_->wait(event);
  } catch (...) {
    device_->release_event(event);
    // The copy failed, so its target is not valid.
    if (head_.load(std::memory_order_relaxed) == Head::synced) {
      stale_ = {0, bytes_};
      set_head(direction == Copying::to_device ? Head::cpu : Head::device);
    }
    throw;
  }
  device_->release_event(event);
}

void SyncedMemory::release_device() noexcept {
  if (SharedBlock* block = std::exchange(block_, nullptr)) block->release();
}

char* SyncedMemory::on_device(size_t offset) const noexcept {
  return block_ ? at(block_->data(), offset) : nullptr;
}

}  // namespace th
