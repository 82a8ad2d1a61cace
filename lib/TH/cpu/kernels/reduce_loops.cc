// All reductions are computed over the columns of a matrix: a few rows at a time are added to an
// array of accumulators, one for each column. This vectorizes without reordering operations. A
// contiguous run is first folded into a fixed number of columns. So the results are identical for
// all instruction sets, except for sums of powers.

#include "cpu/kernels/reduce_loops.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#ifdef __F16C__
#include <immintrin.h>
#endif

#include "cpu/kernels/reduce_find.h"
#include "cpu/kernels/vector_math.h"
#include "cpu/kernels/wide_sums.h"
#include "functors/reducers.h"

namespace th {
namespace {

// Number of rows processed together, to load and store the accumulators once for all of them.
constexpr int64_t kRows = 4;
// Bytes of accumulators for a contiguous run: four of the widest vectors.
constexpr int64_t kLaneBytes = 256;

template <class R, class T>
inline void take(typename R::A* a, T x, double parameter) {
  *a = R::combine(*a, R::map(load(x), parameter));
}

// Processes elements that are a step apart, in order.
template <class R, class T, size_t... K>
inline typename R::A take_each(typename R::A a, const T* x, int64_t step, double parameter,
                               std::index_sequence<K...>) {
  (take<R>(&a, x[static_cast<int64_t>(K) * step], parameter), ...);
  return a;
}

// The reducer's parameter: the same for all columns, or one for each.
struct Same {
  double parameter;
  double operator()(int64_t) const { return parameter; }
};
struct Each {
  const double* parameters;
  double operator()(int64_t column) const { return parameters[column]; }
};

// True for sums of elements or of their squares, which wide_sums.h implements. For 16-bit types it
// does so after a conversion.
template <class R, class T>
constexpr bool kIsSum = std::is_same_v<R, Sum<T>> || std::is_same_v<R, Squares<T>>;
// True if wide_sums.h implements this reducer for elements of this type.
template <class R, class T>
constexpr bool kIsWide = std::is_floating_point_v<T> &&
                         (kIsSum<R, T> || std::is_same_v<R, Prod<T>>);

#ifdef __F16C__
// True if blocks of 16-bit elements are converted to float first. For other reductions of BFloat16
// the compiler does this as fast.
template <class R, class T>
constexpr bool kConverts = std::is_same_v<T, Half> || (std::is_same_v<T, BFloat16> && kIsSum<R, T>);

// The compiler does not vectorize this conversion.
inline void to_floats(const Half* in, int64_t n, float* out) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m128i half = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i));
    _mm256_storeu_ps(out + i, _mm256_cvtph_ps(half));
  }
  for (; i < n; ++i) out[i] = load(in[i]);
}
inline void to_floats(const BFloat16* in, int64_t n, float* out) {
  for (int64_t i = 0; i < n; ++i) out[i] = load(in[i]);
}

template <class R, class T, class Parameter>
inline void take_converted_rows(const T* x, int64_t n, int64_t step, int64_t width,
                                typename R::A* acc, Parameter parameter) {
  constexpr int64_t kBlock = 256;
  float rows[kRows * kBlock];
  for (int64_t first = 0; first < width; first += kBlock) {
    const int64_t count = std::min(kBlock, width - first);
    for (int64_t i = 0; i < n; i += kRows) {
      const int64_t some = std::min(kRows, n - i);
      for (int64_t k = 0; k < some; ++k) {
        to_floats(x + (i + k) * step + first, count, rows + k * kBlock);
      }
      if constexpr (std::is_same_v<R, Sum<T>>) {
        add_columns<kRows>(some, kBlock, count, acc + first, rows);
      } else if constexpr (std::is_same_v<R, Squares<T>>) {
        add_columns<kRows>(some, kBlock, count, acc + first, rows, rows);
      } else if (some == kRows) {
#pragma GCC ivdep
        for (int64_t j = 0; j < count; ++j) {
          acc[first + j] = take_each<R>(acc[first + j], rows + j, kBlock, parameter(first + j),
                                        std::make_index_sequence<kRows>());
        }
      } else {
        for (int64_t k = 0; k < some; ++k) {
#pragma GCC ivdep
          for (int64_t j = 0; j < count; ++j) {
            take<R>(acc + first + j, rows[k * kBlock + j], parameter(first + j));
          }
        }
      }
    }
  }
}

// The sum of n elements, or of their squares, in the lanes of a run of floats.
template <class R, class T>
inline double sum_converted(const T* x, int64_t n) {
  constexpr int64_t kBlock = 16 * Run<float>::kLanes;
  float block[kBlock];
  Run<float> sum;
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t count = std::min(kBlock, n - i);
    to_floats(x + i, count, block);
    if constexpr (std::is_same_v<R, Sum<T>>) {
      sum.take(count, block);
    } else {
      sum.take(count, block, block);
    }
  }
  return sum.total();
}
#endif

