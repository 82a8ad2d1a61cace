#ifndef TH_SIMT_ROW_H
#define TH_SIMT_ROW_H

// For kernels over rows of elements. The threads of a row, a warp or a block, keep its elements in
// registers if they fit, so that memory is read once and written once.

#include "simt/launch.h"

namespace th {
namespace {

// The largest number, for RowShape::combined. Ignores NaN.
template <class C>
struct Largest {
  using A = C;
  static __device__ A combine(A a, A b) { return b > a ? b : a; }
};

// Two values that are read or computed together.
template <class T>
struct Two {
  T x, y;
};

// Calls f(read(i), i) for i = first, first + step, ... below n. Reads several elements before f,
// which may write.
template <class Read, class F>
__device__ __forceinline__ void read_ahead(int64_t first, int64_t n, int64_t step, const Read& read,
                                           const F& f) {
  constexpr int kAhead = 8;
  int64_t i = first;
  for (; i + (kAhead - 1) * step < n; i += kAhead * step) {
    decltype(read(i)) elements[kAhead];
    TH_UNROLL
    for (int k = 0; k < kAhead; ++k) elements[k] = read(i + k * step);
    TH_UNROLL
    for (int k = 0; k < kAhead; ++k) f(elements[k], i + k * step);
  }
  for (; i < n; i += step) f(read(i), i);
}

// How a row is processed. warp: by a warp, of which a block has several; else by the whole block.
// items: the number of elements that a thread keeps in registers; 0: it reads them again.
template <int items, bool warp>
struct RowShape {
  static constexpr int kItems = items;
  static constexpr int kLanes = warp ? 32 : kThreads;  // the threads of a row
  static constexpr int kRows = kThreads / kLanes;      // the rows of a block at a time

  static __device__ int lane() { return static_cast<int>(threadIdx.x) % kLanes; }
  // The rows of the calling thread: for (k = first(); k < rows; k += step()).
  static __device__ int64_t first() {
    return static_cast<int64_t>(blockIdx.x) * kRows + threadIdx.x / kLanes;
  }
  static __device__ int64_t step() { return static_cast<int64_t>(gridDim.x) * kRows; }
  static unsigned blocks(const Queue& queue, int64_t rows) {
    return at_most(queue, (rows + kRows - 1) / kRows);
  }

  // The elements of the calling thread, of which `read` returns number i. T: their type.
  template <class T>
  struct Elements {
    T kept[items > 0 ? items : 1];

    template <class Read>
    __device__ void load(int64_t n, const Read& read) {
      for_each(n, [&](int k, int64_t i) { kept[k] = read(i); });
    }
    // Replaces each element x by f(x), which `read` must return from then on.
    template <class F>
    __device__ void replace(int64_t n, const F& f) {
      for_each(n, [&](int k, int64_t) { kept[k] = f(kept[k]); });
    }
    // Calls f(x, i) for each element x with its number i.
    template <class Read, class F>
    __device__ void visit(int64_t n, const Read& read, const F& f) const {
      if constexpr (items > 0) {
        for_each(n, [&](int k, int64_t i) { f(kept[k], i); });
      } else {
        read_ahead(lane(), n, kLanes, read, f);
      }
    }
    // The same with the elements of another row: f(x, y, i).
    template <class Read, class Other, class F>
    __device__ void visit_both(int64_t n, const Read& read, const Elements& other,
                               const Other& read_other, const F& f) const {
      if constexpr (items > 0) {
        for_each(n, [&](int k, int64_t i) { f(kept[k], other.kept[k], i); });
      } else {
        read_ahead(
            lane(), n, kLanes,
            [&](int64_t i) {
              return Two<T>{read(i), read_other(i)};
            },
            [&](const Two<T>& both, int64_t i) { f(both.x, both.y, i); });
      }
    }
  };

  // Combines the values of the threads of a row. All of them must call it, with the same line. The
  // order of operations is always the same. R::combine must be commutative.
  template <class R>
  static __device__ typename R::A combined(typename R::A own) {
    for (int d = 16; d > 0; d /= 2) own = R::combine(own, __shfl_xor_sync(0xffffffffu, own, d));
    if constexpr (!warp) {
      constexpr int kWarps = kThreads / 32;
      __shared__ typename R::A of_warps[kWarps];
      if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = own;
      __syncthreads();
      own = of_warps[0];
      for (int w = 1; w < kWarps; ++w) own = R::combine(own, of_warps[w]);
      // A later call may write the shared array.
      __syncthreads();
    }
    return own;
  }

 private:
  template <class F>
  static __device__ __forceinline__ void for_each(int64_t n, const F& f) {
    TH_UNROLL
    for (int k = 0; k < items; ++k) {
      const int64_t i = lane() + k * kLanes;
      if (i < n) f(k, i);
    }
  }
};

// Rows up to this length are processed by a warp.
constexpr int64_t kWarpRow = 32 * 32;
// Rows up to this length fit into the registers of a block.
constexpr int64_t kBlockRow = 16 * kThreads;

// Calls f with the shape for rows of n elements.
template <class F>
void with_row_shape(int64_t n, const F& f) {
  if (n <= 2 * 32) return f(RowShape<2, true>());
  if (n <= 8 * 32) return f(RowShape<8, true>());
  if (n <= kWarpRow) return f(RowShape<32, true>());
  if (n <= kBlockRow) return f(RowShape<kBlockRow / kThreads, false>());
  f(RowShape<0, false>());
}
// The same for kernels that keep no elements.
template <class F>
void with_row_threads(int64_t n, const F& f) {
  n <= kWarpRow ? f(RowShape<0, true>()) : f(RowShape<0, false>());
}

}  // namespace
}  // namespace th

#endif
