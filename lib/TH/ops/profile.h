#ifndef TH_OPS_PROFILE_H
#define TH_OPS_PROFILE_H

// The profiler: a tracer that counts and times operations on each device, for all threads together.
// While it runs, each device operation is synchronized, so that its time is its own.

#include <cstdint>
#include <string>
#include <vector>

#include "base/visibility.h"

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

}  // namespace TH_VISIBLE

#endif
