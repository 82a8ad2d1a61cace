#ifndef TH_OPS_GENERATOR_H
#define TH_OPS_GENERATOR_H

#include <cstdint>

#include "memory/visibility.h"

namespace th TH_VISIBLE {

struct Tensor;

// The 32-bit Mersenne Twister MT19937 (Matsumoto and Nishimura 1998), and the half of a pair of
// normal values that was not asked for yet. For one thread at a time.
struct Generator {
  static constexpr int kWords = 624;
  // Just seeded: as used up as after kWords words, but known to be so to Torch7's files.
  static constexpr uint32_t kFresh = kWords + 1;

  uint64_t initial_seed;
  uint32_t used;  // words of this state given out already
  uint32_t state[kWords];
  uint32_t tempered[kWords];  // the words to give out; valid unless used >= kWords
  // The last pair: sqrt(-2 log(1 - y)) times cos(2 pi x), and times sin(2 pi x) if kept.
  double normal_x;
  double normal_y;
  double normal_rho;
  bool normal_kept;

  // 32 random bits.
  uint32_t word() {
    if (used >= kWords) refill();
    return tempered[used++];
  }
  // The next n words.
  void words(uint32_t* out, int64_t n);
  // 64 random bits, the first word the higher.
  uint64_t word64() {
    uint64_t high = word();
    return high << 32 | word();
  }
  // Uniform on [0, 1), by 32 random bits.
  double unit() { return word() * (1.0 / 4294967296.0); }
  // Uniform on 0 ... range - 1; range 0 stands for 2^64.
  uint64_t below(uint64_t range);
  // Normal with mean 0 and deviation 1.
  double normal();

  void refill();
  void temper();  // tempered, from state
  bool valid() const { return used <= kFresh; }
};

// Seeds by the low 32 bits, and forgets the kept normal value.
void seed(Generator& g, uint64_t seed);
// From the system's source of randomness; a seed that a Lua number holds exactly.
uint64_t seed_by_system(Generator& g);

// The state as Torch7 for x86-64 Linux lays it out, in a ByteTensor of 5048 elements.
void generator_state(const Generator& g, Tensor* bytes);
// Throws where the bytes are no state that a generator can have.
void set_generator_state(Generator& g, Tensor* bytes);

}  // namespace TH_VISIBLE

#endif
