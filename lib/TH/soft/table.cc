#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <vector>

#include "soft/soft_device.h"
#include "soft/soft_queue.h"

namespace th {
namespace {

thread_local char last_message[256] = "";

int failed(DeviceStatus status, const char* text) {
  std::snprintf(last_message, sizeof(last_message), "%s", text);
  return status;
}

template <class Body>
int guarded(Body body) {
  try {
    std::lock_guard<std::recursive_mutex> lock(soft_mutex());
    body();
    return kDeviceOk;
  } catch (const DeviceFailure& failure) {
    return failed(failure.status, failure.text);
  } catch (const std::bad_alloc&) {
    return failed(kDeviceOutOfMemory, "out of memory of the host");
  } catch (const std::exception& error) {
    return failed(kDeviceFailed, error.what());
  }
}

SoftDevice& soft(void* device) { return *static_cast<SoftDevice*>(device); }

// For what queues or runs work: failures of work that ran meanwhile are told of.
template <class Body>
int checked(void* device, Body body) {
  return guarded([&] {
    body(soft(device));
    soft(device).check();
  });
}

const char* message() { return last_message; }

int count(int* devices) {
  *devices = 1;
  const char* text = std::getenv("TENSOR_DEVICE");
  if (!text || std::strncmp(text, "soft:", 5) != 0) return kDeviceOk;
  char* end = nullptr;
  long number = std::strtol(text + 5, &end, 10);
  if (end == text + 5 || *end || number < 1 || number > 64) {
    return failed(kDeviceFailed, "TENSOR_DEVICE: expected soft:1 to soft:64");
  }
  *devices = static_cast<int>(number);
  return kDeviceOk;
}

int open(int index, void** device) {
  return guarded([&] {
    if (*soft_settings_error()) {
      DeviceFailure failure;
      failure.status = kDeviceFailed;
      std::snprintf(failure.text, sizeof(failure.text), "%s", soft_settings_error());
      throw failure;
    }
    static auto* devices = new std::vector<std::unique_ptr<SoftDevice>>;
    devices->push_back(std::make_unique<SoftDevice>(index));
    *device = devices->back().get();
  });
}

int properties(void*, DeviceProperties* out) {
  *out = {};
  std::snprintf(out->name, sizeof(out->name), "software device");
  out->total_memory = soft_memory();
  out->multiprocessors = 1;
  return kDeviceOk;
}

int allocate(void* device, size_t bytes, void** block) {
  return checked(device, [&](SoftDevice& d) {
    d.begin_operation();
    *block = d.allocate_block(bytes);
  });
}

void release(void* device, void* block) { soft(device).release(block); }

int allocate_host(void*, size_t bytes, void** block) {
  constexpr size_t alignment = 256;
  *block = bytes > PTRDIFF_MAX - alignment
               ? nullptr
               : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  return *block ? kDeviceOk : failed(kDeviceOutOfMemory, "out of memory of the host");
}

void release_host(void*, void* block) { std::free(block); }

int zero(void* device, void* block, size_t bytes) {
  return checked(device, [&](SoftDevice& d) {
    if (bytes) d.enqueue_task([block, bytes] { std::memset(block, 0, bytes); });
  });
}

// The host's bytes are read before the call returns, but reach the device in the queue's order.
void copy_in(SoftDevice& d, void* to, const void* from, size_t bytes) {
  auto staged = std::make_shared<std::vector<char>>(bytes);
  std::memcpy(staged->data(), from, bytes);
  d.enqueue_task([to, staged] { std::memcpy(to, staged->data(), staged->size()); }, bytes);
}

void copy_out(SoftDevice& d, void* to, const void* from, size_t bytes) {
  d.run_all();
  d.check();
  SoftDevice::Accessible accessible(d);
  std::memcpy(to, from, bytes);
}

int copy(void* device, CopyKind kind, void* to, const void* from, size_t bytes) {
  return checked(device, [&](SoftDevice& d) {
    if (bytes == 0) return;
    switch (kind) {
      case CopyKind::host_to_device:
        return copy_in(d, to, from, bytes);
      case CopyKind::device_to_host:
        return copy_out(d, to, from, bytes);
      case CopyKind::device_to_device:
        return d.enqueue_task([to, from, bytes] { std::memcpy(to, from, bytes); });
    }
  });
}

int copy_peer(void* device, void* to, void* from_device, const void* from, size_t bytes) {
  return checked(device, [&](SoftDevice& d) {
    if (bytes) d.copy_from(soft(from_device), to, from, bytes);
  });
}

using Event = std::shared_ptr<SoftCopy>;

int copy_async(void* device, CopyKind, void* to, const void* from, size_t bytes, void** event) {
  return checked(device, [&](SoftDevice& d) {
    auto made = std::make_unique<Event>(d.copy_beside(to, from, bytes));
    *event = made.release();
  });
}

int wait(void* device, void* event) {
  return checked(device, [&](SoftDevice& d) { d.finish(**static_cast<Event*>(event)); });
}

int order(void* device, void* event) {
  return checked(device, [&](SoftDevice& d) {
    d.enqueue_task([&d, copy = *static_cast<Event*>(event)] { d.finish(*copy); });
  });
}

void release_event(void*, void* event) {
  std::lock_guard<std::recursive_mutex> lock(soft_mutex());
  delete static_cast<Event*>(event);
}

int synchronize(void* device) {
  return checked(device, [](SoftDevice& d) {
    d.run_all();
    d.finish_copies();
  });
}

void finding(void* device, DeviceFinding* out) {
  std::lock_guard<std::recursive_mutex> lock(soft_mutex());
  *out = soft(device).take_finding();
}

int usage(void* device, DeviceUsage* out) {
  return guarded([&] {
    const SoftMemory& memory = soft(device).memory();
    out->total = soft_memory();
    out->in_use = memory.in_use();
    out->cached = memory.released() + memory.cached();
    out->free = out->total - out->in_use - out->cached;
  });
}

int empty_cache(void* device) {
  return checked(device, [](SoftDevice& d) {
    if (d.memory().released()) d.run_all();
    d.memory().empty_cache();
  });
}

int run(void* device, int op, const void* call) {
  return checked(device, [&](SoftDevice& d) {
    d.begin_operation();
    run_device_op(d, op, call);
  });
}

}  // namespace

const DeviceTable* soft_device_table() {
  static const DeviceTable table = {kDeviceAbi,   sizeof(DeviceTable),
                                    "soft",       message,
                                    count,        open,
                                    properties,   allocate,
                                    release,      allocate_host,
                                    release_host, zero,
                                    copy,         copy_peer,
                                    copy_async,   wait,
                                    order,        release_event,
                                    synchronize,  finding,
                                    usage,        empty_cache,
                                    run};
  return &table;
}

}  // namespace th