#ifdef TH_HAVE_VECTORS
// Adds the powers of the magnitudes of n rows of `width` elements to acc.
template <class T>
inline void add_powers(const T* x, int64_t n, int64_t step, int64_t width, double* acc,
                       double exponent) {
  using vector::F64;
  constexpr int64_t kBlock = 256, kLanes = sizeof(F64) / sizeof(double);
  const F64 exponents = vector::all<F64>(exponent);
  double powers[kBlock];
  for (int64_t first = 0; first < width; first += kBlock) {
    const int64_t count = std::min(kBlock, width - first);
    const int64_t whole = (count + kLanes - 1) / kLanes * kLanes;
    for (int64_t j = count; j < whole; ++j) powers[j] = 1;
    for (int64_t i = 0; i < n; ++i) {
      const T* row = x + i * step + first;
      for (int64_t j = 0; j < count; ++j) powers[j] = magnitude<double>(load(row[j]));
      for (int64_t j = 0; j < whole; j += kLanes) {
        vector::store(powers + j, vector::pow(vector::load<F64>(powers + j), exponents));
      }
      for (int64_t j = 0; j < count; ++j) acc[first + j] += powers[j];
    }
  }
}
#endif

// Sums of 8-bit integers are accumulated in 16 bits, which hold the sums of kMostBytes of them.
template <class T>
using ByteSum = std::conditional_t<std::is_signed_v<T>, int16_t, uint16_t>;
constexpr int64_t kMostBytes = 256;
template <class R, class T>
constexpr bool kIsByteSum = std::is_same_v<R, Sum<T>>&& std::is_integral_v<T> && sizeof(T) == 1;

// Adds kRows rows of `width` 8-bit integers.
template <class T>
inline void add_byte_rows(const T* x, int64_t step, int64_t width, ByteSum<T>* sum) {
#pragma GCC ivdep
  for (int64_t j = 0; j < width; ++j) {
    sum[j] =
        static_cast<ByteSum<T>>(sum[j] + x[j] + x[j + step] + x[j + 2 * step] + x[j + 3 * step]);
  }
}

// Adds n rows of at most kReduceWidth 8-bit integers to acc.
template <class T>
inline void take_byte_rows(const T* x, int64_t n, int64_t step, int64_t width,
                           typename Sum<T>::A* acc) {
  alignas(64) ByteSum<T> sum[kReduceWidth];
  int64_t i = 0;
  while (i + kRows <= n) {
    const int64_t end = std::min(n / kRows * kRows, i + kMostBytes);
    std::fill(sum, sum + width, ByteSum<T>{0});
    for (; i < end; i += kRows) add_byte_rows(x + i * step, step, width, sum);
    for (int64_t j = 0; j < width; ++j) acc[j] += sum[j];
  }
  for (; i < n; ++i) {
    for (int64_t j = 0; j < width; ++j) acc[j] += x[i * step + j];
  }
}

// The sum of n 8-bit integers.
template <class T>
inline int64_t sum_of_bytes(const T* x, int64_t n) {
  constexpr int64_t kWidth = 64;
  int64_t total = 0;
  while (n >= kRows * kWidth) {
    const int64_t rows = std::min(n / kWidth, kMostBytes) / kRows * kRows;
    ByteSum<T> sum[kWidth] = {};
    for (int64_t i = 0; i < rows; i += kRows, x += kRows * kWidth) {
      add_byte_rows(x, kWidth, kWidth, sum);
    }
    for (const ByteSum<T> part : sum) total += part;
    n -= rows * kWidth;
  }
  for (int64_t i = 0; i < n; ++i) total += x[i];
  return total;
}

// Adds n rows of `width` elements to acc. Not inlined, so that runs and columns share it: these
// loops dominate the compile time.
template <class R, class T, class Parameter>
__attribute__((noinline)) void take_rows(const T* x, int64_t n, int64_t step, int64_t width,
                                         typename R::A* acc, Parameter parameter) {
  if constexpr (std::is_same_v<T, float> && kIsWide<R, T> && !std::is_same_v<R, Prod<T>>) {
    if constexpr (std::is_same_v<R, Sum<T>>) {
      return add_columns<kRows>(n, step, width, acc, x);
    } else {
      return add_columns<kRows>(n, step, width, acc, x, x);
    }
  }
#ifdef TH_HAVE_VECTORS
  if constexpr (std::is_same_v<R, Powers<T>>) {
    const double exponent = parameter(0);
    if (exponent != 3 && exponent != 4) return add_powers(x, n, step, width, acc, exponent);
  }
#endif
  if constexpr (kIsByteSum<R, T>) return take_byte_rows(x, n, step, width, acc);
#ifdef __F16C__
  if constexpr (kConverts<R, T>) {
    return take_converted_rows<R>(x, n, step, width, acc, parameter);
  }
#endif
  int64_t i = 0;
  for (; i + kRows <= n; i += kRows) {
    const T* row = x + i * step;
#pragma GCC ivdep
    for (int64_t j = 0; j < width; ++j) {
      acc[j] = take_each<R>(acc[j], row + j, step, parameter(j), std::make_index_sequence<kRows>());
    }
  }
  for (; i < n; ++i) {
    const T* row = x + i * step;
#pragma GCC ivdep
    for (int64_t j = 0; j < width; ++j) take<R>(acc + j, row[j], parameter(j));
  }
}

