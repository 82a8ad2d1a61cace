#ifndef TH_BACKEND_PROFILE_H
#define TH_BACKEND_PROFILE_H

// How often and how long operations run, and where, while somebody wants to know: for all threads
// together. Operations on devices are waited for meanwhile, so that their times are their own.

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "backend/op.h"
#include "memory/device.h"
#include "memory/visibility.h"

namespace th TH_VISIBLE {

struct OpProfile {
  std::string op;      // the name in Lua
  std::string device;  // "cpu", "gpu:1"
  int64_t calls;
  int64_t nanoseconds;  // without the operations that it called itself
  int64_t bytes;        // of operands and results
  int64_t fallbacks;    // that a device left to the CPU
};

// Forgets what was counted before.
void start_profile();
// What was counted since start_profile(), the longest first.
std::vector<OpProfile> stop_profile();

extern std::atomic<bool> profile_is_on;
inline bool profiling() noexcept { return profile_is_on.load(std::memory_order_relaxed); }

// One operation from its beginning to its end; the innermost of its thread.
class ProfiledOp {
 public:
  ProfiledOp(Op op, Device* device) noexcept;
  ~ProfiledOp();
  ProfiledOp(const ProfiledOp&) = delete;
  ProfiledOp& operator=(const ProfiledOp&) = delete;

  void add_bytes(int64_t bytes) noexcept { bytes_ += bytes; }
  // The device left it to the CPU.
  void declined() noexcept;
  // It has ended: waits for the device, and counts.
  void finish();

  // Of the calling thread; null: none.
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
