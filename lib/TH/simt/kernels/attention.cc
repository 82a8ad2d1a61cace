// Attention by products of matrices, with one kernel between them. The weights of some rows of some
// matrices exist at a time, so that their memory does not depend on the batch. The parts are chosen
// by sizes only. The products of 16-bit matrices are accumulated in float. The softmax is computed
// in float, and its results are rounded to 16 bits for the next product.

#include <algorithm>
#include <cmath>
#include <optional>

#include "functors/reducers.h"
#include "simt/block_sum.h"
#include "simt/product_to_float.h"
#include "simt/row.h"
#include "tensor/convert.h"
#include "tensor/type_sets.h"

namespace th {

namespace {

// The largest number of weights that exist at a time, and the least number of rows of a part.
constexpr int64_t kMostWeights = int64_t{1} << 24;
constexpr int64_t kLeastRows = 128;

// The weights of rows of thousands of elements are small. Half keeps their precision if they are
// multiplied by this power of 2.
template <class T>
constexpr float kWeightScale = std::is_same_v<T, Half> ? 32768 : 1;

// The element type of the gradients of the products. Half is too narrow: they may be much smaller
// or larger than the gradients of the operands.
template <class T>
using SlopeOf = std::conditional_t<std::is_same_v<T, Half>, float, T>;

// An operand as a batch of matrices of a type, which products accept: its own memory, or a
// contiguous copy that load() fills and store() copies back.
class Batch {
 public:
  Batch(Queue& queue, const AttentionShape& of, const AttentionMatrix& m, int64_t rows,
        int64_t columns, DType dtype)
      : queue_(queue), own_dtype_(of.dtype), dtype_(dtype), data_(m.data), row_(m.row) {
    batch_ = of.inner > 1 ? m.inner : m.outer;
    const bool is_batch = of.outer == 1 || of.inner == 1 || m.outer == of.inner * m.inner;
    if (is_batch && dtype == of.dtype) return;
    const size_t item = item_size(dtype), own_item = item_size(of.dtype);
    const int64_t size[] = {of.outer, of.inner, rows, columns};
    const int64_t own[] = {m.outer, m.inner, m.row, 1};
    const int64_t packed[] = {of.inner * rows * columns, rows * columns, columns, 1};
    copy_.emplace(queue, static_cast<size_t>(of.outer * packed[0]) * item);
    data_ = copy_->as<char>();
    batch_ = rows * columns;
    row_ = columns;
    load_.start(4, size);
    load_.add(data_, item, packed);
    load_.add(m.data, own_item, own);
    load_.plan();
    store_.start(4, size);
    store_.add(m.data, own_item, own);
    store_.add(data_, item, packed);
    store_.plan();
  }

  void load() {
    if (copy_) run_copy(queue_, {dtype_, own_dtype_, load_});
  }
  void store() const {
    if (copy_) run_copy(queue_, {own_dtype_, dtype_, store_});
  }
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
  Queue& queue_;
  DType own_dtype_, dtype_;
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

// A row of the products. T: the type of the operands.
template <class T>
struct Row {
  using C = typename Numeric<T>::Compute;
  const AttentionShape& of;
  int64_t matrix, row;
  C* weights;
  const char* mask;
  int64_t visible;  // columns before the causal limit

