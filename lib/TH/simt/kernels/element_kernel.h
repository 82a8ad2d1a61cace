#ifndef TH_SIMT_KERNELS_ELEMENT_KERNEL_H
#define TH_SIMT_KERNELS_ELEMENT_KERNEL_H

// The element-wise kernels: memory with contiguous rows by 16 bytes at a time, other layouts by
// segments of rows or, if rows are short, element by element. All compute offsets in each operand.

#include <algorithm>
#include <cstring>
#include <utility>

#include "simt/kernels/pair.h"
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

// Converts two adjacent elements of a 16-bit type to float, by one instruction each on GPUs.
template <class From>
__device__ __forceinline__ void load_two(const From* from, float* to) {
  if constexpr (std::is_same_v<From, BFloat16>) {
    uint32_t both;
    std::memcpy(&both, from, sizeof(both));
    const uint32_t bits[] = {both << 16, both & 0xffff0000u};
    std::memcpy(to, bits, sizeof(bits));
  } else {
    to[0] = load(from[0]);
    to[1] = load(from[1]);
  }
}

// Converts two floats to a 16-bit type. GPUs have one instruction for both.
template <class To>
__device__ __forceinline__ void convert_two(float first, float second, To* to) {
  static_assert(IsReduced<To>::value);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  uint32_t both;
  if constexpr (std::is_same_v<To, Half>) {
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));
  } else {
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));
  }
  std::memcpy(to, &both, sizeof(both));
#else
  to[0] = convert<To>(first);
  to[1] = convert<To>(second);
#endif
}

// One argument of `width` applications of a functor, in its compute type. It keeps a number, or an
// operand that is one element, for all of them.
template <class T, int width, class C>
class Argument {
 public:
  using Value = typename Numeric<T>::Compute;

  __device__ __forceinline__ explicit Argument(C number) { set(static_cast<Value>(number)); }
  __device__ __forceinline__ void read(const char* data) {
    const auto pack = *reinterpret_cast<const Pack<T, width>*>(data);
    if constexpr (IsReduced<T>::value && width % 2 == 0) {
      for (int j = 0; j < width; j += 2) load_two(pack.value + j, value_ + j);
    } else {
      for (int j = 0; j < width; ++j) value_[j] = load(pack.value[j]);
    }
  }
  __device__ __forceinline__ void read_element(const char* data) {
    set(load(*reinterpret_cast<const T*>(data)));
  }
  __device__ __forceinline__ void read_one(int j, const char* data) {
    value_[j] = load(*reinterpret_cast<const T*>(data));
  }
  __device__ __forceinline__ Value operator[](int j) const { return value_[j]; }

 private:
  __device__ __forceinline__ void set(Value value) {
    for (Value& v : value_) v = value;
  }
  Value value_[width];
};

template <class Out, int width, class F, class... Arguments>
__device__ __forceinline__ void apply(const F& f, char* out, const Arguments&... arguments) {
  Pack<Out, width> results;
  if constexpr (IsReduced<Out>::value && width % 2 == 0) {
    for (int j = 0; j < width; j += 2) {
      convert_two(f(arguments[j]...), f(arguments[j + 1]...), results.value + j);
    }
  } else {
    for (int j = 0; j < width; ++j) results.value[j] = convert<Out>(f(arguments[j]...));
  }
  *reinterpret_cast<Pack<Out, width>*>(out) = results;
}

// Rows in segments. Each of the 32 threads of a warp computes four elements of a segment, which are
// 32 apart: a warp accesses adjacent elements, and computes the offsets of a segment once.
constexpr uint32_t kSegmentThreads = 32, kPerThread = 4;
constexpr uint32_t kSegment = kSegmentThreads * kPerThread;

// The length of a row, or 0 if rows are too short for segments, and the distances in bytes between
// its elements.
template <int operands>
struct SegmentedRow {
  uint32_t length;
  uint32_t stride[operands];
};

// The loops of a kernel. K: 0, 1, ..., the numbers of the arguments, whose types are In.
template <class F, class Out, int width, class C, class Sequence, class... In>
struct ElementLoops;
template <class F, class Out, int width, class C, size_t... K, class... In>
struct ElementLoops<F, Out, width, C, std::index_sequence<K...>, In...> {
  static constexpr int operands = sizeof...(In) + 1;
  const F& f;
  const Pointers<operands>& at;
  const OffsetCalculator<operands>& offsets;
  const Numbers<C>& numbers;
  const uint32_t first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;