template <class A>
inline void store(Wide* out, A value) {
  if constexpr (std::is_integral_v<A>) {
    out->i = static_cast<int64_t>(value);
  } else {
    out->d = value;
  }
}

// Reduces one contiguous run.
template <class R, class T>
inline typename R::A reduce_run(const T* x, int64_t n, double parameter, int64_t ahead) {
  using A = typename R::A;
  if constexpr (kIsByteSum<R, T>) return sum_of_bytes(x, n);
  constexpr int64_t lanes = kLaneBytes / sizeof(A);
  constexpr bool narrows = std::is_floating_point_v<A> && !kIsWide<R, T>;
  if (n < (narrows ? lanes / 2 : 2 * lanes)) {
    A a = R::init(), b = a, c = a, d = a;
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
      take<R>(&a, x[i], parameter);
      take<R>(&b, x[i + 1], parameter);
      take<R>(&c, x[i + 2], parameter);
      take<R>(&d, x[i + 3], parameter);
    }
    for (; i < n; ++i) take<R>(&a, x[i], parameter);
    return R::combine(R::combine(a, b), R::combine(c, d));
  }
  if constexpr (kIsWide<R, T>) {
    static_assert(lanes == Run<T>::kLanes);
    if constexpr (std::is_same_v<R, Prod<T>>) {
      Run<T, Multiplier> product;
      product.take(n, x);
      return product.total();
    } else {
      Run<T> sum;
      if constexpr (std::is_same_v<R, Sum<T>>) {
        sum.take_ahead(n, ahead, x);
      } else {
        sum.take_ahead(n, ahead, x, x);
      }
      return sum.total();
    }
  }
#ifdef __F16C__
  if constexpr (kConverts<R, T> && kIsSum<R, T>) {
    static_assert(lanes == Run<float>::kLanes);
    if (n >= 2 * lanes) return sum_converted<R>(x, n);
  }
#endif
  alignas(64) A acc[lanes];
  const int64_t width = narrows && n < 2 * lanes ? lanes / 4 : lanes, rows = n / width;
  for (int64_t j = 0; j < width; ++j) acc[j] = R::init();
  if (ahead && width == lanes && !IsReduced<T>::value) {
    constexpr int64_t kSome = 1024 / (lanes * sizeof(T));
    for (int64_t i = 0; i < rows; i += kSome) {
      prefetch_lines<kSome * lanes>(x + i * lanes, ahead);
      take_rows<R>(x + i * lanes, std::min(kSome, rows - i), lanes, lanes, acc, Same{parameter});
    }
  } else {
    take_rows<R>(x, rows, width, width, acc, Same{parameter});
  }
  const T* tail = x + rows * width;
  if constexpr (std::is_same_v<R, Powers<T>>) {
    take_rows<R>(tail, 1, 0, n - rows * width, acc, Same{parameter});
  } else {
    for (int64_t j = 0; j < n - rows * width; ++j) take<R>(acc + j, tail[j], parameter);
  }
  for (int64_t half = width / 2; half > 0; half /= 2) {
#pragma GCC ivdep
    for (int64_t j = 0; j < half; ++j) acc[j] = R::combine(acc[j], acc[j + half]);
  }
  return acc[0];
}

template <class R, class T>
void reduce_columns(const ReduceBlock& block, Wide* out) {
  using A = typename R::A;
  alignas(64) A acc[kReduceWidth];
  auto* x = reinterpret_cast<const T*>(block.data);
  int64_t step = block.step / static_cast<int64_t>(sizeof(T));
  int64_t width = block.count * block.fold;
  for (int64_t j = 0; j < width; ++j) acc[j] = R::init();
  if constexpr (R::Each) {
    const double* each = block.parameter;
    take_rows<R>(x, block.n, step, width, acc, Each{each});
  } else {
    double parameter = block.parameter ? *block.parameter : 0;
    int64_t rows = block.n / block.fold;
    take_rows<R>(x, rows, step * block.fold, width, acc, Same{parameter});
    const T* tail = x + rows * block.fold * step;
    int64_t rest = (block.n - rows * block.fold) * block.count;
    for (int64_t j = 0; j < rest; ++j) take<R>(acc + j, tail[j], parameter);
    for (int64_t k = 1; k < block.fold; ++k) {
      for (int64_t j = 0; j < block.count; ++j) {
        acc[j] = R::combine(acc[j], acc[k * block.count + j]);
      }
    }
  }
  // The compiler must assume that a store changes the block.
  const int64_t count = block.count;
  for (int64_t j = 0; j < count; ++j) store(out + j, acc[j]);
}

