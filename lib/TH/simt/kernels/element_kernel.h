#ifndef TH_SIMT_KERNELS_ELEMENT_KERNEL_H
#define TH_SIMT_KERNELS_ELEMENT_KERNEL_H

// The element-wise kernels: memory with contiguous rows by 16 bytes at a time, other layouts
// element by element. Both compute the offsets of the elements in each operand.

#include <algorithm>
#include <utility>

#include "simt/offset_calculator.h"
#include "backend/calls.h"
#include "functors/functors.h"
#include "functors/rows.h"

namespace th {
namespace {

// Memory is accessed by at most 16 bytes at a time: run_kernels() checks no larger alignment.
constexpr size_t kPackAlignment = 16;

template <class T, int n>
struct alignas(sizeof(T) * n < kPackAlignment ? sizeof(T) * n : kPackAlignment) Pack {
  T value[n];
};

// The numbers among a functor's arguments, in its compute type. Their data pointers are null. An
// operand with is_element has the same element in a whole row.
template <class C>
struct Numbers {
  C value[kMaxInputs];
  bool is_element[kMaxInputs];
};

// One argument of `width` applications of a functor.
template <class T, int width, class C>
class Argument {
 public:
  // data: null for a number.
  __device__ Argument(const char* data, bool is_element, C number)
      : number_(number), is_number_(is_element || data == nullptr) {
    if (is_element) {
      number_ = static_cast<C>(load(*reinterpret_cast<const T*>(data)));
    } else if (data) {
      pack_ = *reinterpret_cast<const Pack<T, width>*>(data);
    }
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
__device__ __forceinline__ void apply(const F& f, char* out, const Arguments&... arguments) {
  Pack<Out, width> results;
  for (int j = 0; j < width; ++j) results.value[j] = convert<Out>(f(arguments[j]...));
  *reinterpret_cast<Pack<Out, width>*>(out) = results;
}

// The address of an argument; null for a number.
__device__ __forceinline__ const char* address(const char* data, uint32_t offset) {
  return data ? data + offset : nullptr;
}

// offsets: of packs of `width` elements in a row. The elements after the last pack, if n is not a
// multiple of the width, are those of a single row.
template <class F, class Out, int width, class C, class... In, size_t... K>
__device__ __forceinline__ void packed_loop(const F& f, const Pointers<sizeof...(In) + 1>& at,
                                            const OffsetCalculator<sizeof...(In) + 1>& offsets,
                                            const Numbers<C>& numbers, uint32_t n,
                                            std::index_sequence<K...>) {
  uint32_t first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  uint32_t packs = n / width;
  for (uint32_t p = first; p < packs; p += step) {
    uint32_t offset[sizeof...(In) + 1];
    if (offsets.ndim > 1) {
      offsets.get(p, offset);
    } else {
      for (size_t k = 0; k <= sizeof...(In); ++k) offset[k] = p * offsets.stride[k][0];
    }
    apply<Out, width>(f, at.data[0] + offset[0],
                      Argument<In, width, C>(address(at.data[K + 1], offset[K + 1]),
                                             numbers.is_element[K], numbers.value[K])...);
  }
  uint32_t i = packs * width + first;
  if (i < n) {
    apply<Out, 1>(
        f, at.data[0] + i * sizeof(Out),
        Argument<In, 1, C>(address(at.data[K + 1], numbers.is_element[K] ? 0 : i * sizeof(In)),
                           numbers.is_element[K], numbers.value[K])...);
  }
}

template <class F, class Out, int width, class C, class... In>
__global__ void packed_kernel(F f, Pointers<sizeof...(In) + 1> at,
                              OffsetCalculator<sizeof...(In) + 1> offsets, Numbers<C> numbers,
                              uint32_t n) {
  packed_loop<F, Out, width, C, In...>(f, at, offsets, numbers, n,
                                       std::index_sequence_for<In...>());
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
    apply<Out, 1>(
        f, at.data[0] + offset[0],
        Argument<In, 1, C>(address(at.data[K + 1], offset[K + 1]), false, numbers.value[K])...);
  }
}

template <class F, class Out, class C, class... In>
__global__ void strided_kernel(F f, Pointers<sizeof...(In) + 1> at,
                               OffsetCalculator<sizeof...(In) + 1> offsets, Numbers<C> numbers,
                               uint32_t n) {
  strided_loop<F, Out, C, In...>(f, at, offsets, numbers, n, std::index_sequence_for<In...>());
}

// The kernels of a functor for certain element types, and the properties that a call needs.
struct ElementKernels {
  int operands, width;
  size_t item[kMaxInputs + 1];
  void (*packed)(Queue& queue, const LoopPlan& plan, const Scalar* params, const ElementRow& row);
  void (*strided)(Queue& queue, const LoopPlan& plan, const Scalar* params, const ElementRow& row);
};

// Arranges the operands in the functor's order. Numbers have no memory.
inline LoopPlan plan_for(const ElementRow& row, const LoopPlan& plan) {
  LoopPlan result = plan;
  result.operands = 1 + row.inputs;
  for (int k = 0; k < row.inputs; ++k) {
    const int source = row.source[k];
    for (int d = 0; d < plan.ndim; ++d) {
      result.stride[k + 1][d] = source < 0 ? 0 : plan.stride[source + 1][d];
    }
    result.data[k + 1] = source < 0 ? nullptr : plan.data[source + 1];
  }
  return result;
}

// Returns true if the operand has the same element in a whole row.
inline bool is_element(const LoopPlan& plan, int operand) {
  return plan.data[operand] && plan.ndim > 0 && plan.stride[operand][0] == 0;
}

// Returns true if each row of the operand consists of packs of `width` aligned elements, after
// which a single row may have more elements.
inline bool has_packs(const LoopPlan& plan, int operand, int width, size_t item) {
  if (!plan.data[operand] || (operand > 0 && is_element(plan, operand))) return true;
  const size_t bytes = std::min(width * item, kPackAlignment);
  bool packed = is_aligned(plan.data[operand], bytes);
  for (int d = 0; d < plan.ndim; ++d) {
    const auto stride = static_cast<size_t>(plan.stride[operand][d]);
    packed = packed && (d == 0 ? stride == item : stride % bytes == 0);
  }
  return packed;
}

inline void run_kernels(Queue& queue, const ElementKernels& kernels, const LoopPlan& plan,
                        const Scalar* params, const ElementRow& row) {
  for_small_parts(plan, [&](const LoopPlan& part) {
    bool packed = part.ndim <= 1 || part.size[0] % kernels.width == 0;
    for (int k = 0; k < kernels.operands; ++k) {
      packed = packed && has_packs(part, k, kernels.width, kernels.item[k]);
    }
    (packed ? kernels.packed : kernels.strided)(queue, part, params, row);
  });
}

template <class C, int inputs>
Numbers<C> numbers_of(const LoopPlan& plan, const Scalar* params, const ElementRow& row) {
  Numbers<C> numbers = {};
  for (int k = 0; k < inputs; ++k) numbers.is_element[k] = is_element(plan, k + 1);
  for (int k = 0; k < kMaxInputs && k < row.inputs; ++k) {
    if (row.source[k] < 0) numbers.value[k] = convert<C>(params[-1 - row.source[k]]);
  }
  return numbers;
}

// The kernels of functor F with arguments of types In and result type Out. T is the element type of
// the operation.
template <class F, class Out, class T, class... In>
struct KernelsOf {
  using C = typename Numeric<T>::Compute;
  static constexpr int operands = sizeof...(In) + 1;
  static constexpr int width = 16 / sizeof(T);

