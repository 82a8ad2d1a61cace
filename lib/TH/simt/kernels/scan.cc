// Cumulative sums and products. A row is divided into parts depending only on its length, and the
// parts are combined in a fixed order, so results are reproducible. Single-pass library scans are
// not, for floating point.

#include <type_traits>

#include "simt/block_scan.h"
#include "simt/launch.h"
#include "simt/packed_lines.h"
#include "functors/reducers.h"
#include "tensor/convert.h"

namespace th {

namespace {

constexpr int kItems = 4;  // elements per thread and step
constexpr int64_t kTile = kThreads * kItems;
constexpr int64_t kPart = 8 * kTile;
// Rows up to this length are processed by one thread.
constexpr int64_t kShort = 32;
// Columns shorter than this, or at least this many columns, are scanned by one thread each, in
// memory order.
constexpr int64_t kLongColumn = 256;
constexpr int64_t kManyColumns = 8192;

// Scans along the middle dimension of [outer x n x inner]. in and out are contiguous and may be the
// same memory.
struct Lines {
  const char* in;
  char* out;
  int64_t outer, n, inner;
};

template <class R, class T>
__device__ typename R::A read(const T* at) {
  return R::map(load(*at), 0);
}

template <class T, class A>
__device__ void write(T* at, A sum) {
  if constexpr (std::is_integral_v<T>) {
    *at = static_cast<T>(sum);
  } else {
    *at = convert<T>(sum);
  }
}

// One thread for each row: scans along the middle dimension of [outer x n x inner].
template <class T, class R>
__global__ void scan_columns(const T* in, T* out, int64_t outer, int64_t n, int64_t inner) {
  int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t k = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; k < outer * inner;
       k += step) {
    int64_t at = k / inner * n * inner + k % inner;
    auto sum = R::init();
    for (int64_t i = 0; i < n; ++i, at += inner) {
      sum = R::combine(sum, read<R>(in + at));
      write(out + at, sum);
    }
  }
}

// totals[part]: the sum of each part of each row.
template <class T, class R>
__global__ void reduce_parts(const T* in, typename R::A* totals, int64_t rows, int64_t n,
                             int64_t parts) {
  using A = typename R::A;
  for (int64_t k = blockIdx.x; k < rows * parts; k += gridDim.x) {
    const T* row = in + k / parts * n;
    int64_t begin = k % parts * kPart;
    int64_t end = begin + kPart < n ? begin + kPart : n;
    A sum = R::init();
    for (int64_t i = begin + threadIdx.x; i < end; i += kThreads) {
      sum = R::combine(sum, read<R>(row + i));
    }
    A total;
    block_exclusive_scan<R>(sum, &total);
    if (threadIdx.x == 0) totals[k] = total;
  }
}

// Replaces the total of each part by the sum of all parts before it. One block for each row.
template <class R>
__global__ void scan_totals(typename R::A* totals, int64_t rows, int64_t parts) {
  using A = typename R::A;
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    A* of_row = totals + row * parts;
    A carry = R::init();
    for (int64_t begin = 0; begin < parts; begin += kThreads) {
      int64_t i = begin + threadIdx.x;
      A own = i < parts ? of_row[i] : R::init();
      A total;
      A before = block_exclusive_scan<R>(own, &total);
      if (i < parts) of_row[i] = R::combine(carry, before);
      carry = R::combine(carry, total);
    }
  }
}

