// Attention by products of matrices, with one kernel between them. The weights of some rows of some
// matrices exist at a time, so that their memory does not depend on the batch. The parts are chosen
// by sizes only.

#include <algorithm>
#include <cmath>
#include <optional>

#include "functors/reducers.h"
#include "simt/block_sum.h"
#include "simt/row.h"
#include "tensor/type_sets.h"

namespace th {

namespace {

// The largest number of weights that exist at a time, and the least number of rows of a part.
constexpr int64_t kMostWeights = int64_t{1} << 24;
constexpr int64_t kLeastRows = 128;

// An operand as a batch of matrices that products accept: its own memory, or a contiguous copy that
// load() fills and store() copies back.
class Batch {
 public:
  Batch(Queue& queue, const AttentionShape& of, const AttentionMatrix& m, int64_t rows,
        int64_t columns)
      : queue_(queue), dtype_(of.dtype), data_(m.data), row_(m.row) {
    batch_ = of.inner > 1 ? m.inner : m.outer;
    if (of.outer == 1 || of.inner == 1 || m.outer == of.inner * m.inner) return;
    const auto item = static_cast<int64_t>(item_size(dtype_));
    const int64_t size[] = {of.outer, of.inner, rows, columns};
    const int64_t own[] = {m.outer, m.inner, m.row, 1};
    const int64_t packed[] = {of.inner * rows * columns, rows * columns, columns, 1};
    copy_.emplace(queue, static_cast<size_t>(of.outer * packed[0] * item));
    data_ = copy_->as<char>();
    batch_ = rows * columns;
    row_ = columns;
    load_.start(4, size);
    load_.add(data_, item_size(dtype_), packed);
    load_.add(m.data, item_size(dtype_), own);
    load_.plan();
    store_.start(4, size);
    store_.add(m.data, item_size(dtype_), own);
    store_.add(data_, item_size(dtype_), packed);
    store_.plan();
  }

  void load() { copy(load_); }
  void store() { copy(store_); }
  // The matrices from number `matrix` on, without the rows before `row`.
  Factor rows(int64_t matrix, int64_t row) const {
    const int64_t at = matrix * batch_ + row * row_;
    return {data_ + at * static_cast<int64_t>(item_size(dtype_)), batch_, row_, 1};
  }
  Factor transposed(int64_t matrix, int64_t row) const {
    const Factor f = rows(matrix, row);
    return {f.data, f.batch, 1, f.row};
  }

 private:
  void copy(const LoopPlan& plan) {
    if (copy_) run_copy(queue_, {dtype_, dtype_, plan});
  }

  Queue& queue_;
  DType dtype_;
  char* data_;
  int64_t batch_, row_;
  std::optional<Scratch> copy_;
  LoopPlan load_, store_;
};

// Some rows of some matrices, and the columns that the last row sees, at least one.
struct Part {
  int64_t matrix, matrices, row, rows, columns;
};

// The weights of a part: contiguous.
template <class T>
struct Weights {
  AttentionShape of;
  Part part;
  T* data;

  TH_HD int64_t rows() const { return part.matrices * part.rows; }
  Factor factor() const {
    return {reinterpret_cast<char*>(data), part.rows * part.columns, part.columns, 1};
  }
  Factor transposed() const {
    return {reinterpret_cast<char*>(data), part.rows * part.columns, 1, part.columns};
  }
};

// A row of the weights.
template <class T>
struct Row {
  const AttentionShape& of;
  int64_t matrix, row;
  T* weights;
  const char* mask;
  int64_t visible;  // columns before the causal limit

  // A part has less than 2^31 rows.
  __device__ Row(const Weights<T>& w, int64_t k)
      : of(w.of),
        matrix(w.part.matrix + static_cast<uint32_t>(k) / static_cast<uint32_t>(w.part.rows)),
        row(w.part.row + static_cast<uint32_t>(k) % static_cast<uint32_t>(w.part.rows)),
        weights(w.data + k * w.part.columns),
        mask(w.of.mask.data),
        visible(w.part.columns) {
    if (of.causal) {
      const int64_t limit = row + of.columns - of.rows + 1;
      visible = limit < 0 ? 0 : limit < visible ? limit : visible;
    }
    if (!mask) return;
    const AttentionMatrix& m = of.mask;
    const int64_t first = matrix / of.inner * m.outer + matrix % of.inner * m.inner + row * m.row;
    mask += first * (of.mask_of_bytes ? 1 : static_cast<int64_t>(sizeof(T)));
  }

