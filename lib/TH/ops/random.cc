// Tensors of random numbers: each element in order takes its words from the one generator, so that
// the stream is the same for every layout and number of threads. The words are made in blocks on
// this thread; what is computed of them may be shared out. On devices: random_device.cc.

#include <algorithm>
#include <cmath>
#include <limits>

#include "cpu/iterator.h"
#include "cpu/parallel.h"
#include "memory/error.h"
#include "ops/buffer.h"
#include "ops/distributions.h"
#include "ops/elementwise.h"
#include "ops/generator.h"
#include "ops/on_device.h"
#include "ops/ops.h"
#include "ops/random_device.h"
#include "tensor/convert.h"

namespace th {

namespace {

// Elements at a time: what is cheap stays in the cache; what is costly is worth sharing out.
constexpr int64_t kCheapBlock = 8192;
constexpr int64_t kCostlyBlock = int64_t{1} << 20;

Iterator walk_in_order(const Tensor& r, char* data) {
  Iterator iterator(r.nDimension, r.size);
  iterator.add(data, item_size(r.dtype), r.stride);
  iterator.plan(true);
  return iterator;
}

// Fills r by block(T* values, n) for its elements in order, at most `most` at a time.
template <class T, class Block>
void fill_in_blocks(Tensor* r, int64_t most, const Block& block) {
  int64_t numel = r->numel();
  if (numel == 0) return;
  T* data = r->data_as<T>(access_for_result(*r));
  if (is_contiguous(*r)) {
    for (int64_t i = 0; i < numel; i += most) block(data + i, std::min(most, numel - i));
    return;
  }
  Buffer<T> values(std::min(most, numel));
  Iterator iterator = walk_in_order(*r, reinterpret_cast<char*>(data));
  for (int64_t i = 0; i < numel; i += most) {
    int64_t n = std::min(most, numel - i);
    block(values.data(), n);
    const T* next = values.data();
    iterator.for_each_run(i, i + n, [&](char* const* to, const int64_t* stride, int64_t count) {
      for (int64_t k = 0; k < count; ++k) *reinterpret_cast<T*>(to[0] + k * stride[0]) = *next++;
    });
  }
}

// Every element is f(word), converted.
template <class T, class F>
void fill_by_word(Tensor* r, Generator* g, const F& f) {
  uint32_t word[kCheapBlock];
  fill_in_blocks<T>(r, kCheapBlock, [&](T* out, int64_t n) {
    g->words(word, n);
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) out[i] = convert<T>(f(word[i]));
  });
}

// The same for an f that takes long.
template <class T, class F>
void fill_by_costly(Tensor* r, Generator* g, const F& f) {
  Buffer<uint32_t> words(std::min(kCostlyBlock, r->numel()));
  const uint32_t* word = words.data();
  fill_in_blocks<T>(r, kCostlyBlock, [&](T* out, int64_t n) {
    g->words(words.data(), n);
    parallel_for(n, Grain::costly, [=](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) out[i] = convert<T>(f(word[i]));
    });
  });
}

void check_floating(const char* op, const Tensor& r) {
  if (is_integral(r.dtype)) fail("%s is not defined for a %sTensor", op, name(r.dtype));
}

// f(T()) for the floating-point types.
template <class F>
void dispatch_floating(const Tensor& r, const F& f) {
  dispatch(r.dtype, [&](auto zero) {
    if constexpr (!std::is_integral_v<decltype(zero)>) f(zero);
  });
}

// f of values that are normally distributed with mean 0 and deviation 1.
template <class T, class F>
void fill_by_normal(Tensor* r, Generator* g, const F& f) {
  Buffer<uint32_t> words(std::min(kCostlyBlock, r->numel() + 1));
  const uint32_t* word = words.data();
  fill_in_blocks<T>(r, kCostlyBlock, [&](T* out, int64_t n) {
    if (g->normal_kept) {
      *out++ = convert<T>(f(g->normal()));
      --n;
    }
    int64_t pairs = n / 2;
    if (pairs > 0) g->begin_pair();
    g->words(words.data(), 2 * pairs);
    parallel_for(pairs, Grain::costly / 2, [=](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        double angle = normal_angle(unit_of(word[2 * i]));
        double radius = normal_radius(unit_of(word[2 * i + 1]));
        out[2 * i] = convert<T>(f(radius * std::cos(angle)));
        out[2 * i + 1] = convert<T>(f(radius * std::sin(angle)));
      }
    });
    if (pairs > 0) g->set_pair(word[2 * pairs - 2], word[2 * pairs - 1]);
    if (n % 2) out[n - 1] = convert<T>(f(g->normal()));
  });
}

// Integers counted from first on; range 0 stands for 2^64.
void fill_integers(Tensor* r, Generator* g, int64_t first, uint64_t range) {
  if (fill_integers_on_device(r, g, first, range)) return;
  constexpr uint64_t kWordRange = uint64_t{1} << 32;
  auto base = static_cast<uint64_t>(first);
  dispatch(r->dtype, [&](auto zero) {
    using T = decltype(zero);
    if (range == 0 || range > kWordRange) {
      fill_in_blocks<T>(r, kCheapBlock, [&](T* out, int64_t n) {
        for (int64_t i = 0; i < n; ++i) {
          out[i] = convert<T>(static_cast<int64_t>(base + g->below(range)));
        }
      });
    } else if (range == kWordRange) {
      fill_by_word<T>(r, g, [=](uint32_t w) { return static_cast<int64_t>(base + w); });
    } else {
      auto divisor = static_cast<uint32_t>(range);
      fill_by_word<T>(r, g, [=](uint32_t w) { return static_cast<int64_t>(base + w % divisor); });
    }
  });
}

