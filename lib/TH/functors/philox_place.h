#ifndef TH_FUNCTORS_PHILOX_PLACE_H
#define TH_FUNCTORS_PHILOX_PLACE_H

#include <cstdint>

namespace th {

// A word in one of the 2^64 streams of a key. Four words make a block, from offset 0 on.
struct PhiloxPlace {
  uint64_t key;
  uint64_t stream;
  uint64_t offset;
};

}  // namespace th

#endif