  // A part has less than 2^31 rows.
  __device__ Row(const Weights<C>& w, int64_t k)
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
  __device__ C operator()(int64_t column) const {
    if (column >= visible) return -INFINITY;
    const C x = weights[column];
    if (!mask) return x;
    const int64_t at = column * of.mask.column;
    if (of.mask_of_bytes) return reinterpret_cast<const uint8_t*>(mask)[at] ? x : -INFINITY;
    return x + load(reinterpret_cast<const T*>(mask)[at]);
  }
  __device__ int64_t number() const { return matrix * of.rows + row; }
};

template <class T>
__device__ const T* row_of(const AttentionShape& of, const AttentionMatrix& m, int64_t matrix,
                           int64_t row) {
  return reinterpret_cast<const T*>(m.data) + matrix / of.inner * m.outer +
         matrix % of.inner * m.inner + row * m.row;
}

// Computes the softmax of the products, multiplied by kWeightScale. weights: may be the products.
template <class T, class Shape>
__global__ void find_softmax(Weights<typename Numeric<T>::Compute> w, T* weights, double* sums) {
  using C = typename Numeric<T>::Compute;
  const int64_t n = w.part.columns;
  for (int64_t k = Shape::first(); k < w.rows(); k += Shape::step()) {
    const Row<T> row(w, k);
    typename Shape::template Elements<C> elements;
    elements.load(n, row);
    C largest = -INFINITY;
    double sum = 0;
    elements.visit(n, row, [&](C x, int64_t) { largest = Largest<C>::combine(largest, x); });
    largest = Shape::template combined<Largest<C>>(largest);
    const C shift = largest == -INFINITY ? C(0) : largest;
    const auto exponential = [&](C x) { return std::exp(x - shift); };
    const auto read = [&](int64_t i) { return exponential(row(i)); };
    elements.replace(n, exponential);
    elements.visit(n, read, [&](C x, int64_t) { sum += x; });
    sum = Shape::template combined<Sum<double>>(sum);
    // The sum is 0 if the row sees nothing.
    const C factor = sum == 0 ? C(0) : static_cast<C>(kWeightScale<T> / sum);
    elements.visit(n, read, [&](C x, int64_t i) { weights[k * n + i] = convert<T>(x * factor); });
    if (Shape::lane() == 0) sums[row.number()] = sum == 0 ? -INFINITY : shift + log(sum);
  }
}

// Computes the weights, multiplied by kWeightScale, from the products of q and k. Computes the
// gradients of these products, weights * (gv - sum(g * r)), from gv, the products of g and v. The
// results may be in the memory of the products.
template <class T, class Shape>
__global__ void find_slopes(Weights<typename Numeric<T>::Compute> w,
                            const typename Numeric<T>::Compute* gv, AttentionMatrix g,
                            AttentionMatrix r, const double* sums, T* weights, SlopeOf<T>* slopes) {
  using C = typename Numeric<T>::Compute;
  const int64_t n = w.part.columns;
  for (int64_t k = Shape::first(); k < w.rows(); k += Shape::step()) {
    const Row<T> row(w, k);
    const T *gs = row_of<T>(w.of, g, row.matrix, row.row),
            *rs = row_of<T>(w.of, r, row.matrix, row.row);
    double own = 0;
    for (int64_t j = Shape::lane(); j < w.of.width; j += Shape::kLanes) {
      own += static_cast<double>(load(gs[j])) * static_cast<double>(load(rs[j]));
    }
    own = Shape::template combined<Sum<double>>(own);
    const double sum = sums[row.number()];
    const C shift = static_cast<C>(sum), mean = static_cast<C>(own);
    for (int64_t j = Shape::lane(); j < n; j += Shape::kLanes) {
      const C weight = sum == -INFINITY ? C(0) : std::exp(row(j) - shift);
      const int64_t at = k * n + j;
      const C product = gv[at];
      weights[at] = convert<T>(weight * C(kWeightScale<T>));
      slopes[at] = convert<SlopeOf<T>>(weight * (product - mean));
    }
  }
}

template <class T>
class Attention {
  using C = typename Numeric<T>::Compute;
  using S = SlopeOf<T>;

 public:
  Attention(Queue& queue, const AttentionShape& of)
      : queue_(queue),
        of_(of),
        q_(queue, of, of.q, of.rows, of.depth, of.dtype),
        k_(queue, of, of.k, of.columns, of.depth, of.dtype),
        v_(queue, of, of.v, of.columns, of.width, of.dtype) {
    matrices_ = of.outer * of.inner;
    // A causal part omits the columns that its last row does not see.
    const int64_t quarter = std::max(kLeastRows, (of.rows + 3) / 4);
    rows_ = std::min(of.causal ? std::min(quarter, of.rows) : of.rows,
                     std::max<int64_t>(1, kMostWeights / of.columns));
    at_once_ = std::clamp<int64_t>(kMostWeights / (rows_ * of.columns), 1, matrices_);
  }

  void find_result(const AttentionCall& c) {
    Batch r(queue_, of_, c.r, of_.rows, of_.width, of_.dtype);
    Scratch products(queue_, bytes<C>()), rounded(queue_, bytes_beside<T, C>());
    load();
    for_parts([&](const Part& p) {
      const Weights<C> w = {of_, p, products.as<C>()};
      const Weights<T> softmax = {of_, p, either<T, C>(rounded, products)};
      find_products(p, w.factor());
      with_row_shape(p.columns, [&](auto shape) {
        using Shape = decltype(shape);
        TH_LAUNCH(queue_, (find_softmax<T, Shape>), Shape::blocks(queue_, w.rows()), kThreads, 0, w,
                  softmax.data, c.sums);
      });
      multiply<T, T>(p, p.rows, of_.width, p.columns, 1 / kWeightScale<T>, softmax.factor(),
                     v_.rows(p.matrix, 0), 0, r.rows(p.matrix, p.row));
    });
    r.store();
  }

