// Kernels on batches of matrices of type Float or Double.

#include "simt/device_matrices.h"

#include <cfloat>
#include <climits>
#include <cmath>

#include "simt/block_sum.h"
#include "simt/launch.h"
#include "tensor/type_sets.h"

namespace th::device_matrices {

namespace {

template <class T>
struct View {
  T* data;
  int64_t count, step, rows, cols, ld;

  explicit View(const Matrices& a)
      : data(reinterpret_cast<T*>(a.data)),
        count(a.count),
        step(a.step),
        rows(a.rows),
        cols(a.cols),
        ld(a.ld) {}
  __device__ T& at(int64_t k, int64_t i, int64_t j) const { return data[k * step + i + j * ld]; }
  __host__ __device__ int64_t elements() const { return count * rows * cols; }
};

template <class F>
void for_type(DType dtype, const F& f) {
  dispatch_types<BlasTypes>(dtype, f);
}

__device__ inline bool is_inside(Part part, int64_t i, int64_t j) {
  return part == Part::all || (part == Part::upper ? i <= j : i >= j);
}

// ---- one thread for each element

// Calls f(a, k, i, j) for element (i, j) of matrix k.
template <class T, class F>
__global__ void for_elements(View<T> a, F f) {
  const int64_t n = a.elements(), step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t e = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; e < n; e += step) {
    const int64_t column = e / a.rows;
    f(a, column / a.cols, e % a.rows, column % a.cols);
  }
}
template <class T, class F>
void launch(Queue& queue, const View<T>& a, const F& f) {
  if (a.elements() == 0) return;
  TH_LAUNCH(queue, (for_elements<T, F>), blocks_for(queue, a.elements()), kThreads, 0, a, f);
}

template <class T>
struct Fill {
  T value;
  const int* where;
  __device__ void operator()(const View<T>& a, int64_t k, int64_t i, int64_t j) const {
    if (!where || where[k] != 0) a.at(k, i, j) = value;
  }
};

template <class T>
struct Identity {
  const int* where;
  __device__ void operator()(const View<T>& a, int64_t k, int64_t i, int64_t j) const {
    if (!where || where[k] != 0) a.at(k, i, j) = i == j ? T(1) : T(0);
  }
};

template <class T>
struct ClearOutside {
  Part part;
  __device__ void operator()(const View<T>& a, int64_t k, int64_t i, int64_t j) const {
    if (!is_inside(part, i, j)) a.at(k, i, j) = 0;
  }
};

template <class T>
struct Mirror {
  Part part;
  __device__ void operator()(const View<T>& a, int64_t k, int64_t i, int64_t j) const {
    if (!is_inside(part, i, j)) a.at(k, i, j) = a.at(k, j, i);
  }
};

template <class T>
struct Copy {
  View<T> from;
  bool transpose;
  Part part;
  __device__ void operator()(const View<T>& to, int64_t k, int64_t i, int64_t j) const {
    if (transpose) {
      to.at(k, i, j) = is_inside(part, j, i) ? from.at(k, j, i) : T(0);
    } else {
      to.at(k, i, j) = is_inside(part, i, j) ? from.at(k, i, j) : T(0);
    }
  }
};

template <class T>
struct Divide {
  const T* values;
  int64_t n;
  double rcond;
  bool rows;
  __device__ void operator()(const View<T>& a, int64_t k, int64_t i, int64_t j) const {
    const T* list = values + k * n;
    const T value = list[rows ? i : j];
    const bool counts = value > 0 && value > rcond * static_cast<double>(list[0]);
    a.at(k, i, j) = counts ? a.at(k, i, j) / value : T(0);
  }
};

// The number of the check that has failed. Other checks do nothing.
struct Stage {
  int* failed;
  int number;
  __device__ bool is_over() const { return *failed != 0 && *failed != number; }
};

template <class T>
struct FindNotFinite {
  Stage stage;
  Part part;
  int operand;
  int* info;
  __device__ void operator()(const View<T>& a, int64_t k, int64_t i, int64_t j) const {
    const T x = a.at(k, i, j);
    // x - x is 0 if x is finite, else NaN.
    if (x - x == 0 || !is_inside(part, i, j) || stage.is_over()) return;
    // All threads that get here write the same values.
    info[k] = -operand;
    *stage.failed = stage.number;
  }
};

template <class T>
struct FindOtherThanZero {
  int* is_zero;
  __device__ void operator()(const View<T>& a, int64_t k, int64_t i, int64_t j) const {
    if (a.at(k, i, j) != 0 && is_zero[k] != 0) is_zero[k] = 0;
  }
};

// ---- one block for each matrix

// Calls find(a, k, i), which returns true if row i of matrix k is invalid. info becomes
// `before` + the number of the first one, from 1.
template <class T, class Find>
__global__ void find_first(View<T> a, Find find, int before, Stage stage, int* info) {
  __shared__ int first;
  for (int64_t k = blockIdx.x; k < a.count; k += gridDim.x) {
    if (threadIdx.x == 0) first = INT_MAX;
    __syncthreads();
    const int64_t diagonal = a.rows < a.cols ? a.rows : a.cols;
    for (int64_t i = threadIdx.x; i < diagonal; i += blockDim.x) {
      if (find(a, k, i)) atomicMin(&first, static_cast<int>(i) + 1);
    }
    __syncthreads();
    if (threadIdx.x == 0 && first != INT_MAX && !stage.is_over()) {
      info[k] = before + first;
      *stage.failed = stage.number;
    }
    __syncthreads();
  }
}

template <class T>
struct IsZero {
  const int* except;
  __device__ bool operator()(const View<T>& a, int64_t k, int64_t i) const {
    return a.at(k, i, i) == 0 && !(except && except[k]);
  }
};

template <class T>
struct IsNoRow {
  const int* pivots;
  __device__ bool operator()(const View<T>& a, int64_t k, int64_t i) const {
    const int pivot = pivots[k * a.rows + i];
    return pivot < 1 || pivot > a.rows;
  }
};

// first: the number of the panel's first pivot, of n.
template <class T>
__global__ void eliminate_columns(View<T> a, int first, int n, int* pivots, int* info) {
  const int64_t row = threadIdx.x % 32, column = threadIdx.x / 32, columns = blockDim.x / 32;
  for (int64_t k = blockIdx.x; k < a.count; k += gridDim.x) {
    int zero = 0;
    for (int64_t p = 0; p < a.cols; ++p) {
      const T pivot = a.at(k, p, p);
      const int number = first + static_cast<int>(p) + 1;
      if (threadIdx.x == 0) pivots[k * n + number - 1] = number;
      if (pivot == 0 && zero == 0) zero = number;
      if (pivot != 0) {
        for (int64_t i = p + 1 + threadIdx.x; i < a.rows; i += blockDim.x) a.at(k, i, p) /= pivot;
      }
      __syncthreads();
      for (int64_t j = p + 1 + column; pivot != 0 && j < a.cols; j += columns) {
        const T factor = a.at(k, p, j);
        for (int64_t i = p + 1 + row; i < a.rows; i += 32) a.at(k, i, j) -= a.at(k, i, p) * factor;
      }
      __syncthreads();
    }
    if (threadIdx.x == 0 && info[k] == 0) info[k] = zero;
  }
}

template <class T>
__global__ void sum_squares(View<T> a, T* sums) {
  for (int64_t c = blockIdx.x; c < a.count * a.cols; c += gridDim.x) {
    double sum = 0;
    for (int64_t i = threadIdx.x; i < a.rows; i += blockDim.x) {
      const double x = a.at(c / a.cols, i, c % a.cols);
      sum += x * x;
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) sums[c] = static_cast<T>(sum);
  }
}

// ---- one thread for each matrix

template <class T>
__global__ void count_values(const T* values, int64_t lists, int n, double limit, double rcond,
                             int64_t* counts) {
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t k = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; k < lists; k += step) {
    const T* list = values + k * n;
    const double relative = n > 0 ? rcond * static_cast<double>(list[0]) : 0;
    const double least = limit < relative ? relative : limit;
    int64_t count = 0;
    for (int i = 0; i < n; ++i) count += list[i] > least;
    counts[k] = count;
  }
}

