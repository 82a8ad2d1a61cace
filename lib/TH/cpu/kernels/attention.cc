// Attention by blocks of rows and columns. The weights of a block are computed by a product, and
// only one block of them exists at a time. A running maximum and sum of each row, by which earlier
// parts of the result are corrected, replace the softmax of the whole row (Dao et al., 2022). Half
// and BFloat16 are converted to float by blocks, too.

#include <cmath>
#include <cstring>
#include <limits>

#include "backend/cpu_backend.h"
#include "cpu/blas.h"
#include "cpu/kernels/exponentials.h"
#include "cpu/parallel.h"
#include "cpu/team.h"
#include "cpu/workspace.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

constexpr int64_t kRows = 64, kCols = 256;  // of a block

inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
inline int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

// One matrix of a batch.
template <class T>
struct Plane {
  T* data;
  int64_t row;

  Plane from(int64_t first) const { return {data + first * row, row}; }
  blas::Matrix<const T> rows(int64_t first) const { return {data + first * row, row, true}; }
  blas::Matrix<const T> transposed(int64_t first) const { return {data + first * row, row, false}; }
  blas::Matrix<T> result(int64_t first) const { return {data + first * row, row, true}; }
};

// E: the element type of the operands. The gradients need operands of the compute type.
template <class E>
struct Attention {
  using T = ComputeOf<E>;
  static constexpr bool kConverts = !std::is_same_v<E, T>;
  static constexpr T kNothing = -std::numeric_limits<T>::infinity();

  const AttentionShape& of;
  // The elements of a row of weights are padded to whole vectors.
  const int64_t cols = padded_to_lanes(least(of.columns, kCols));

  template <class Element = T>
  Plane<Element> plane(const AttentionMatrix& m, int64_t matrix) const {
    const int64_t at = matrix / of.inner * m.outer + matrix % of.inner * m.inner;
    return {reinterpret_cast<Element*>(m.data) + at, m.row};
  }

  // Some rows of an operand: where they are, or converted in `memory`.
  Plane<T> rows_of(const AttentionMatrix& m, int64_t matrix, int64_t first, int64_t count,
                   int64_t columns, T* memory) const {
    const Plane<E> own = plane<E>(m, matrix).from(first);
    if constexpr (kConverts) {
      for (int64_t i = 0; i < count; ++i) {
        const char* data = reinterpret_cast<const char*>(own.data + i * own.row);
        load_block<E>(data, sizeof(E), columns, memory + i * columns);
      }
      return {memory, columns};
    } else {
      return own;
    }
  }

  // The number of columns that some row before `row_end` sees.
  int64_t columns_before(int64_t row_end) const {
    if (!of.causal) return of.columns;
    return most(0, least(of.columns, row_end + of.columns - of.rows));
  }

  // weights = scale * q * k^T for a block, with the mask. q and k begin at its rows.
  void find_weights(int64_t matrix, const Plane<T>& q, int64_t i0, int64_t rows, const Plane<T>& k,
                    int64_t j0, int64_t count, T* weights) const {
    blas::gemm(rows, count, of.depth, static_cast<T>(of.scale), q.rows(0), k.transposed(0), T(0),
               {weights, cols, true});
    if (of.mask.data) add_mask(matrix, i0, rows, j0, count, weights);
    if (!of.causal) return;
    for (int64_t i = 0; i < rows; ++i) {
      const int64_t visible = i0 + i + of.columns - of.rows + 1 - j0;
      for (int64_t j = most(0, visible); j < count; ++j) weights[i * cols + j] = kNothing;
    }
  }

  void add_mask(int64_t matrix, int64_t i0, int64_t rows, int64_t j0, int64_t count,
                T* weights) const {
    const AttentionMatrix& m = of.mask;
    const int64_t at = matrix / of.inner * m.outer + matrix % of.inner * m.inner;
    for (int64_t i = 0; i < rows; ++i) {
      const int64_t first = at + (i0 + i) * m.row + j0 * m.column;
      T* w = weights + i * cols;
      if (of.mask_of_bytes) {
        const auto* mask = reinterpret_cast<const uint8_t*>(m.data) + first;
        for_columns(m.column, [=](auto step) {
          for (int64_t j = 0; j < count; ++j) w[j] = mask[j * step] ? w[j] : kNothing;
        });
      } else {
        const E* mask = reinterpret_cast<const E*>(m.data) + first;
        for_columns(m.column, [=](auto step) {
          for (int64_t j = 0; j < count; ++j) w[j] += load(mask[j * step]);
        });
      }
    }
  }
  // Calls f(step). Loops over contiguous or equal elements are vectorized.
  template <class F>
  static void for_columns(int64_t step, const F& f) {
    if (step == 1) return f(std::integral_constant<int64_t, 1>());
    if (step == 0) return f(std::integral_constant<int64_t, 0>());
    f(step);
  }

