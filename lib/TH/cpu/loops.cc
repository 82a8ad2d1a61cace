#include "cpu/loops.h"

#include <algorithm>
#include <cstdlib>

#include "cpu/joined_rows.h"
#include "cpu/parallel.h"
#include "cpu/square.h"
#include "cpu/streamed_loop.h"

namespace th {

namespace {

// The side of a tile, in elements. The cache lines of a strided operand are then still in the L1
// cache when the next row of the tile reads them.
constexpr int64_t kTile = 64;

template <int most>
bool is_across(const LoopPlanOf<most>& plan, int operand) {
  const int64_t* stride = plan.stride[operand];
  return stride[1] != 0 && std::abs(stride[0]) > std::abs(stride[1]);
}

template <int most>
bool wants_tiles(const LoopPlanOf<most>& plan) {
  if (plan.ndim < 2 || plan.size[0] < kTile / 2 || plan.size[1] < kTile / 2) return false;
  for (int k = 1; k < plan.operands; ++k) {
    if (is_across(plan, k)) return true;
  }
  return false;
}

// ---- transposition of a tile of a strided operand, so that the loop reads contiguous elements

// out[j][i] = in[i][j] for a square.
template <class T>
inline void turn_square(T* out, int64_t out_step, const char* in, int64_t in_step) {
  constexpr int64_t n = Square<T>::size;
  typename Square<T>::Row row[n];
#pragma GCC unroll 16
  for (int64_t i = 0; i < n; ++i) {
    row[i] = Square<T>::load(reinterpret_cast<const T*>(in + i * in_step));
  }
  Square<T>::transpose(row);
#pragma GCC unroll 16
  for (int64_t i = 0; i < n; ++i) Square<T>::store(out + i * out_step, row[i]);
}

// Writes rows of `in` as columns of `out`, which are kTile elements apart.
template <class T>
void transpose(char* to, const char* in, int64_t in_step, int64_t rows, int64_t columns) {
  constexpr int64_t n = Square<T>::size;
  T* out = reinterpret_cast<T*>(to);
  int64_t i = 0;
  for (; i + n <= rows; i += n) {
    const char* row = in + i * in_step;
    int64_t j = 0;
    for (; j + n <= columns; j += n) {
      turn_square(out + j * kTile + i, kTile, row + j * static_cast<int64_t>(sizeof(T)), in_step);
    }
    for (; j < columns; ++j) {
      for (int64_t k = 0; k < n; ++k) {
        out[j * kTile + i + k] = reinterpret_cast<const T*>(row + k * in_step)[j];
      }
    }
  }
  for (; i < rows; ++i) {
    auto* row = reinterpret_cast<const T*>(in + i * in_step);
    for (int64_t j = 0; j < columns; ++j) out[j * kTile + i] = row[j];
  }
}

void transpose(int64_t item, char* out, const char* in, int64_t in_step, int64_t rows,
               int64_t columns) {
  switch (item) {
    case 1:
      return transpose<uint8_t>(out, in, in_step, rows, columns);
    case 2:
      return transpose<uint16_t>(out, in, in_step, rows, columns);
    case 4:
      return transpose<uint32_t>(out, in, in_step, rows, columns);
    default:
      return transpose<uint64_t>(out, in, in_step, rows, columns);
  }
}

constexpr int kMostTransposed = 3;  // maximum number of transposed operands
constexpr int64_t kMostItem = 8;
constexpr int64_t kTileBytes = kTile * kTile * kMostItem;

template <int most>
struct Tiles {
  const LoopPlanOf<most>& plan;
  const StreamedLoop& loop;
  bool is_streamed;
  int64_t columns, rows;  // tiles in each direction
  int count;              // number of transposed operands
  int transposed[kMostTransposed];
  int64_t item[kMostTransposed];

  // Threads of a program may have small stacks, so the buffers of most tiles take a third.
  void run(int64_t tile) const {
    int64_t bytes = 0;
    for (int i = 0; i < count; ++i) bytes += kTile * kTile * item[i];
    if (bytes <= kTileBytes) return run_with_buffer<kTileBytes>(tile);
    run_with_buffer<kMostTransposed * kTileBytes>(tile);
  }