  // The product in a column, with the masks.
  __device__ T operator()(int64_t column) const {
    if (column >= visible) return -INFINITY;
    const T x = weights[column];
    if (!mask) return x;
    const int64_t at = column * of.mask.column;
    if (of.mask_of_bytes) return reinterpret_cast<const uint8_t*>(mask)[at] ? x : -INFINITY;
    return x + reinterpret_cast<const T*>(mask)[at];
  }
  __device__ int64_t number() const { return matrix * of.rows + row; }
};

template <class T>
__device__ const T* row_of(const AttentionShape& of, const AttentionMatrix& m, int64_t matrix,
                           int64_t row) {
  return reinterpret_cast<const T*>(m.data) + matrix / of.inner * m.outer +
         matrix % of.inner * m.inner + row * m.row;
}

// Replaces the products by their softmax.
template <class T, class Shape>
__global__ void find_softmax(Weights<T> w, double* sums) {
  const int64_t n = w.part.columns;
  for (int64_t k = Shape::first(); k < w.rows(); k += Shape::step()) {
    const Row<T> row(w, k);
    typename Shape::template Elements<T> elements;
    elements.load(n, row);
    T largest = -INFINITY;
    double sum = 0;
    elements.visit(n, row, [&](T x, int64_t) { largest = Largest<T>::combine(largest, x); });
    largest = Shape::template combined<Largest<T>>(largest);
    const T shift = largest == -INFINITY ? T(0) : largest;
    const auto exponential = [&](T x) { return std::exp(x - shift); };
    const auto read = [&](int64_t i) { return exponential(row(i)); };
    elements.replace(n, exponential);
    elements.visit(n, read, [&](T x, int64_t) { sum += x; });
    sum = Shape::template combined<Sum<double>>(sum);
    // The sum is 0 if the row sees nothing.
    const T factor = sum == 0 ? T(0) : static_cast<T>(1 / sum);
    elements.visit(n, read, [&](T x, int64_t i) { row.weights[i] = x * factor; });
    if (Shape::lane() == 0) sums[row.number()] = sum == 0 ? -INFINITY : shift + log(sum);
  }
}

// Replaces the products of q and k by the weights, and the products of g and v by the gradient of
// the products before: weights * (products - sum(g * r)).
template <class T, class Shape>
__global__ void find_slopes(Weights<T> w, T* products, AttentionMatrix g, AttentionMatrix r,
                            const double* sums) {
  const int64_t n = w.part.columns;
  for (int64_t k = Shape::first(); k < w.rows(); k += Shape::step()) {
    const Row<T> row(w, k);
    const T *gs = row_of<T>(w.of, g, row.matrix, row.row),
            *rs = row_of<T>(w.of, r, row.matrix, row.row);
    double own = 0;
    for (int64_t j = Shape::lane(); j < w.of.width; j += Shape::kLanes) {
      own += static_cast<double>(gs[j]) * static_cast<double>(rs[j]);
    }
    own = Shape::template combined<Sum<double>>(own);
    const double sum = sums[row.number()];
    const T shift = static_cast<T>(sum), mean = static_cast<T>(own);
    for (int64_t j = Shape::lane(); j < n; j += Shape::kLanes) {
      const T weight = sum == -INFINITY ? T(0) : std::exp(row(j) - shift);
      T* product = products + k * n + j;
      row.weights[j] = weight;
      *product = weight * (*product - mean);
    }
  }
}

class Attention {
 public:
  Attention(Queue& queue, const AttentionShape& of)
      : queue_(queue),
        of_(of),
        q_(queue, of, of.q, of.rows, of.depth),
        k_(queue, of, of.k, of.columns, of.depth),
        v_(queue, of, of.v, of.columns, of.width) {
    matrices_ = of.outer * of.inner;
    // A causal part omits the columns that its last row does not see.
    const int64_t quarter = std::max(kLeastRows, (of.rows + 3) / 4);
    rows_ = std::min(of.causal ? std::min(quarter, of.rows) : of.rows,
                     std::max<int64_t>(1, kMostWeights / of.columns));
    at_once_ = std::clamp<int64_t>(kMostWeights / (rows_ * of.columns), 1, matrices_);
  }

  template <class T>
  void find_result(const AttentionCall& c) {
    Batch r(queue_, of_, c.r, of_.rows, of_.width);
    Scratch weights(queue_, bytes());
    load();
    for_parts([&](const Part& p) {
      const Weights<T> w = {of_, p, weights.as<T>()};
      find_products(p, w.factor());
      with_row_shape(p.columns, [&](auto shape) {
        using Shape = decltype(shape);
        TH_LAUNCH(queue_, (find_softmax<T, Shape>), Shape::blocks(queue_, w.rows()), kThreads, 0, w,
                  c.sums);
      });
      multiply(p, p.rows, of_.width, p.columns, 1, w.factor(), v_.rows(p.matrix, 0), 0,
               r.rows(p.matrix, p.row));
    });
    r.store();
  }

