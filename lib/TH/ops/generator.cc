#include "ops/generator.h"

#include <unistd.h>
#if defined(__APPLE__)
#include <sys/random.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstring>

#include "memory/error.h"
#include "ops/distributions.h"
#include "ops/ops.h"
#include "tensor/tensor.h"

namespace th {

namespace {

constexpr int kWords = Generator::kWords;
constexpr int kShift = 397;

inline uint32_t twist(uint32_t high, uint32_t low) {
  uint32_t y = (high & 0x80000000u) | (low & 0x7fffffffu);
  return (y >> 1) ^ ((low & 1u) ? 0x9908b0dfu : 0u);
}

}  // namespace

void Generator::refill() {
  constexpr int back = kWords - kShift;
  uint32_t old[kWords];
  std::memcpy(old, state, sizeof(old));
#pragma omp simd
  for (int i = 0; i < back; ++i) state[i] = old[i + kShift] ^ twist(old[i], old[i + 1]);
#pragma omp simd safelen(64)
  for (int i = back; i < kWords - 1; ++i) state[i] = state[i - back] ^ twist(old[i], old[i + 1]);
  state[kWords - 1] = state[kShift - 1] ^ twist(old[kWords - 1], state[0]);
  temper();
  used = 0;
}

void Generator::temper() {
#pragma omp simd
  for (int i = 0; i < kWords; ++i) {
    uint32_t y = state[i];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    y ^= y >> 18;
    tempered[i] = y;
  }
}

void Generator::words(uint32_t* out, int64_t n) {
  while (n > 0) {
    if (used >= kWords) refill();
    int64_t count = std::min<int64_t>(n, kWords - used);
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

double Generator::normal() {
  if (normal_kept) {
    normal_kept = false;
    return normal_rho * std::sin(2. * kPi * normal_x);
  }
  normal_x = unit();
  normal_y = unit();
  normal_rho = normal_radius(normal_y);
  normal_kept = true;
  return normal_rho * std::cos(2. * kPi * normal_x);
}

void seed(Generator& g, uint64_t seed) {
  g = Generator{};
  g.initial_seed = seed;
  g.used = Generator::kFresh;
  g.state[0] = static_cast<uint32_t>(seed);
  for (uint32_t i = 1; i < kWords; ++i) {
    g.state[i] = 1812433253u * (g.state[i - 1] ^ (g.state[i - 1] >> 30)) + i;
  }
}

uint64_t seed_by_system(Generator& g) {
  uint64_t value;
  if (getentropy(&value, sizeof(value)) != 0) fail("the system gives no random seed");
  value >>= 11;
  seed(g, value);
  return value;
}

namespace {

// Offsets into the state's bytes.
constexpr int kSeedAt = 0;                        // uint64
constexpr int kLeftAt = 8;                        // int32: words left before the next refill, + 1
constexpr int kSeededAt = 12;                     // int32: 1
constexpr int kNextAt = 16;                       // uint64: words given out; 0 only when fresh
constexpr int kStateAt = 24;                      // uint64 each, of which the low half is used
constexpr int kNormalAt = kStateAt + 8 * kWords;  // x, y, rho: double
constexpr int kKeptAt = kNormalAt + 24;           // int32
constexpr int kStateBytes = kKeptAt + 8;          // padded

template <class T>
void put(unsigned char* bytes, int at, T value) {
  std::memcpy(bytes + at, &value, sizeof(value));
}
template <class T>
T get(const unsigned char* bytes, int at) {
  T value;
  std::memcpy(&value, bytes + at, sizeof(value));
  return value;
}

void check_byte_tensor(const Tensor& t) {
  if (t.dtype != DType::Byte) {
    fail("the state of a generator is a ByteTensor, not a %sTensor", name(t.dtype));
  }
}

}  // namespace

void generator_state(const Generator& g, Tensor* bytes) {
  check_byte_tensor(*bytes);
  unsigned char image[kStateBytes] = {};
  bool fresh = g.used == Generator::kFresh;
  put<uint64_t>(image, kSeedAt, g.initial_seed);
  put<int32_t>(image, kLeftAt, fresh ? 1 : kWords + 1 - static_cast<int32_t>(g.used));
  put<int32_t>(image, kSeededAt, 1);
  put<uint64_t>(image, kNextAt, fresh ? 0 : g.used);
  for (int i = 0; i < kWords; ++i) put<uint64_t>(image, kStateAt + 8 * i, g.state[i]);
  put<double>(image, kNormalAt, g.normal_x);
  put<double>(image, kNormalAt + 8, g.normal_y);
  put<double>(image, kNormalAt + 16, g.normal_rho);
  put<int32_t>(image, kKeptAt, g.normal_kept);

  int64_t size = kStateBytes;
  resize(bytes, 1, &size);
  auto* out = bytes->data_as<unsigned char>(Access::write);
  for (int i = 0; i < kStateBytes; ++i) out[i * bytes->stride[0]] = image[i];
}

void set_generator_state(Generator& g, Tensor* bytes) {
  check_byte_tensor(*bytes);
  if (bytes->numel() != kStateBytes) {
    fail_argument(2, "the state of a generator has %d bytes, got a tensor of size %s", kStateBytes,
                  shape_text(*bytes).c_str());
  }
  TensorRef whole = contiguous(bytes);
  auto* image = whole->data_as<unsigned char>(Access::read);
  auto left = get<int32_t>(image, kLeftAt);
  auto next = get<uint64_t>(image, kNextAt);
  auto kept = get<int32_t>(image, kKeptAt);
  bool fresh = left == 1 && next == 0;
  bool possible =
      fresh || (next >= 1 && next <= kWords && left == kWords + 1 - static_cast<int>(next));
  possible = possible && get<int32_t>(image, kSeededAt) == 1 && (kept == 0 || kept == 1);
  Generator loaded{};
  for (int i = 0; i < kWords; ++i) {
    auto word = get<uint64_t>(image, kStateAt + 8 * i);
    possible = possible && word >> 32 == 0;
    loaded.state[i] = static_cast<uint32_t>(word);
  }
  if (!possible) fail_argument(2, "these bytes are not the state of a generator");
  loaded.initial_seed = get<uint64_t>(image, kSeedAt);
  loaded.used = fresh ? Generator::kFresh : static_cast<uint32_t>(next);
  loaded.normal_x = get<double>(image, kNormalAt);
  loaded.normal_y = get<double>(image, kNormalAt + 8);
  loaded.normal_rho = get<double>(image, kNormalAt + 16);
  loaded.normal_kept = kept == 1;
  loaded.temper();
  g = loaded;
}

}  // namespace th