  // Operands that are contiguous or one element.
  __device__ __forceinline__ void contiguous(uint32_t n) const {
    contiguous(n, Argument<In, width, C>(numbers.value[K])...);
    const uint32_t i = n / width * width + first;
    if (i >= n) return;
    const uint32_t offset[] = {(numbers.is_element[K] ? 0 : i * uint32_t{sizeof(In)})...};
    single(i * sizeof(Out), offset, Argument<In, 1, C>(numbers.value[K])...);
  }

  // Rows of packs. offsets has the strides of packs.
  __device__ __forceinline__ void rows(uint32_t n) const {
    for (uint32_t p = first; p < n / width; p += step) {
      uint32_t offset[operands];
      offsets.get(p, offset);
      row(offset, Argument<In, width, C>(numbers.value[K])...);
    }
  }

  // n segments, of which offsets has the strides.
  __device__ __forceinline__ void segments(uint32_t n, const SegmentedRow<operands>& row) const {
    const uint32_t thread = first % kSegmentThreads;
    for (uint32_t s = first / kSegmentThreads; s < n; s += step / kSegmentThreads) {
      uint32_t offset[operands];
      offsets.get(s, offset);
      const uint32_t in_row = s - offsets.size[0].quotient(s) * offsets.size[0].divisor;
      const char* data[operands];
      for (int k = 0; k < operands; ++k) {
        data[k] = at.data[k] ? at.data[k] + offset[k] + thread * row.stride[k] : nullptr;
      }
      segment(row, in_row * kSegment + thread, data,
              Argument<In, kPerThread, C>(numbers.value[K])...);
    }
  }

  __device__ __forceinline__ void elements(uint32_t n) const {
    for (uint32_t i = first; i < n; i += step) {
      uint32_t offset[operands];
      offsets.get(i, offset);
      single(offset[0], offset + 1, Argument<In, 1, C>(numbers.value[K])...);
    }
  }

 private:
  __device__ __forceinline__ void contiguous(uint32_t n,
                                             Argument<In, width, C>... arguments) const {
    const char* data[] = {(numbers.is_element[K] ? nullptr : at.data[K + 1])...};
    ((numbers.is_element[K] ? arguments.read_element(at.data[K + 1]) : void()), ...);
    for (uint32_t p = first; p < n / width; p += step) {
      ((data[K] ? arguments.read(data[K] + p * sizeof(Pack<In, width>)) : void()), ...);
      apply<Out, width>(f, at.data[0] + p * sizeof(Pack<Out, width>), arguments...);
    }
  }
  __device__ __forceinline__ void row(const uint32_t* offset,
                                      Argument<In, width, C>... arguments) const {
    ((numbers.is_element[K] ? arguments.read_element(at.data[K + 1] + offset[K + 1])
      : at.data[K + 1]      ? arguments.read(at.data[K + 1] + offset[K + 1])
                            : void()),
     ...);
    apply<Out, width>(f, at.data[0] + offset[0], arguments...);
  }
  // The elements position, position + 32, ... of a row. data: of the first of them.
  __device__ __forceinline__ void segment(const SegmentedRow<operands>& row, uint32_t position,
                                          const char* const* data,
                                          Argument<In, kPerThread, C>... arguments) const {
    const auto has = [&](uint32_t j) { return position + j * kSegmentThreads < row.length; };
    const auto at_step = [&](uint32_t j, size_t k) {
      return data[k] + j * kSegmentThreads * row.stride[k];
    };
    for (uint32_t j = 0; j < kPerThread; ++j) {
      if (has(j)) ((data[K + 1] ? arguments.read_one(j, at_step(j, K + 1)) : void()), ...);
    }
    for (uint32_t j = 0; j < kPerThread; ++j) {
      if (!has(j)) return;
      auto* out = reinterpret_cast<Out*>(const_cast<char*>(at_step(j, 0)));
      *out = convert<Out>(f(arguments[j]...));
    }
  }
  __device__ __forceinline__ void single(size_t out, const uint32_t* offset,
                                         Argument<In, 1, C>... arguments) const {
    ((at.data[K + 1] ? arguments.read(at.data[K + 1] + offset[K]) : void()), ...);
    apply<Out, 1>(f, at.data[0] + out, arguments...);
  }
};

