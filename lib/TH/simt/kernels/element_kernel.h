#ifndef TH_SIMT_KERNELS_ELEMENT_KERNEL_H
#define TH_SIMT_KERNELS_ELEMENT_KERNEL_H

// The one element-wise kernel: packed memory by 16 bytes at a time, any other by offsets.

#include <utility>

#include "simt/kernels/offsets.h"
#include "functors/functors.h"

namespace th {
namespace {

template <class T, int n>
struct alignas(sizeof(T) * n) Pack {
  T value[n];
};

template <class F, class Out, class T, size_t... K>
__device__ __forceinline__ Out apply(const F& f, const T* in, std::index_sequence<K...>) {
  return convert<Out>(f(load(in[K])...));
}

template <class F, class Out, class T, int inputs, int width>
__global__ void packed_kernel(F f, Pointers<inputs + 1> at, int64_t n) {
  constexpr auto each = std::make_index_sequence<inputs>();
  int64_t first = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  int64_t packs = n / width;
  for (int64_t p = first; p < packs; p += step) {
    Pack<T, width> in[inputs];
    for (int k = 0; k < inputs; ++k) {
      in[k] = reinterpret_cast<const Pack<T, width>*>(at.data[k + 1])[p];
    }
    Pack<Out, width> out;
    for (int j = 0; j < width; ++j) {
      T x[inputs];
      for (int k = 0; k < inputs; ++k) x[k] = in[k].value[j];
      out.value[j] = apply<F, Out>(f, x, each);
    }
    reinterpret_cast<Pack<Out, width>*>(at.data[0])[p] = out;
  }
  int64_t i = packs * width + first;
  if (i < n) {
    T x[inputs];
    for (int k = 0; k < inputs; ++k) x[k] = reinterpret_cast<const T*>(at.data[k + 1])[i];
    reinterpret_cast<Out*>(at.data[0])[i] = apply<F, Out>(f, x, each);
  }
}

template <class F, class Out, class T, int inputs>
__global__ void strided_kernel(F f, Pointers<inputs + 1> at, Offsets<inputs + 1> offsets,
                               uint32_t n) {
  constexpr auto each = std::make_index_sequence<inputs>();
  uint32_t step = gridDim.x * blockDim.x;
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
    uint32_t offset[inputs + 1];
    offsets.get(i, offset);
    T x[inputs];
    for (int k = 0; k < inputs; ++k) {
      x[k] = *reinterpret_cast<const T*>(at.data[k + 1] + offset[k + 1]);
    }
    *reinterpret_cast<Out*>(at.data[0] + offset[0]) = apply<F, Out>(f, x, each);
  }
}

// f of elements of T, which become elements of Out.
template <class F, class Out, class T, int inputs>
void run_elements(Queue& queue, const F& f, const LoopPlan& plan) {
  constexpr int width = 16 / sizeof(T);
  bool packed = is_packed(plan, 0, sizeof(Out)) && is_aligned(plan.data[0], width * sizeof(Out));
  for (int k = 1; k <= inputs; ++k) {
    packed = packed && is_packed(plan, k, sizeof(T)) && is_aligned(plan.data[k], 16);
  }
  if (packed) {
    TH_LAUNCH(queue, (packed_kernel<F, Out, T, inputs, width>),
              blocks_for(queue, (plan.numel + width - 1) / width), kThreads, 0, f,
              Pointers<inputs + 1>(plan), plan.numel);
    return;
  }
  for_small_parts(plan, [&](const LoopPlan& part) {
    auto n = static_cast<uint32_t>(part.numel);
    TH_LAUNCH(queue, (strided_kernel<F, Out, T, inputs>), blocks_for(queue, n), kThreads, 0, f,
              Pointers<inputs + 1>(part), Offsets<inputs + 1>(part), n);
  });
}

// A row of the op table, by the types it is defined for; callers have refused the others.
template <template <class> class F, int inputs, bool integral, bool floating>
void run_row(Queue& queue, const ElementCall& call) {
  dispatch(call.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T> ? integral : floating) {
      using C = typename Numeric<T>::Compute;
      run_elements<F<C>, T, T, inputs>(queue, F<C>(call.params), call.plan);
    }
  });
}

#define TH_ROW_ALL(name, inputs) run_row<functor::name, inputs, true, true>(queue, call)
#define TH_ROW_INTEGRAL(name, inputs) run_row<functor::name, inputs, true, false>(queue, call)
#define TH_ROW_FLOATING(name, inputs) run_row<functor::name, inputs, false, true>(queue, call)

}  // namespace

// The families of rows, a file each; false: the kernel is of another one.
bool run_unary(Queue& queue, const ElementCall& call);
bool run_value(Queue& queue, const ElementCall& call);
bool run_binary(Queue& queue, const ElementCall& call);
bool run_ternary(Queue& queue, const ElementCall& call);
bool run_compare(Queue& queue, const ElementCall& call);

}  // namespace th

#endif
