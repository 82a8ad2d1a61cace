#ifndef TH_SOFT_SOFT_QUEUE_H
#define TH_SOFT_SOFT_QUEUE_H

// The work of the software device: an in-order queue, and a second queue of copies, which runs only
// when it is waited for.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "simt/queue.h"
#include "soft/soft_memory.h"

namespace th {

// One lock for all software devices, because the static variables that implement __shared__ exist
// once.
std::recursive_mutex& soft_mutex();

// An asynchronous copy.
struct SoftCopy {
  uint64_t after;  // position in the queue that must be reached first
  void* to;
  const void* from;
  size_t bytes;
  bool done;
};

// All functions require soft_mutex(). check_work() reports failed work.
class SoftDevice : public Queue {
 public:
  // While an object exists, the host may access the device's memory.
  class Accessible {
   public:
    explicit Accessible(SoftDevice& device);
    ~Accessible();
    Accessible(const Accessible&) = delete;
    Accessible& operator=(const Accessible&) = delete;

   private:
    SoftDevice& device_;
  };

  // Holds the lock of all software devices.
  struct Turn {
    explicit Turn(SoftDevice&) : lock(soft_mutex()) {}
    std::lock_guard<std::recursive_mutex> lock;
  };

  explicit SoftDevice(int index);

  // The functions of DeviceTable. Devices are never destroyed.
  static int count();
  static SoftDevice* open(int index);
  static DeviceProperties properties(int index);
  void* allocate_host(size_t bytes);
  void release_host(void* block) noexcept;
  void zero(void* block, size_t bytes);
  void copy(CopyKind kind, void* to, const void* from, size_t bytes);
  void* upload(void* to, const void* from, size_t bytes, bool is_new);
  void copy_peer(void* to, SoftDevice& other, const void* from, size_t bytes);
  void* copy_async(CopyKind kind, void* to, const void* from, size_t bytes, bool is_new);
  static bool is_over(void*) { return false; }
  void wait(void* event);
  void order(void* event);
  void release_event(void* event) noexcept;
  void synchronize();
  void finish() { synchronize(); }
  void* stream_handle() const { return nullptr; }
  DeviceUsage usage() const;
  void empty_cache();

  // Throws DeviceFailure.
  void* allocate_block(size_t bytes);
  void* allocate_for_copy(size_t bytes);
  void release_block(void* block) noexcept;

  // Queues a task, which owns that many bytes until it has run.
  void enqueue_task(std::function<void()> task, size_t bytes = 0);
  void enqueue_operation(std::function<void()> task);
  // Returns the position after the last queued task.
  uint64_t queued() const { return done_ + tasks_.size(); }
  // Runs tasks up to this position. Failures are stored for check_work().
  void run_until(uint64_t position) noexcept;
  void run_all() noexcept { run_until(queued()); }

  // Throws the first DeviceFailure of the tasks that ran since the last call.
  void check_work();

  // The copy runs after the work before this position.
  std::shared_ptr<SoftCopy> copy_beside(void* to, const void* from, size_t bytes, uint64_t after);
  void finish(const SoftCopy& copy);
  void finish_copies();

  // Until the operation queues its first kernel, it can be repeated if memory runs out.
  void begin_operation() { operation_queued_ = false; }
  // Returns the status for a failed allocation: kDeviceOutOfMemory if the operation can be
  // repeated.
  DeviceStatus status_without_memory() const {
    return operation_queued_ ? kDeviceInterrupted : kDeviceOutOfMemory;
  }
  // Returns and removes a failed check that a kernel has reported.
  DeviceAssertion take_assertion();

 private:
  struct Task {
    std::function<void()> work;
    size_t bytes;
  };

  void* new_block(size_t bytes);
  // Returns true if the address is in a block of allocate_host().
  bool is_host_block(const void* address) const;
  void note_failure(const DeviceFailure& failure) noexcept;
  void copy_in(void* to, const void* from, size_t bytes);
  void copy_out(void* to, const void* from, size_t bytes);

  SoftMemory memory_;
  std::deque<Task> tasks_;
  uint64_t done_ = 0;
  size_t kept_bytes_ = 0;  // owned by tasks
  int accessible_ = 0;
  bool operation_queued_ = false;
  bool failed_ = false;
  DeviceFailure failure_;
  std::deque<std::shared_ptr<SoftCopy>> copies_;
  std::map<const void*, size_t> host_blocks_;  // their sizes
};

}  // namespace th

#endif
