#ifndef TH_SIMT_KERNELS_ELEMENT_KERNEL_H
#define TH_SIMT_KERNELS_ELEMENT_KERNEL_H

// The one element-wise kernel: packed memory by 16 bytes at a time, any other by offsets.

#include <utility>

#include "simt/offset_calculator.h"
#include "backend/calls.h"
#include "functors/functors.h"
#include "functors/rows.h"

namespace th {
namespace {

template <class T, int n>
struct alignas(sizeof(T) * n) Pack {
  T value[n];
};

// The numbers among a functor's arguments, in its compute type; their pointers are null.
template <class C>
struct Numbers {
  C value[kMaxInputs];
};

// One argument of width applications of a functor.
template <class T, int width, class C>
class Argument {
 public:
  __device__ Argument(const char* data, int64_t index, C number)
      : number_(number), is_number_(data == nullptr) {
    if (data) pack_ = reinterpret_cast<const Pack<T, width>*>(data)[index];
  }
  __device__ typename Numeric<T>::Compute operator[](int j) const {
    return is_number_ ? static_cast<typename Numeric<T>::Compute>(number_) : load(pack_.value[j]);
  }

 private:
  Pack<T, width> pack_;
  C number_;
  bool is_number_;
};

template <class Out, int width, class F, class... Arguments>
__device__ __forceinline__ void apply(const F& f, char* out, int64_t index,
                                      const Arguments&... arguments) {
  Pack<Out, width> results;
  for (int j = 0; j < width; ++j) results.value[j] = convert<Out>(f(arguments[j]...));
  reinterpret_cast<Pack<Out, width>*>(out)[index] = results;
}

template <class F, class Out, int width, class C, class... In, size_t... K>
__device__ __forceinline__ void packed_loop(const F& f, const Pointers<sizeof...(In) + 1>& at,
                                            const Numbers<C>& numbers, int64_t n,
                                            std::index_sequence<K...>) {
  int64_t first = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  int64_t packs = n / width;
  for (int64_t p = first; p < packs; p += step) {
    apply<Out, width>(f, at.data[0], p,
                      Argument<In, width, C>(at.data[K + 1], p, numbers.value[K])...);
  }
  int64_t i = packs * width + first;
  if (i < n) {
    apply<Out, 1>(f, at.data[0], i, Argument<In, 1, C>(at.data[K + 1], i, numbers.value[K])...);
  }
}

template <class F, class Out, int width, class C, class... In>
__global__ void packed_kernel(F f, Pointers<sizeof...(In) + 1> at, Numbers<C> numbers, int64_t n) {
  packed_loop<F, Out, width, C, In...>(f, at, numbers, n, std::index_sequence_for<In...>());
}

template <class F, class Out, class C, class... In, size_t... K>
__device__ __forceinline__ void strided_loop(const F& f, const Pointers<sizeof...(In) + 1>& at,
                                             const OffsetCalculator<sizeof...(In) + 1>& offsets,
                                             const Numbers<C>& numbers, uint32_t n,
                                             std::index_sequence<K...>) {
  uint32_t step = gridDim.x * blockDim.x;
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
    uint32_t offset[sizeof...(In) + 1];
    offsets.get(i, offset);
    apply<Out, 1>(f, at.data[0] + offset[0], 0,
                  Argument<In, 1, C>(at.data[K + 1] ? at.data[K + 1] + offset[K + 1] : nullptr, 0,
                                     numbers.value[K])...);
  }
}

template <class F, class Out, class C, class... In>
__global__ void strided_kernel(F f, Pointers<sizeof...(In) + 1> at,
                               OffsetCalculator<sizeof...(In) + 1> offsets, Numbers<C> numbers,
                               uint32_t n) {
  strided_loop<F, Out, C, In...>(f, at, offsets, numbers, n, std::index_sequence_for<In...>());
}

// f of elements of In, which become elements of Out; T is the row's type.
template <class F, class Out, class T, class... In>
void run_elements(Queue& queue, const F& f, const LoopPlan& plan,
                  const Numbers<typename Numeric<T>::Compute>& numbers) {
  using C = typename Numeric<T>::Compute;
  constexpr int operands = sizeof...(In) + 1;
  constexpr int width = 16 / sizeof(T);
  constexpr size_t item[] = {sizeof(Out), sizeof(In)...};
  bool packed = true;
  for (int k = 0; k < operands; ++k) {
    size_t bytes = width * item[k] < 16 ? width * item[k] : 16;
    packed = packed &&
             (!plan.data[k] || (is_packed(plan, k, item[k]) && is_aligned(plan.data[k], bytes)));
  }
  if (packed) {
    TH_LAUNCH(queue, (packed_kernel<F, Out, width, C, In...>),
              blocks_for(queue, (plan.numel + width - 1) / width), kThreads, 0, f,
              Pointers<operands>(plan), numbers, plan.numel);
    return;
  }
  for_small_parts(plan, [&](const LoopPlan& part) {
    auto n = static_cast<uint32_t>(part.numel);
    TH_LAUNCH(queue, (strided_kernel<F, Out, C, In...>), blocks_for(queue, n), kThreads, 0, f,
              Pointers<operands>(part), OffsetCalculator<operands>(part), numbers, n);
  });
}

// The operands as the functor takes them: numbers have no memory.
inline LoopPlan plan_for(const ElementRow& row, const LoopPlan& plan) {
  LoopPlan taken = plan;
  taken.operands = 1 + row.inputs;
  for (int k = 0; k < row.inputs; ++k) {
    const int source = row.source[k];
    for (int d = 0; d < plan.ndim; ++d) {
      taken.stride[k + 1][d] = source < 0 ? 0 : plan.stride[source + 1][d];
    }
    taken.data[k + 1] = source < 0 ? nullptr : plan.data[source + 1];
  }
  return taken;
}

template <class F, class T>
struct RunOf {
  using C = typename Numeric<T>::Compute;
  template <class... A>
  struct Arguments {
    template <class Out>
    static void run(Queue& queue, const ElementCall& call, const ElementRow& row) {
      Numbers<C> numbers = {};
      for (int k = 0; k < row.inputs; ++k) {
        if (row.source[k] < 0) numbers.value[k] = convert<C>(call.params[-1 - row.source[k]]);
      }
      run_elements<F, Out, T, std::conditional_t<std::is_same_v<A, C>, T, A>...>(
          queue, F(call.params), row.in_order() ? call.plan : plan_for(row, call.plan), numbers);
    }
  };
};

// A row of the op table, for the types it is defined for; callers have refused the others.
template <template <class> class F, class Set>
void run_row(Queue& queue, const ElementCall& call, const ElementRow& row) {
  dispatch_types<Set>(call.dtype, [&](auto zero) {
    using T = decltype(zero);
    using Functor = F<typename Numeric<T>::Compute>;
    using Run = typename Operator<Functor>::template Apply<RunOf<Functor, T>::template Arguments>;
    constexpr bool is_predicate = std::is_same_v<typename Operator<F<float>>::Result, uint8_t>;
    if constexpr (is_predicate) {
      if (call.result == DType::Byte) return Run::template run<uint8_t>(queue, call, row);
    }
    Run::template run<T>(queue, call, row);
  });
}

}  // namespace
}  // namespace th

#define TH_ELEMENT(name, lua, types, parameters, names, function, method, Functor, grain, flags, \
                   ...)                                                                          \
  case Op::name: {                                                                               \
    using namespace th;                                                                          \
    using namespace row_flag;                                                                    \
    constexpr ElementRow row = TH_ELEMENT_ROW(parameters, Functor, flags);                       \
    run_row<functor::Functor, type_set::types>(queue, call, row);                                \
    return true;                                                                                 \
  }

namespace th {

// The families of rows, a file each; false: the kernel is of another one.
bool run_unary(Queue& queue, const ElementCall& call);
bool run_binary(Queue& queue, const ElementCall& call);
bool run_scaled(Queue& queue, const ElementCall& call);
bool run_compare(Queue& queue, const ElementCall& call);

}  // namespace th

#endif
