// Products with weights of 8 bits. For few rows of x, a kernel converts the weights in registers.
// For more rows, weights are converted some rows at a time, and multiplied by products of matrices:
// of BFloat16, which holds the integers exactly, if the CPU has fast instructions for that.

#include "cpu/quantized_product.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "backend/cpu_backend.h"
#include "cpu/bfloat16_product.h"
#include "cpu/parallel.h"
#include "cpu/product.h"
#include "cpu/product_kernels.h"
#include "cpu/product_parts.h"
#include "cpu/team.h"
#include "cpu/workspace.h"
#include "tensor/convert.h"
#include "tensor/type_sets.h"

namespace th {

namespace {

// Copies a matrix with contiguous rows to contiguous elements of another type.
void copy_rows(DType from, const void* data, int64_t step, int64_t rows, int64_t cols, DType to,
               void* copy) {
  const int64_t size[] = {rows, cols}, packed[] = {cols, 1}, strides[] = {step, 1};
  CopyCall call;
  call.to = to;
  call.from = from;
  call.plan.start(2, size);
  call.plan.add(static_cast<char*>(copy), item_size(to), packed);
  call.plan.add(static_cast<char*>(const_cast<void*>(data)), item_size(from), strides);
  call.plan.plan();
  run_on_cpu(call);
}

// Writes x as the sum of `parts` BFloat16, `step` elements apart. Three hold all bits of a float,
// and two those of a Half.
void split(float x, int parts, BFloat16* to, int64_t step) {
  if (parts == 1 || !std::isfinite(x)) {
    for (int k = 0; k < parts; ++k) to[k * step] = convert<BFloat16>(k ? 0.0f : x);
    return;
  }
  for (int k = 0; k < parts; ++k) {
    uint32_t bits;
    std::memcpy(&bits, &x, sizeof(bits));
    to[k * step] = {static_cast<unsigned short>(bits >> 16)};
    x -= load(to[k * step]);
  }
}

template <class T>
class QuantizedProduct {
 public:
  explicit QuantizedProduct(const QuantizedProductCall& c)
      : c_(c), x_(reinterpret_cast<const T*>(c.x)), r_(reinterpret_cast<T*>(c.r)) {}

  void run() const {
    if constexpr (std::is_same_v<C, float>) {
      // Several parts pay if two of a Half do.
      const bool by_bfloat16 = bfloat16_product(kParts == 1 ? DType::BFloat16 : DType::Half);
      const int64_t most = product_kernels().most_quantized_rows;
      if (c_.m <= (by_bfloat16 ? std::min(kFewRows, most) : most)) return multiply_few_rows();
      if (by_bfloat16 && !has_tiny_elements()) return multiply_bfloat16();
    }
    multiply_blocks();
  }

 private:
  using C = typename Numeric<T>::Compute;
  static constexpr DType kCompute = DTypeOf<C>::value;
  static constexpr bool kIsReduced = !std::is_same_v<C, T>;
  // The number of BFloat16 whose sum is an element of x.
  static constexpr int kParts = std::is_same_v<T, BFloat16> ? 1 : std::is_same_v<T, Half> ? 2 : 3;
  // Rows up to which the kernel for few rows is faster than products of BFloat16.
  static constexpr int64_t kFewRows = 12;
  // Weights that are converted at a time, which stay in the cache until they are multiplied, and
  // the largest block of results.
  static constexpr int64_t kWeights = 1 << 19, kRows = 512, kCols = 2048;

  // All rows of x in the type C: x itself, or a copy in `copy`.
  const C* computed_x(const Workspace<C>& copy) const {
    if constexpr (kIsReduced) {
      copy_rows(c_.dtype, c_.x, c_.k, c_.m, c_.k, kCompute, copy.data());
      return copy.data();
    } else {
      return x_;
    }
  }
  int64_t copied() const { return kIsReduced ? c_.m * c_.k : 0; }

  // Instructions for BFloat16 replace subnormal numbers by 0. Parts of these elements are
  // subnormal; those of a Half are not.
  bool has_tiny_elements() const {
    if (std::is_same_v<T, Half>) return false;
    constexpr float kLeast = 0x1p-100f;
    for (int64_t i = 0; i < c_.m * c_.k; ++i) {
      const auto size = std::fabs(static_cast<float>(load(x_[i])));
      if (size < kLeast && size > 0) return true;
    }
    return false;
  }

  // r = sums * scales for rows x cols results, each of which is the sum of `parts` rows.
  template <int parts = 1>
  void finish(const C* sums, int64_t i0, int64_t rows, int64_t j0, int64_t cols) const {
    const float* scales = c_.scales + j0;
    for (int64_t i = 0; i < rows; ++i, sums += parts * cols) {
      T* to = r_ + (i0 + i) * c_.n + j0;
      for (int64_t j = 0; j < cols; ++j) {
        C sum = sums[(parts - 1) * cols + j];
        for (int k = parts - 2; k >= 0; --k) sum += sums[k * cols + j];
        to[j] = convert<T>(sum * static_cast<C>(scales[j]));
      }
    }
  }

