#ifndef TH_BACKEND_GRAIN_H
#define TH_BACKEND_GRAIN_H

#include <cstdint>

namespace th {

// The number of elements below which a second thread costs more than it gains, by cost per element.
struct Grain {
  static constexpr int64_t cheap = 32768;  // arithmetic, copies
  static constexpr int64_t costly = 2048;  // transcendental functions
  static constexpr int64_t gather = 3000;  // indexed access
};

}  // namespace th

#endif