// As on the CPU: the product is kept as mantissa * 2^exponent to avoid overflow.
template <class T>
__global__ void multiply_pivots(View<T> lu, const int* pivots, const int* bad, T* sign_result,
                                T* logarithm_result, T* value, T* value_logarithm) {
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t k = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; k < lu.count; k += step) {
    double mantissa = bad[k] ? NAN : 1;
    int64_t exponent = 0;
    for (int64_t i = 0; i < lu.rows; ++i) {
      int places = 0;
      double pivot = lu.at(k, i, i);
      if (fabs(pivot) < 2 * DBL_MIN) {  // the product could be denormal, and lose digits
        pivot = frexp(pivot, &places);
        exponent += places;
      }
      mantissa = frexp(mantissa * pivot, &places);
      exponent += places;
      if (pivots[k * lu.rows + i] != i + 1) mantissa = -mantissa;
    }
    if (fabs(mantissa) < M_SQRT1_2) mantissa *= 2, --exponent;
    const double logarithm =
        log(fabs(mantissa)) + M_LN2 * static_cast<double>(mantissa == 0 ? 0 : exponent);
    const double sign = mantissa > 0 ? 1 : mantissa < 0 ? -1 : mantissa;
    const int shift = static_cast<int>(exponent < -5000  ? -5000
                                       : exponent > 5000 ? 5000
                                                         : exponent);
    if (sign_result) sign_result[k] = static_cast<T>(sign);
    if (logarithm_result) logarithm_result[k] = static_cast<T>(logarithm);
    if (value) value[k] = static_cast<T>(ldexp(mantissa, shift));
    if (value_logarithm) value_logarithm[k] = static_cast<T>(sign < 0 ? NAN : logarithm);
  }
}

