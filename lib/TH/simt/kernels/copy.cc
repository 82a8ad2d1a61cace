// Copies with any layout and conversion. Transpositions go through tiles in shared memory.

#include "simt/kernels/element_kernel.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

// Tiles are read along one dimension and written along the other, so that both accesses are
// coalesced. The extra column avoids bank conflicts in shared memory.
constexpr int kTile = 32;
constexpr int kTileRows = 8;

struct Transposition {
  int64_t rows, cols;       // dimensions 1 and 0; the output is contiguous along 0
  int64_t out_row, in_col;  // bytes; the input is contiguous along dimension 1
  int64_t out_batch, in_batch;
  char* out;
  const char* in;
};

template <class T>
__global__ void transpose_kernel(Transposition t) {
  __shared__ T tile[kTile][kTile + 1];
  int64_t col0 = static_cast<int64_t>(blockIdx.x) * kTile;
  int64_t row0 = static_cast<int64_t>(blockIdx.y) * kTile;
  const char* in = t.in + blockIdx.z * t.in_batch;
  char* out = t.out + blockIdx.z * t.out_batch;
  for (int j = threadIdx.y; j < kTile; j += kTileRows) {
    int64_t row = row0 + threadIdx.x, col = col0 + j;
    if (row < t.rows && col < t.cols) {
      tile[j][threadIdx.x] = reinterpret_cast<const T*>(in + col * t.in_col)[row];
    }
  }
  __syncthreads();
  for (int j = threadIdx.y; j < kTile; j += kTileRows) {
    int64_t row = row0 + j, col = col0 + threadIdx.x;
    if (row < t.rows && col < t.cols) {
      reinterpret_cast<T*>(out + row * t.out_row)[col] = tile[threadIdx.x][j];
    }
  }
}

// Returns true if the plan is a batch of transpositions; sets *t.
bool is_transposition(const LoopPlan& w, int64_t item, Transposition* t) {
  if (w.ndim < 2 || w.ndim > 3) return false;
  if (w.size[0] < kTile / 2 || w.size[1] < kTile / 2) return false;
  if (w.stride[0][0] != item || w.stride[1][1] != item) return false;
  int64_t batches = w.ndim == 3 ? w.size[2] : 1;
  constexpr int64_t most = 65535;
  if (batches > most || (w.size[1] + kTile - 1) / kTile > most) return false;
  *t = {w.size[1], w.size[0], w.stride[0][1], w.stride[1][0], 0, 0, w.data[0], w.data[1]};
  if (w.ndim == 3) {
    t->out_batch = w.stride[0][2];
    t->in_batch = w.stride[1][2];
  }
  return true;
}

template <class T>
struct Same : functor::NoValue {
  using NoValue::NoValue;
  TH_HD T operator()(T x) const { return x; }
};

// Elements of equal types are copied by size only.
template <class T>
void move_elements(Queue& queue, const LoopPlan& plan) {
  Transposition t;
  if (is_transposition(plan, sizeof(T), &t)) {
    dim3 blocks(static_cast<unsigned>((t.cols + kTile - 1) / kTile),
                static_cast<unsigned>((t.rows + kTile - 1) / kTile),
                static_cast<unsigned>(plan.ndim == 3 ? plan.size[2] : 1));
    TH_LAUNCH(queue, (transpose_kernel<T>), blocks, dim3(kTile, kTileRows), 0, t);
    return;
  }
  run_kernels(queue, KernelsOf<Same<T>, T, T, T>::kernels, plan, nullptr, {});
}

// The output type does the conversion; the functor is the identity.
template <class From>
struct Converted : functor::NoValue {
  using NoValue::NoValue;
  using C = typename Numeric<From>::Compute;
  TH_HD C operator()(C x) const { return x; }
};

}  // namespace

void run_copy(Queue& queue, const CopyCall& call) {
  if (call.plan.numel == 0) return;
  if (call.to == call.from) {
    return dispatch_size(item_size(call.to),
                         [&](auto item) { move_elements<decltype(item)>(queue, call.plan); });
  }
  const ElementKernels* kernels = nullptr;
  dispatch(call.from, [&](auto from) {
    using From = decltype(from);
    dispatch(call.to, [&](auto to) {
      using To = decltype(to);
      if constexpr (!std::is_same_v<From, To>) {
        kernels = &KernelsOf<Converted<From>, To, From, From>::kernels;
      }
    });
  });
  run_kernels(queue, *kernels, call.plan, nullptr, {});
}

}  // namespace th