  // A task computes the results of some rows of weights.
  void multiply_few_rows() const {
    constexpr int64_t kFewCols = 64, kCached = int64_t{1} << 20;
    const bool one_by_one = c_.m == 1 && c_.n * c_.k > kCached;
    const auto kernel = product_kernels().quantized_rows;
    const Workspace<C> copy(copied());
    const C* x = computed_x(copy);
    const int64_t cols = part_of(c_.n, std::max<int64_t>(16, kElementsPerThread / c_.k));
    parallel_for(ceil_div(c_.n, cols), Grain::cheap / (cols * c_.k) + 1,
                 [&](int64_t begin, int64_t end) {
                   float sums[kMostQuantizedRows * kFewCols];
                   const int64_t last = std::min(end * cols, c_.n);
                   for (int64_t j = begin * cols; j < last; j += kFewCols) {
                     const int64_t count = std::min(kFewCols, last - j);
                     kernel({c_.m, count, c_.k, x, c_.weight + j * c_.weight_row, c_.weight_row,
                             sums, one_by_one});
                     finish(sums, 0, c_.m, j, count);
                   }
                 });
  }

  // Some results at a time. Their sums are divided into parts, so that a block of weights has many
  // columns: each block copies the rows of x again.
  void multiply_blocks() const {
    const int64_t rows = std::min(c_.m, kRows), cols = std::min(c_.n, kCols);
    const int64_t depth = std::min(c_.k, kWeights / cols);
    const Workspace<C> copy(copied()), weights(cols * depth), sums(rows * cols);
    const C* x = computed_x(copy);
    for (int64_t i = 0; i < c_.m; i += rows) {
      for (int64_t j = 0; j < c_.n; j += cols) {
        const int64_t height = std::min(rows, c_.m - i), width = std::min(cols, c_.n - j);
        for (int64_t l = 0; l < c_.k; l += depth) {
          const int64_t part = std::min(depth, c_.k - l);
          copy_rows(DType::Char, c_.weight + j * c_.weight_row + l, c_.weight_row, width, part,
                    kCompute, weights.data());
          multiply_block(x + i * c_.k + l, height, l == 0, part, weights.data(), width,
                         sums.data());
        }
        parallel_for(height, Grain::cheap / width + 1, [&](int64_t begin, int64_t end) {
          finish(sums.data() + begin * width, i + begin, end - begin, j, width);
        });
      }
    }
  }

  void multiply_block(const C* x, int64_t rows, bool first, int64_t depth, C* weights, int64_t cols,
                      C* sums) const {
    ProductCall p;
    p.dtype = kCompute;
    p.batches = 1;
    p.m = rows;
    p.n = cols;
    p.k = depth;
    p.sum = p.tf32 = false;
    p.alpha = 1.0;
    p.beta = first ? 0.0 : 1.0;
    p.a = {reinterpret_cast<char*>(const_cast<C*>(x)), 0, c_.k, 1};
    p.b = {reinterpret_cast<char*>(weights), 0, 1, depth};
    p.c = {reinterpret_cast<char*>(sums), 0, cols, 1};
    multiply(p);
  }

  // Products of BFloat16, of blocks whose sums stay in the cache. A task computes the results of
  // some rows of weights.
  void multiply_bfloat16() const {
    constexpr int64_t kWidth = 128, kAlign = 64;
    const int64_t rows = std::min(c_.m, kRows), cols = std::min(c_.n, kWidth), k = c_.k;
    const Workspace<BFloat16> copy(kParts == 1 ? 0 : kParts * c_.m * k);
    const BFloat16* x = parts_of_x(copy);
    const BFloat16Sizes sizes = bfloat16_sizes(kParts * rows, cols, k, 1, 1);
    const int64_t of_sums = 4 * kParts * rows * cols, of_weights = 2 * cols * k;
    const int64_t bytes = ceil_div(sizes.bytes() + of_sums + of_weights, kAlign) * kAlign;
    const BFloat16Product kernel = bfloat16_product_to_float();
    const int64_t tasks = ceil_div(c_.n, cols);
    const Team team(tasks);
    const Workspace<char> memory(bytes * team.size());
    parallel_for(tasks, 1, [&](int64_t begin, int64_t end) {
      char* own = memory.data() + team.index() * bytes;
      auto* sums = reinterpret_cast<float*>(own + sizes.bytes());
      char* weights = own + sizes.bytes() + of_sums;
      for (int64_t j = begin * cols; j < std::min(end * cols, c_.n); j += cols) {
        const int64_t width = std::min(cols, c_.n - j);
        copy_rows(DType::Char, c_.weight + j * c_.weight_row, c_.weight_row, width, k,
                  DType::BFloat16, weights);
        for (int64_t i = 0; i < c_.m; i += rows) {
          const int64_t height = std::min(rows, c_.m - i);
          kernel({kParts * height, width, k, 1.0, 0.0,                                     //
                  reinterpret_cast<const char*>(x + kParts * i * k), k, 1, weights, 1, k,  //
                  reinterpret_cast<char*>(sums), width, 1},
                 {1, 0, 0}, sizes.depth, own);
          finish<kParts>(sums, i, height, j, width);
        }
      }
    });
  }
  // The parts of the rows of x, one after the other for each row.
  const BFloat16* parts_of_x(const Workspace<BFloat16>& copy) const {
    if constexpr (kParts == 1) {
      return x_;
    } else {
      const int64_t k = c_.k;
      parallel_for(c_.m, Grain::costly / k + 1, [&](int64_t begin, int64_t end) {
        for (int64_t at = begin * k; at < end * k; ++at) {
          split(static_cast<float>(load(x_[at])), kParts, &copy[at / k * kParts * k + at % k], k);
        }
      });
      return copy.data();
    }
  }

  const QuantizedProductCall& c_;
  const T* x_;
  T* r_;
};

}  // namespace

void multiply_quantized(const QuantizedProductCall& call) {
  dispatch_types<FloatingTypes>(call.dtype,
                                [&](auto zero) { QuantizedProduct<decltype(zero)>(call).run(); });
}

}  // namespace th