__global__ void set_numbers(int* numbers, int64_t n, int value, int* cleared) {
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
  const int64_t first = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (int64_t i = first; i < n; i += step) numbers[i] = value;
  if (first == 0 && cleared) *cleared = 0;
}

Factor factor(const Matrices& a, bool transpose) {
  if (transpose) return {a.data, a.step, a.ld, 1};
  return {a.data, a.step, 1, a.ld};
}

size_t bytes_of(DType dtype, int64_t count, int64_t rows, int64_t cols) {
  return static_cast<size_t>(count * rows * cols) * item_size(dtype);
}

}  // namespace

OperandChecks::OperandChecks(Queue& queue, int64_t count, int* info)
    : queue_(queue), info_(info), failed_(queue, sizeof(int)) {
  TH_LAUNCH(queue, (set_numbers), blocks_for(queue, count + 1), kThreads, 0, info, count, 0,
            failed_.as<int>());
}

void OperandChecks::finite(const Matrices& a, int operand, Part part) {
  const Stage stage = {failed_.as<int>(), ++stage_};
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    launch(queue_, View<T>(a), FindNotFinite<T>{stage, part, operand, info_});
  });
}

namespace {

template <class T, class Find>
void queue_search(Queue& queue, const Matrices& a, Find find, int before, Stage stage, int* info) {
  if (a.count == 0 || a.rows == 0) return;
  TH_LAUNCH(queue, (find_first<T, Find>), at_most(queue, a.count), kThreads, 0, View<T>(a), find,
            before, stage, info);
}

}  // namespace

void OperandChecks::pivots(const Matrices& lu, const int* pivots) {
  const Stage stage = {failed_.as<int>(), ++stage_};
  for_type(lu.dtype, [&](auto zero) {
    using T = decltype(zero);
    queue_search<T>(queue_, lu, IsNoRow<T>{pivots}, lu.rows, stage, info_);
  });
}

void OperandChecks::diagonal(const Matrices& a, const int* except) {
  const Stage stage = {failed_.as<int>(), ++stage_};
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    queue_search<T>(queue_, a, IsZero<T>{except}, 0, stage, info_);
  });
}

bool OperandChecks::passed() {
  int failed = 0;
  queue_.read(&failed, failed_.as<int>(), sizeof(failed));
  queue_.allow_repetition();
  return failed == 0;
}

TemporaryMatrices::TemporaryMatrices(Queue& queue, DType dtype, int64_t count, int rows, int cols)
    : memory_(queue, bytes_of(dtype, count, rows, cols)),
      matrices_{dtype, memory_.as<char>(), count, int64_t{rows} * cols, rows,
                cols,  rows > 0 ? rows : 1} {}