// The largest integer up to which an element type has all.
int64_t largest_exact(DType type) {
  return dispatch(type, [](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, Half>) {
      return int64_t{1} << 11;
    } else if constexpr (std::is_same_v<T, BFloat16>) {
      return int64_t{1} << 8;
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<int64_t>(std::numeric_limits<T>::max());
    } else {
      return int64_t{1} << std::numeric_limits<T>::digits;
    }
  });
}

}  // namespace

namespace ops {

void random(Tensor* r, Generator* g) {
  // One word for each element, as in Torch7: the wider types get 32 random bits.
  uint64_t range = static_cast<uint64_t>(largest_exact(r->dtype)) + 1;
  fill_integers(r, g, 0, std::min(range, uint64_t{1} << 32));
}

void cappedRandom(Tensor* r, Generator* g, int64_t max) {
  if (max < 1) {
    fail_argument(3, "max must be positive, got %lld", static_cast<long long>(max));
  }
  fill_integers(r, g, 1, static_cast<uint64_t>(max));
}

void clampedRandom(Tensor* r, Generator* g, int64_t min, int64_t max) {
  if (max < min) {
    fail_argument(4, "max must not be less than min, got %lld and %lld",
                  static_cast<long long>(max), static_cast<long long>(min));
  }
  fill_integers(r, g, min, static_cast<uint64_t>(max) - static_cast<uint64_t>(min) + 1);
}

void uniform(Tensor* r, Generator* g, double a, double b) {
  check_floating("uniform", *r);
  if (fill_on_device(r, g, Distribution::uniform, a, b)) return;
  dispatch_floating(*r, [&](auto zero) {
    fill_by_word<decltype(zero)>(r, g, [=](uint32_t w) { return uniform_of(unit_of(w), a, b); });
  });
}

void normal(Tensor* r, Generator* g, double mean, double deviation) {
  check_deviation(deviation, 4);
  check_floating("normal", *r);
  if (fill_on_device(r, g, Distribution::normal, mean, deviation)) return;
  dispatch_floating(*r, [&](auto zero) {
    fill_by_normal<decltype(zero)>(r, g, [=](double z) { return z * deviation + mean; });
  });
}

void exponential(Tensor* r, Generator* g, double lambda) {
  check_lambda(lambda, 3);
  check_floating("exponential", *r);
  if (fill_on_device(r, g, Distribution::exponential, lambda)) return;
  dispatch_floating(*r, [&](auto zero) {
    fill_by_costly<decltype(zero)>(r, g,
                                   [=](uint32_t w) { return exponential_of(unit_of(w), lambda); });
  });
}

void cauchy(Tensor* r, Generator* g, double median, double sigma) {
  check_floating("cauchy", *r);
  if (fill_on_device(r, g, Distribution::cauchy, median, sigma)) return;
  dispatch_floating(*r, [&](auto zero) {
    fill_by_costly<decltype(zero)>(
        r, g, [=](uint32_t w) { return cauchy_of(unit_of(w), median, sigma); });
  });
}

void logNormal(Tensor* r, Generator* g, double mean, double deviation) {
  check_deviation(deviation, 4);
  check_floating("logNormal", *r);
  if (fill_on_device(r, g, Distribution::log_normal, mean, deviation)) return;
  dispatch_floating(*r, [&](auto zero) {
    fill_by_normal<decltype(zero)>(r, g, [=](double z) { return std::exp(z * deviation + mean); });
  });
}

void geometric(Tensor* r, Generator* g, double p) {
  check_geometric(p, 3);
  if (fill_on_device(r, g, Distribution::geometric, p)) return;
  dispatch(r->dtype, [&](auto zero) {
    fill_by_costly<decltype(zero)>(r, g, [=](uint32_t w) { return geometric_of(unit_of(w), p); });
  });
}

void bernoulli(Tensor* r, Generator* g, double p) {
  check_bernoulli(p, 3);
  if (fill_on_device(r, g, Distribution::bernoulli, p)) return;
  dispatch(r->dtype, [&](auto zero) {
    fill_by_word<decltype(zero)>(
        r, g, [=](uint32_t w) { return static_cast<int>(bernoulli_of(unit_of(w), p)); });
  });
}

void rand(Tensor* r, Generator* g, Sizes sizes) {
  resize(r, sizes.ndim, sizes.size);
  uniform(r, g, 0, 1);
}

void randn(Tensor* r, Generator* g, Sizes sizes) {
  resize(r, sizes.ndim, sizes.size);
  normal(r, g, 0, 1);
}

void randperm(Tensor* r, Generator* g, int64_t n) {
  if (n < 0) fail_argument(3, "n must not be negative, got %lld", static_cast<long long>(n));
  if (n > largest_exact(r->dtype)) {
    fail_argument(3, "a %sTensor does not hold all integers up to %lld", name(r->dtype),
                  static_cast<long long>(n));
  }
  resize(r, 1, &n);
  if (n == 0) return;
  if (g->kind == GeneratorKind::philox || device_of({r})) return permute_by_keys(r, g);
  dispatch(r->dtype, [&](auto zero) {
    using T = decltype(zero);
    T* data = r->data_as<T>(access_for_result(*r));
    int64_t stride = r->stride[0];
    for (int64_t i = 0; i < n; ++i) data[i * stride] = convert<T>(i + TH_INDEX_BASE);
    for (int64_t i = 0; i < n - 1; ++i) {
      auto other = i + static_cast<int64_t>(g->below(static_cast<uint64_t>(n - i)));
      std::swap(data[i * stride], data[other * stride]);
    }
  });
}

}  // namespace ops
}  // namespace th
