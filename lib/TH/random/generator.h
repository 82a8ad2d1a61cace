#ifndef TH_RANDOM_GENERATOR_H
#define TH_RANDOM_GENERATOR_H

#include <cstdint>

#include "base/visibility.h"

namespace th TH_VISIBLE {

struct PhiloxPosition;

enum class GeneratorKind : uint32_t { mt19937, philox };

const char* name(GeneratorKind kind);
// Throws if the name is unknown.
GeneratorKind generator_kind(const char* name);

// A stream of 32-bit random words, from MT19937 (Matsumoto and Nishimura 1998) or Philox, and the
// second value of the last normal pair if it is unused. Fills on devices always use Philox: the
// stream of a Philox generator, or, for MT19937, streams derived from the initial seed, a new one
// for each fill. Not thread-safe.
struct Generator {
  static constexpr int kWords = 624;
  // Freshly seeded. All words count as used, as with kWords, but Torch7's files distinguish the
  // two.
  static constexpr uint32_t kFresh = kWords + 1;

  GeneratorKind kind = GeneratorKind::mt19937;
  uint64_t initial_seed;  // Philox: the key
  uint64_t offset;        // Philox: words used
  uint64_t fills;         // MT19937: number of fills on devices, which is the next stream

  // MT19937 only.
  uint32_t used;  // words of this state used
  uint32_t state[kWords];
  uint32_t tempered[kWords];  // output words of this state; valid unless used >= kWords

  // The last normal pair: sqrt(-2 log(1 - y)) * cos(2 pi x), and * sin(2 pi x) if normal_kept.
  double normal_x;
  double normal_y;
  double normal_rho;
  bool normal_kept;

  // Returns 32 random bits.
  uint32_t word() {
    if (kind == GeneratorKind::philox) return next_of_philox();
    if (used >= kWords) refill();
    return tempered[used++];
  }
  // Writes the next n words.
  void words(uint32_t* out, int64_t n);
  // Philox: advances so that the next two words come from the same block.
  void begin_pair();
  // Returns 64 random bits; the first word is the upper half.
  uint64_t word64() {
    begin_pair();
    uint64_t high = word();
    return high << 32 | word();
  }
  // Uniform on [0, 1) with 32 random bits.
  double unit() { return word() * (1.0 / 4294967296.0); }
  // Uniform on 0 ... range - 1. range 0 means 2^64.
  uint64_t below(uint64_t range);
  // Normal with mean 0 and standard deviation 1.
  double normal();
  // Sets the normal pair from two words.
  void set_pair(uint32_t x, uint32_t y);
  double first_of_pair() const;
  double second_of_pair() const;

  // Reserves the next `words` words for a device and returns their position.
  PhiloxPosition take(uint64_t words);

  uint32_t next_of_philox();
  void refill();
  void temper();  // computes tempered from state
  bool valid() const { return used <= kFresh && kind <= GeneratorKind::philox; }
};

// Seeds the generator (MT19937 uses the low 32 bits) and discards the kept normal value. The kind
// does not change.
void seed(Generator& g, uint64_t seed);
// Seeds from the system's source of randomness. Returns the seed, which a Lua number represents
// exactly.
uint64_t seed_by_system(Generator& g);
// Changes the kind of g and seeds it with its initial seed. Does nothing if g is of that kind
// already.
void set_kind(Generator& g, GeneratorKind kind);

// Writes n words of Philox's stream 0 of a key, starting at the word with this offset.
void philox_words(uint64_t key, uint64_t offset, uint32_t* out, int64_t n);

}  // namespace TH_VISIBLE

#endif