void fill(Queue& queue, const Matrices& a, double value, const int* where) {
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    launch(queue, View<T>(a), Fill<T>{static_cast<T>(value), where});
  });
}

void set_identity(Queue& queue, const Matrices& a, const int* where) {
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    launch(queue, View<T>(a), Identity<T>{where});
  });
}

void clear_outside(Queue& queue, const Matrices& a, Part part) {
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    launch(queue, View<T>(a), ClearOutside<T>{part});
  });
}

void mirror(Queue& queue, const Matrices& a, Part part) {
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    launch(queue, View<T>(a), Mirror<T>{part});
  });
}

void copy(Queue& queue, const Matrices& to, const Matrices& from, bool transpose, Part part) {
  for_type(to.dtype, [&](auto zero) {
    using T = decltype(zero);
    launch(queue, View<T>(to), Copy<T>{View<T>(from), transpose, part});
  });
}

void multiply(Queue& queue, const Matrices& a, bool transpose_a, const Matrices& b,
              bool transpose_b, const Matrices& c, double alpha, double beta) {
  if (c.count == 0 || c.rows == 0 || c.cols == 0) return;
  ProductCall call = {};
  call.dtype = c.dtype;
  call.batches = c.count;
  call.m = c.rows;
  call.n = c.cols;
  call.k = transpose_a ? a.rows : a.cols;
  call.alpha = Scalar(alpha);
  call.beta = Scalar(beta);
  call.a = factor(a, transpose_a);
  call.b = factor(b, transpose_b);
  call.c = factor(c, false);
  run_product(queue, call);
}

void divide_rows(Queue& queue, const Matrices& a, const char* values, int n, double rcond) {
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    launch(queue, View<T>(a), Divide<T>{reinterpret_cast<const T*>(values), n, rcond, true});
  });
}

void divide_columns(Queue& queue, const Matrices& a, const char* values, int n, double rcond) {
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    launch(queue, View<T>(a), Divide<T>{reinterpret_cast<const T*>(values), n, rcond, false});
  });
}

void column_squares(Queue& queue, const Matrices& a, char* sums) {
  if (a.count == 0 || a.cols == 0) return;
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    TH_LAUNCH(queue, (sum_squares<T>), at_most(queue, a.count * a.cols), kThreads, 0, View<T>(a),
              reinterpret_cast<T*>(sums));
  });
}

void count_above(Queue& queue, const Matrices& a, const char* values, int n, double limit,
                 double rcond, int64_t* counts) {
  if (a.count == 0) return;
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    TH_LAUNCH(queue, (count_values<T>), blocks_for(queue, a.count), kThreads, 0,
              reinterpret_cast<const T*>(values), a.count, n, limit, rcond, counts);
  });
}

void find_zero_matrices(Queue& queue, const Matrices& a, int* is_zero) {
  if (a.count == 0) return;
  TH_LAUNCH(queue, (set_numbers), blocks_for(queue, a.count), kThreads, 0, is_zero, a.count, 1,
            nullptr);
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    launch(queue, View<T>(a), FindOtherThanZero<T>{is_zero});
  });
}

void eliminate_panel(Queue& queue, const Matrices& a, int first, int n, int* pivots, int* info) {
  if (a.count == 0) return;
  for_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    TH_LAUNCH(queue, (eliminate_columns<T>), at_most(queue, a.count), kThreads, 0, View<T>(a),
              first, n, pivots, info);
  });
}

void determinants(Queue& queue, const DeterminantCall& call, const int* pivots, const int* bad) {
  if (call.a.count == 0) return;
  for_type(call.a.dtype, [&](auto zero) {
    using T = decltype(zero);
    TH_LAUNCH(queue, (multiply_pivots<T>), blocks_for(queue, call.a.count), kThreads, 0,
              View<T>(call.a), pivots, bad, reinterpret_cast<T*>(call.sign),
              reinterpret_cast<T*>(call.logarithm), reinterpret_cast<T*>(call.value),
              reinterpret_cast<T*>(call.value_logarithm));
  });
}

}  // namespace th::device_matrices