 private:
  template <int64_t bytes>
  __attribute__((noinline)) void run_with_buffer(int64_t tile) const {
    alignas(64) char buffer[bytes];
    char* next = buffer;
    char* data[most];
    int64_t inner[most], outer[most];
    int64_t first0 = tile % columns * kTile;
    int64_t first1 = tile / columns % rows * kTile;
    int64_t rest = tile / (columns * rows);
    for (int k = 0; k < plan.operands; ++k) {
      inner[k] = plan.stride[k][0];
      outer[k] = plan.stride[k][1];
      data[k] = plan.data[k] + first0 * inner[k] + first1 * outer[k];
    }
    for (int d = 2; d < plan.ndim; ++d) {
      for (int k = 0; k < plan.operands; ++k) data[k] += rest % plan.size[d] * plan.stride[k][d];
      rest /= plan.size[d];
    }
    int64_t n0 = std::min(kTile, plan.size[0] - first0);
    int64_t n1 = std::min(kTile, plan.size[1] - first1);
    for (int i = 0; i < count; ++i) {
      int k = transposed[i];
      // If the operand goes backwards, the rows of the buffer are read from the last to the first.
      const int64_t step = kTile * item[i], back = outer[k] < 0 ? n1 - 1 : 0;
      transpose(item[i], next, data[k] + back * outer[k], inner[k], n0, n1);
      data[k] = next + back * step;
      next += kTile * step;
      inner[k] = item[i];
      outer[k] = outer[k] < 0 ? -step : step;
    }
    for (int64_t row = 0; row < n1; ++row) {
      if (is_streamed) {
        loop.template run<most>(data, inner, n0);
      } else {
        loop.loop(data, inner, n0, loop.context);
      }
      for (int k = 0; k < plan.operands; ++k) data[k] += outer[k];
    }
  }
};

template <int most>
void run_tiles(const LoopPlanOf<most>& plan, const int64_t* item, const StreamedLoop& loop,
               int64_t grain) {
  const int64_t columns = (plan.size[0] + kTile - 1) / kTile;
  const int64_t rows = (plan.size[1] + kTile - 1) / kTile;
  Tiles<most> tiles = {plan, loop, is_streamed(plan, item, grain), columns, rows, 0, {}, {}};
  for (int k = 1; k < plan.operands && tiles.count < kMostTransposed; ++k) {
    if (!is_across(plan, k) || std::abs(plan.stride[k][1]) != item[k]) continue;
    tiles.item[tiles.count] = item[k];
    tiles.transposed[tiles.count++] = k;
  }
  int64_t count = plan.numel / (plan.size[0] * plan.size[1]) * tiles.columns * tiles.rows;
  parallel_for(count, std::max<int64_t>(1, grain / (kTile * kTile)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t tile = begin; tile < end; ++tile) tiles.run(tile);
                 finish_stream();
               });
}

// Rows of few elements, as the coordinates of points: loops along the next dimension, in parts that
// stay in the L1 cache, because a call of the loop for each row takes longer.
constexpr int64_t kShortRow = 8, kRows = 512;

template <int most>
bool has_short_rows(const LoopPlanOf<most>& plan) {
  return plan.ndim > 1 && plan.size[0] <= kShortRow && plan.size[1] >= 64;
}

template <int most>
void run_short_rows(const LoopPlanOf<most>& plan, Loop loop, const void* context, int64_t grain) {
  const int64_t parts = (plan.size[1] + kRows - 1) / kRows;
  int64_t step[most];
  for (int k = 0; k < plan.operands; ++k) step[k] = plan.stride[k][1];
  const auto run_part = [&](int64_t part) {
    char* data[most];
    const int64_t first = part % parts * kRows, rows = std::min(kRows, plan.size[1] - first);
    for (int k = 0; k < plan.operands; ++k) data[k] = plan.data[k] + first * step[k];
    int64_t rest = part / parts;
    for (int d = 2; d < plan.ndim; ++d) {
      for (int k = 0; k < plan.operands; ++k) data[k] += rest % plan.size[d] * plan.stride[k][d];
      rest /= plan.size[d];
    }
    for (int64_t i = 0; i < plan.size[0]; ++i) {
      loop(data, step, rows, context);
      for (int k = 0; k < plan.operands; ++k) data[k] += plan.stride[k][0];
    }
  };
  const int64_t count = plan.numel / (plan.size[0] * plan.size[1]) * parts;
  parallel_for(count, std::max<int64_t>(1, grain / (kRows * plan.size[0])),
               [&](int64_t begin, int64_t end) {
                 for (int64_t part = begin; part < end; ++part) run_part(part);
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
void run_loop(const LoopPlanOf<most>& plan, const int64_t* item, Loop loop, const void* context,
              int64_t grain, bool copies) {
  if (plan.numel == 0) return;
  if (plan.shared_output) return run_one_by_one(plan, loop, context);
  // Without a limit for one thread, as for the arrays of C callers, there may be many elements.
  const bool streams = plan.numel >= 2 * Grain::cheap && is_streamed(plan, item, grain);
  if (plan.ndim <= 1 && plan.numel / 2 < grain && !streams) {
    int64_t stride[most];
    for (int k = 0; k < plan.operands; ++k) stride[k] = plan.inner_stride(k);
    loop(plan.data, stride, plan.numel, context);
    return;
  }
  if (!copies) {
    JoinedRows<most> rows(plan, item, loop, context);
    if (rows.applies(streams)) return rows.run(grain);
  }
  if (has_short_rows(plan)) return run_short_rows(plan, loop, context, grain);
  const StreamedLoop streamed = {loop, context, plan.operands, item[0], copies};
  if (wants_tiles(plan)) return run_tiles(plan, item, streamed, grain);
  if (streams) return run_streamed(plan, streamed, grain);
  parallel_for(plan.numel, grain, [&](int64_t begin, int64_t end) {
    for_each_run(plan, begin, end, [&](char* const* data, const int64_t* stride, int64_t n) {
      loop(data, stride, n, context);
    });
  });
}

template void run_loop(const LoopPlan&, const int64_t*, Loop, const void*, int64_t, bool);
template void run_loop(const FusedPlan&, const int64_t*, Loop, const void*, int64_t, bool);

}  // namespace th
