#ifndef TH_SOFT_SOFT_QUEUE_H
#define TH_SOFT_SOFT_QUEUE_H

// The software device's work: a queue in order, and beside it a queue of copies, which advances
// only when somebody waits for it.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include "simt/queue.h"
#include "soft/soft_memory.h"

namespace th {

// All software devices take turns under one lock, since the statics that stand for __shared__ are
// there once.
std::recursive_mutex& soft_mutex();

// A copy beside the other work.
struct SoftCopy {
  uint64_t after;  // how much of the queue comes before it
  void* to;
  const void* from;
  size_t bytes;
  bool done;
};

// Its functions want soft_mutex() held. Work that fails is told of by check().
class SoftDevice : public Queue {
 public:
  // While it lives, the device's memory may be touched.
  class Accessible {
   public:
    explicit Accessible(SoftDevice& device);
    ~Accessible();
    Accessible(const Accessible&) = delete;
    Accessible& operator=(const Accessible&) = delete;

   private:
    SoftDevice& device_;
  };

  // The device's turn: all take it under one lock.
  struct Turn {
    explicit Turn(SoftDevice&) : lock(soft_mutex()) {}
    std::lock_guard<std::recursive_mutex> lock;
  };

  explicit SoftDevice(int index);

  // What libTH asks for: see DeviceTable. Devices live as long as the process.
  static int count();
  static SoftDevice* open(int index);
  DeviceProperties properties() const;
  void* allocate_host(size_t bytes);
  void release_host(void* block) noexcept;
  void zero(void* block, size_t bytes);
  void copy(CopyKind kind, void* to, const void* from, size_t bytes);
  void copy_peer(void* to, SoftDevice& other, const void* from, size_t bytes);
  void* copy_async(CopyKind kind, void* to, const void* from, size_t bytes);
  void wait(void* event);
  void order(void* event);
  void release_event(void* event) noexcept;
  void synchronize();
  DeviceUsage usage() const;
  void empty_cache();

  // Throws DeviceFailure.
  void* allocate_block(size_t bytes);
  void release_block(void* block) noexcept;

  // Queues task, which keeps that many bytes until it has run.
  void enqueue_task(std::function<void()> task, size_t bytes = 0);
  void enqueue_operation(std::function<void()> task);
  // How much was queued until now.
  uint64_t queued() const { return done_ + tasks_.size(); }
  // Runs what was queued up to there. Failures are kept for check_work().
  void run_until(uint64_t position) noexcept;
  void run_all() noexcept { run_until(queued()); }

  // Throws the first DeviceFailure of work that ran since the last time.
  void check_work();

  std::shared_ptr<SoftCopy> copy_beside(void* to, const void* from, size_t bytes);
  void finish(const SoftCopy& copy);
  void finish_copies();

  // Until the operation queues its first kernel it can be begun again, should memory run out.
  void begin_operation() { operation_queued_ = false; }
  // Returns the status for a failed allocation: kDeviceOutOfMemory if the operation can be
  // repeated.
  DeviceStatus status_without_memory() const {
    return operation_queued_ ? kDeviceFailed : kDeviceOutOfMemory;
  }
  // One of what kernels have reported, which it forgets.
  DeviceAssertion take_assertion();

 private:
  struct Task {
    std::function<void()> work;
    size_t bytes;
  };

  void note_failure(const DeviceFailure& failure) noexcept;
  void copy_in(void* to, const void* from, size_t bytes);
  void copy_out(void* to, const void* from, size_t bytes);

  SoftMemory memory_;
  std::deque<Task> tasks_;
  uint64_t done_ = 0;
  size_t kept_bytes_ = 0;  // by tasks
  int accessible_ = 0;
  bool operation_queued_ = false;
  bool failed_ = false;
  DeviceFailure failure_;
  std::deque<std::shared_ptr<SoftCopy>> copies_;
};

}  // namespace th

#endif
