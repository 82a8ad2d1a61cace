// Random numbers. The elements take words from the generator in order, so the results do not depend
// on the number of threads. The words are generated in blocks on this thread; computing the
// elements from them may be parallel.

#include <algorithm>
#include <cmath>
#include <utility>

#include "THGeneral.h"
#include "backend/cpu_backend.h"
#include "cpu/kernels/random_vectors.h"
#include "cpu/parallel.h"
#include "cpu/random_words.h"
#include "cpu/workspace.h"
#include "functors/distributions.h"
#include "random/generator.h"
#include "tensor/convert.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

// Block sizes in elements: cheap blocks stay in the cache; costly blocks are divided among threads.
constexpr int64_t kCheapBlock = 8192;
constexpr int64_t kCostlyBlock = int64_t{1} << 18;
constexpr int64_t kVectorBlock = 512;

// Calls block(T* values, n) for all elements in order, at most `most` at a time.
template <class T, class Block>
void fill_in_blocks(const RandomCall& call, int64_t most, const Block& block) {
  T* out = reinterpret_cast<T*>(call.out);
  for (int64_t i = 0; i < call.n; i += most) block(out + i, std::min(most, call.n - i));
}

// Computes each element as f(word).
template <class T, class F>
void fill_by_word(const RandomCall& call, const F& f) {
  uint32_t word[kCheapBlock];
  fill_in_blocks<T>(call, kCheapBlock, [&](T* out, int64_t n) {
    call.generator->words(word, n);
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) out[i] = convert<T>(f(word[i]));
  });
}

// The same for an expensive f.
template <class T, class F>
void fill_by_costly(const RandomCall& call, const F& f) {
  Workspace<uint32_t> words(std::min(kCostlyBlock, call.n));
  const uint32_t* word = words.data();
  fill_in_blocks<T>(call, kCostlyBlock, [&](T* out, int64_t n) {
    random_words(*call.generator, words.data(), n);
    parallel_for(n, Grain::costly, [=](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) out[i] = convert<T>(f(word[i]));
    });
  });
}

// True for types narrower than double: most results of the vector functions round to the same value
// as the exact ones; the others are recomputed.
template <class T>
constexpr bool kByVectors = sizeof(T) < sizeof(double);

// out[k] = f(z[k]) for a monotone f, where z[k] is an approximation of exact(k).
template <class T, class F, class Exact>
void round_vectors(const double* z, int64_t n, T* out, const F& f, const Exact& exact) {
  int unsure = 0;
  alignas(64) T other[kVectorBlock];
#pragma omp simd reduction(| : unsure)
  for (int64_t k = 0; k < n; ++k) {
    const double error = std::fabs(z[k]) * TH_ISA::kVectorError;
    out[k] = convert<T>(f(z[k] - error));
    other[k] = convert<T>(f(z[k] + error));
    unsure |= load(out[k]) != load(other[k]);
  }
  if (!unsure) return;
  for (int64_t k = 0; k < n; ++k) {
    if (load(out[k]) != load(other[k])) out[k] = convert<T>(f(exact(k)));
  }
}

template <class T, bool vectors, class F>
void normal_pairs(const uint32_t* word, int64_t pairs, T* out, const F& f) {
  auto angle = [=](int64_t i) { return normal_angle(unit_of(word[2 * i])); };
  auto radius = [=](int64_t i) { return normal_radius(unit_of(word[2 * i + 1])); };
  if constexpr (vectors) {
    double z[kVectorBlock];
    for (int64_t i = 0; i < pairs; i += kVectorBlock / 2) {
      const int64_t m = std::min(kVectorBlock / 2, pairs - i);
      TH_ISA::normal_vectors(word + 2 * i, m, z);
      round_vectors(z, 2 * m, out + 2 * i, f, [=](int64_t k) {
        int64_t pair = i + k / 2;
        return radius(pair) * (k % 2 ? std::sin(angle(pair)) : std::cos(angle(pair)));
      });
    }
  } else {
    for (int64_t i = 0; i < pairs; ++i) {
      double r = radius(i), x = angle(i);
      out[2 * i] = convert<T>(f(r * std::cos(x)));
      out[2 * i + 1] = convert<T>(f(r * std::sin(x)));
    }
  }
}

// Computes f of standard normal values. Uses vector functions only if f is monotone to the last
// bit.
template <class T, bool vectors, class F>
void fill_by_normal(const RandomCall& call, const F& f) {
  Generator* g = call.generator;
  Workspace<uint32_t> words(std::min(kCostlyBlock, call.n + 1));
  const uint32_t* word = words.data();
  fill_in_blocks<T>(call, kCostlyBlock, [&](T* out, int64_t n) {
    if (g->normal_kept) {
      *out++ = convert<T>(f(g->normal()));
      --n;
    }
    int64_t pairs = n / 2;
    if (pairs > 0) g->begin_pair();
    random_words(*g, words.data(), 2 * pairs);
    parallel_for(pairs, Grain::costly / 2, [=](int64_t begin, int64_t end) {
      normal_pairs<T, vectors>(word + 2 * begin, end - begin, out + 2 * begin, f);
    });
    if (pairs > 0) g->set_pair(word[2 * pairs - 2], word[2 * pairs - 1]);
    if (n % 2) out[n - 1] = convert<T>(f(g->normal()));
  });
}

