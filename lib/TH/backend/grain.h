#ifndef TH_BACKEND_GRAIN_H
#define TH_BACKEND_GRAIN_H

#include <cstdint>

namespace th {

// The minimum number of elements per thread, by cost per element: with fewer, starting another
// thread costs more than it gains.
struct Grain {
  static constexpr int64_t cheap = 32768;  // arithmetic, copies
  static constexpr int64_t costly = 2048;  // transcendental functions
  static constexpr int64_t gather = 3000;  // indexed access
};

}  // namespace th

#endif
