#include "cuda/events.h"

#include "cuda/failure.h"

namespace th {

cudaEvent_t EventPool::take() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!free_.empty()) {
      cudaEvent_t event = free_.back();
      free_.pop_back();
      return event;
    }
  }
  cudaEvent_t event;
  check_cuda(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "making an event");
  return event;
}

void EventPool::put_back(cudaEvent_t event) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  try {
    free_.push_back(event);
  } catch (...) {
    cudaEventDestroy(event);
  }
}

}  // namespace th