  void find_gradients(const AttentionSlopesCall& c) {
    constexpr DType sum = DTypeOf<C>::value, slope = DTypeOf<S>::value;
    Batch g(queue_, of_, c.g, of_.rows, of_.width, of_.dtype);
    // q and k in the type of the gradients of the products.
    std::optional<Batch> wide_q, wide_k;
    if (slope != of_.dtype) {
      wide_q.emplace(queue_, of_, of_.q, of_.rows, of_.depth, slope);
      wide_k.emplace(queue_, of_, of_.k, of_.columns, of_.depth, slope);
    }
    const Batch &q = wide_q ? *wide_q : q_, &k = wide_k ? *wide_k : k_;
    // A part of the rows adds to the gradients of all columns.
    const Batch dq(queue_, of_, c.q_slope, of_.rows, of_.depth, slope),
        dk(queue_, of_, c.k_slope, of_.columns, of_.depth, sum),
        dv(queue_, of_, c.v_slope, of_.columns, of_.width, sum);
    Scratch products(queue_, bytes<C>()), others(queue_, bytes<C>()),
        rounded(queue_, bytes_beside<T, C>()), rounded_slopes(queue_, bytes_beside<S, C>());
    load();
    g.load();
    if (wide_q) wide_q->load();
    if (wide_k) wide_k->load();
    for_parts([&](const Part& p) {
      const Weights<C> w = {of_, p, products.as<C>()}, gv = {of_, p, others.as<C>()};
      const Weights<T> softmax = {of_, p, either<T, C>(rounded, products)};
      const Weights<S> slopes = {of_, p, either<S, C>(rounded_slopes, others)};
      find_products(p, w.factor());
      multiply<T, C>(p, p.rows, p.columns, of_.width, 1, g.rows(p.matrix, p.row),
                     v_.transposed(p.matrix, 0), 0, gv.factor());
      with_row_threads(p.columns, [&](auto shape) {
        using Shape = decltype(shape);
        TH_LAUNCH(queue_, (find_slopes<T, Shape>), Shape::blocks(queue_, w.rows()), kThreads, 0, w,
                  gv.data, c.g, c.r, c.sums, softmax.data, slopes.data);
      });
      // The last rows of a matrix come first. They see all columns.
      const double beta = p.row + p.rows == of_.rows ? 0 : 1;
      multiply<T, C>(p, p.columns, of_.width, p.rows, 1 / kWeightScale<T>, softmax.transposed(),
                     g.rows(p.matrix, p.row), beta, dv.rows(p.matrix, 0));
      multiply<S, S>(p, p.rows, of_.depth, p.columns, of_.scale, slopes.factor(),
                     k.rows(p.matrix, 0), 0, dq.rows(p.matrix, p.row));
      multiply<S, C>(p, p.columns, of_.depth, p.rows, of_.scale, slopes.transposed(),
                     q.rows(p.matrix, p.row), beta, dk.rows(p.matrix, 0));
    });
    for (const Batch* slopes : {&dq, &dk, &dv}) slopes->store();
  }

 private:
  // Queues work, so memory is allocated before.
  void load() {
    q_.load();
    k_.load();
    v_.load();
  }

  // The memory of the weights of a part as elements of type E; 0 if E is Other, whose memory they
  // use instead.
  template <class E>
  size_t bytes() const {
    return static_cast<size_t>(at_once_ * rows_ * of_.columns) * sizeof(E);
  }
  template <class E, class Other>
  size_t bytes_beside() const {
    return std::is_same_v<E, Other> ? 0 : bytes<E>();
  }
  template <class E, class Other>
  static E* either(const Scratch& own, const Scratch& other) {
    return (std::is_same_v<E, Other> ? other : own).template as<E>();
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
    multiply<T, C>(p, p.rows, p.columns, of_.depth, of_.scale, q_.rows(p.matrix, p.row),
                   k_.transposed(p.matrix, 0), 0, c);
  }

  // c = beta * c + alpha * a * b for each matrix of the part; a: m x k, b: k x n. E: the elements
  // of a and b, R: those of c.
  template <class E, class R>
  void multiply(const Part& p, int64_t m, int64_t n, int64_t k, double alpha, const Factor& a,
                const Factor& b, double beta, const Factor& c) const {
    ProductCall call;
    call.dtype = DTypeOf<E>::value;
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
    std::is_same_v<E, R> ? run_product(queue_, call) : run_product_to_float(queue_, call);
  }

  Queue& queue_;
  const AttentionShape& of_;
  Batch q_, k_, v_;
  int64_t matrices_;        // all
  int64_t rows_, at_once_;  // of a part: rows of each matrix, and matrices
};

}  // namespace

void run_attention(Queue& queue, const AttentionCall& call) {
  dispatch_types<FloatingTypes>(call.of.dtype, [&](auto zero) {
    Attention<decltype(zero)>(queue, call.of).find_result(call);
  });
}
void run_attention_slopes(Queue& queue, const AttentionSlopesCall& call) {
  dispatch_types<FloatingTypes>(call.of.dtype, [&](auto zero) {
    Attention<decltype(zero)>(queue, call.of).find_gradients(call);
  });
}

}  // namespace th
