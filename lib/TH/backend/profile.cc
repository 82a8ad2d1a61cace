#include "backend/profile.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <utility>

#include "base/watch.h"

namespace th {

std::atomic<bool> profile_is_on{false};

namespace {

using Key = std::pair<std::string, std::string>;  // operation, device

struct ProfileCounts {
  std::mutex mutex;
  std::map<Key, OpProfile> ops;
};
ProfileCounts& counts() {
  static auto* all = new ProfileCounts;
  return *all;
}

thread_local ProfiledOp* current_op_profiled = nullptr;

int64_t now() {
  using std::chrono::nanoseconds;
  auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<nanoseconds>(since).count();
}

}  // namespace

void start_profile() {
  ProfileCounts& all = counts();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.ops.clear();
  if (!profile_is_on.exchange(true)) ++watchers;
}

std::vector<OpProfile> stop_profile() {
  ProfileCounts& all = counts();
  std::lock_guard<std::mutex> lock(all.mutex);
  if (profile_is_on.exchange(false)) --watchers;
  std::vector<OpProfile> found;
  for (const auto& entry : all.ops) found.push_back(entry.second);
  std::stable_sort(found.begin(), found.end(), [](const OpProfile& a, const OpProfile& b) {
    return a.nanoseconds > b.nanoseconds;
  });
  all.ops.clear();
  return found;
}

ProfiledOp* ProfiledOp::current() noexcept { return current_op_profiled; }

ProfiledOp::ProfiledOp(Op op, Device* device) noexcept
    : op_(op), device_(device), outer_(current_op_profiled), begin_(now()) {
  current_op_profiled = this;
}

ProfiledOp::~ProfiledOp() { current_op_profiled = outer_; }

void ProfiledOp::count_fallback() noexcept {
  device_ = nullptr;
  fallback_ = true;
}

void ProfiledOp::finish() {
  if (device_) device_->synchronize();
  int64_t took = now() - begin_;
  if (outer_) outer_->inner_ += took;
  ProfileCounts& all = counts();
  std::lock_guard<std::mutex> lock(all.mutex);
  const char* device = device_ ? device_->name() : "cpu";
  OpProfile& counted = all.ops[Key(lua_name(op_), device)];
  counted.op = lua_name(op_);
  counted.device = device;
  ++counted.calls;
  counted.nanoseconds += took - inner_;
  counted.bytes += bytes_;
  counted.fallbacks += fallback_;
}

}  // namespace th
