#include "random/generator.h"

#include <unistd.h>
#if defined(__APPLE__)
#include <sys/random.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/error.h"
#include "functors/distributions.h"
#include "functors/philox.h"

namespace th {

namespace {

constexpr int kShift = 397;

inline uint32_t twist(uint32_t high, uint32_t low) {
  uint32_t y = (high & 0x80000000u) | (low & 0x7fffffffu);
  return (y >> 1) ^ ((low & 1u) ? 0x9908b0dfu : 0u);
}

}  // namespace

void philox_words(uint64_t key, uint64_t offset, uint32_t* out, int64_t n) {
  for (; n > 0 && offset % 4 != 0; --n) *out++ = philox_word({key, 0, offset++});
  for (; n >= 4; n -= 4, out += 4, offset += 4) {
    PhiloxBlock block = philox_block(key, 0, offset / 4);
    std::memcpy(out, block.word, sizeof(block.word));
  }
  for (; n > 0; --n) *out++ = philox_word({key, 0, offset++});
}

void Generator::refill() {
  constexpr int back = Generator::kWords - kShift;
  uint32_t old[Generator::kWords];
  std::memcpy(old, state, sizeof(old));
#pragma omp simd
  for (int i = 0; i < back; ++i) state[i] = old[i + kShift] ^ twist(old[i], old[i + 1]);
#pragma omp simd safelen(64)
  for (int i = back; i < Generator::kWords - 1; ++i)
    state[i] = state[i - back] ^ twist(old[i], old[i + 1]);
  state[Generator::kWords - 1] = state[kShift - 1] ^ twist(old[Generator::kWords - 1], state[0]);
  temper();
  used = 0;
}

void Generator::temper() {
#pragma omp simd
  for (int i = 0; i < Generator::kWords; ++i) {
    uint32_t y = state[i];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    y ^= y >> 18;
    tempered[i] = y;
  }
}

void Generator::begin_pair() { offset += offset & 1; }

uint32_t Generator::next_of_philox() { return philox_word({initial_seed, 0, offset++}); }

void Generator::words(uint32_t* out, int64_t n) {
  if (kind == GeneratorKind::philox) {
    philox_words(initial_seed, offset, out, n);
    offset += static_cast<uint64_t>(n);
    return;
  }
  while (n > 0) {
    if (used >= Generator::kWords) refill();
    int64_t count = std::min<int64_t>(n, Generator::kWords - used);
    std::memcpy(out, tempered + used, count * sizeof(uint32_t));
    used += static_cast<uint32_t>(count);
    out += count;
    n -= count;
  }
}

uint64_t Generator::below(uint64_t range) {
  if (range == 0) return word64();
  if (range > uint64_t{1} << 32) return word64() % range;
  return word() % range;
}

void Generator::set_pair(uint32_t x, uint32_t y) {
  normal_x = unit_of(x);
  normal_y = unit_of(y);
  normal_rho = normal_radius(normal_y);
}

double Generator::first_of_pair() const { return normal_rho * std::cos(normal_angle(normal_x)); }
double Generator::second_of_pair() const { return normal_rho * std::sin(normal_angle(normal_x)); }

double Generator::normal() {
  if (normal_kept) {
    normal_kept = false;
    return second_of_pair();
  }
  begin_pair();
  uint32_t x = word();
  set_pair(x, word());
  normal_kept = true;
  return first_of_pair();
}

PhiloxPosition Generator::take(uint64_t words) {
  if (kind == GeneratorKind::mt19937) return {initial_seed, fills++, 0};
  PhiloxPosition position = {initial_seed, 0, offset};
  offset += words;
  return position;
}

void seed(Generator& g, uint64_t seed) {
  GeneratorKind kind = g.kind;
  g = Generator{};
  g.kind = kind;
  g.initial_seed = seed;
  g.used = Generator::kFresh;
  if (kind == GeneratorKind::philox) return;
  g.state[0] = static_cast<uint32_t>(seed);
  for (uint32_t i = 1; i < Generator::kWords; ++i) {
    g.state[i] = 1812433253u * (g.state[i - 1] ^ (g.state[i - 1] >> 30)) + i;
  }
}

uint64_t seed_by_system(Generator& g) {
  uint64_t value;
  if (getentropy(&value, sizeof(value)) != 0) fail("the system returned no random seed");
  value >>= 11;
  seed(g, value);
  return value;
}

void set_kind(Generator& g, GeneratorKind kind) {
  if (g.kind == kind) return;
  g.kind = kind;
  seed(g, g.initial_seed);
}

const char* name(GeneratorKind kind) {
  return kind == GeneratorKind::philox ? "philox" : "mt19937";
}

GeneratorKind generator_kind(const char* text) {
  if (!text) text = "NULL";
  for (GeneratorKind kind : {GeneratorKind::mt19937, GeneratorKind::philox}) {
    if (!std::strcmp(text, name(kind))) return kind;
  }
  fail("unknown generator '%s': 'mt19937' or 'philox' is expected", text);
}

}  // namespace th