template <class T>
void fill_exponential(const RandomCall& call) {
  const double lambda = call.a;
  if constexpr (!kByVectors<T>) {
    return fill_by_costly<T>(call, [=](uint32_t w) { return exponential_of(unit_of(w), lambda); });
  }
  auto f = [=](double logarithm) { return exponential_of_log(logarithm, lambda); };
  Workspace<uint32_t> words(std::min(kCostlyBlock, call.n));
  const uint32_t* word = words.data();
  fill_in_blocks<T>(call, kCostlyBlock, [&](T* out, int64_t n) {
    random_words(*call.generator, words.data(), n);
    parallel_for(n, Grain::costly, [=](int64_t begin, int64_t end) {
      double z[kVectorBlock];
      for (int64_t i = begin; i < end; i += kVectorBlock) {
        const int64_t m = std::min(kVectorBlock, end - i);
        TH_ISA::log_vectors(word + i, m, z);
        round_vectors(z, m, out + i, f,
                      [=](int64_t k) { return log_of_rest(unit_of(word[i + k])); });
      }
    });
  });
}

template <class T>
void fill_integers(const RandomCall& call) {
  constexpr uint64_t kWordRange = uint64_t{1} << 32;
  auto base = static_cast<uint64_t>(call.first);
  uint64_t range = call.range;
  if (range == 0 || range > kWordRange) {
    fill_in_blocks<T>(call, kCheapBlock, [&](T* out, int64_t n) {
      for (int64_t i = 0; i < n; ++i) {
        out[i] = convert<T>(static_cast<int64_t>(base + call.generator->below(range)));
      }
    });
  } else if (range == kWordRange) {
    fill_by_word<T>(call, [=](uint32_t w) { return static_cast<int64_t>(base + w); });
  } else {
    auto divisor = static_cast<uint32_t>(range);
    fill_by_word<T>(call, [=](uint32_t w) { return static_cast<int64_t>(base + w % divisor); });
  }
}

// Fisher-Yates shuffle, from the front.
template <class T>
void permute(const RandomCall& call) {
  T* out = reinterpret_cast<T*>(call.out);
  for (int64_t i = 0; i < call.n; ++i) out[i] = convert<T>(i + TH_INDEX_BASE);
  // Draw some positions in advance and prefetch them, to hide memory latency.
  constexpr int64_t most = 64;
  int64_t other[most];
  for (int64_t first = 0; first < call.n - 1; first += most) {
    const int64_t count = std::min(most, call.n - 1 - first);
    for (int64_t k = 0; k < count; ++k) {
      const int64_t i = first + k;
      other[k] = i + static_cast<int64_t>(call.generator->below(static_cast<uint64_t>(call.n - i)));
      __builtin_prefetch(out + other[k], 1);
    }
    for (int64_t k = 0; k < count; ++k) std::swap(out[first + k], out[other[k]]);
  }
}

template <class T>
void fill_reals(const RandomCall& call) {
  double a = call.a, b = call.b;
  switch (call.distribution) {
    case Distribution::uniform:
      return fill_by_word<T>(call, [=](uint32_t w) { return uniform_of(unit_of(w), a, b); });
    case Distribution::normal:
      return fill_by_normal<T, kByVectors<T>>(call, [=](double z) { return z * b + a; });
    case Distribution::log_normal:
      return fill_by_normal<T, false>(call, [=](double z) { return std::exp(z * b + a); });
    case Distribution::exponential:
      return fill_exponential<T>(call);
    case Distribution::cauchy:
      return fill_by_costly<T>(call, [=](uint32_t w) { return cauchy_of(unit_of(w), a, b); });
    default:
      return;
  }
}

template <class T>
void fill_any(const RandomCall& call) {
  double p = call.a;
  switch (call.distribution) {
    case Distribution::integer:
      return fill_integers<T>(call);
    case Distribution::geometric:
      return fill_by_costly<T>(call, [=](uint32_t w) { return geometric_of(unit_of(w), p); });
    case Distribution::bernoulli:
      return fill_by_word<T>(
          call, [=](uint32_t w) { return static_cast<int>(bernoulli_of(unit_of(w), p)); });
    case Distribution::permutation:
      return permute<T>(call);
    default:
      if constexpr (!std::is_integral_v<T>) fill_reals<T>(call);
  }
}

template <class T, class P>
void draw(const BernoulliCall& call) {
  auto* p = reinterpret_cast<const P*>(call.p);
  T* out = reinterpret_cast<T*>(call.out);
  uint32_t word[kCheapBlock];
  for (int64_t i = 0; i < call.n; i += kCheapBlock) {
    int64_t m = std::min(kCheapBlock, call.n - i);
    call.generator->words(word, m);
    for (int64_t k = 0; k < m; ++k) {
      out[i + k] = convert<T>(static_cast<int>(bernoulli_of(unit_of(word[k]), p[i + k])));
    }
  }
}

}  // namespace

namespace TH_ISA {

void run_random(const RandomCall& call) {
  dispatch(call.dtype, [&](auto zero) { fill_any<decltype(zero)>(call); });
}

void run_bernoulli(const BernoulliCall& call) {
  dispatch(call.dtype, [&](auto zero) {
    using T = decltype(zero);
    if (call.p_dtype == DType::Float) {
      draw<T, float>(call);
    } else {
      draw<T, double>(call);
    }
  });
}

}  // namespace TH_ISA
}  // namespace th