// Multiplies each row strictly in order, like columns. Several rows are interleaved to hide the
// latency of multiplications.
template <class R, class T>
void multiply_rows(const ReduceBlock& block, Wide* out) {
  int64_t row = 0;
  for (; row + kRows <= block.count; row += kRows) {
    typename R::A a[kRows];
    for (int64_t k = 0; k < kRows; ++k) a[k] = R::init();
    const char* x = block.data + row * block.next;
    for (int64_t i = 0; i < block.n; ++i) {
      for (int64_t k = 0; k < kRows; ++k) {
        take<R>(a + k, reinterpret_cast<const T*>(x + k * block.next)[i], 0);
      }
    }
    for (int64_t k = 0; k < kRows; ++k) store(out + row + k, a[k]);
  }
  for (; row < block.count; ++row) {
    auto* x = reinterpret_cast<const T*>(block.data + row * block.next);
    typename R::A a = R::init();
    for (int64_t i = 0; i < block.n; ++i) take<R>(&a, x[i], 0);
    store(out + row, a);
  }
}

template <template <class> class Reducer, class T>
void reduce(const ReduceBlock& block, Wide* out) {
  using R = Reducer<T>;
  if (!block.rows) {
    reduce_columns<R, T>(block, out);
    return;
  }
  if constexpr (std::is_same_v<R, Prod<T>> && std::is_floating_point_v<Compute<T>>) {
    if (block.in_order) return multiply_rows<R, T>(block, out);
  }
  // The compiler must assume that a store changes the block.
  const int64_t n = block.n, count = block.count, next = block.next, ahead = block.ahead;
  const double* parameters = block.parameter;
  for (int64_t row = 0; row < count; ++row) {
    const double parameter = parameters ? parameters[R::Each ? row : 0] : 0;
    auto* x = reinterpret_cast<const T*>(block.data + row * next);
    store(out + row, reduce_run<R>(x, n, parameter, ahead));
  }
}

template <class T>
using WideElement = std::conditional_t<std::is_integral_v<T>, int64_t, double>;

// ---- gathering of strided elements --------------------------------------------------------------

template <class T>
void gather(char* out, const char* a, int64_t a_step, const char* b, int64_t b_step, int64_t n) {
  using C = Compute<T>;
  constexpr int64_t item = sizeof(T);
  C* __restrict to = reinterpret_cast<C*>(out);
  if (!b) {
    for (int64_t i = 0; i < n; ++i) to[i] = load(*reinterpret_cast<const T*>(a + i * a_step));
    return;
  }
  if constexpr (!std::is_integral_v<C>) {
    if (a_step == item && b_step == item) {
      auto* x = reinterpret_cast<const T*>(a);
      auto* y = reinterpret_cast<const T*>(b);
      for (int64_t i = 0; i < n; ++i) to[i] = load(x[i]) - load(y[i]);
      return;
    }
    for (int64_t i = 0; i < n; ++i) {
      to[i] = load(*reinterpret_cast<const T*>(a + i * a_step)) -
              load(*reinterpret_cast<const T*>(b + i * b_step));
    }
  }
}

// ---- results -----------------------------------------------------------------------------------

template <class T>
void write(char* out, int64_t step, const Wide* value, int64_t n) {
  if (step == static_cast<int64_t>(sizeof(T))) {
    T* to = reinterpret_cast<T*>(out);
    for (int64_t i = 0; i < n; ++i) to[i] = convert<T>(from_wide<WideElement<T>>(value[i]));
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    *reinterpret_cast<T*>(out + i * step) = convert<T>(from_wide<WideElement<T>>(value[i]));
  }
}

// The loops of a reducer for the types of the set.
template <template <class> class Reducer, class Set>
constexpr TypeTable<ReduceLoop> reduce_by() {
  return for_types<Set>([](auto zero) { return &reduce<Reducer, decltype(zero)>; });
}

}  // namespace

namespace TH_ISA {

constexpr ReduceLoops reduce_loops = {
    {
#define TH_REDUCER(name, Functor, types, cost) reduce_by<Functor, types>(),
#include "functors/reducers.def"
    },
    for_types<AllTypes>([](auto zero) { return &find<decltype(zero)>; }),
    for_types<AllTypes>([](auto zero) { return &gather<decltype(zero)>; }),
    for_types<AllTypes>([](auto zero) { return &write<decltype(zero)>; })};

}  // namespace TH_ISA
}  // namespace th
