#include "soft/soft_queue.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "backend/device_assertions.h"
#include "soft/soft_device.h"

namespace th {
namespace {

// A queue has a limited number of tasks and bytes, including released blocks and staged copies that
// are not processed yet. A thread that exceeds a limit waits.
constexpr size_t kMostTasks = 1024;
constexpr int64_t kMostBytes = int64_t{256} << 20;

}  // namespace

std::recursive_mutex& soft_mutex() {
  static auto* mutex = new std::recursive_mutex;
  return *mutex;
}

SoftDevice::Accessible::Accessible(SoftDevice& device) : device_(device) {
  if (device_.accessible_++ == 0) device_.memory_.set_accessible(true);
}

SoftDevice::Accessible::~Accessible() {
  if (--device_.accessible_ == 0) device_.memory_.set_accessible(false);
}

SoftDevice::SoftDevice(int) {
  assertion_ = static_cast<DeviceAssertion*>(allocate_block(kAssertions * sizeof(DeviceAssertion)));
  run_all();
  Accessible accessible(*this);
  std::fill_n(assertion_, kAssertions, DeviceAssertion{0, 0});
}

void SoftDevice::enqueue_task(std::function<void()> task, size_t bytes) {
  tasks_.push_back({std::move(task), bytes});
  kept_bytes_ += bytes;
  bool full = tasks_.size() > kMostTasks ||
              static_cast<int64_t>(kept_bytes_) + memory_.released() > kMostBytes;
  if (soft_mode() == SoftMode::eager || full) run_all();
}

void SoftDevice::enqueue_operation(std::function<void()> task) {
  operation_queued_ = true;
  enqueue_task(std::move(task));
}

void SoftDevice::run_until(uint64_t position) noexcept {
  if (done_ >= position) return;
  Accessible accessible(*this);
  while (done_ < position) {
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    ++done_;
    kept_bytes_ -= task.bytes;
    try {
      task.work();
    } catch (const DeviceFailure& failure) {
      note_failure(failure);
    } catch (const std::bad_alloc&) {
      // Not kDeviceOutOfMemory: the operation has begun, so repeating it would repeat a part.
      note_failure({kDeviceFailed, "out of memory of the host"});
    }
    memory_.retire(done_);
  }
}

void SoftDevice::note_failure(const DeviceFailure& failure) noexcept {
  if (!failed_) failure_ = failure;
  failed_ = true;
}

void SoftDevice::check_work() {
  if (!failed_) return;
  failed_ = false;
  throw failure_;
}

DeviceAssertion SoftDevice::take_assertion() {
  Accessible accessible(*this);
  DeviceAssertion none = {0, 0};
  auto found = [](const DeviceAssertion& assertion) { return assertion.check != 0; };
  DeviceAssertion* first = std::find_if(assertion_, assertion_ + kAssertions, found);
  return first == assertion_ + kAssertions ? none : std::exchange(*first, none);
}

void* SoftDevice::new_block(size_t bytes) {
  if (bytes == 0) return nullptr;
  void* block = memory_.allocate(bytes);
  if (!block) {
    empty_cache();
    block = memory_.allocate(bytes);
  }
  if (!block) fail(status_without_memory(), "out of memory: %zu bytes requested", bytes);
  return block;
}

void* SoftDevice::allocate_block(size_t bytes) {
  void* block = new_block(bytes);
  if (!block) return nullptr;
  try {
    enqueue_task([this, block] { memory_.fill(block); });
  } catch (const std::bad_alloc&) {
    release_block(block);
    throw;
  }
  return block;
}

// The copy may come before queued work, so the block is filled at once.
void* SoftDevice::allocate_for_copy(size_t bytes) {
  void* block = new_block(bytes);
  if (!block) return nullptr;
  Accessible accessible(*this);
  memory_.fill(block);
  return block;
}

void SoftDevice::release_block(void* block) noexcept {
  if (!block) return;
  memory_.release(block, queued());
  if (tasks_.empty()) {
    memory_.retire(done_);
  } else if (memory_.released() > kMostBytes) {
    run_all();
  }
}

std::shared_ptr<SoftCopy> SoftDevice::copy_beside(void* to, const void* from, size_t bytes,
                                                  uint64_t after) {
  auto copy = std::make_shared<SoftCopy>(SoftCopy{after, to, from, bytes, false});
  copies_.push_back(copy);
  if (soft_mode() == SoftMode::eager) finish(*copy);
  return copy;
}

void SoftDevice::finish(const SoftCopy& copy) {
  while (!copy.done && !copies_.empty()) {
    std::shared_ptr<SoftCopy> next = copies_.front();
    run_until(next->after);
    // The previous work may have waited for this copy.
    if (next->done) continue;
    copies_.pop_front();
    next->done = true;
    Accessible accessible(*this);
    if (next->bytes) std::memcpy(next->to, next->from, next->bytes);
  }
}

void SoftDevice::finish_copies() {
  while (!copies_.empty()) {
    std::shared_ptr<SoftCopy> last = copies_.back();
    finish(*last);
  }
}

// Makes the work of each device wait for the previous work of the other.
void SoftDevice::copy_peer(void* to, SoftDevice& other, const void* from, size_t bytes) {
  if (bytes == 0) return;
  uint64_t others = other.queued();
  enqueue_task([&other, others, to, from, bytes] {
    other.run_until(others);
    Accessible accessible(other);
    std::memcpy(to, from, bytes);
  });
  uint64_t own = queued();
  try {
    other.enqueue_task([this, own] { run_until(own); });
  } catch (const std::bad_alloc&) {
    run_until(own);
    throw;
  }
}

// ---- interface for operations

namespace {
SoftDevice& soft(Queue* queue) { return *static_cast<SoftDevice*>(queue); }
}  // namespace

void Queue::enqueue(std::function<void()> task) {
  std::lock_guard<std::recursive_mutex> lock(soft_mutex());
  soft(this).enqueue_operation(std::move(task));
}

void* Queue::allocate(size_t bytes) {
  std::lock_guard<std::recursive_mutex> lock(soft_mutex());
  return soft(this).allocate_block(bytes);
}

void Queue::release(void* block) noexcept {
  std::lock_guard<std::recursive_mutex> lock(soft_mutex());
  soft(this).release_block(block);
}

void Queue::read(void* host, const void* from, size_t bytes) {
  std::lock_guard<std::recursive_mutex> lock(soft_mutex());
  soft(this).copy(CopyKind::device_to_host, host, from, bytes);
}

void Queue::allow_repetition() {
  std::lock_guard<std::recursive_mutex> lock(soft_mutex());
  soft(this).begin_operation();
}

}  // namespace th
