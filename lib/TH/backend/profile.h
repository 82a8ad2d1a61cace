#ifndef TH_BACKEND_PROFILE_H
#define TH_BACKEND_PROFILE_H

// The profiler: counts and times operations on each device, for all threads together. While it
// runs, each device operation is synchronized, so that its time is its own.

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "base/op.h"
#include "base/visibility.h"
#include "memory/device.h"

namespace th TH_VISIBLE {

struct OpProfile {
  std::string op;      // the name in Lua
  std::string device;  // "cpu", "gpu:1"
  int64_t calls;
  int64_t nanoseconds;  // without nested operations
  int64_t bytes;        // of operands and results
  int64_t fallbacks;    // calls that fell back to the CPU
};

// Starts the profiler and clears its counts.
void start_profile();
// Stops the profiler and returns the counts since start_profile(), the longest time first.
std::vector<OpProfile> stop_profile();

extern std::atomic<bool> profile_is_on;
inline bool profiling() noexcept { return profile_is_on.load(std::memory_order_relaxed); }

// Measures one operation from construction to finish(). Objects are nested like the operations.
class ProfiledOp {
 public:
  ProfiledOp(Op op, Device* device) noexcept;
  ~ProfiledOp();
  ProfiledOp(const ProfiledOp&) = delete;
  ProfiledOp& operator=(const ProfiledOp&) = delete;

  void add_bytes(int64_t bytes) noexcept { bytes_ += bytes; }
  // Records that the operation fell back to the CPU.
  void count_fallback() noexcept;
  // Waits for the device, then adds the time and counts to the profile.
  void finish();

  // The innermost one of the calling thread; null: none.
  static ProfiledOp* current() noexcept;

 private:
  Op op_;
  Device* device_;
  ProfiledOp* outer_;
  int64_t begin_;
  int64_t inner_ = 0;  // nanoseconds of operations within this
  int64_t bytes_ = 0;
  bool fallback_ = false;
};

}  // namespace TH_VISIBLE

#endif
