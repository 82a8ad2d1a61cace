// Cumulative sums, products, maxima and minima. A row is divided into parts depending only on its
// length, and the parts are combined in a fixed order, so results are reproducible. Single-pass
// scans of libraries are not, for floating point, so only integers use them.

#include <optional>
#include <type_traits>

#include "simt/block_scan.h"
#include "simt/launch.h"
#include "simt/packed_lines.h"
#include "simt/scan_row.h"
#include "functors/reducers.h"
#include "tensor/convert.h"

namespace th {

namespace {

constexpr int kItems = 4;  // elements per thread and step
constexpr int64_t kTile = kThreads * kItems;
constexpr int64_t kPart = 8 * kTile;
// Rows of integers from this length on are scanned one after another, in one pass over each.
constexpr int64_t kVeryLongRow = 262144;
// Rows up to this length are processed by one thread.
constexpr int64_t kShort = 32;
// Columns shorter than this, or at least this many columns, are scanned by one thread each, in
// memory order.
constexpr int64_t kLongColumn = 256;
constexpr int64_t kManyColumns = 8192;

// Lines [outer x n x inner] to scan along the middle dimension.
struct Lines {
  int64_t outer, n, inner;
};

// The kernels get an object S, which has the contiguous operands and a reducer for values S::A. A
// result may be the same memory as the input. S::Totals: a reducer for the same values, of which
// there are fewer instances.

template <template <class> class Reducer, class T>
struct Sums : Reducer<T> {
  using A = typename Reducer<T>::A;
  using Totals = Reducer<std::conditional_t<std::is_integral_v<T>, int64_t, double>>;
  const T* in;
  T* out;

  __device__ A read(int64_t at, int64_t) const { return Reducer<T>::map(load(in[at]), 0); }
  __device__ void write(int64_t at, A sum) const {
    if constexpr (std::is_integral_v<T>) {
      out[at] = static_cast<T>(sum);
    } else {
      out[at] = convert<T>(sum);
    }
  }
};

// An element and its position.
template <class C>
struct Place {
  C value;
  int64_t index;  // -1: no element yet
};
template <class C>
__device__ Place<C> shuffle_up(Place<C> a, unsigned by) {
  return {shuffle_up(a.value, by), shuffle_up(a.index, by)};
}

template <class C, bool largest>
struct LastExtreme {
  using A = Place<C>;
  static __device__ A init() { return {C(0), -1}; }
  // NaN is better than all numbers. The last one of equal elements, or of NaNs, counts, in whatever
  // order they are combined.
  static __device__ A combine(A a, A b) {
    if (a.index < 0) return b;
    if (b.index < 0) return a;
    const bool a_is_nan = a.value != a.value, b_is_nan = b.value != b.value;
    if (a_is_nan != b_is_nan) return b_is_nan ? b : a;
    if (a_is_nan || a.value == b.value) return b.index > a.index ? b : a;
    return (b.value > a.value) == largest ? b : a;
  }
};

template <class T, bool largest>
struct RunningExtremes : LastExtreme<Compute<T>, largest> {
  using A = Place<Compute<T>>;
  using Totals = LastExtreme<Compute<T>, largest>;
  const T* in;
  T* values;
  int64_t* indices;
  int64_t base;

