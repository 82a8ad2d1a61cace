#ifndef TH_FUNCTORS_PHILOX_H
#define TH_FUNCTORS_PHILOX_H

// Random words as a function of a key and a position: Philox4x32-10 of Random123 (Salmon, Moraes,
// Dror and Shaw 2011), identical on all devices.

#include <cstdint>

// Excludes Random123's SSE types, and with them the compiler's header of all intrinsics.
#ifndef R123_USE_SSE
#define R123_USE_SSE 0
#endif
#include "Random123/philox.h"
#include "functors/philox_place.h"
#include "tensor/host_device.h"

namespace th {

struct PhiloxBlock {
  uint32_t word[4];
};

namespace {

TH_HD PhiloxBlock philox_block(uint64_t key, uint64_t stream, uint64_t block) {
  philox4x32_ctr_t counter = {{static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32),
                               static_cast<uint32_t>(stream), static_cast<uint32_t>(stream >> 32)}};
  philox4x32_key_t keys = {{static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)}};
  philox4x32_ctr_t words = philox4x32(counter, keys);
  return {{words.v[0], words.v[1], words.v[2], words.v[3]}};
}

TH_HD uint32_t philox_word(const PhiloxPosition& position) {
  return philox_block(position.key, position.stream, position.offset / 4).word[position.offset % 4];
}

}  // namespace
}  // namespace th

#endif
