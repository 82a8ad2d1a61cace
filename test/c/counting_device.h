#ifndef TENSOR_TEST_C_COUNTING_DEVICE_H
#define TENSOR_TEST_C_COUNTING_DEVICE_H

// A device of the test, in the memory of the host.

#include <cstdlib>
#include <cstring>
#include <map>

#include "memory/device.h"

namespace th {

// Counts the calls. Asynchronous copies run as late as a device may run them: when they are waited
// for.
class CountingDevice : public Device {
 public:
  struct Push {
    void* to;
    const void* from;
    size_t bytes;
  };
  int allocations = 0, releases = 0, to_device = 0, to_host = 0, waits = 0;
  int finished = 0;
  std::map<void*, Push> pending;

  const char* name() const override { return "counting"; }
  void* allocate(size_t bytes, bool) override {
    ++allocations;
    void* block = std::malloc(bytes);
    std::memset(block, 0xA5, bytes);
    return block;
  }
  void release(void* block) noexcept override {
    ++releases;
    std::free(block);
  }
  void fill_zero(void* block, size_t bytes) override { std::memset(block, 0, bytes); }
  void copy_to_device(void* device, const void* host, size_t bytes) override {
    ++to_device;
    std::memcpy(device, host, bytes);
  }
  void copy_to_host(void* host, const void* device, size_t bytes) override {
    ++to_host;
    std::memcpy(host, device, bytes);
  }
  void* push_async(void* device, const void* host, size_t bytes, bool) override {
    void* event = new char;
    pending[event] = {device, host, bytes};
    return event;
  }
  void* pull_async(void* host, const void* device, size_t bytes) override {
    return push_async(host, device, bytes, false);
  }
  void raise_failed_checks() override {}
  void wait(void* event) override {
    ++waits;
    const Push& push = pending.at(event);
    std::memcpy(push.to, push.from, push.bytes);
  }
  // Work of this device is done when it is queued, so what it waits for must be done too.
  void order(void* event) override { wait(event); }
  void* allocate_host(size_t) override { return nullptr; }
  void release_host(void*) noexcept override {}
  void copy_within(void* to, const void* from, size_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  void copy_from(Device&, void* to, const void* from, size_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  void synchronize() override {}
  void finish() override { ++finished; }
  void* stream() override { return nullptr; }
  int dlpack_type() const override { return 0; }
  int index() const override { return 0; }
  void properties(DeviceProperties*) override {}
  void usage(DeviceUsage*) override {}
  void empty_cache() override {}
  bool run(BackendOp, const void*) override { return true; }
  void release_event(void* event) noexcept override {
    pending.erase(event);
    delete static_cast<char*>(event);
  }
};

}  // namespace th

#endif
