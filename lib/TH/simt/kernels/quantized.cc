// Weights of 8 bits with a scale for each row.

#include <algorithm>
#include <optional>

#include "functors/quantize.h"
#include "functors/reducers.h"
#include "simt/product_to_float.h"
#include "simt/row.h"
#include "tensor/type_sets.h"

namespace th {

namespace {

template <class T>
using ComputeOf = typename Numeric<T>::Compute;

// The largest number; NaN if one of them is.
template <class C>
struct LargestOrNaN {
  using A = C;
  static __device__ A combine(A a, A b) { return b > a || b != b ? b : a; }
};

template <class T, class Shape>
__global__ void quantize(QuantizeRowsCall c) {
  using C = ComputeOf<T>;
  for (int64_t row = Shape::first(); row < c.rows; row += Shape::step()) {
    const T* t = reinterpret_cast<const T*>(c.t) + row * c.cols;
    C largest = 0;
    for (int64_t j = Shape::lane(); j < c.cols; j += Shape::kLanes) {
      largest = LargestOrNaN<C>::combine(largest, std::fabs(load(t[j])));
    }
    const float scale = scale_of(Shape::template combined<LargestOrNaN<C>>(largest));
    for (int64_t j = Shape::lane(); j < c.cols; j += Shape::kLanes) {
      c.q[row * c.cols + j] = quantized<C>(load(t[j]), scale);
    }
    if (Shape::lane() == 0) c.scales[row] = scale;
  }
}

// The rows of x whose sums a thread keeps.
constexpr int kFewRows = 4;
// The weights that a thread reads at a time, if rows allow it.
constexpr int kPack = 16;

// Elements that are read at a time, 16 bytes by an instruction.
template <class T, int count>
struct alignas(std::min<size_t>(count * sizeof(T), 16)) Pack {
  T at[count];
};

// A warp or a block computes the results of a row of weights, for up to kFewRows rows of x.
template <class T, int count, class Shape>
__global__ void multiply_few(QuantizedProductCall c) {
  using C = ComputeOf<T>;
  const T* x = reinterpret_cast<const T*>(c.x);
  const int m = static_cast<int>(c.m);
  for (int64_t j = Shape::first(); j < c.n; j += Shape::step()) {
    const int8_t* weight = c.weight + j * c.weight_row;
    C sums[kFewRows] = {};
    for (int64_t l = Shape::lane() * count; l < c.k; l += Shape::kLanes * count) {
      const auto w = *reinterpret_cast<const Pack<int8_t, count>*>(weight + l);
      TH_UNROLL
      for (int i = 0; i < kFewRows; ++i) {
        if (i >= m) break;
        const auto own = *reinterpret_cast<const Pack<T, count>*>(x + i * c.k + l);
        TH_UNROLL
        for (int e = 0; e < count; ++e) sums[i] += static_cast<C>(w.at[e]) * load(own.at[e]);
      }
    }
    TH_UNROLL
    for (int i = 0; i < kFewRows; ++i) {
      if (i >= m) break;
      const C sum = Shape::template combined<Sum<C>>(sums[i]);
      if (Shape::lane() == 0) {
        reinterpret_cast<T*>(c.r)[i * c.n + j] = convert<T>(sum * static_cast<C>(c.scales[j]));
      }
    }
  }
}

// r = sums * scales, for m x n sums of n columns from number j0 on. sums may be r.
template <class T, class S>
__global__ void scale_columns(const S* sums, int64_t stride, const float* scales, int64_t m,
                              int64_t n, T* r, int64_t row) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  int64_t at = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; at < m * n; at += step) {
    const int64_t i = at / n, j = at % n;
    r[i * row + j] = convert<T>(sums[i * stride + j] * static_cast<S>(scales[j]));
  }
}

// Converts the weights, some rows at a time, and multiplies by products of matrices.
template <class T>
void multiply_many(Queue& queue, const QuantizedProductCall& c) {
  using C = ComputeOf<T>;
  constexpr int64_t kMostElements = int64_t{1} << 24;
  constexpr bool kIsReduced = IsReduced<T>::value;
  const int64_t cols =
      std::min(c.n, std::max<int64_t>(1, kMostElements / std::max(c.k, kIsReduced ? c.m : 1)));
  const Scratch weights(queue, static_cast<size_t>(cols * c.k) * sizeof(T));
  std::optional<Scratch> sums;
  if (kIsReduced) sums.emplace(queue, static_cast<size_t>(c.m * cols) * sizeof(C));
  for (int64_t j = 0; j < c.n; j += cols) {
    const int64_t count = std::min(cols, c.n - j);
    const int64_t size[] = {count, c.k}, own[] = {c.k, 1}, steps[] = {c.weight_row, 1};
    CopyCall copy;
    copy.to = c.dtype;
    copy.from = DType::Char;
    copy.plan.start(2, size);
    copy.plan.add(weights.as<char>(), sizeof(T), own);
    copy.plan.add(reinterpret_cast<char*>(const_cast<int8_t*>(c.weight + j * c.weight_row)), 1,
                  steps);
    copy.plan.plan();
    run_copy(queue, copy);
    T* r = reinterpret_cast<T*>(c.r) + j;
    C* const to = kIsReduced ? sums->as<C>() : reinterpret_cast<C*>(r);
    const int64_t stride = kIsReduced ? count : c.n;
    ProductCall p;
    p.dtype = c.dtype;
    p.batches = 1;
    p.m = c.m;
    p.n = count;
    p.k = c.k;
    p.sum = false;
    p.tf32 = c.tf32;
    p.alpha = 1.0;
    p.beta = 0.0;
    p.a = {const_cast<char*>(c.x), 0, c.k, 1};
    p.b = {weights.as<char>(), 0, 1, c.k};
    p.c = {reinterpret_cast<char*>(to), 0, stride, 1};
    kIsReduced ? run_product_to_float(queue, p) : run_product(queue, p);
    TH_LAUNCH(queue, (scale_columns<T, C>), blocks_for(queue, c.m * count), kThreads, 0, to, stride,
              c.scales + j, c.m, count, r, c.n);
  }
}

}  // namespace

void run_quantize_rows(Queue& queue, const QuantizeRowsCall& call) {
  dispatch_types<FloatingTypes>(call.dtype, [&](auto zero) {
    using T = decltype(zero);
    with_row_threads(call.cols, [&](auto shape) {
      using Shape = decltype(shape);
      TH_LAUNCH(queue, (quantize<T, Shape>), Shape::blocks(queue, call.rows), kThreads, 0, call);
    });
  });
}

void run_quantized_product(Queue& queue, const QuantizedProductCall& call) {
  dispatch_types<FloatingTypes>(call.dtype, [&](auto zero) {
    using T = decltype(zero);
    if (call.m > kFewRows) return multiply_many<T>(queue, call);
    const auto weight = reinterpret_cast<uintptr_t>(call.weight);
    const auto x = reinterpret_cast<uintptr_t>(call.x);
    const bool packed =
        call.k % kPack == 0 && call.weight_row % kPack == 0 && weight % kPack == 0 && x % 16 == 0;
    with_row_threads(call.k, [&](auto shape) {
      using Shape = decltype(shape);
      const unsigned blocks = Shape::blocks(queue, call.n);
      if (packed) {
        TH_LAUNCH(queue, (multiply_few<T, kPack, Shape>), blocks, kThreads, 0, call);
      } else {
        TH_LAUNCH(queue, (multiply_few<T, 1, Shape>), blocks, kThreads, 0, call);
      }
    });
  });
}

}  // namespace th