  // Replaces weights by exp(weights - shift).
  static void exponentials(T* w, int64_t count, T shift) {
    for (int64_t j = 0; j < count; ++j) w[j] -= shift;
    th::exponentials(w, count);
  }
  static T sum_of(const T* w, int64_t count) {
    T sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t j = 0; j < count; ++j) sum += w[j];
    return sum;
  }

  // ---- the result

  static void clear(T* x, int64_t n) { std::memset(x, 0, static_cast<size_t>(n) * sizeof(T)); }

  // The running maximum and sum of a row.
  struct Running {
    T largest, sum;
  };

  // Replaces a row of weights by its exponentials, and corrects the row of the result.
  void add_row(T* w, int64_t count, Running* running, T* result) const {
    const T before = running->largest, largest = most_of(before, largest_of(w, count));
    running->largest = largest;
    if (largest == kNothing) {
      // NaN is not larger than -infinity.
      if (std::isnan(sum_of(w, count))) *running = {0, std::numeric_limits<T>::quiet_NaN()};
      for (int64_t j = 0; j < count; ++j) w[j] = 0;
      return;
    }
    exponentials(w, count, largest);
    const T part = sum_of(w, count);
    if (before == kNothing) {
      running->sum = part;
      return;
    }
    const T factor = std::exp(before - largest);
    running->sum = running->sum * factor + part;
    if (factor == 1) return;
    const int64_t width = of.width;
    for (int64_t j = 0; j < width; ++j) result[j] *= factor;
  }
  static T most_of(T a, T b) { return a > b ? a : b; }

  // The memory of a block: weights, which are finite at the beginning, sums and converted operands.
  int64_t block_rows() const { return least(of.rows, kRows); }
  int64_t operand_columns() const { return most(of.depth, of.width); }
  int64_t block_space() const {
    const int64_t rows = block_rows() * (cols + of.width);
    return kConverts ? rows + block_rows() * of.depth + cols * operand_columns() : rows;
  }

  void find_rows(const AttentionCall& c, int64_t matrix, int64_t i0, T* weights) const {
    const int64_t rows = least(kRows, of.rows - i0), columns = columns_before(i0 + rows);
    const int64_t width = of.width;
    T *const result = weights + block_rows() * cols, *const own_q = result + block_rows() * width,
             *const own = own_q + block_rows() * of.depth;
    const Plane<T> q = rows_of(of.q, matrix, i0, rows, of.depth, own_q);
    const Plane<E> r = plane<E>(c.r, matrix);
    Running running[kRows];
    for (int64_t i = 0; i < rows; ++i) running[i] = {kNothing, 0};
    clear(result, rows * width);
    for (int64_t j0 = 0; j0 < columns; j0 += kCols) {
      const int64_t count = least(kCols, columns - j0);
      find_weights(matrix, q, i0, rows, rows_of(of.k, matrix, j0, count, of.depth, own), j0, count,
                   weights);
      for (int64_t i = 0; i < rows; ++i) {
        T* w = weights + i * cols;
        const int64_t visible = of.causal ? least(count, columns_before(i0 + i + 1) - j0) : count;
        add_row(w, most(0, visible), &running[i], result + i * width);
        for (int64_t j = most(0, visible); j < count; ++j) w[j] = 0;
      }
      const Plane<T> v = rows_of(of.v, matrix, j0, count, width, own);
      blas::gemm(rows, width, count, T(1), {weights, cols, true}, v.rows(0), T(1),
                 {result, width, true});
    }
    for (int64_t i = 0; i < rows; ++i) {
      const Running& own = running[i];
      const bool sees = own.largest != kNothing;
      const T factor = sees ? 1 / own.sum : T(0);
      E* to = r.data + (i0 + i) * r.row;
      for (int64_t j = 0; j < width; ++j) to[j] = convert<E>(result[i * width + j] * factor);
      c.sums[matrix * of.rows + i0 + i] =
          sees ? static_cast<double>(own.largest) + std::log(static_cast<double>(own.sum))
               : static_cast<double>(kNothing);
    }
  }

  // Bytes that the library allocates in the largest product of a block.
  size_t unchecked() const {
    const int64_t inner = most(most(of.depth, of.width), kCols);
    return blas::unchecked_bytes(kCols, inner, inner);
  }

  void run(const AttentionCall& c) const {
    const int64_t blocks = (of.rows + kRows - 1) / kRows;
    const int64_t tasks = of.outer * of.inner * blocks;
    const int64_t space = block_space();
    const Team team(tasks);
    Workspace<T> workspace(space * team.size());
    blas::OneThread guard(team.size(), unchecked());
    parallel_for(tasks, grain(), [&](int64_t begin, int64_t end) {
      T* own = workspace.data() + space * team.index();
      clear(own, block_rows() * cols);
      for (int64_t task = begin; task < end; ++task) {
        find_rows(c, task / blocks, task % blocks * kRows, own);
      }
    });
  }
  // The number of blocks of rows that make a thread worthwhile.
  int64_t grain() const {
    const int64_t work = of.columns * (of.depth + of.width) * least(of.rows, kRows);
    return 200000 / (work + 1) + 1;
  }

  // ---- gradients

  // One matrix. The gradient of the weights before the softmax is weights * (g * v^T - of_row).
  void find_gradients(const AttentionSlopesCall& c, int64_t matrix, T* space) const {
    const int64_t block = kRows * cols;
    T *weights = space, *products = space + block;
    const Plane<T> q = plane(of.q, matrix), k = plane(of.k, matrix), v = plane(of.v, matrix);
    const Plane<T> g = plane(c.g, matrix), r = plane(c.r, matrix);
    const Plane<T> dq = plane(c.q_slope, matrix), dk = plane(c.k_slope, matrix),
                   dv = plane(c.v_slope, matrix);
    clear(dk.data, of.columns * of.depth);
    clear(dv.data, of.columns * of.width);
    clear(dq.data, of.rows * of.depth);
    for (int64_t i0 = 0; i0 < of.rows; i0 += kRows) {
      const int64_t rows = least(kRows, of.rows - i0), columns = columns_before(i0 + rows);
      T of_row[kRows];  // the sums of g * r
      for (int64_t i = 0; i < rows; ++i) {
        const T *gs = g.data + (i0 + i) * g.row, *rs = r.data + (i0 + i) * r.row;
        T sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int64_t j = 0; j < of.width; ++j) sum += gs[j] * rs[j];
        of_row[i] = sum;
      }
      for (int64_t j0 = 0; j0 < columns; j0 += kCols) {
        const int64_t count = least(kCols, columns - j0);
        find_weights(matrix, q.from(i0), i0, rows, k.from(j0), j0, count, weights);
        for (int64_t i = 0; i < rows; ++i) {
          const double sum = c.sums[matrix * of.rows + i0 + i];
          T* w = weights + i * cols;
          if (sum == static_cast<double>(kNothing)) {
            for (int64_t j = 0; j < count; ++j) w[j] = 0;
          } else {
            exponentials(w, count, static_cast<T>(sum));
          }
        }
        blas::gemm(count, of.width, rows, T(1), {weights, cols, false}, g.rows(i0), T(1),
                   dv.result(j0));
        blas::gemm(rows, count, of.width, T(1), g.rows(i0), v.transposed(j0), T(0),
                   {products, cols, true});
        for (int64_t i = 0; i < rows; ++i) {
          T *w = weights + i * cols, *p = products + i * cols;
          const T own = of_row[i];
          for (int64_t j = 0; j < count; ++j) w[j] *= p[j] - own;
        }
        const T scale = static_cast<T>(of.scale);
        blas::gemm(rows, of.depth, count, scale, {weights, cols, true}, k.rows(j0), T(1),
                   dq.result(i0));
        blas::gemm(count, of.depth, rows, scale, {weights, cols, false}, q.rows(i0), T(1),
                   dk.result(j0));
      }
    }
  }

  void run_slopes(const AttentionSlopesCall& c) const {
    const int64_t tasks = of.outer * of.inner, space = 2 * kRows * cols;
    const Team team(tasks);
    Workspace<T> workspace(space * team.size());
    blas::OneThread guard(team.size(), unchecked());
    parallel_for(tasks, 1, [&](int64_t begin, int64_t end) {
      T* own = workspace.data() + space * team.index();
      clear(own, space);
      for (int64_t matrix = begin; matrix < end; ++matrix) find_gradients(c, matrix, own);
    });
  }
};

}  // namespace

namespace TH_ISA {

void run_attention(const AttentionCall& call) {
  dispatch_types<FloatingTypes>(call.of.dtype,
                                [&](auto zero) { Attention<decltype(zero)>{call.of}.run(call); });
}
void run_attention_slopes(const AttentionSlopesCall& call) {
  dispatch_types<BlasTypes>(
      call.of.dtype, [&](auto zero) { Attention<decltype(zero)>{call.of}.run_slopes(call); });
}

}  // namespace TH_ISA
}  // namespace th
