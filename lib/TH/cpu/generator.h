#ifndef TH_CPU_GENERATOR_H
#define TH_CPU_GENERATOR_H

#include <cstdint>

#include "memory/visibility.h"

namespace th TH_VISIBLE {

struct PhiloxPlace;

enum class GeneratorKind : uint32_t { mt19937, philox };

// "mt19937", "philox"
const char* name(GeneratorKind kind);
// Throws where there is no such kind.
GeneratorKind generator_kind(const char* name);

// A stream of random words, of the 32-bit Mersenne Twister MT19937 (Matsumoto and Nishimura 1998)
// or of Philox, and the half of a pair of normal values that was not asked for yet. What is filled
// on a device is always Philox's: in the stream of a Philox generator, or, for MT19937, in streams
// of the initial seed's, a new one for each fill. For one thread at a time.
struct Generator {
  static constexpr int kWords = 624;
  // Just seeded: as used up as after kWords words, but known to be so to Torch7's files.
  static constexpr uint32_t kFresh = kWords + 1;

  GeneratorKind kind = GeneratorKind::mt19937;
  uint64_t initial_seed;  // Philox: the key
  uint64_t offset;        // Philox: words given out already
  uint64_t fills;         // MT19937: fills on devices, the next one's stream

  // Of MT19937.
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
    if (kind == GeneratorKind::philox) return next_of_philox();
    if (used >= kWords) refill();
    return tempered[used++];
  }
  // The next n words.
  void words(uint32_t* out, int64_t n);
  // Philox: the next two words will be of one block.
  void begin_pair();
  // 64 random bits, the first word the higher.
  uint64_t word64() {
    begin_pair();
    uint64_t high = word();
    return high << 32 | word();
  }
  // Uniform on [0, 1), by 32 random bits.
  double unit() { return word() * (1.0 / 4294967296.0); }
  // Uniform on 0 ... range - 1; range 0 stands for 2^64.
  uint64_t below(uint64_t range);
  // Normal with mean 0 and deviation 1.
  double normal();
  // The pair of normal values that the last two words make.
  void set_pair(uint32_t x, uint32_t y);
  double first_of_pair() const;
  double second_of_pair() const;

  // The place of the next `words` words for a device, which are then used up.
  PhiloxPlace take(uint64_t words);

  uint32_t next_of_philox();
  void refill();
  void temper();  // tempered, from state
  bool valid() const { return used <= kFresh && kind <= GeneratorKind::philox; }
};

// Seeds, MT19937 by the low 32 bits, and forgets the kept normal value. The kind stays.
void seed(Generator& g, uint64_t seed);
// From the system's source of randomness; a seed that a Lua number holds exactly.
uint64_t seed_by_system(Generator& g);
// g becomes of that kind, seeded by its initial seed; nothing happens where it is already.
void set_kind(Generator& g, GeneratorKind kind);

}  // namespace TH_VISIBLE

#endif
