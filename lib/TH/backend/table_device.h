#ifndef TH_BACKEND_TABLE_DEVICE_H
#define TH_BACKEND_TABLE_DEVICE_H

#include <atomic>
#include <mutex>
#include <string>

#include "backend/table.h"
#include "memory/device.h"

namespace th {

// A device implemented by a table of functions. It converts failures to th::Error, counts copies,
// and retries after freeing memory if the device runs out of it.
class TableDevice : public Device {
 public:
  // The device with this index, from 0. It is opened at its first use, because that needs memory
  // and time.
  TableDevice(const DeviceTable& table, int index, std::string name);
  TableDevice(const TableDevice&) = delete;
  TableDevice& operator=(const TableDevice&) = delete;

  const char* name() const override { return name_.c_str(); }
  // Opens the device unless it is open.
  void open() { handle(); }
  bool is_open() const { return handle_.load(std::memory_order_acquire) != nullptr; }

  void* allocate(size_t bytes, bool for_copy) override;
  void release(void* block) noexcept override;
  void* allocate_host(size_t bytes) override;
  void release_host(void* block) noexcept override;
  void fill_zero(void* block, size_t bytes) override;

  void copy_to_device(void* device, const void* host, size_t bytes) override;
  void copy_to_host(void* host, const void* device, size_t bytes) override;
  void* upload(void* device, const void* host, size_t bytes, bool is_new) override;
  void copy_within(void* to, const void* from, size_t bytes) override;
  void copy_from(Device& other, void* to, const void* from, size_t bytes) override;

  void* push_async(void* device, const void* host, size_t bytes, bool is_new) override;
  void* pull_async(void* host, const void* device, size_t bytes) override;
  void wait(void* event) override;
  void raise_failed_checks() override;
  void order(void* event) override;
  void release_event(void* event) noexcept override;

  // Also throws the errors of failed checks of values.
  void synchronize() override;
  void finish() override;
  void* stream() override { return table_.stream(handle()); }
  int dlpack_type() const override { return table_.dlpack_type; }
  int index() const override { return index_; }
  void properties(DeviceProperties* out) override;
  void usage(DeviceUsage* out) override;
  void empty_cache() override;
  bool run(BackendOp op, const void* call) override;

 private:
  // Throws if status is a failure. doing: the attempted action, for the message.
  void check(int status, const char* doing);
  // Calls attempt until there is enough memory: first, after emptying the device's cache, and after
  // garbage collection.
  template <class Try>
  int with_memory(Try attempt);
  // Runs a call that uses random words, which are reserved first.
  template <class Call>
  bool run_random(BackendOp op, const void* call);
  bool run_call(BackendOp op, const void* call);
  void* handle();
  [[noreturn]] void fail_memory(size_t bytes, const char* doing);
  // Collects garbage, and empties the device's cache.
  void free_memory();
  // After kDeviceInterrupted: throws InterruptedError.
  [[noreturn]] void free_memory_and_fail();

  const DeviceTable& table_;
  const int index_;
  std::string name_;
  std::mutex opening_;
  std::atomic<void*> handle_{nullptr};
};

}  // namespace th

#endif
