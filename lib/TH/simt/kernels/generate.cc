// Fills with one value or with an arithmetic or geometric progression.

#include <cmath>
#include <cstring>
#include <type_traits>

#include "functors/functors.h"
#include "simt/offset_calculator.h"
#include "tensor/convert.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

template <class T>
__global__ void fill_kernel(T value, char* out, OffsetCalculator<1> offsets, uint32_t n) {
  uint32_t step = gridDim.x * blockDim.x;
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
    uint32_t offset;
    offsets.get(i, &offset);
    *reinterpret_cast<T*>(out + offset) = value;
  }
}

template <class T>
void fill_elements(Queue& queue, T value, const LoopPlan& plan) {
  for_small_parts(plan, [&](const LoopPlan& part) {
    auto n = static_cast<uint32_t>(part.numel);
    TH_LAUNCH(queue, (fill_kernel<T>), blocks_for(queue, n), kThreads, 0, value, part.data[0],
              OffsetCalculator<1>(part), n);
  });
}

// Fills contiguous memory by 16 bytes at a time.
template <class T>
bool fill_packed(Queue& queue, T value, const LoopPlan& plan) {
  int64_t bytes = plan.numel * static_cast<int64_t>(sizeof(T));
  if (!is_packed(plan, 0, sizeof(T)) || !is_aligned(plan.data[0], 16) || bytes % 16) return false;
  Bytes16 pattern;
  for (size_t k = 0; k < 16; k += sizeof(T)) {
    std::memcpy(reinterpret_cast<char*>(&pattern) + k, &value, sizeof(T));
  }
  LoopPlan wide = plan;
  wide.ndim = 1;
  wide.numel = wide.size[0] = bytes / 16;
  wide.stride[0][0] = 16;
  fill_elements(queue, pattern, wide);
  return true;
}

template <class T, class A, bool power_of_ten>
__global__ void progression_kernel(A a, A b, T* out, int64_t n) {
  int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
    A x;
    if constexpr (std::is_integral_v<A>) {
      // Unsigned, because i * b may overflow even if the sum does not.
      x = static_cast<A>(static_cast<uint64_t>(a) +
                         static_cast<uint64_t>(i) * static_cast<uint64_t>(b));
    } else {
      x = a + static_cast<A>(i) * b;
    }
    if constexpr (power_of_ten) x = functor::power(A(10), x);
    out[i] = convert<T>(x);
  }
}

}  // namespace

void run_fill(Queue& queue, const FillCall& call) {
  if (call.plan.numel == 0) return;
  uint64_t bits = 0;
  dispatch(call.dtype, [&](auto zero) {
    auto value = convert<decltype(zero)>(call.value);
    std::memcpy(&bits, &value, sizeof(value));
  });
  dispatch_size(item_size(call.dtype), [&](auto item) {
    auto value = static_cast<decltype(item)>(bits);
    if (!fill_packed(queue, value, call.plan)) fill_elements(queue, value, call.plan);
  });
}

void run_generate(Queue& queue, const GenerateCall& call) {
  if (call.n == 0) return;
  unsigned blocks = blocks_for(queue, call.n);
  dispatch(call.dtype, [&](auto zero) {
    using T = decltype(zero);
    auto* out = reinterpret_cast<T*>(call.out);
    if (call.power_of_ten) {
      TH_LAUNCH(queue, (progression_kernel<T, double, true>), blocks, kThreads, 0,
                call.a.to_double(), call.b.to_double(), out, call.n);
    } else if (call.a.integral && call.b.integral) {
      TH_LAUNCH(queue, (progression_kernel<T, int64_t, false>), blocks, kThreads, 0, call.a.i,
                call.b.i, out, call.n);
    } else {
      TH_LAUNCH(queue, (progression_kernel<T, double, false>), blocks, kThreads, 0,
                call.a.to_double(), call.b.to_double(), out, call.n);
    }
  });
}

}  // namespace th
