#ifndef TH_BACKEND_TABLE_DEVICE_H
#define TH_BACKEND_TABLE_DEVICE_H

#include <string>

#include "backend/table.h"
#include "memory/device.h"

namespace th {

// A device behind a table of functions: its failures become th::Error, its copies are counted, and
// memory that runs out is asked for again when what nobody uses was given back.
class TableDevice : public Device {
 public:
  // Opens the table's device of that index, from 0. Throws th::Error.
  TableDevice(const DeviceTable& table, int index, std::string name);
  TableDevice(const TableDevice&) = delete;
  TableDevice& operator=(const TableDevice&) = delete;

  const char* name() const override { return name_.c_str(); }

  void* allocate(size_t bytes) override;
  void release(void* block) noexcept override;
  void* allocate_host(size_t bytes) override;
  void release_host(void* block) noexcept override;
  void fill_zero(void* block, size_t bytes) override;

  void copy_to_device(void* device, const void* host, size_t bytes) override;
  void copy_to_host(void* host, const void* device, size_t bytes) override;
  void copy_within(void* to, const void* from, size_t bytes) override;
  void copy_from(Device& other, void* to, const void* from, size_t bytes) override;

  void* push_async(void* device, const void* host, size_t bytes) override;
  void* pull_async(void* host, const void* device, size_t bytes) override;
  void wait(void* event) override;
  void order(void* event) override;
  void release_event(void* event) noexcept override;

  // Throws what checks of values have found on the device, too.
  void synchronize() override;
  void properties(DeviceProperties* out) override;
  void usage(DeviceUsage* out) override;
  void empty_cache() override;
  bool run(BackendOp op, const void* call) override;

 private:
  // Throws where the status is a failure. doing: what was tried, for the message.
  void check(int status, const char* doing);
  // Tries until there is memory: as it is, without the cache, after the thread's collector.
  template <class Try>
  int with_memory(Try attempt);
  [[noreturn]] void fail_memory(size_t bytes, const char* doing);

  const DeviceTable& table_;
  std::string name_;
  void* handle_ = nullptr;
};

}  // namespace th

#endif
