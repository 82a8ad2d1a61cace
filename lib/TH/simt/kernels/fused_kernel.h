#ifndef TH_SIMT_KERNELS_FUSED_KERNEL_H
#define TH_SIMT_KERNELS_FUSED_KERNEL_H

// The kernel of fused expressions: each thread interprets the steps for a few elements at a time,
// with the intermediate results in shared memory. So each operand is read once, and only the result
// is written.

#include <algorithm>
#include <utility>

#include "backend/calls.h"
#include "functors/functors.h"
#include "functors/rows.h"
#include "simt/offset_calculator.h"

namespace th {

// Evaluates an expression that computes in C. The plan fits into 32 bits.
template <class C>
void run_program(Queue& queue, const FusedCall& call, const FusedPlan& plan);
// Compiled in fused_integers.cc and fused_reals.cc only: the kernels take long to compile.
#define TH_TYPE(Name, real, accreal, kind, ...)                                     \
  extern template void run_program<Numeric<ElementOf<DType::Name>::Type>::Compute>( \
      Queue&, const FusedCall&, const FusedPlan&);
#include "THTypes.def"
#undef TH_TYPE

namespace {

constexpr int kWidth = 4;  // elements per thread and step
constexpr size_t kSharedBytes = 48 << 10;

// An operand of a step: an operand of the plan or, from kFusedOperands on, a buffer.
struct Step {
  Scalar params[2];
  ElementOp op;
  int8_t to, from[3];
  bool rounds;  // the result has the 16-bit type of the expression
};

struct Program {
  DType dtype;
  int steps;
  uint32_t packs, row_packs, row_size;  // groups of kWidth elements: all, and in a row
  Step step[kFusedSteps];
  char* data[kFusedOperands];
  uint32_t inner_stride[kFusedOperands];
  OffsetCalculator<kFusedOperands> offsets;  // of the groups
};

template <class T>
struct alignas(sizeof(T) * kWidth < 16 ? sizeof(T) * kWidth : 16) Pack {
  T value[kWidth];
};
// In a compute type.
template <class C>
using Values = Pack<C>;

// The state of a thread. Values have the compute type C; masks are 0 and 1.
template <class C>
struct Machine {
  const Program& program;
  Values<C>* buffers;  // of this thread, blockDim.x apart
  uint32_t offset[kFusedOperands];
  int count;  // elements of the group

  // Calls f with an element of the expression's type.
  template <class F>
  __device__ void with_type(const F& f) const {
    if constexpr (!std::is_same_v<C, float>) {
      f(C());
    } else if (program.dtype == DType::Half) {
      f(Half());
    } else if (program.dtype == DType::BFloat16) {
      f(BFloat16());
    } else {
      f(float());
    }
  }

  __device__ Values<C> read(int operand) const {
    if (operand >= kFusedOperands) return buffers[(operand - kFusedOperands) * blockDim.x];
    Values<C> values;
    const char* at = program.data[operand] + offset[operand];
    const uint32_t stride = program.inner_stride[operand];
    with_type([&](auto zero) {
      using T = decltype(zero);
      if (stride == sizeof(T) && count == kWidth &&
          reinterpret_cast<uintptr_t>(at) % alignof(Pack<T>) == 0) {
        const Pack<T> pack = *reinterpret_cast<const Pack<T>*>(at);
        for (int j = 0; j < kWidth; ++j) values.value[j] = load(pack.value[j]);
        return;
      }
      for (int j = 0; j < kWidth; ++j) {
        values.value[j] = j < count ? load(*reinterpret_cast<const T*>(at + j * stride)) : C(1);
      }
    });
    return values;
  }

  __device__ void write(const Step& step, Values<C> values) const {
    if (step.to >= kFusedOperands) {
      if (step.rounds) {
        with_type([&](auto zero) {
          using T = decltype(zero);
          for (C& value : values.value) value = load(convert<T>(value));
        });
      }
      buffers[(step.to - kFusedOperands) * blockDim.x] = values;
      return;
    }
    char* at = program.data[0] + offset[0];
    const uint32_t stride = program.inner_stride[0];
    with_type([&](auto zero) {
      using T = decltype(zero);
      Pack<T> pack;
      for (int j = 0; j < kWidth; ++j) pack.value[j] = convert<T>(values.value[j]);
      if (stride == sizeof(T) && count == kWidth &&
          reinterpret_cast<uintptr_t>(at) % alignof(Pack<T>) == 0) {
        *reinterpret_cast<Pack<T>*>(at) = pack;
        return;
      }
      for (int j = 0; j < count; ++j) *reinterpret_cast<T*>(at + j * stride) = pack.value[j];
    });
  }

