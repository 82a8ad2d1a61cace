// Fourier transforms on the CPU, divided into blocks of positions that are transformed side by
// side.

#include <algorithm>

#include "backend/fourier_call.h"
#include "backend/cpu_backend.h"
#include "cpu/fourier_kernels.h"
#include "cpu/loops.h"
#include "cpu/parallel.h"
#include "cpu/team.h"
#include "cpu/workspace.h"
#include "tensor/checked.h"

namespace th {

namespace {

constexpr int64_t kMostLanes = 32;
constexpr int64_t kGrain = 16384;  // elements per thread

// Returns the number of positions of a block. Neighbouring positions are read together if they are
// contiguous. Positions fill vectors, as long as the four arrays of a block stay in the L1 cache;
// long transforms fill vectors by themselves. points: of the plan.
template <class T>
int64_t lanes_of(const FourierCall& call, int64_t points) {
  constexpr int64_t item = sizeof(T), line = 64 / item, vector = 16, short_transform = 64;
  constexpr int64_t most_elements = 28 * 1024 / (4 * item);
  const LoopPlan& plan = call.plan;
  if (plan.numel < 2) return 1;
  const bool contiguous = plan.inner_size() > 1 && call.out_step > plan.inner_stride(0);
  int64_t lanes = contiguous ? line : 1;
  if (call.n < short_transform || plan.numel >= vector) {
    for (int64_t k = vector; k <= kMostLanes && k <= most_elements / points; k += vector) lanes = k;
  }
  return std::min(lanes, plan.numel);
}

template <class T>
void transform(const FourierCall& call, void (*run_block)(const FourierBlock<T>&)) {
  const bool pairs = call.kind != FourierKind::complex && call.n % 2 == 0;
  const auto plan = fourier_plan<T>(pairs ? call.n / 2 : call.n);
  const int64_t lanes = lanes_of<T>(call, plan->n), positions = call.plan.numel;
  const int64_t blocks = (positions + lanes - 1) / lanes;
  const int64_t grain = std::max<int64_t>(1, kGrain / checked_mul(call.n, lanes, "a size"));
  const Team team(blocks);
  const int64_t size = fourier_work(*plan, lanes);
  Workspace<T> work(checked_mul(team.size(), size, "the work memory of a transform"));
  parallel_for(blocks, grain, [&](int64_t begin, int64_t end) {
    T* const own = work.data() + size * team.index();
    char* out[kMostLanes];
    const char* in[kMostLanes];
    for (int64_t k = begin; k < end; ++k) {
      const int64_t first = k * lanes, last = std::min(first + lanes, positions);
      int64_t count = 0;
      for_each_run(call.plan, first, last,
                   [&](char* const* data, const int64_t* stride, int64_t n) {
                     for (int64_t i = 0; i < n; ++i, ++count) {
                       out[count] = data[0] + i * stride[0];
                       in[count] = data[1] + i * stride[1];
                     }
                   });
      run_block({plan.get(), &call, count, out, in, own});
    }
  });
}

}  // namespace

void run_fourier(const FourierCall& call) {
  if (call.dtype == DType::Float) return transform(call, fourier_kernels().of_float);
  transform(call, fourier_kernels().of_double);
}

}  // namespace th