  __device__ A read(int64_t at, int64_t i) const { return {load(in[at]), i}; }
  __device__ void write(int64_t at, A a) const {
    values[at] = convert<T>(a.value);  // exact
    indices[at] = a.index + base;
  }
};

// One thread for each line.
template <class S>
__global__ void scan_columns(S s, int64_t outer, int64_t n, int64_t inner) {
  int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t k = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; k < outer * inner;
       k += step) {
    int64_t at = k / inner * n * inner + k % inner;
    auto sum = S::init();
    for (int64_t i = 0; i < n; ++i, at += inner) {
      sum = S::combine(sum, s.read(at, i));
      s.write(at, sum);
    }
  }
}

// totals[part]: the sum of each part of each row.
template <class S>
__global__ void reduce_parts(S s, typename S::A* totals, int64_t rows, int64_t n, int64_t parts) {
  using A = typename S::A;
  for (int64_t k = blockIdx.x; k < rows * parts; k += gridDim.x) {
    const int64_t first = k / parts * n;
    int64_t begin = k % parts * kPart;
    int64_t end = begin + kPart < n ? begin + kPart : n;
    A sum = S::init();
    for (int64_t i = begin + threadIdx.x; i < end; i += kThreads) {
      sum = S::combine(sum, s.read(first + i, i));
    }
    A total;
    block_exclusive_scan<S>(sum, &total);
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

// carries: the sum before each part; null if each row is one part. One block for each part.
template <class S>
__global__ void scan_parts(S s, const typename S::A* carries, int64_t rows, int64_t n,
                           int64_t parts) {
  using A = typename S::A;
  for (int64_t k = blockIdx.x; k < rows * parts; k += gridDim.x) {
    int64_t first = k / parts * n;
    int64_t begin = k % parts * kPart;
    int64_t end = begin + kPart < n ? begin + kPart : n;
    A carry = carries ? carries[k] : S::init();
    for (int64_t tile = begin; tile < end; tile += blockDim.x * kItems) {
      int64_t i = tile + threadIdx.x * kItems;
      A sum[kItems];
      A running = S::init();
      for (int j = 0; j < kItems; ++j) {
        if (i + j < end) running = S::combine(running, s.read(first + i + j, i + j));
        sum[j] = running;
      }
      A total;
      A before = S::combine(carry, block_exclusive_scan<S>(running, &total));
      for (int j = 0; j < kItems; ++j) {
        if (i + j < end) s.write(first + i + j, S::combine(before, sum[j]));
      }
      carry = S::combine(carry, total);
    }
  }
}

template <class S>
void scan(Queue& queue, const S& s, const Lines& lines) {
  using A = typename S::A;
  int64_t n = lines.n, rows = lines.outer;
  if (lines.inner > 1 || n <= kShort) {
    int64_t columns = rows * lines.inner;
    TH_LAUNCH(queue, (scan_columns<S>), blocks_for(queue, columns), kThreads, 0, s, rows, n,
              lines.inner);
    return;
  }
  int64_t parts = (n + kPart - 1) / kPart;
  unsigned blocks = at_most(queue, rows * parts);
  if (parts == 1) {
    unsigned threads = 32;
    while (threads < kThreads && threads * kItems < n) threads *= 2;
    const A* nothing = nullptr;
    TH_LAUNCH(queue, (scan_parts<S>), blocks, threads, 0, s, nothing, rows, n, parts);
    return;
  }
  Scratch scratch(queue, static_cast<size_t>(rows * parts) * sizeof(A));
  A* totals = scratch.as<A>();
  TH_LAUNCH(queue, (reduce_parts<S>), blocks, kThreads, 0, s, totals, rows, n, parts);
  TH_LAUNCH(queue, (scan_totals<typename S::Totals>), at_most(queue, rows), kThreads, 0, totals,
            rows, parts);
  TH_LAUNCH(queue, (scan_parts<S>), blocks, kThreads, 0, s, totals, rows, n, parts);
}

// An operand of a call: its type, and the bytes from one element of a line to the next.
struct Operand {
  DType dtype;
  int64_t step;
};

// Calls f(data, lines) with the operands of a plan in contiguous memory. The last one is the input.
template <int count, class F>
void with_lines(Queue& queue, const LoopPlan& plan, int64_t n, const Operand (&operand)[count],
                const F& f) {
  check_dimensions(plan);
  const int64_t columns = plan.numel;
  if (columns * n == 0) return;
  std::optional<PackedLines> packed[count];
  // Returns true if no operand needs a copy.
  const auto pack = [&](int64_t inner) {
    bool in_place = true;
    for (int k = 0; k < count; ++k) {
      packed[k].emplace(queue, operand[k].dtype, plan, k, operand[k].step, n, inner);
      in_place = in_place && packed[k]->is_packed();
    }
    return in_place;
  };
  const bool as_rows = plan.trailing == 1 || (n >= kLongColumn && columns < kManyColumns);
  int64_t inner = as_rows ? 1 : plan.trailing;
  if (!pack(inner) && !as_rows) pack(inner = columns);
  char* data[count];
  for (int k = 0; k < count; ++k) data[k] = packed[k]->data();
  packed[count - 1]->load();
  f(data, Lines{columns / inner, n, inner});
  for (int k = 0; k < count - 1; ++k) packed[k]->store();
}

template <class T>
void scan_sums(Queue& queue, bool product, char* const* data, const Lines& lines) {
  T* out = reinterpret_cast<T*>(data[0]);
  const T* in = reinterpret_cast<const T*>(data[1]);
  if constexpr (std::is_integral_v<T>) {
    if (lines.inner == 1 && lines.n >= kVeryLongRow) {
      using U = std::make_unsigned_t<T>;
      for (int64_t first = 0; first < lines.outer * lines.n; first += lines.n) {
        scan_row(queue, product, reinterpret_cast<const U*>(in) + first,
                 reinterpret_cast<U*>(out) + first, lines.n);
      }
      return;
    }
  }
  if (product) {
    scan(queue, Sums<Prod, T>{{}, in, out}, lines);
  } else {
    scan(queue, Sums<Sum, T>{{}, in, out}, lines);
  }
}

template <class T>
void scan_extremes(Queue& queue, const ScanExtremesCall& call, char* const* data,
                   const Lines& lines) {
  T* values = reinterpret_cast<T*>(data[0]);
  auto* indices = reinterpret_cast<int64_t*>(data[1]);
  const T* in = reinterpret_cast<const T*>(data[2]);
  if (call.largest) {
    scan(queue, RunningExtremes<T, true>{{}, in, values, indices, call.index_base}, lines);
  } else {
    scan(queue, RunningExtremes<T, false>{{}, in, values, indices, call.index_base}, lines);
  }
}

}  // namespace

void run_scan(Queue& queue, const ScanCall& call) {
  const Operand operands[] = {{call.dtype, call.out_step}, {call.dtype, call.in_step}};
  with_lines(queue, call.plan, call.n, operands, [&](char* const* data, const Lines& lines) {
    dispatch(call.dtype,
             [&](auto zero) { scan_sums<decltype(zero)>(queue, call.product, data, lines); });
  });
}

void run_scan_extremes(Queue& queue, const ScanExtremesCall& call) {
  const Operand operands[] = {
      {call.dtype, call.value_step}, {DType::Long, call.index_step}, {call.dtype, call.in_step}};
  with_lines(queue, call.plan, call.n, operands, [&](char* const* data, const Lines& lines) {
    dispatch(call.dtype,
             [&](auto zero) { scan_extremes<decltype(zero)>(queue, call, data, lines); });
  });
}

}  // namespace th
