#ifndef TH_CPU_KERNELS_WIDE_SUMS_H
#define TH_CPU_KERNELS_WIDE_SUMS_H

// Sums in double of float or double elements, or of the products of two operands' elements.
// Compilers vectorize plain loops badly: they convert whole vectors, which takes more than twice as
// long as converting halves, and execute additions on the same units as conversions. The product of
// two floats is exact in double, so fused multiply-add gives the same result on other units. A sum
// of floats is a sum of products with 1.

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "cpu/kernels/prefetch.h"

namespace th {
namespace {

#ifdef __AVX2__
constexpr int64_t kDoubles = 4;
#else
constexpr int64_t kDoubles = 2;
#endif
typedef double Doubles __attribute__((vector_size(kDoubles * sizeof(double))));
typedef float Floats __attribute__((vector_size(kDoubles * sizeof(float))));

inline Doubles load_doubles(const double* x) {
  Doubles v;
  std::memcpy(&v, x, sizeof(v));
  return v;
}
inline Doubles load_doubles(const float* x) {
  Floats v;
  std::memcpy(&v, x, sizeof(v));
#ifdef __AVX2__
  return _mm256_cvtps_pd(v);
#else
  return __builtin_convertvector(v, Doubles);
#endif
}
// Adds x, or x * y, to a sum.
template <class T>
class Adder {
 public:
  static constexpr T kNone = 0;

#ifdef __FMA__
  // Hides from the compiler that one_ is 1; it would drop the multiplication otherwise.
  Adder() { asm("" : "+x"(one_)); }
#endif
  Doubles operator()(Doubles sum, Doubles x) const {
#ifdef __FMA__
    if constexpr (std::is_same_v<T, float>) return _mm256_fmadd_pd(one_, x, sum);
#endif
    return sum + x;
  }
  Doubles operator()(Doubles sum, Doubles x, Doubles y) const {
#ifdef __FMA__
    if constexpr (std::is_same_v<T, float>) return _mm256_fmadd_pd(x, y, sum);
#endif
    return sum + x * y;
  }
  template <class V>
  static V both(V a, V b) {
    return a + b;
  }

 private:
#ifdef __FMA__
  Doubles one_ = {1, 1, 1, 1};
#endif
};

template <class T>
struct Multiplier {
  static constexpr T kNone = 1;
  Doubles operator()(Doubles product, Doubles x) const { return product * x; }
  template <class V>
  static V both(V a, V b) {
    return a * b;
  }
};

// The sum or product of a run in kLanes lanes. Written without loops, because compilers would keep
// the lanes in memory instead of registers.
template <class T, template <class> class Op = Adder>
class Run {
 public:
  static constexpr int64_t kLanes = 32;

  // n must be a multiple of kLanes, except in the last call.
  template <class... X>
  void take(int64_t n, const X*... x) {
    take_ahead(n, 0, x...);
  }
  // Prefetches elements `ahead` bytes after those that it takes, if this is not 0.
  template <class... X>
  void take_ahead(int64_t n, int64_t ahead, const X*... x) {
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      if (ahead) (prefetch_lines<kLanes>(x + i, ahead), ...);
      take_lanes(Parts(), x + i...);
    }
    // The unused lanes add 0, which changes nothing, because no lane's sum is -0.
    if (i < n) take_lanes(Parts(), Rest(x + i, n - i).element...);
  }

  // Combines the lanes pairwise, by halves.
  double total() {
    halve<kParts / 2>();
    double lane[kDoubles];
    std::memcpy(lane, part_, sizeof(lane));
    for (int64_t half = kDoubles / 2; half > 0; half /= 2) {
      for (int64_t k = 0; k < half; ++k) lane[k] = Op<T>::both(lane[k], lane[k + half]);
    }
    return lane[0];
  }

 private:
  static constexpr size_t kParts = kLanes / kDoubles;
  using Parts = std::make_index_sequence<kParts>;

  struct Rest {
    T element[kLanes];
    Rest(const T* x, int64_t n) {
      for (T& e : element) e = Op<T>::kNone;
      std::memcpy(element, x, static_cast<size_t>(n) * sizeof(T));
    }
  };

  template <size_t... K, class... X>
  void take_lanes(std::index_sequence<K...>, const X*... x) {
    (take_part<K>(x...), ...);
  }
  template <size_t k, class... X>
  void take_part(const X*... x) {
    part_[k] = op_(part_[k], load_doubles(x + k * kDoubles)...);
  }

  template <size_t half>
  void halve() {
    put_together(std::make_index_sequence<half>());
    if constexpr (half > 1) halve<half / 2>();
  }
  template <size_t... K>
  void put_together(std::index_sequence<K...>) {
    ((part_[K] = Op<T>::both(part_[K], part_[K + sizeof...(K)])), ...);
  }

  template <size_t... K>
  explicit Run(std::index_sequence<K...>) : part_{none(K)...} {}
  static Doubles none(size_t) { return Doubles{} + static_cast<double>(Op<T>::kNone); }

  Doubles part_[kParts];
  Op<T> op_;

 public:
  Run() : Run(Parts()) {}
};

// Adds the columns of n rows, step apart, to sum, one cache line at a time. Prefetches the next
// rows meanwhile, which hardware does not do well for this pattern.
template <int rows, class T, class... X>
inline void add_columns(int64_t n, int64_t step, int64_t width, double* sum, const T* x,
                        const X*... y) {
  constexpr int64_t line = 64 / sizeof(T);
  Adder<T> add;
  auto add_some = [&](int64_t j) {
    Doubles columns = load_doubles(sum + j);
#pragma GCC unroll 4
    for (int k = 0; k < rows; ++k) {
      columns = add(columns, load_doubles(x + k * step + j), load_doubles(y + k * step + j)...);
    }
    std::memcpy(sum + j, &columns, sizeof(columns));
  };
  for (; n >= rows; n -= rows) {
    int64_t j = 0;
    for (; j + line <= width; j += line) {
#pragma GCC unroll 8
      for (int64_t k = 0; k < line; k += kDoubles) add_some(j + k);
#pragma GCC unroll 4
      for (int k = rows; k < 2 * rows; ++k) __builtin_prefetch(x + k * step + j);
    }
    for (; j + kDoubles <= width; j += kDoubles) add_some(j);
    for (; j < width; ++j) {
      for (int k = 0; k < rows; ++k) {
        sum[j] +=
            (static_cast<double>(x[k * step + j]) * ... * static_cast<double>(y[k * step + j]));
      }
    }
    x += rows * step;
    ((y += rows * step), ...);
  }
  if constexpr (rows > 1) add_columns<1>(n, step, width, sum, x, y...);
}

}  // namespace
}  // namespace th

#endif
