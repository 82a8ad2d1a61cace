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

  explicit SoftDevice(int index);
  int index() const { return index_; }
  SoftMemory& memory() { return memory_; }

  // Throws DeviceFailure.
  void* allocate_block(size_t bytes);
  void release_block(void* block);

  // Queues task, which keeps that many bytes until it has run.
  void enqueue_task(std::function<void()> task, size_t bytes = 0);
  void enqueue_operation(std::function<void()> task);
  // How much was queued until now.
  uint64_t queued() const { return done_ + tasks_.size(); }
  // Runs what was queued up to there.
  void run_until(uint64_t position);
  void run_all() { run_until(queued()); }

  // Throws the first DeviceFailure of work that ran since the last time.
  void check();

  std::shared_ptr<SoftCopy> copy_beside(void* to, const void* from, size_t bytes);
  void finish(const SoftCopy& copy);
  void finish_copies();
  void copy_from(SoftDevice& other, void* to, const void* from, size_t bytes);

  // Until the operation queues its first kernel it can be begun again, should memory run out.
  void begin_operation() { operation_queued_ = false; }
  // What kernels have reported; forgets it.
  DeviceFinding take_finding();

 private:
  struct Task {
    std::function<void()> work;
    size_t bytes;
  };

  int index_;
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
