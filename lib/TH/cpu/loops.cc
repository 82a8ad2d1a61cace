#include "cpu/loops.h"

#include <algorithm>

#include "cpu/parallel.h"

namespace th {

namespace {

// Elements along each side of a tile: the lines that a tile touches on its strided side are
// still in the first-level cache when its next row needs them.
constexpr int64_t kTile = 64;

template <int most>
bool wants_tiles(const LoopPlanOf<most>& plan) {
  if (plan.ndim < 2 || plan.size[0] < kTile / 2 || plan.size[1] < kTile / 2) return false;
  for (int k = 1; k < plan.operands; ++k) {
    if (plan.stride[k][1] != 0 && plan.stride[k][0] > plan.stride[k][1]) return true;
  }
  return false;
}

template <int most>
void run_tile(const LoopPlanOf<most>& plan, Loop loop, const void* context, int64_t tile,
              int64_t tiles0, int64_t tiles1) {
  char* data[most];
  int64_t inner[most];
  int64_t first0 = tile % tiles0 * kTile;
  int64_t first1 = tile / tiles0 % tiles1 * kTile;
  int64_t outer = tile / (tiles0 * tiles1);
  for (int k = 0; k < plan.operands; ++k) {
    data[k] = plan.data[k] + first0 * plan.stride[k][0] + first1 * plan.stride[k][1];
    inner[k] = plan.stride[k][0];
  }
  for (int d = 2; d < plan.ndim; ++d) {
    for (int k = 0; k < plan.operands; ++k) data[k] += outer % plan.size[d] * plan.stride[k][d];
    outer /= plan.size[d];
  }
  int64_t n0 = std::min(kTile, plan.size[0] - first0);
  int64_t n1 = std::min(kTile, plan.size[1] - first1);
  for (int64_t row = 0; row < n1; ++row) {
    loop(data, inner, n0, context);
    for (int k = 0; k < plan.operands; ++k) data[k] += plan.stride[k][1];
  }
}

template <int most>
void run_tiles(const LoopPlanOf<most>& plan, Loop loop, const void* context, int64_t grain) {
  int64_t tiles0 = (plan.size[0] + kTile - 1) / kTile;
  int64_t tiles1 = (plan.size[1] + kTile - 1) / kTile;
  int64_t tiles = plan.numel / (plan.size[0] * plan.size[1]) * tiles0 * tiles1;
  parallel_for(tiles, std::max<int64_t>(1, grain / (kTile * kTile)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t tile = begin; tile < end; ++tile) {
                   run_tile(plan, loop, context, tile, tiles0, tiles1);
                 }
               });
}

template <int most>
void run_one_by_one(const LoopPlanOf<most>& plan, Loop loop, const void* context) {
  for_each_run(plan, 0, plan.numel, [&](char* const* data, const int64_t* stride, int64_t n) {
    char* at[most];
    for (int64_t i = 0; i < n; ++i) {
      for (int k = 0; k < plan.operands; ++k) at[k] = data[k] + i * stride[k];
      loop(at, stride, 1, context);
    }
  });
}

}  // namespace

template <int most>
void run_loop(const LoopPlanOf<most>& plan, Loop loop, const void* context, int64_t grain) {
  if (plan.numel == 0) return;
  if (plan.shared_output) return run_one_by_one(plan, loop, context);
  if (plan.ndim <= 1 && plan.numel < 2 * grain) {
    int64_t stride[most];
    for (int k = 0; k < plan.operands; ++k) stride[k] = plan.inner_stride(k);
    loop(plan.data, stride, plan.numel, context);
    return;
  }
  if (wants_tiles(plan)) return run_tiles(plan, loop, context, grain);
  parallel_for(plan.numel, grain, [&](int64_t begin, int64_t end) {
    for_each_run(plan, begin, end, [&](char* const* data, const int64_t* stride, int64_t n) {
      loop(data, stride, n, context);
    });
  });
}

template void run_loop(const LoopPlan&, Loop, const void*, int64_t);
template void run_loop(const FusedPlan&, Loop, const void*, int64_t);

}  // namespace th