  static void packed(Queue& queue, const LoopPlan& plan, const Scalar* params,
                     const ElementRow& row) {
    OffsetCalculator<operands> offsets(plan);
    if (plan.ndim) {
      offsets.size[0] = IntDivider<uint32_t>(std::max<int64_t>(plan.size[0] / width, 1));
      for (auto& stride : offsets.stride) stride[0] *= width;
    }
    TH_LAUNCH(queue, (packed_kernel<F, Out, width, C, In...>),
              blocks_for(queue, (plan.numel + width - 1) / width), kThreads, 0, F(params),
              Pointers<operands>(plan), offsets, numbers_of<C, operands - 1>(plan, params, row),
              static_cast<uint32_t>(plan.numel));
  }
  static void strided(Queue& queue, const LoopPlan& plan, const Scalar* params,
                      const ElementRow& row) {
    auto n = static_cast<uint32_t>(plan.numel);
    TH_LAUNCH(queue, (strided_kernel<F, Out, C, In...>), blocks_for(queue, n), kThreads, 0,
              F(params), Pointers<operands>(plan), OffsetCalculator<operands>(plan),
              numbers_of<C, operands - 1>(plan, params, row), n);
  }
  static constexpr ElementKernels kernels = {
      operands, width, {sizeof(Out), sizeof(In)...}, packed, strided};
};

template <class F, class T>
struct KernelsFor {
  using C = typename Numeric<T>::Compute;
  template <class... A>
  struct Arguments {
    template <class Out>
    using Kernels = KernelsOf<F, Out, T, std::conditional_t<std::is_same_v<A, C>, T, A>...>;
  };
};

// The kernels of an operation for its element types. Callers have rejected other types.
template <template <class> class F, class Set>
const ElementKernels* find_kernels(const ElementCall& call) {
  const ElementKernels* found = nullptr;
  dispatch_types<Set>(call.dtype, [&](auto zero) {
    using T = decltype(zero);
    using Functor = F<typename Numeric<T>::Compute>;
    using For =
        typename Operator<Functor>::template Apply<KernelsFor<Functor, T>::template Arguments>;
    constexpr bool is_predicate = std::is_same_v<typename Operator<F<float>>::Result, uint8_t>;
    found = &For::template Kernels<T>::kernels;
    if constexpr (is_predicate) {
      if (call.result == DType::Byte) found = &For::template Kernels<uint8_t>::kernels;
    }
  });
  return found;
}

inline void run_row(Queue& queue, const ElementCall& call, const ElementRow& row,
                    const ElementKernels* kernels) {
  run_kernels(queue, *kernels, row.in_order() ? call.plan : plan_for(row, call.plan), call.params,
              row);
}

}  // namespace
}  // namespace th

#define TH_ELEMENT(name, lua, types, parameters, Functor, grain, flags, ...)          \
  case ElementOp::name: {                                                             \
    using namespace th;                                                               \
    using namespace row_flag;                                                         \
    constexpr ElementRow row = TH_ELEMENT_ROW(parameters, Functor, flags);            \
    run_row(queue, call, row, find_kernels<functor::Functor, type_set::types>(call)); \
    return true;                                                                      \
  }

namespace th {

// The families of operations, one file each. They return false if the operation is not in the
// family.
bool run_unary(Queue& queue, const ElementCall& call);
bool run_binary(Queue& queue, const ElementCall& call);
bool run_scaled(Queue& queue, const ElementCall& call);
bool run_compare(Queue& queue, const ElementCall& call);

}  // namespace th

#endif
