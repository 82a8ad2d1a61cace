// Reductions of two operands: dot products and comparisons.

#include <algorithm>

#include "cpu/kernels/element_loop.h"
#include "cpu/kernels/reduce_loops.h"
#include "cpu/kernels/wide_sums.h"
#include "cpu/loops.h"
#include "cpu/parallel.h"
#include "functors/reducers.h"

namespace th {
namespace {

constexpr int64_t kMaxBlocks = 256;

// Adds the sums of blocks of n >= 1 elements. The blocks are divided by index and added in a fixed
// tree, so that the result does not depend on the number of threads.
template <class Sum, class Dot>
Sum sum_of_blocks(int64_t n, const Dot& dot) {
  // A multiple of the loop's lanes and buffers.
  int64_t length = std::max(Grain::cheap, (n / kMaxBlocks / 256 + 1) * 256);
  int64_t blocks = (n + length - 1) / length;
  if (blocks == 1) return dot(0, n);
  Sum sums[kMaxBlocks];
  parallel_for(blocks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      sums[k] = dot(k * length, std::min(length, n - k * length));
    }
  });
  while (blocks > 1) {
    int64_t half = (blocks + 1) / 2;
    for (int64_t k = 0; k < blocks / 2; ++k) sums[k] += sums[k + half];
    blocks = half;
  }
  return sums[0];
}

// Sum of a[i] * b[i]; strides in bytes. Integers wrap modulo 2^64. The lanes of floating-point sums
// are the same for all instruction sets.
template <class T>
WideOf<T> dot(const char* a, int64_t a_stride, const char* b, int64_t b_stride, int64_t n) {
  constexpr int64_t item = sizeof(T);
  if constexpr (std::is_integral_v<T>) {
    uint64_t sum = 0;
    if (a_stride == item && b_stride == item) {
      const T* x = reinterpret_cast<const T*>(a);
      const T* y = reinterpret_cast<const T*>(b);
      for (int64_t i = 0; i < n; ++i) {
        sum += static_cast<uint64_t>(x[i]) * static_cast<uint64_t>(y[i]);
      }
    } else {
      for (int64_t i = 0; i < n; ++i) {
        sum += static_cast<uint64_t>(*reinterpret_cast<const T*>(a + i * a_stride)) *
               static_cast<uint64_t>(*reinterpret_cast<const T*>(b + i * b_stride));
      }
    }
    return sum;
  } else {
    using C = typename Numeric<T>::Compute;
    Run<C> sum;
    if (std::is_same_v<T, C> && a_stride == item && b_stride == item) {
      sum.take(n, reinterpret_cast<const C*>(a), reinterpret_cast<const C*>(b));
      return sum.total();
    }
    C a_block[kBlock], b_block[kBlock];
    for (int64_t i = 0; i < n; i += kBlock) {
      int64_t block = n - i < kBlock ? n - i : kBlock;
      load_block<T, C>(a + i * a_stride, a_stride, block, a_block);
      load_block<T, C>(b + i * b_stride, b_stride, block, b_block);
      sum.take(block, a_block, b_block);
    }
    return sum.total();
  }
}

template <class T>
bool has_unequal(const char* a, int64_t a_stride, const char* b, int64_t b_stride, int64_t n) {
  constexpr int64_t item = sizeof(T);
  if (a_stride == item && b_stride == item) {
    const T* x = reinterpret_cast<const T*>(a);
    const T* y = reinterpret_cast<const T*>(b);
    for (int64_t first = 0; first < n; first += kBlock) {
      const int64_t end = n - first < kBlock ? n : first + kBlock;
      Word<sizeof(T)> unequal = 0;
      for (int64_t i = first; i < end; ++i) unequal |= load(x[i]) != load(y[i]);
      if (unequal) return true;
    }
    return false;
  }
  for (int64_t i = 0; i < n; ++i) {
    T x = *reinterpret_cast<const T*>(a + i * a_stride);
    T y = *reinterpret_cast<const T*>(b + i * b_stride);
    if (load(x) != load(y)) return true;
  }
  return false;
}

}  // namespace

namespace TH_ISA {

void reduce_products(const ReduceAllCall& call) {
  const LoopPlan& plan = call.plan;
  const char *a = plan.data[0], *b = plan.data[1];
  const int64_t a_stride = plan.inner_stride(0), b_stride = plan.inner_stride(1);
  dispatch(call.dtype, [&](auto zero) {
    using T = decltype(zero);
    auto sum = sum_of_blocks<WideOf<T>>(plan.numel, [&](int64_t first, int64_t n) {
      return dot<T>(a + first * a_stride, a_stride, b + first * b_stride, b_stride, n);
    });
    if constexpr (std::is_integral_v<T>) {
      call.out->value.i = static_cast<int64_t>(sum);
    } else {
      call.out->value.d = sum;
    }
  });
}

void reduce_unequal(const ReduceAllCall& call) {
  const LoopPlan& plan = call.plan;
  bool unequal = false;
  dispatch(call.dtype, [&](auto zero) {
    using T = decltype(zero);
    parallel_for(plan.numel, Grain::cheap, [&](int64_t begin, int64_t end) {
      for_each_run(plan, begin, end, [&](char* const* at, const int64_t* stride, int64_t n) {
        if (__atomic_load_n(&unequal, __ATOMIC_RELAXED)) return;
        if (has_unequal<T>(at[0], stride[0], at[1], stride[1], n)) {
          __atomic_store_n(&unequal, true, __ATOMIC_RELAXED);
        }
      });
    });
  });
  call.out->value.i = unequal;
}

}  // namespace TH_ISA
}  // namespace th
