#ifndef TH_SIMT_KERNELS_REDUCTION_H
#define TH_SIMT_KERNELS_REDUCTION_H

// The kernel for all reductions, generic in element, result and reducer. The threads of a block
// form a table. With `columns`, threads of a row process adjacent outputs, and threads of a column
// share the elements of an output; otherwise it is the other way round. An output with many
// elements is divided into splits, which a second kernel combines. The assignment of elements to
// threads and the order of operations depend only on sizes and strides, so results are
// reproducible.

#include "simt/offset_calculator.h"
#include "backend/reduce_call.h"
#include "functors/reducers.h"
#include "functors/reduction.h"
#include "tensor/convert.h"
#include "tensor/type_sets.h"

namespace th {

constexpr int kReduceThreads = 256;

// Offsets in up to two operands.
using ReduceOffsets = OffsetCalculator<2, uint64_t>;

struct ReducePlan {
  const char* data[2];
  ReduceOffsets outer;  // the outputs: offsets in data[0] and in the results
  ReduceOffsets inner;  // the elements of an output, in data[0] and data[1]
  int64_t n;            // elements per output
  int64_t outputs;
  int64_t splits;
  int64_t length;  // elements per split
  int log_width;   // log2 of the threads in a row
  bool columns;
  bool packed;  // elements of an output are contiguous and 16-byte aligned
  // Results: finished elements of the source's type, or Wides in the order of the outputs.
  bool wide;
  Finish finish;
  double parameter;
  const Wide* sums;  // the sum of each output, if the reducer needs its mean
  char* out;
  int64_t* indices;
  int64_t index_base;
  char* partials;
};

// For elements of type T; instantiated in reduce_*.cc. index: for Reducer::min and max.
template <class T>
void reduce_elements(Queue& queue, Reducer reducer, bool index, const ReducePlan& plan);
// Compiled in reduce_integers.cc and reduce_reals.cc only: the kernels take long to compile.
#define TH_TYPE(Name, real, accreal, kind, ...)                                             \
  extern template void reduce_elements<ElementOf<DType::Name>::Type>(Queue&, Reducer, bool, \
                                                                     const ReducePlan&);
#include "THTypes.def"
#undef TH_TYPE
// For pairs of elements of type T; defined in reduce_pairs.cc.
template <class T>
void reduce_pairs(Queue& queue, Reducer reducer, Transform transform, const ReducePlan& plan);

namespace {

// ---- sources and accumulators ------------------------------------------------------------------

// The value of an element or of a pair of elements.
template <class T_, Transform transform>
struct Source {
  using T = T_;
  static constexpr int kOperands = transform == Transform::none ? 1 : 2;
  static __device__ auto value(T a, [[maybe_unused]] T b) {
    if constexpr (transform == Transform::none) {
      return load(a);
    } else if constexpr (transform == Transform::difference) {
      return load(a) - load(b);
    } else if constexpr (transform == Transform::product) {
      return static_cast<WideOf<T>>(load(a)) * static_cast<WideOf<T>>(load(b));
    } else {
      return static_cast<uint64_t>(load(a) != load(b));
    }
  }
};

// Accumulates the value only.
template <class R>
struct Value {
  using A = typename R::A;
  static constexpr bool kEach = R::Each;
  static constexpr bool kIndex = false;
  static __device__ A init() { return R::init(); }
  template <class V>
  static __device__ void take(A* a, V x, int64_t, double parameter) {
    *a = R::combine(*a, R::map(x, parameter));
  }
  static __device__ A combine(A a, A b) { return R::combine(a, b); }
  static __device__ auto value(A a) { return a; }
};

// An extreme element and the index of its first occurrence.
template <class C>
struct ValueIndex {
  C value;
  int64_t index;  // -1: no element yet
};
template <class T, bool largest>
struct ArgExtreme {
  using C = Compute<T>;
  using A = ValueIndex<C>;
  static constexpr bool kEach = false;
  static constexpr bool kIndex = true;
  static __device__ A init() { return {C(0), -1}; }
  // Returns true if b replaces a. A thread visits its elements in order.
  static __device__ bool better(C b, C a) {
    if (a != a) return false;
    return b != b || (largest ? b > a : b < a);
  }
  static __device__ void take(A* a, C x, int64_t i, double) {
    if (a->index < 0 || better(x, a->value)) *a = {x, i};
  }
  static __device__ A combine(A a, A b) {
    if (a.index < 0) return b;
    if (b.index < 0 || better(a.value, b.value)) return a;
    if (better(b.value, a.value)) return b;
    return a.index < b.index ? a : b;
  }
  static __device__ C value(A a) { return a.value; }
};

// ---- the elements of one thread ----------------------------------------------------------------

// Independent accumulators, so that loads and additions overlap.
constexpr int kAccumulators = 4;

template <class T>
struct alignas(16) Pack {
  static constexpr int kItems = 16 / sizeof(T);
  T item[kItems];
};

// Reduces elements first + lane, first + lane + lanes, ... of `count` elements.
template <class K, class S>
__device__ typename K::A take_elements(const ReducePlan& p, const char* a, const char* b,
                                       int64_t first, int64_t count, int lane, int lanes,
                                       double parameter) {
  using T = typename S::T;
  typename K::A partial[kAccumulators];
  for (int j = 0; j < kAccumulators; ++j) partial[j] = K::init();
  auto take = [&](int j, const char* x, const char* y, int64_t i) {
    T left = *reinterpret_cast<const T*>(x);
    T right = S::kOperands == 2 ? *reinterpret_cast<const T*>(y) : left;
    K::take(&partial[j], S::value(left, right), first + i, parameter);
  };
  int64_t i = lane;
  if (p.packed) {
    using P = Pack<T>;
    constexpr auto item = static_cast<int64_t>(sizeof(T));
    a += first * item;
    b += first * item;
    int64_t packs = count / P::kItems;
    constexpr int kLoads = S::kOperands == 1 ? 4 : 2;
    auto take_packs = [&](const P* x, const P* y, int n, int64_t at) {
      for (int k = 0; k < n; ++k) {
        for (int j = 0; j < P::kItems; ++j) {
          K::take(&partial[(k * P::kItems + j) % kAccumulators],
                  S::value(x[k].item[j], y[k].item[j]),
                  first + (at + int64_t{k} * lanes) * P::kItems + j, parameter);
        }
      }
    };
    auto* packs_a = reinterpret_cast<const P*>(a);
    auto* packs_b = reinterpret_cast<const P*>(b);
    P x[kLoads], y[kLoads];
    for (; i + (kLoads - 1) * int64_t{lanes} < packs; i += kLoads * int64_t{lanes}) {
      for (int k = 0; k < kLoads; ++k) {
        x[k] = packs_a[i + int64_t{k} * lanes];
        y[k] = S::kOperands == 2 ? packs_b[i + int64_t{k} * lanes] : x[k];
      }
      take_packs(x, y, kLoads, i);
    }
    for (; i < packs; i += lanes) {
      x[0] = packs_a[i];
      y[0] = S::kOperands == 2 ? packs_b[i] : x[0];
      take_packs(x, y, 1, i);
    }
    for (i = packs * P::kItems + lane; i < count; i += lanes) {
      take(0, a + i * item, b + i * item, i);
    }
  } else if (p.inner.ndim <= 1) {
    int64_t step_a = p.inner.stride[0][0], step_b = p.inner.stride[1][0];
    a += first * step_a;
    b += first * step_b;
    for (; i + (kAccumulators - 1) * int64_t{lanes} < count; i += kAccumulators * int64_t{lanes}) {
      T left[kAccumulators], right[kAccumulators];
      for (int j = 0; j < kAccumulators; ++j) {
        int64_t at = i + int64_t{j} * lanes;
        left[j] = *reinterpret_cast<const T*>(a + at * step_a);
        right[j] = S::kOperands == 2 ? *reinterpret_cast<const T*>(b + at * step_b) : left[j];
      }
      for (int j = 0; j < kAccumulators; ++j) {
        K::take(&partial[j], S::value(left[j], right[j]), first + i + int64_t{j} * lanes,
                parameter);
      }
    }
    for (; i < count; i += lanes) take(0, a + i * step_a, b + i * step_b, i);
  } else {
    for (; i < count; i += lanes) {
      int64_t offset[2];
      p.inner.get(static_cast<uint64_t>(first + i), offset);
      take(0, a + offset[0], b + offset[1], i);
    }
  }
  return K::combine(K::combine(partial[0], partial[1]), K::combine(partial[2], partial[3]));
}

// ---- combination within a block ----------------------------------------------------------------

template <class A>
__device__ A shuffle_down(A a, int by) {
  constexpr unsigned all = 0xffffffffu;
  if constexpr (std::is_integral_v<A> && sizeof(A) <= 4) {
    return static_cast<A>(__shfl_down_sync(all, static_cast<int>(a), by));
  } else if constexpr (std::is_integral_v<A>) {
    return static_cast<A>(__shfl_down_sync(all, static_cast<long long>(a), by));
  } else {
    return __shfl_down_sync(all, a, by);
  }
}
template <class C>
__device__ ValueIndex<C> shuffle_down(ValueIndex<C> a, int by) {
  return {shuffle_down(a.value, by), shuffle_down(a.index, by)};
}

// Combines each row of threads; the result is in its first thread.
template <class K, class A>
__device__ A combine_row(A a, int log_width, A* shared) {
  int width = 1 << log_width;
  for (int by = (width < 32 ? width : 32) / 2; by > 0; by /= 2) {
    a = K::combine(a, shuffle_down(a, by));
  }
  if (width > 32) {
    int warp = static_cast<int>(threadIdx.x) / 32;
    __syncthreads();
    if (threadIdx.x % 32 == 0) shared[warp] = a;
    __syncthreads();
    if ((static_cast<int>(threadIdx.x) & (width - 1)) == 0) {
      for (int k = 1; k < width / 32; ++k) a = K::combine(a, shared[warp + k]);
    }
  }
  return a;
}

// Combines each column of threads; the result is in its topmost thread.
template <class K, class A>
__device__ A combine_column(A a, int log_width, A* shared) {
  auto thread = static_cast<int>(threadIdx.x);
  int y = thread >> log_width;
  __syncthreads();
  shared[thread] = a;
  __syncthreads();
  for (int half = (kReduceThreads >> log_width) / 2; half > 0; half /= 2) {
    if (y < half) shared[thread] = K::combine(shared[thread], shared[thread + (half << log_width)]);
    __syncthreads();
  }
  return shared[thread];
}

// ---- results -----------------------------------------------------------------------------------

template <class K, class S, class A>
__device__ void write_result(const ReducePlan& p, int64_t output, A a) {
  using T = typename S::T;
  auto value = K::value(a);
  Partial result;
  if constexpr (std::is_integral_v<decltype(value)>) {
    result.value.i = static_cast<int64_t>(value);
  } else {
    result.value.d = value;
    if constexpr (K::kEach) result.aux.moment = value;
  }
  if (p.wide || S::kOperands == 2) {
    reinterpret_cast<Wide*>(p.out)[output] = result.value;
    return;
  }
  if constexpr (S::kOperands == 1) {
    int64_t offset[2];
    p.outer.get(static_cast<uint64_t>(output), offset);
    T* to = reinterpret_cast<T*>(p.out + offset[1]);
    if constexpr (std::is_integral_v<T>) {
      *to = convert<T>(result.value.i);
    } else {
      *to = convert<T>(p.finish == Finish::none || K::kIndex
                           ? result.value.d
                           : finished(p.finish, result, p.n, p.parameter));
    }
    if constexpr (K::kIndex) {
      p.indices[offset[1] / static_cast<int64_t>(sizeof(T))] = a.index + p.index_base;
    }
  }
}

// At most 64 registers, so that a multiprocessor runs four blocks.
template <class K, class S>
__global__ void __launch_bounds__(kReduceThreads, 4) reduce_splits(ReducePlan p) {
  using A = typename K::A;
  __shared__ A shared[kReduceThreads];
  int width = 1 << p.log_width, height = kReduceThreads >> p.log_width;
  int x = static_cast<int>(threadIdx.x) & (width - 1);
  int y = static_cast<int>(threadIdx.x) >> p.log_width;
  int lane = p.columns ? y : x, lanes = p.columns ? height : width;
  int side = p.columns ? x : y, group = p.columns ? width : height;
  int64_t tiles = (p.outputs + group - 1) / group;
  for (int64_t task = blockIdx.x; task < tiles * p.splits; task += gridDim.x) {
    int64_t split = task / tiles;
    int64_t output = (task - split * tiles) * group + side;
    A a = K::init();
    if (output < p.outputs) {
      int64_t offset[2];
      p.outer.get(static_cast<uint64_t>(output), offset);
      double parameter = p.parameter;
      if constexpr (K::kEach) parameter = p.sums[output].d / static_cast<double>(p.n);
      int64_t first = split * p.length;
      int64_t count = p.n - first < p.length ? p.n - first : p.length;
      a = take_elements<K, S>(p, p.data[0] + offset[0], p.data[1], first, count, lane, lanes,
                              parameter);
    }
    a = p.columns ? combine_column<K>(a, p.log_width, shared)
                  : combine_row<K>(a, p.log_width, shared);
    if (lane != 0 || output >= p.outputs) continue;
    if (p.splits == 1) {
      write_result<K, S>(p, output, a);
    } else {
      reinterpret_cast<A*>(p.partials)[output * p.splits + split] = a;
    }
  }
}

// Combines the splits of each output by rows of threads.
template <class K, class S>
__global__ void reduce_partials(ReducePlan p) {
  using A = typename K::A;
  __shared__ A shared[kReduceThreads];
  int width = 1 << p.log_width, height = kReduceThreads >> p.log_width;
  int x = static_cast<int>(threadIdx.x) & (width - 1);
  int y = static_cast<int>(threadIdx.x) >> p.log_width;
  int64_t tiles = (p.outputs + height - 1) / height;
  for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    int64_t output = tile * height + y;
    A a = K::init();
    if (output < p.outputs) {
      const A* partials = reinterpret_cast<const A*>(p.partials) + output * p.splits;
      for (int64_t k = x; k < p.splits; k += width) a = K::combine(a, partials[k]);
    }
    a = combine_row<K>(a, p.log_width, shared);
    if (x == 0 && output < p.outputs) write_result<K, S>(p, output, a);
  }
}

// ---- launching ---------------------------------------------------------------------------------

inline int64_t ceiling(int64_t a, int64_t b) { return (a + b - 1) / b; }

inline int log2_of_ceiling(int64_t n, int most) {
  int log = 0;
  while (log < most && (int64_t{1} << log) < n) ++log;
  return log;
}

// Number of blocks that use every device well. The same for all devices, so that all compute
// identical results.
constexpr int64_t kReduceBlocks = 1024;
// Minimum number of elements per thread before more threads are used.
constexpr int64_t kThreadElements = 16;

// Chooses the arrangement of threads. data, outer, inner, n and outputs are set already.
template <class S>
void arrange(ReducePlan* p) {
  constexpr auto item = static_cast<int64_t>(sizeof(typename S::T));
  constexpr int64_t items = Pack<typename S::T>::kItems;
  constexpr int log_threads = 8;
  static_assert(1 << log_threads == kReduceThreads);
  bool line = p->inner.ndim <= 1;
  int64_t step = p->inner.ndim ? p->inner.stride[0][0] : item;
  int64_t side = p->outer.ndim ? p->outer.stride[0][0] : 0;
  p->columns = p->outputs > 1 && line && step != item && side != 0 && (step == 0 || side < step);
  p->packed = !p->columns && line && p->n >= items;
  for (int k = 0; k < S::kOperands; ++k) {
    p->packed = p->packed && (p->inner.ndim == 0 || p->inner.stride[k][0] == item) &&
                reinterpret_cast<uintptr_t>(p->data[k]) % 16 == 0;
  }
  for (int d = 0; d < p->outer.ndim; ++d) p->packed = p->packed && p->outer.stride[0][d] % 16 == 0;
  int64_t unit = p->packed ? items : 1;
  if (p->columns) {
    int log_line = item == 1 ? 7 : item == 2 ? 6 : 5;
    p->log_width = log2_of_ceiling(p->outputs, log_line);
  } else {
    p->log_width = log2_of_ceiling(ceiling(p->n, 4 * unit), log_threads);
  }
  int64_t width = int64_t{1} << p->log_width, height = kReduceThreads / width;
  int64_t tiles = ceiling(p->outputs, p->columns ? width : height);
  int64_t lanes = p->columns ? height : width;
  int64_t least = lanes * (4 * unit > kThreadElements ? 4 * unit : kThreadElements);
  int64_t splits = ceiling(kReduceBlocks, tiles);
  if (splits > p->n / least) splits = p->n / least > 1 ? p->n / least : 1;
  p->length = ceiling(ceiling(p->n, splits), unit) * unit;
  p->splits = ceiling(p->n, p->length);
}

inline int grid_for(int64_t tasks) {
  constexpr int64_t most = int64_t{1} << 30;
  return static_cast<int>(tasks < most ? tasks : most);
}

template <class K, class S>
void run_reduction(Queue& queue, ReducePlan plan) {
  arrange<S>(&plan);
  int width = 1 << plan.log_width, height = kReduceThreads / width;
  int blocks = grid_for(ceiling(plan.outputs, plan.columns ? width : height) * plan.splits);
  if (plan.splits == 1) {
    TH_LAUNCH(queue, (reduce_splits<K, S>), blocks, kReduceThreads, 0, plan);
    return;
  }
  Scratch partials(queue, static_cast<size_t>(plan.outputs * plan.splits) * sizeof(typename K::A));
  plan.partials = partials.as<char>();
  TH_LAUNCH(queue, (reduce_splits<K, S>), blocks, kReduceThreads, 0, plan);
  plan.log_width = log2_of_ceiling(plan.splits, 8);
  height = kReduceThreads >> plan.log_width;
  blocks = grid_for(ceiling(plan.outputs, height));
  TH_LAUNCH(queue, (reduce_partials<K, S>), blocks, kReduceThreads, 0, plan);
}

// Runs the reduction of one reducer if it is compiled for T.
template <template <class> class Functor, class Types, class T>
void reduce_by(Queue& queue, [[maybe_unused]] bool index, const ReducePlan& plan) {
  using S = Source<T, Transform::none>;
  using R = Functor<T>;
  if constexpr (Types::contains(DTypeOf<T>::value)) {
    if constexpr (std::is_same_v<R, Min<T>> || std::is_same_v<R, Max<T>>) {
      if (index) return run_reduction<ArgExtreme<T, std::is_same_v<R, Max<T>>>, S>(queue, plan);
    }
    run_reduction<Value<R>, S>(queue, plan);
  }
}

}  // namespace

template <class T>
void reduce_elements(Queue& queue, Reducer reducer, bool index, const ReducePlan& plan) {
  switch (reducer) {
#define TH_REDUCER(name, Functor, types, cost) \
  case Reducer::name:                          \
    return reduce_by<Functor, types, T>(queue, index, plan);
#include "functors/reducers.def"
  }
}

}  // namespace th

#endif
