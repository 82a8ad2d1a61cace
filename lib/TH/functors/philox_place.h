#ifndef TH_FUNCTORS_PHILOX_PLACE_H
#define TH_FUNCTORS_PHILOX_PLACE_H

#include <cstdint>

namespace th {

// The position of a word in one of the 2^64 streams of a key. Blocks of four words start at
// multiples of 4.
struct PhiloxPosition {
  uint64_t key;
  uint64_t stream;
  uint64_t offset;
};

}  // namespace th

#endif
