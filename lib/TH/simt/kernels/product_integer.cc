// Matrix products of integers. Each block computes tiles of c from tiles of a and b in shared
// memory.

#include "simt/product_integer.h"

#include "simt/launch.h"
#include "tensor/type_sets.h"

namespace th {

namespace {

constexpr int kEdge = 16;             // threads of a block in each dimension
constexpr int kEach = 4;              // elements of a thread in each dimension
constexpr int kTile = kEdge * kEach;  // edge of a tile of c
constexpr int kDepth = 16;            // of a and b per step
static_assert(kEdge * kEdge == kThreads);
constexpr int kLoads = kTile * kDepth / kThreads;

// Loads lanes (rows of a, columns of b) from lane0 and depths from k0 into tile[depth][lane];
// missing elements are zeros. Neighbouring threads read neighbouring elements.
template <class T>
__device__ void load_tile(const T* data, int64_t lane_stride, int64_t depth_stride, int64_t lane0,
                          int64_t lanes, int64_t k0, int64_t k, int thread,
                          WordOf<T> (*tile)[kTile + 1]) {
  for (int i = 0; i < kLoads; ++i) {
    int at = thread + i * kThreads;
    int depth = depth_stride == 1 ? at % kDepth : at / kTile;
    int lane = depth_stride == 1 ? at / kDepth : at % kTile;
    WordOf<T> value = 0;
    if (lane0 + lane < lanes && k0 + depth < k) {
      value =
          static_cast<WordOf<T>>(data[(lane0 + lane) * lane_stride + (k0 + depth) * depth_stride]);
    }
    tile[depth][lane] = value;
  }
}

template <class T>
__global__ void integer_product(ProductCall p, int64_t across, int64_t tiles) {
  using Word = WordOf<T>;
  __shared__ Word a_tile[kDepth][kTile + 1];
  __shared__ Word b_tile[kDepth][kTile + 1];
  int thread = static_cast<int>(threadIdx.x);
  int x = thread % kEdge, y = thread / kEdge;
  Word alpha = static_cast<Word>(p.alpha.i), beta = static_cast<Word>(p.beta.i);
  int64_t per_batch = tiles / p.batches;
  for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    int64_t batch = tile / per_batch;
    int64_t i0 = tile % per_batch / across * kTile, j0 = tile % per_batch % across * kTile;
    const T* a = reinterpret_cast<const T*>(p.a.data) + batch * p.a.batch;
    const T* b = reinterpret_cast<const T*>(p.b.data) + batch * p.b.batch;
    Word sums[kEach][kEach] = {};
    for (int64_t k0 = 0; k0 < p.k; k0 += kDepth) {
      load_tile<T>(a, p.a.row, p.a.col, i0, p.m, k0, p.k, thread, a_tile);
      load_tile<T>(b, p.b.col, p.b.row, j0, p.n, k0, p.k, thread, b_tile);
      __syncthreads();
      for (int k = 0; k < kDepth; ++k) {
        for (int i = 0; i < kEach; ++i) {
          for (int j = 0; j < kEach; ++j) {
            sums[i][j] += a_tile[k][y + i * kEdge] * b_tile[k][x + j * kEdge];
          }
        }
      }
      __syncthreads();
    }
    T* c = reinterpret_cast<T*>(p.c.data) + batch * p.c.batch;
    for (int i = 0; i < kEach; ++i) {
      for (int j = 0; j < kEach; ++j) {
        int64_t row = i0 + y + i * kEdge, col = j0 + x + j * kEdge;
        if (row >= p.m || col >= p.n) continue;
        T& out = c[row * p.c.row + col * p.c.col];
        Word value = alpha * sums[i][j];
        if (beta != 0) value += beta * static_cast<Word>(out);
        out = static_cast<T>(value);
      }
    }
  }
}

}  // namespace

void run_integer_product(Queue& queue, const ProductCall& call) {
  int64_t down = (call.m + kTile - 1) / kTile, across = (call.n + kTile - 1) / kTile;
  int64_t tiles = down * across * call.batches;
  dispatch_types<IntegralTypes>(call.dtype, [&](auto zero) {
    using T = decltype(zero);
    TH_LAUNCH(queue, (integer_product<T>), at_most(queue, tiles), kThreads, 0, call, across, tiles);
  });
}

}  // namespace th