// offsets: of packs of `width` elements in a row. The elements after the last pack, if n is not a
// multiple of the width, are those of a single row.
template <class F, class Out, int width, class C, class... In>
__global__ void packed_kernel(F f, Pointers<sizeof...(In) + 1> at,
                              OffsetCalculator<sizeof...(In) + 1> offsets, Numbers<C> numbers,
                              uint32_t n) {
  const ElementLoops<F, Out, width, C, std::index_sequence_for<In...>, In...> loops = {
      f, at, offsets, numbers};
  if (offsets.ndim > 1) {
    loops.rows(n);
  } else {
    loops.contiguous(n);
  }
}

// n segments or, if rows have no length, n elements; offsets has their strides.
template <class F, class Out, class C, class... In>
__global__ void strided_kernel(F f, Pointers<sizeof...(In) + 1> at,
                               OffsetCalculator<sizeof...(In) + 1> offsets, Numbers<C> numbers,
                               SegmentedRow<sizeof...(In) + 1> row, uint32_t n) {
  const ElementLoops<F, Out, 1, C, std::index_sequence_for<In...>, In...> loops = {f, at, offsets,
                                                                                   numbers};
  if (row.length > 0) {
    loops.segments(n, row);
  } else {
    loops.elements(n);
  }
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

// Launches the kernel of packs of `width` elements.
template <class F, class Out, int width, class C, class... In>
void launch_packs(Queue& queue, const LoopPlan& plan, const F& f, const Numbers<C>& numbers) {
  constexpr int operands = sizeof...(In) + 1;
  OffsetCalculator<operands> offsets(plan);
  if (plan.ndim) {
    offsets.size[0] = IntDivider<uint32_t>(std::max<int64_t>(plan.size[0] / width, 1));
    for (auto& stride : offsets.stride) stride[0] *= width;
  }
  TH_LAUNCH(queue, (packed_kernel<F, Out, width, C, In...>),
            blocks_for(queue, (plan.numel + width - 1) / width), kThreads, 0, f,
            Pointers<operands>(plan), offsets, numbers, static_cast<uint32_t>(plan.numel));
}

// Computes an operation on pairs of elements of type T. Returns false, and does nothing, if the
// rows of an operand do not consist of pairs.
template <class T, class F>
bool launch_pairs(Queue& queue, const LoopPlan& plan, const F& f) {
  if (plan.ndim == 0 || plan.size[0] % 2 != 0) return false;
  LoopPlan pairs = plan;
  pairs.size[0] /= 2;
  pairs.numel /= 2;
  for (int k = 0; k < 3; ++k) {
    if (!plan.data[k] || plan.stride[k][0] != static_cast<int64_t>(sizeof(T))) return false;
    pairs.stride[k][0] *= 2;
  }
  using P = Pair<T>;
  launch_packs<F, P, static_cast<int>(16 / sizeof(P)), P, P, P>(queue, pairs, f, Numbers<P>());
  return true;
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
    using OnPairs = PairFunctor<F, T>;
    if constexpr (OnPairs::exists && std::is_same_v<Out, T> && (std::is_same_v<In, T> && ...)) {
      const typename OnPairs::Type on_pairs;
      if (OnPairs::applies(F(params)) && launch_pairs<T>(queue, plan, on_pairs)) return;
    }
    launch_packs<F, Out, width, C, In...>(queue, plan, F(params),
                                          numbers_of<C, operands - 1>(plan, params, row));
  }
  static void strided(Queue& queue, const LoopPlan& plan, const Scalar* params,
                      const ElementRow& row) {
    int64_t n = plan.numel, threads = n;
    OffsetCalculator<operands> offsets(plan);
    SegmentedRow<operands> segmented = {};
    if (plan.ndim > 0 && plan.size[0] >= kSegment / 2) {
      const int64_t segments = (plan.size[0] + kSegment - 1) / kSegment;
      offsets.size[0] = IntDivider<uint32_t>(segments);
      segmented.length = static_cast<uint32_t>(plan.size[0]);
      for (int k = 0; k < operands; ++k) {
        segmented.stride[k] = offsets.stride[k][0];
        offsets.stride[k][0] *= kSegment;
      }
      n = plan.numel / plan.size[0] * segments;
      threads = n * kSegmentThreads;
    }
    TH_LAUNCH(queue, (strided_kernel<F, Out, C, In...>), blocks_for(queue, threads), kThreads, 0,
              F(params), Pointers<operands>(plan), offsets,
              numbers_of<C, operands - 1>(plan, params, row), segmented, static_cast<uint32_t>(n));
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
