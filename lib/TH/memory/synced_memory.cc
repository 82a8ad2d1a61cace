#include "memory/synced_memory.h"

#include <cstring>
#include <utility>

#include "memory/error.h"

namespace th {

namespace {
std::atomic<Device*> the_default_device{nullptr};
}

Device* default_device() noexcept { return the_default_device.load(); }
void set_default_device(Device* device) noexcept { the_default_device.store(device); }

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
      owns_host_(allocator != nullptr),
      bytes_(bytes),
      host_(host),
      allocator_(allocator ? allocator : &THDefaultAllocator),
      allocator_context_(allocator_context) {}

SyncedMemory::~SyncedMemory() {
  try {
    wait_for_push();
  } catch (...) {
    // A destructor has nobody to tell; the device will say so at its next use.
  }
  release_host();
  release_device();
}

void* SyncedMemory::cpu_if_valid() const noexcept {
  Head head = head_.load(std::memory_order_acquire);
  return head == Head::cpu || head == Head::synced ? host_ : nullptr;
}

void* SyncedMemory::cpu_transition(Access access) {
  std::lock_guard<std::mutex> lock(mutex_);
  Head head = head_.load(std::memory_order_relaxed);
  switch (head) {
    case Head::uninitialized:
      need_host_block();
      if (access != Access::overwrite && bytes_) std::memset(host_, 0, bytes_);
      head_.store(Head::cpu, std::memory_order_release);
      break;
    case Head::cpu:
      break;
    case Head::device:
      need_host_block();
      if (access != Access::overwrite && bytes_) {
        device_->copy_to_host(host_, device_block_, bytes_);
      }
      head_.store(access == Access::read ? Head::synced : Head::cpu, std::memory_order_release);
      break;
    case Head::synced:
      if (access != Access::read) {
        wait_for_push();
        head_.store(Head::cpu, std::memory_order_release);
      }
      break;
  }
  return host_;
}

void* SyncedMemory::device(Access access) {
  std::lock_guard<std::mutex> lock(mutex_);
  Head head = head_.load(std::memory_order_relaxed);
  Device& device = need_device();
  need_device_block(device);
  switch (head) {
    case Head::uninitialized:
      if (access != Access::overwrite && bytes_) device.fill_zero(device_block_, bytes_);
      head_.store(Head::device, std::memory_order_release);
      break;
    case Head::cpu:
      if (access != Access::overwrite && bytes_) {
        device.copy_to_device(device_block_, host_, bytes_);
      }
      head_.store(access == Access::read ? Head::synced : Head::device, std::memory_order_release);
      break;
    case Head::device:
      break;
    case Head::synced:
      if (access != Access::read) {
        wait_for_push();
        head_.store(Head::device, std::memory_order_release);
      }
      break;
  }
  return device_block_;
}

void SyncedMemory::set_cpu(void* host) {
  if (!host && bytes_) fail("set_cpu: no memory given");
  std::lock_guard<std::mutex> lock(mutex_);
  wait_for_push();
  release_host();
  host_ = host;
  owns_host_ = false;
  head_.store(Head::cpu, std::memory_order_release);
}

void SyncedMemory::set_device(void* block) {
  if (!block && bytes_) fail("set_device: no memory given");
  std::lock_guard<std::mutex> lock(mutex_);
  need_device();
  wait_for_push();
  release_device();
  device_block_ = block;
  owns_device_block_ = false;
  head_.store(Head::device, std::memory_order_release);
}

void SyncedMemory::push_async() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (head_.load(std::memory_order_relaxed) != Head::cpu) {
    fail("push_async: the head is not at the CPU");
  }
  Device& device = need_device();
  need_device_block(device);
  event_ = device.push_async(device_block_, host_, bytes_);
  head_.store(Head::synced, std::memory_order_release);
}

void SyncedMemory::resize(size_t bytes) {
  if (!owns_host_) fail("memory that belongs to someone else cannot be resized");
  Head head = this->head();
  if (head != Head::uninitialized) cpu(Access::write);
  std::lock_guard<std::mutex> lock(mutex_);
  if (host_) {
    void* moved = nullptr;
    if (allocator_->realloc) {
      moved = allocator_->realloc(allocator_context_, host_, static_cast<ptrdiff_t>(bytes));
    } else {
      if (bytes) moved = allocator_->malloc(allocator_context_, static_cast<ptrdiff_t>(bytes));
      if (moved) std::memcpy(moved, host_, bytes < bytes_ ? bytes : bytes_);
      allocator_->free(allocator_context_, host_);
    }
    host_ = moved;
    if (bytes > bytes_) std::memset(static_cast<char*>(host_) + bytes_, 0, bytes - bytes_);
  }
  release_device();
  bytes_ = bytes;
  // Without a block there is nothing valid: what the memory grows by is yet to be allocated.
  if (!host_) head_.store(Head::uninitialized, std::memory_order_release);
}

void SyncedMemory::swap(SyncedMemory& other) noexcept {
  Head head = head_.load();
  head_.store(other.head_.load());
  other.head_.store(head);
  std::swap(owns_host_, other.owns_host_);
  std::swap(owns_device_block_, other.owns_device_block_);
  std::swap(bytes_, other.bytes_);
  std::swap(host_, other.host_);
  std::swap(device_block_, other.device_block_);
  std::swap(device_, other.device_);
  std::swap(event_, other.event_);
  std::swap(allocator_, other.allocator_);
  std::swap(allocator_context_, other.allocator_context_);
}

Device& SyncedMemory::need_device() {
  if (!device_) device_ = default_device();
  if (!device_) fail("there is no device: this build or this machine has a CPU only");
  return *device_;
}

void SyncedMemory::need_host_block() {
  if (host_ || bytes_ == 0) return;
  host_ = allocator_->malloc(allocator_context_, static_cast<ptrdiff_t>(bytes_));
  owns_host_ = true;
}

void SyncedMemory::need_device_block(Device& device) {
  if (device_block_ || bytes_ == 0) return;
  device_block_ = device.allocate(bytes_);
  owns_device_block_ = true;
}

void SyncedMemory::wait_for_push() {
  if (!event_) return;
  void* event = std::exchange(event_, nullptr);
  device_->wait(event);
  device_->release_event(event);
}

void SyncedMemory::release_host() noexcept {
  if (host_ && owns_host_) allocator_->free(allocator_context_, host_);
  host_ = nullptr;
}

void SyncedMemory::release_device() noexcept {
  if (device_block_ && owns_device_block_) device_->release(device_block_);
  device_block_ = nullptr;
}

}  // namespace th
