// Fills selected by a mask or by the position in a matrix.

#include "simt/offset_calculator.h"
#include "simt/report.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

template <class T, class I>
__global__ void fill_masked(StridedOperands<2, I> operands, I n, T value, uint32_t check,
                            DeviceAssertion* assertion) {
  for (I i = blockIdx.x * I(blockDim.x) + threadIdx.x; i < n; i += I(gridDim.x) * blockDim.x) {
    char* at[2];
    operands.get(i, at);
    uint8_t mask = *reinterpret_cast<const uint8_t*>(at[1]);
    if (mask) *reinterpret_cast<T*>(at[0]) = value;
    if (mask > 1 && check) report(assertion, check, mask);
  }
}

template <class T, class I>
__global__ void zero_triangle(TriangleCall call, I n) {
  I columns = static_cast<I>(call.columns);
  for (I i = blockIdx.x * I(blockDim.x) + threadIdx.x; i < n; i += I(gridDim.x) * blockDim.x) {
    int64_t row = i / columns, column = i % columns;
    int64_t diagonal = column - row;
    if (call.above ? diagonal > call.diagonal : diagonal < call.diagonal) {
      *reinterpret_cast<T*>(call.out + row * call.row_step + column * call.column_step) = T{};
    }
  }
}

}  // namespace

void run_masked_fill(Queue& queue, const MaskedFillCall& call) {
  if (call.plan.numel == 0) return;
  dispatch_size(item_size(call.dtype), [&](auto item) {
    using T = decltype(item);
    T value = static_cast<T>(call.value);
    dispatch_index(call.plan, call.plan.numel, [&](auto count) {
      using I = decltype(count);
      TH_LAUNCH(queue, (fill_masked<T, I>), blocks_for(queue, call.plan.numel), kThreads, 0,
                StridedOperands<2, I>(call.plan), static_cast<I>(call.plan.numel), value,
                call.check, queue.assertion());
    });
  });
}

void run_triangle(Queue& queue, const TriangleCall& call) {
  int64_t n = call.rows * call.columns;
  if (n == 0) return;
  dispatch_size(item_size(call.dtype), [&](auto item) {
    using T = decltype(item);
    dispatch_index(n, [&](auto count) {
      using I = decltype(count);
      TH_LAUNCH(queue, (zero_triangle<T, I>), blocks_for(queue, n), kThreads, 0, call,
                static_cast<I>(n));
    });
  });
}

}  // namespace th