// carries: the sum before each part; null if each row is one part. One block for each part. out may
// be in.
template <class T, class R>
__global__ void scan_parts(const T* in, T* out, const typename R::A* carries, int64_t rows,
                           int64_t n, int64_t parts) {
  using A = typename R::A;
  for (int64_t k = blockIdx.x; k < rows * parts; k += gridDim.x) {
    int64_t first = k / parts * n;
    int64_t begin = k % parts * kPart;
    int64_t end = begin + kPart < n ? begin + kPart : n;
    A carry = carries ? carries[k] : R::init();
    for (int64_t tile = begin; tile < end; tile += blockDim.x * kItems) {
      int64_t i = tile + threadIdx.x * kItems;
      A sum[kItems];
      A running = R::init();
      for (int j = 0; j < kItems; ++j) {
        if (i + j < end) running = R::combine(running, read<R>(in + first + i + j));
        sum[j] = running;
      }
      A total;
      A before = R::combine(carry, block_exclusive_scan<R>(running, &total));
      for (int j = 0; j < kItems; ++j) {
        if (i + j < end) write(out + first + i + j, R::combine(before, sum[j]));
      }
      carry = R::combine(carry, total);
    }
  }
}

template <template <class> class Reducer, class T>
void scan(Queue& queue, const Lines& lines) {
  using R = Reducer<T>;
  using A = typename R::A;
  using OfTotals = Reducer<std::conditional_t<std::is_integral_v<T>, int64_t, double>>;
  auto* in = reinterpret_cast<const T*>(lines.in);
  auto* out = reinterpret_cast<T*>(lines.out);
  int64_t n = lines.n, rows = lines.outer;
  if (lines.inner > 1 || n <= kShort) {
    int64_t columns = rows * lines.inner;
    TH_LAUNCH(queue, (scan_columns<T, R>), blocks_for(queue, columns), kThreads, 0, in, out, rows,
              n, lines.inner);
    return;
  }
  int64_t parts = (n + kPart - 1) / kPart;
  unsigned blocks = at_most(queue, rows * parts);
  if (parts == 1) {
    unsigned threads = 32;
    while (threads < kThreads && threads * kItems < n) threads *= 2;
    const A* nothing = nullptr;
    TH_LAUNCH(queue, (scan_parts<T, R>), blocks, threads, 0, in, out, nothing, rows, n, parts);
    return;
  }
  Scratch scratch(queue, static_cast<size_t>(rows * parts) * sizeof(A));
  A* totals = scratch.as<A>();
  TH_LAUNCH(queue, (reduce_parts<T, R>), blocks, kThreads, 0, in, totals, rows, n, parts);
  TH_LAUNCH(queue, (scan_totals<OfTotals>), at_most(queue, rows), kThreads, 0, totals, rows, parts);
  TH_LAUNCH(queue, (scan_parts<T, R>), blocks, kThreads, 0, in, out, totals, rows, n, parts);
}

void scan_lines(Queue& queue, const ScanCall& call, const Lines& lines) {
  dispatch(call.dtype, [&](auto zero) {
    using T = decltype(zero);
    if (call.product) {
      scan<Prod, T>(queue, lines);
    } else {
      scan<Sum, T>(queue, lines);
    }
  });
}

}  // namespace

void run_scan(Queue& queue, const ScanCall& call) {
  check_dimensions(call.plan);
  const LoopPlan& plan = call.plan;
  int64_t n = call.n, columns = plan.numel, inner = plan.trailing;
  if (columns * n == 0) return;
  bool as_rows = inner == 1 || (n >= kLongColumn && columns < kManyColumns);
  if (!as_rows) {
    // In place if the memory is in the order of the shape, else in a packed copy.
    PackedLines out(queue, call.dtype, plan, 0, call.out_step, n, inner);
    PackedLines in(queue, call.dtype, plan, 1, call.in_step, n, inner);
    if (out.is_packed() && in.is_packed()) {
      return scan_lines(queue, call, {in.data(), out.data(), columns / inner, n, inner});
    }
    inner = columns;
  } else {
    inner = 1;
  }
  PackedLines out(queue, call.dtype, plan, 0, call.out_step, n, inner);
  PackedLines in(queue, call.dtype, plan, 1, call.in_step, n, inner);
  in.load();
  scan_lines(queue, call, {in.data(), out.data(), columns / inner, n, inner});
  out.store();
}

// One thread for each row would be slower than the CPU.
void run_scan_extremes(Queue&, const ScanExtremesCall&) { fail_unsupported("running extremes"); }

}  // namespace th
