// Random fills. One thread computes the elements of one block of words, so that an element depends
// only on its position in the stream.

#include <cmath>

#include "functors/philox.h"
#include "simt/launch.h"
#include "functors/distributions.h"
#include "tensor/convert.h"

namespace th {

namespace {

// Computes the values of a block of words: Value value[kValues].

template <class F, class V>
struct ByWord {
  using Value = V;
  static constexpr int kValues = 4;
  F f;
  __device__ void make(const PhiloxBlock& block, V* value) const {
    for (int k = 0; k < 4; ++k) value[k] = f(block.word[k]);
  }
};

struct Integer {
  int64_t first;
  uint64_t range;
  __device__ int64_t operator()(uint32_t word) const { return integer_of(word, first, range); }
};
// 32-bit division is much faster.
struct ShortInteger {
  int64_t first;
  uint32_t range;
  __device__ int64_t operator()(uint32_t word) const { return integer_of(word % range, first, 0); }
};
struct Uniform {
  double a, b;
  __device__ double operator()(uint32_t word) const { return uniform_of(unit_of(word), a, b); }
};
struct Exponential {
  double lambda;
  __device__ double operator()(uint32_t word) const {
    return exponential_of(unit_of(word), lambda);
  }
};
struct Cauchy {
  double median, sigma;
  __device__ double operator()(uint32_t word) const {
    return cauchy_of(unit_of(word), median, sigma);
  }
};
struct Geometric {
  double p;
  __device__ int64_t operator()(uint32_t word) const { return geometric_of(unit_of(word), p); }
};
struct Bernoulli {
  double p;
  __device__ int64_t operator()(uint32_t word) const { return bernoulli_of(unit_of(word), p); }
};

struct WideInteger {
  using Value = int64_t;
  static constexpr int kValues = 2;
  int64_t first;
  uint64_t range;
  __device__ void make(const PhiloxBlock& block, int64_t* value) const {
    for (int k = 0; k < 2; ++k) {
      uint64_t high = block.word[2 * k];
      value[k] = integer_of(high << 32 | block.word[2 * k + 1], first, range);
    }
  }
};

struct Normal {
  using Value = double;
  static constexpr int kValues = 4;
  double mean, deviation;
  __device__ void make(const PhiloxBlock& block, double* value) const {
    for (int k = 0; k < 4; k += 2) {
      double angle = normal_angle(unit_of(block.word[k]));
      double radius = normal_radius(unit_of(block.word[k + 1]));
      value[k] = radius * std::cos(angle) * deviation + mean;
      value[k + 1] = radius * std::sin(angle) * deviation + mean;
    }
  }
};
struct LogNormal {
  using Value = double;
  static constexpr int kValues = 4;
  Normal exponent;
  __device__ void make(const PhiloxBlock& block, double* value) const {
    exponent.make(block, value);
    for (int k = 0; k < 4; ++k) value[k] = std::exp(value[k]);
  }
};

// The blocks of a fill. Element i is value i + skipped, counted from the first block.
struct Blocks {
  uint64_t key, stream, first;
  int64_t count;
  int64_t skipped;
};

// A group of elements that is stored at once.
template <class T, int N>
struct alignas(sizeof(T) * N > 16 ? 16 : sizeof(T) * N) Group {
  T item[N];
};

template <class T, class Maker>
__global__ void fill_by_blocks(Maker maker, Blocks blocks, int64_t n, T* out) {
  constexpr int kValues = Maker::kValues;
  using Whole = Group<T, kValues>;
  int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t b = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; b < blocks.count;
       b += step) {
    typename Maker::Value value[kValues];
    maker.make(philox_block(blocks.key, blocks.stream, blocks.first + static_cast<uint64_t>(b)),
               value);
    int64_t i = b * kValues - blocks.skipped;
    if (i >= 0 && i + kValues <= n && reinterpret_cast<uintptr_t>(out + i) % alignof(Whole) == 0) {
      Whole whole;
      for (int k = 0; k < kValues; ++k) whole.item[k] = convert<T>(value[k]);
      *reinterpret_cast<Whole*>(out + i) = whole;
    } else {
      for (int k = 0; k < kValues; ++k) {
        if (i + k >= 0 && i + k < n) out[i + k] = convert<T>(value[k]);
      }
    }
  }
}

template <class T>
__global__ void put(double value, T* out) {
  if (threadIdx.x == 0) *out = convert<T>(value);
}

// words: the number of words for each value.
template <class T, class Maker>
void fill(Queue& queue, const RandomCall& call, const Maker& maker, int words = 1) {
  T* out = reinterpret_cast<T*>(call.out);
  int64_t n = call.n;
  if (call.has_first) {
    TH_LAUNCH(queue, (put<T>), 1, 32, 0, call.first_value, out);
    ++out;
    --n;
  }
  if (n == 0) return;
  constexpr int64_t kValues = Maker::kValues;
  Blocks blocks = {call.position.key, call.position.stream, call.position.offset / 4, 0,
                   static_cast<int64_t>(call.position.offset % 4) / words};
  blocks.count = (blocks.skipped + n + kValues - 1) / kValues;
  TH_LAUNCH(queue, (fill_by_blocks<T, Maker>), blocks_for(queue, blocks.count), kThreads, 0, maker,
            blocks, n, out);
}

template <class T, class F>
void fill_by_word(Queue& queue, const RandomCall& call, const F& f) {
  using Value = std::conditional_t<std::is_same_v<F, Uniform> || std::is_same_v<F, Exponential> ||
                                       std::is_same_v<F, Cauchy>,
                                   double, int64_t>;
  fill<T>(queue, call, ByWord<F, Value>{f});
}

template <class T>
void fill_any(Queue& queue, const RandomCall& call) {
  constexpr uint64_t kWordRange = uint64_t{1} << 32;
  switch (call.distribution) {
    case Distribution::integer:
      if (call.range == 0 || call.range > kWordRange) {
        return fill<T>(queue, call, WideInteger{call.first, call.range}, 2);
      }
      if (call.range == kWordRange) {
        return fill_by_word<T>(queue, call, Integer{call.first, call.range});
      }
      return fill_by_word<T>(queue, call,
                             ShortInteger{call.first, static_cast<uint32_t>(call.range)});
    case Distribution::geometric:
      return fill_by_word<T>(queue, call, Geometric{call.a});
    case Distribution::bernoulli:
      return fill_by_word<T>(queue, call, Bernoulli{call.a});
    default:
      break;
  }
  if constexpr (!std::is_integral_v<T>) {
    switch (call.distribution) {
      case Distribution::uniform:
        return fill_by_word<T>(queue, call, Uniform{call.a, call.b});
      case Distribution::normal:
        return fill<T>(queue, call, Normal{call.a, call.b});
      case Distribution::log_normal:
        return fill<T>(queue, call, LogNormal{{call.a, call.b}});
      case Distribution::exponential:
        return fill_by_word<T>(queue, call, Exponential{call.a});
      case Distribution::cauchy:
        return fill_by_word<T>(queue, call, Cauchy{call.a, call.b});
      default:
        break;
    }
  }
}

}  // namespace

void run_random(Queue& queue, const RandomCall& call) {
  if (call.n == 0) return;
  if (call.distribution == Distribution::permutation)
    fail_unsupported("permutations in sequential order");
  dispatch(call.dtype, [&](auto zero) { fill_any<decltype(zero)>(queue, call); });
}

}  // namespace th
