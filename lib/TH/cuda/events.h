#ifndef TH_CUDA_EVENTS_H
#define TH_CUDA_EVENTS_H

#include <cuda_runtime.h>

#include <mutex>
#include <vector>

namespace th {

// A pool of events without timing.
class EventPool {
 public:
  cudaEvent_t take();
  void put_back(cudaEvent_t event) noexcept;

 private:
  std::mutex mutex_;
  std::vector<cudaEvent_t> free_;
};

// Takes an event from the pool and returns it at the end of the scope.
class PooledEvent {
 public:
  explicit PooledEvent(EventPool& pool) : pool_(pool), event_(pool.take()) {}
  ~PooledEvent() { pool_.put_back(event_); }
  PooledEvent(const PooledEvent&) = delete;
  PooledEvent& operator=(const PooledEvent&) = delete;
  cudaEvent_t get() const { return event_; }

 private:
  EventPool& pool_;
  cudaEvent_t event_;
};

}  // namespace th

#endif