  // An argument of a functor, which has the type C or uint8_t.
  __device__ Values<C> argument(const Step& step, int source) const {
    if (source >= 0) return read(step.from[source]);
    Values<C> values;
    const C number = convert<C>(step.params[-1 - source]);
    for (C& value : values.value) value = number;
    return values;
  }

  template <class F, class... A, size_t... K>
  __device__ __forceinline__ void apply(const Step& step, const ElementRow& row,
                                        std::index_sequence<K...>) const {
    const F f(step.params);
    const Values<C> arguments[] = {argument(step, row.source[K])...};
    Values<C> results;
    for (int j = 0; j < kWidth; ++j) {
      results.value[j] = static_cast<C>(f(static_cast<A>(arguments[K].value[j])...));
    }
    write(step, results);
  }
};

template <class F, class C>
struct Application {
  template <class... A>
  struct Arguments {
    static __device__ __forceinline__ void run(const Machine<C>& machine, const Step& step,
                                               const ElementRow& row) {
      machine.template apply<F, A...>(step, row, std::index_sequence_for<A...>());
    }
  };
};

template <class C>
__device__ void run_step(const Machine<C>& machine, const Step& step) {
  constexpr DType type = DTypeOf<C>::value;
  switch (step.op) {
#define TH_ELEMENT(name, lua, types, parameters, Functor, grain, flags, ...)                       \
  case ElementOp::name:                                                                            \
    if constexpr (type_set::types::contains(type)) {                                               \
      using namespace row_flag;                                                                    \
      constexpr ElementRow row = TH_ELEMENT_ROW(parameters, Functor, flags);                       \
      using F = functor::Functor<C>;                                                               \
      Operator<F>::template Apply<Application<F, C>::template Arguments>::run(machine, step, row); \
    }                                                                                              \
    break;
#include "THOps/elementwise.def"
  }
}

// As a grid constant, the program stays in constant memory. It would be copied for each thread
// otherwise, because its steps are accessed by number.
template <class C>
__global__ void program_kernel(const __grid_constant__ Program program) {
  TH_DYNAMIC_SHARED(Values<C>, shared);
  Machine<C> machine = {program, shared + threadIdx.x, {}, kWidth};
  const uint32_t step = gridDim.x * blockDim.x;
  for (uint32_t p = blockIdx.x * blockDim.x + threadIdx.x; p < program.packs; p += step) {
    program.offsets.get(p, machine.offset);
    const uint32_t row = program.offsets.ndim > 1 ? program.offsets.size[0].quotient(p) : 0;
    const uint32_t left = program.row_size - (p - row * program.row_packs) * kWidth;
    machine.count = left < kWidth ? static_cast<int>(left) : kWidth;
    for (int k = 0; k < program.steps; ++k) run_step(machine, program.step[k]);
  }
}

inline Program program_of(const FusedCall& call, const FusedPlan& plan) {
  Program program = {};
  program.dtype = call.dtype;
  program.steps = call.steps;
  const int64_t row = plan.ndim ? plan.size[0] : 1, row_packs = (row + kWidth - 1) / kWidth;
  program.row_size = static_cast<uint32_t>(row);
  program.row_packs = static_cast<uint32_t>(row_packs);
  program.packs = static_cast<uint32_t>(plan.numel / row * row_packs);
  for (int k = 0; k < call.steps; ++k) {
    const FusedStep& from = call.step[k];
    Step& step = program.step[k];
    step.op = from.op;
    step.to = from.to;
    step.rounds = from.result == call.dtype && item_size(call.dtype) == 2;
    std::copy(from.from, from.from + 3, step.from);
    std::copy(from.params, from.params + 2, step.params);
  }
  program.offsets.ndim = plan.ndim;
  for (int d = 0; d < plan.ndim; ++d) {
    program.offsets.size[d] = IntDivider<uint32_t>(d == 0 ? row_packs : plan.size[d]);
  }
  for (int k = 0; k < plan.operands; ++k) {
    program.data[k] = plan.data[k];
    for (int d = 0; d < plan.ndim; ++d) {
      program.offsets.stride[k][d] =
          static_cast<uint32_t>(d == 0 ? kWidth * plan.stride[k][d] : plan.stride[k][d]);
    }
    if (plan.ndim) program.inner_stride[k] = static_cast<uint32_t>(plan.stride[k][0]);
  }
  return program;
}

}  // namespace

template <class C>
void run_program(Queue& queue, const FusedCall& call, const FusedPlan& plan) {
  unsigned threads = kThreads;
  size_t bytes = static_cast<size_t>(call.buffers) * sizeof(Values<C>);
  while (threads * bytes > kSharedBytes) threads /= 2;
  const Program program = program_of(call, plan);
  TH_LAUNCH(queue, (program_kernel<C>), at_most(queue, (program.packs + threads - 1) / threads),
            threads, threads * bytes, program);
}

}  // namespace th

#endif