  template <class T>
  void find_gradients(const AttentionSlopesCall& c) {
    Batch g(queue_, of_, c.g, of_.rows, of_.width);
    const Batch dq(queue_, of_, c.q_slope, of_.rows, of_.depth),
        dk(queue_, of_, c.k_slope, of_.columns, of_.depth),
        dv(queue_, of_, c.v_slope, of_.columns, of_.width);
    Scratch weights(queue_, bytes()), products(queue_, bytes());
    load();
    g.load();
    for_parts([&](const Part& p) {
      const Weights<T> w = {of_, p, weights.as<T>()}, slopes = {of_, p, products.as<T>()};
      find_products(p, w.factor());
      multiply(p, p.rows, p.columns, of_.width, 1, g.rows(p.matrix, p.row),
               v_.transposed(p.matrix, 0), 0, slopes.factor());
      with_row_threads(p.columns, [&](auto shape) {
        using Shape = decltype(shape);
        TH_LAUNCH(queue_, (find_slopes<T, Shape>), Shape::blocks(queue_, w.rows()), kThreads, 0, w,
                  slopes.data, c.g, c.r, c.sums);
      });
      // The last rows of a matrix come first. They see all columns.
      const double beta = p.row + p.rows == of_.rows ? 0 : 1;
      multiply(p, p.columns, of_.width, p.rows, 1, w.transposed(), g.rows(p.matrix, p.row), beta,
               dv.rows(p.matrix, 0));
      multiply(p, p.rows, of_.depth, p.columns, of_.scale, slopes.factor(), k_.rows(p.matrix, 0), 0,
               dq.rows(p.matrix, p.row));
      multiply(p, p.columns, of_.depth, p.rows, of_.scale, slopes.transposed(),
               q_.rows(p.matrix, p.row), beta, dk.rows(p.matrix, 0));
    });
  }

 private:
  // Queues work, so memory is allocated before.
  void load() {
    q_.load();
    k_.load();
    v_.load();
  }
  size_t bytes() const {
    return static_cast<size_t>(at_once_ * rows_ * of_.columns) * item_size(of_.dtype);
  }

  template <class F>
  void for_parts(const F& f) const {
    for (int64_t matrix = 0; matrix < matrices_; matrix += at_once_) {
      const int64_t matrices = std::min(at_once_, matrices_ - matrix);
      for (int64_t row = (of_.rows - 1) / rows_ * rows_; row >= 0; row -= rows_) {
        const int64_t rows = std::min(rows_, of_.rows - row);
        const int64_t limit = of_.causal ? row + rows + of_.columns - of_.rows : of_.columns;
        f(Part{matrix, matrices, row, rows, std::clamp<int64_t>(limit, 1, of_.columns)});
      }
    }
  }

  // c = scale * q * k^T
  void find_products(const Part& p, const Factor& c) const {
    multiply(p, p.rows, p.columns, of_.depth, of_.scale, q_.rows(p.matrix, p.row),
             k_.transposed(p.matrix, 0), 0, c);
  }

  // c = beta * c + alpha * a * b for each matrix of the part; a: m x k, b: k x n
  void multiply(const Part& p, int64_t m, int64_t n, int64_t k, double alpha, const Factor& a,
                const Factor& b, double beta, const Factor& c) const {
    ProductCall call;
    call.dtype = of_.dtype;
    call.batches = p.matrices;
    call.m = m;
    call.n = n;
    call.k = k;
    call.sum = false;
    call.tf32 = of_.tf32;
    call.alpha = alpha;
    call.beta = beta;
    call.a = a;
    call.b = b;
    call.c = c;
    run_product(queue_, call);
  }

  Queue& queue_;
  const AttentionShape& of_;
  Batch q_, k_, v_;
  int64_t matrices_;        // all
  int64_t rows_, at_once_;  // of a part: rows of each matrix, and matrices
};

}  // namespace

void run_attention(Queue& queue, const AttentionCall& call) {
  Attention attention(queue, call.of);
  dispatch_types<BlasTypes>(call.of.dtype,
                            [&](auto zero) { attention.find_result<decltype(zero)>(call); });
}
void run_attention_slopes(Queue& queue, const AttentionSlopesCall& call) {
  Attention attention(queue, call.of);
  dispatch_types<BlasTypes>(call.of.dtype,
                            [&](auto zero) { attention.find_gradients<decltype(zero)>(call); });
}

}  // namespace th
