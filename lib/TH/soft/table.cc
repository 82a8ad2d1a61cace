// The software device's functions of the table.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include "simt/device_table.h"
#include "soft/soft_device.h"
#include "soft/soft_queue.h"

namespace th {

int SoftDevice::count() {
  const char* text = std::getenv("TENSOR_DEVICE");
  if (!text || std::strncmp(text, "soft:", 5) != 0) return 1;
  char* end = nullptr;
  long number = std::strtol(text + 5, &end, 10);
  if (end == text + 5 || *end || number < 1 || number > 64) {
    fail(kDeviceFailed, "TENSOR_DEVICE: expected soft:1 to soft:64, got '%.40s'", text);
  }
  return static_cast<int>(number);
}

SoftDevice* SoftDevice::open(int index) {
  if (*soft_settings_error()) fail(kDeviceFailed, "%s", soft_settings_error());
  std::lock_guard<std::recursive_mutex> lock(soft_mutex());
  static auto* devices = new std::vector<std::unique_ptr<SoftDevice>>;
  devices->push_back(std::make_unique<SoftDevice>(index));
  return devices->back().get();
}

DeviceProperties SoftDevice::properties(int) {
  if (*soft_settings_error()) fail(kDeviceFailed, "%s", soft_settings_error());
  DeviceProperties out = {};
  std::snprintf(out.name, sizeof(out.name), "software device");
  out.total_memory = soft_memory();
  out.multiprocessors = 1;
  return out;
}

void* SoftDevice::allocate_host(size_t bytes) {
  constexpr size_t alignment = 256;
  void* block =
      bytes > PTRDIFF_MAX - alignment
          ? nullptr
          : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (!block) throw std::bad_alloc();
  try {
    host_blocks_[block] = bytes;
  } catch (...) {
    std::free(block);
    throw;
  }
  return block;
}

void SoftDevice::release_host(void* block) noexcept {
  host_blocks_.erase(block);
  std::free(block);
}

bool SoftDevice::is_host_block(const void* address) const {
  auto after = host_blocks_.upper_bound(address);
  if (after == host_blocks_.begin()) return false;
  const auto& [block, bytes] = *--after;
  return static_cast<const char*>(address) < static_cast<const char*>(block) + bytes;
}

void SoftDevice::zero(void* block, size_t bytes) {
  if (bytes) enqueue_task([block, bytes] { std::memset(block, 0, bytes); });
}

// The host's bytes are read before the call returns and written to the device in the queue's order.
void SoftDevice::copy_in(void* to, const void* from, size_t bytes) {
  auto staged = std::make_shared<std::vector<char>>(bytes);
  std::memcpy(staged->data(), from, bytes);
  enqueue_task([to, staged] { std::memcpy(to, staged->data(), staged->size()); }, bytes);
}

void SoftDevice::copy_out(void* to, const void* from, size_t bytes) {
  run_all();
  check_work();
  Accessible accessible(*this);
  std::memcpy(to, from, bytes);
}

void SoftDevice::copy(CopyKind kind, void* to, const void* from, size_t bytes) {
  if (bytes == 0) return;
  switch (kind) {
    case CopyKind::host_to_device:
      return copy_in(to, from, bytes);
    case CopyKind::device_to_host:
      return copy_out(to, from, bytes);
    case CopyKind::device_to_device:
      return enqueue_task([to, from, bytes] { std::memcpy(to, from, bytes); });
  }
}

// An event is a reference to its copy.
namespace {
using Event = std::shared_ptr<SoftCopy>;
SoftCopy& copy_of(void* event) { return **static_cast<Event*>(event); }
}  // namespace

void* SoftDevice::copy_async(CopyKind, void* to, const void* from, size_t bytes, bool is_new) {
  // Create the event first: without an event the queued copy could not be waited for.
  auto event = std::make_unique<Event>();
  *event = copy_beside(to, from, bytes, is_new ? done_ : queued());
  return event.release();
}

// Memory of allocate_host() is read when the copy runs, as by CUDA, so that tests find a write that
// does not wait for it.
void* SoftDevice::upload(void* to, const void* from, size_t bytes, bool is_new) {
  if (bytes == 0) return nullptr;
  if (!is_host_block(from)) {
    copy_in(to, from, bytes);
    return nullptr;
  }
  void* event = copy_async(CopyKind::host_to_device, to, from, bytes, is_new);
  try {
    order(event);
    return event;
  } catch (const std::bad_alloc&) {
    wait(event);
    release_event(event);
    return nullptr;
  }
}

void SoftDevice::wait(void* event) { finish(copy_of(event)); }

void SoftDevice::order(void* event) {
  enqueue_task([this, copy = *static_cast<Event*>(event)] { finish(*copy); });
}

void SoftDevice::release_event(void* event) noexcept { delete static_cast<Event*>(event); }

void SoftDevice::synchronize() {
  run_all();
  finish_copies();
}

DeviceUsage SoftDevice::usage() const {
  DeviceUsage out = {};
  out.total = soft_memory();
  out.in_use = memory_.in_use();
  out.cached = memory_.released() + memory_.cached();
  out.free = out.total - out.in_use - out.cached;
  return out;
}

void SoftDevice::empty_cache() {
  if (memory_.released()) run_all();
  memory_.empty_cache();
}

const DeviceTable* soft_device_table() {
  static constexpr DeviceTable table = DeviceTableOf<SoftDevice>::make("soft", kDLExtDev);
  return &table;
}

}  // namespace th

extern "C" const th::DeviceTable* th_device_table(void);
const th::DeviceTable* th_device_table(void) { return th::soft_device_table(); }
