#include "ops/profile.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <new>
#include <utility>

#include "base/thread_end.h"
#include "memory/device.h"
#include "ops/tracer.h"

namespace th {

namespace {

using Key = std::pair<std::string, std::string>;  // operation, device

int64_t now() {
  using std::chrono::nanoseconds;
  auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<nanoseconds>(since).count();
}

// An operation of the calling thread that has not ended.
struct Running {
  const TracedCall* call;
  int depth;
  int64_t begin;
  int64_t inner;  // nanoseconds of nested operations
};
// Those of the calling thread: null until it makes a call. A thread_local object with a destructor
// would end the process if memory has run out at its first use.
thread_local std::vector<Running>* own_calls = nullptr;
thread_local ThreadEnd own_calls_end = {[] { delete std::exchange(own_calls, nullptr); }};

class Profiler final : public Tracer {
 public:
  void clear() {
    std::lock_guard<std::mutex> lock(mutex_);
    ops_.clear();
  }

  std::vector<OpProfile> take() {
    std::vector<OpProfile> found;
    std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& entry : ops_) found.push_back(entry.second);
    ops_.clear();
    std::stable_sort(found.begin(), found.end(), [](const OpProfile& a, const OpProfile& b) {
      return a.nanoseconds > b.nanoseconds;
    });
    return found;
  }

  // Removes entries of calls that ended while the profiler was off.
  bool begin(const TracedCall& call) noexcept override {
    const int depth = call.depth();
    if (!own_calls && at_thread_end(own_calls_end)) {
      own_calls = new (std::nothrow) std::vector<Running>;
    }
    if (!own_calls) return true;  // out of memory: the call is not counted
    std::vector<Running>& running = *own_calls;
    while (!running.empty() && running.back().depth >= depth) running.pop_back();
    try {
      running.push_back({&call, depth, now(), 0});
    } catch (const std::exception&) {
      // The same.
    }
    return true;
  }

  // Throws errors that the device reports when it is synchronized.
  void end(const TracedCall& call, bool failed) override {
    if (!own_calls) return;
    std::vector<Running>& running = *own_calls;
    if (running.empty() || running.back().call != &call) return;
    const Running ended = running.back();
    running.pop_back();
    if (!failed && !call.row().has(ParameterKind::view)) count(call, ended);
  }

 private:
  void count(const TracedCall& call, const Running& ended) {
    Device* device = nullptr;
    int64_t bytes = 0;
    for_each_tensor(call.row(), call.arguments(), [&](Tensor* t, const Parameter& p) {
      if (p.kind == ParameterKind::like) return;
      if (!device && t->storage) device = t->storage->current_device();
      bytes += t->numel() * static_cast<int64_t>(item_size(t->dtype));
    });
    if (call.fell_back()) device = nullptr;
    if (device) device->synchronize();
    const int64_t took = now() - ended.begin;
    if (!own_calls->empty()) own_calls->back().inner += took;
    std::lock_guard<std::mutex> lock(mutex_);
    try {
      add(call, device ? device->name() : "cpu", took - ended.inner, bytes);
    } catch (const std::exception&) {
      // The same.
    }
  }

  void add(const TracedCall& call, const char* device, int64_t nanoseconds, int64_t bytes) {
    const char* op = lua_name(call.row().op);
    OpProfile& counted = ops_[Key(op, device)];
    counted.op = op;
    counted.device = device;
    ++counted.calls;
    counted.nanoseconds += nanoseconds;
    counted.bytes += bytes;
    counted.fallbacks += call.fell_back();
  }

  std::mutex mutex_;
  std::map<Key, OpProfile> ops_;
};

Profiler& profiler() {
  static auto* only = new Profiler;
  return *only;
}

}  // namespace

void start_profile() {
  profiler().clear();
  set_process_tracer(&profiler());
}

std::vector<OpProfile> stop_profile() {
  set_process_tracer(nullptr);
  return profiler().take();
}

}  // namespace th
