// Losses of class numbers: cross-entropy of logits, or negative log-likelihood, of each row.

#include <algorithm>
#include <cmath>
#include <limits>

#include "backend/cpu_backend.h"
#include "cpu/kernels/exponentials.h"
#include "cpu/parallel.h"
#include "functors/condition.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

// Computes the sums of contiguous rows of `count` elements.
template <class T>
void sums_of_rows(const T* t, int64_t rows, int64_t count, RowSum* sums) {
  using A = ComputeOf<T>;
  const auto shift = [&](int64_t row, const auto& largest_of_row) {
    A largest = largest_of_row();
    // NaN is not larger than -infinity, but the sum is then NaN.
    if (largest == -std::numeric_limits<A>::infinity()) largest = 0;
    sums[row] = {static_cast<double>(largest), 0};
    return sums[row].largest;
  };
  each_block_of_exponentials(
      t, rows, count, shift, [&](int64_t row, int64_t, int64_t n, const A* e) {
        sums[row].sum += static_cast<double>(sum_of_lanes(e, padded_to_lanes(n)));
      });
}

// The weights of a row: that of its class, times 1 - smoothing, and of each class c, times
// `each` * weight of c.
struct RowWeights {
  int64_t number;  // of the class, from 0; -1: the row is ignored
  double own, each;
  double sum(const ClassRows& of) const { return own + each * of.weight_sum; }
};

template <class T>
RowWeights weights_of(const ClassRows& of, const T* weight, int64_t row) {
  if (of.numbers[row] == of.ignored) return {-1, 0, 0};
  const int64_t number = position_of(of.numbers[row], of.classes);
  const double w = weight ? static_cast<double>(load(weight[number])) : 1;
  return {number, (1 - of.smoothing) * w, of.smoothing / static_cast<double>(of.classes)};
}

// ---- columns ----

// Calls f(row, m, t) for blocks of m rows that are neighboring columns. t: the element of the first
// class in the first of them.
template <class T, class F>
void for_column_blocks(const ClassRows& of, T* t, const F& f) {
  const int64_t inner = of.inner, blocks = (inner + kBlock - 1) / kBlock;
  const int64_t grain = Grain::costly / (of.classes * std::min<int64_t>(inner, kBlock)) + 1;
  parallel_for(of.rows / inner * blocks, grain, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t matrix = task / blocks, first = task % blocks * kBlock;
      f(matrix * inner + first, std::min<int64_t>(kBlock, inner - first),
        t + matrix * of.classes * inner + first);
    }
  });
}

// Elements in their compute type: themselves, or a copy.
template <class T>
const ComputeOf<T>* computable(const T* t, int64_t n, ComputeOf<T>* copy) {
  if constexpr (std::is_same_v<T, ComputeOf<T>>) {
    return t;
  } else {
    load_block<T>(reinterpret_cast<const char*>(t), sizeof(T), n, copy);
    return copy;
  }
}

// The columns of a block: buffers for the elements of a class.
template <class T>
struct Columns {
  using A = ComputeOf<T>;
  const T* t;
  int64_t inner, m;
  alignas(64) A largest[kBlock], x[kBlock];

  const A* read(int64_t k) { return computable(t + k * inner, m, x); }

  // Returns exp(element - largest) of a class.
  const A* exponentials_of(int64_t k) {
    const A* from = read(k);
    for (int64_t i = 0; i < m; ++i) x[i] = from[i] - largest[i];
    for (int64_t i = m; i < padded_to_lanes(m); ++i) x[i] = 0;
    exponentials(x, m);
    return x;
  }

  void find_sums(int64_t classes, RowSum* sums) {
    const A kNothing = -std::numeric_limits<A>::infinity();
    for (int64_t i = 0; i < m; ++i) largest[i] = kNothing;
    for (int64_t k = 0; k < classes; ++k) {
      const A* from = read(k);
      for (int64_t i = 0; i < m; ++i) largest[i] = from[i] > largest[i] ? from[i] : largest[i];
    }
    for (int64_t i = 0; i < m; ++i) largest[i] = largest[i] == kNothing ? A(0) : largest[i];
    double sum[kBlock] = {};
    for (int64_t k = 0; k < classes; ++k) {
      const A* e = exponentials_of(k);
      for (int64_t i = 0; i < m; ++i) sum[i] += static_cast<double>(e[i]);
    }
    for (int64_t i = 0; i < m; ++i) sums[i] = {static_cast<double>(largest[i]), sum[i]};
  }
};

template <class T>
void column_losses(const ClassLossCall& c) {
  const ClassRows& of = c.of;
  const T* weight = reinterpret_cast<const T*>(of.weight);
  const auto run = [&](int64_t first, int64_t m, const T* t) {
    Columns<T> columns = {t, of.inner, m, {}, {}};
    double log_sum[kBlock] = {}, rest[kBlock] = {};
    if (c.sums) {
      columns.find_sums(of.classes, c.sums + first);
      for (int64_t i = 0; i < m; ++i) log_sum[i] = c.sums[first + i].sum;
      const double* const in[] = {log_sum};
      const functor::log<double> log(nullptr);
      compute_block(log, in, log_sum, padded_to_lanes(m), std::make_index_sequence<1>());
    }
    const auto loss_of = [&](int64_t i, ComputeOf<T> x) {
      return log_sum[i] - (static_cast<double>(x) - static_cast<double>(columns.largest[i]));
    };
    for (int64_t k = 0; of.smoothing > 0 && k < of.classes; ++k) {
      const double each = weight ? static_cast<double>(load(weight[k])) : 1;
      const ComputeOf<T>* x = columns.read(k);
      for (int64_t i = 0; i < m; ++i) rest[i] += each * loss_of(i, x[i]);
    }
    for (int64_t i = 0; i < m; ++i) {
      const int64_t row = first + i;
      const RowWeights w = weights_of(of, weight, row);
      c.losses[row] = c.weights[row] = 0;
      if (w.number < 0) continue;
      c.weights[row] = weight ? static_cast<double>(load(weight[w.number])) : 1;
      c.losses[row] = w.own * loss_of(i, load(t[w.number * of.inner + i]));
      if (w.each > 0) c.losses[row] += w.each * rest[i];
    }
  };
  for_column_blocks(of, reinterpret_cast<const T*>(of.t), run);
}

template <class T>
void column_slopes(const ClassLossSlopesCall& c) {
  using A = ComputeOf<T>;
  using Number = std::conditional_t<sizeof(A) == 4, int32_t, int64_t>;  // vectorized with A
  const ClassRows& of = c.of;
  const T* weight = reinterpret_cast<const T*>(of.weight);
  const auto run = [&](int64_t first, int64_t m, T* slopes) {
    const int64_t before = slopes - reinterpret_cast<T*>(c.slope);
    Columns<T> columns = {reinterpret_cast<const T*>(of.t) + before, of.inner, m, {}, {}};
    A of_exponential[kBlock] = {}, own[kBlock], each[kBlock], slope[kBlock];
    Number number[kBlock];
    for (int64_t i = 0; i < m; ++i) {
      const RowWeights w = weights_of(of, weight, first + i);
      const double g = c.g[first + i];
      number[i] = static_cast<Number>(w.number);
      own[i] = static_cast<A>(w.own * g);
      each[i] = static_cast<A>(w.each * g);
      if (!c.sums || w.number < 0) continue;
      columns.largest[i] = static_cast<A>(c.sums[first + i].largest);
      of_exponential[i] = static_cast<A>(w.sum(of) * g / c.sums[first + i].sum);
    }
    for (int64_t k = 0; k < of.classes; ++k) {
      const A* e = c.sums ? columns.exponentials_of(k) : columns.x;
      const Number class_number = static_cast<Number>(k);
      const A factor = weight ? static_cast<A>(load(weight[k])) : A(1);
      for (int64_t i = 0; i < m; ++i) {
        const A rest = each[i] == 0 ? A(0) : each[i] * factor;
        const A part = (number[i] == class_number ? own[i] : A(0)) + rest;
        // The elements of ignored rows may be NaN.
        slope[i] = number[i] < 0 ? A(0) : e[i] * of_exponential[i] - part;
      }
      store_block<T>(reinterpret_cast<char*>(slopes + k * of.inner), sizeof(T), m, slope);
    }
  };
  for_column_blocks(of, reinterpret_cast<T*>(c.slope), run);
}

// ---- rows ----

template <class T>
void class_losses(const ClassLossCall& c) {
  if (c.of.inner > 1) return column_losses<T>(c);
  const ClassRows& of = c.of;
  const T* weight = reinterpret_cast<const T*>(of.weight);
  const int64_t n = of.classes, grain = Grain::costly / n + 1;
  parallel_for(of.rows, grain, [&](int64_t begin, int64_t end) {
    const T* first = reinterpret_cast<const T*>(of.t) + begin * n;
    if (c.sums) sums_of_rows(first, end - begin, n, c.sums + begin);
    for (int64_t row = begin; row < end; ++row) {
      const T* t = first + (row - begin) * n;
      const RowWeights w = weights_of(of, weight, row);
      const RowSum sum = c.sums ? c.sums[row] : RowSum{0, 1};
      c.losses[row] = c.weights[row] = 0;
      if (w.number < 0) continue;
      c.weights[row] = weight ? static_cast<double>(load(weight[w.number])) : 1;
      // Not the logarithm of the whole sum: it has no digits left if the largest element is large.
      const double log_sum = std::log(sum.sum);
      const auto loss_of = [&](int64_t i) {
        return log_sum - (static_cast<double>(load(t[i])) - sum.largest);
      };
      double loss = w.own * loss_of(w.number);
      if (w.each > 0) {
        double rest = 0;
        for (int64_t i = 0; i < n; ++i) {
          const double each = weight ? static_cast<double>(load(weight[i])) : 1;
          rest += each * loss_of(i);
        }
        loss += w.each * rest;
      }
      c.losses[row] = loss;
    }
  });
}

// The derivatives of a row's loss with respect to its elements, times g, without the part of the
// sum of exponentials: minus the weight of each class.
template <class T>
struct WeightSlopes {
  using A = ComputeOf<T>;
  RowWeights row;
  double g;
  const T* weight;

  A operator()(int64_t i) const {
    const A own = i == row.number ? static_cast<A>(row.own * g) : A(0);
    const A each = static_cast<A>(row.each * g);
    return -(own + (each == 0 ? A(0) : weight ? each * static_cast<A>(load(weight[i])) : each));
  }
};

template <class T>
void class_loss_slopes(const ClassLossSlopesCall& c) {
  if (c.of.inner > 1) return column_slopes<T>(c);
  using A = ComputeOf<T>;
  const ClassRows& of = c.of;
  const T* weight = reinterpret_cast<const T*>(of.weight);
  const int64_t n = of.classes, grain = Grain::costly / n + 1;
  const auto slopes_of = [&](int64_t row) {
    return WeightSlopes<T>{weights_of(of, weight, row), c.g[row], weight};
  };
  parallel_for(of.rows, grain, [&](int64_t begin, int64_t end) {
    T* slopes = reinterpret_cast<T*>(c.slope) + begin * n;
    if (!c.sums) {
      for (int64_t row = begin; row < end; ++row, slopes += n) {
        const WeightSlopes<T> slope = slopes_of(row);
        for (int64_t i = 0; i < n; ++i) slopes[i] = convert<T>(A(0));
        if (slope.row.number < 0) continue;
        for (int64_t i = 0; slope.row.each > 0 && i < n; ++i) slopes[i] = convert<T>(slope(i));
        slopes[slope.row.number] = convert<T>(slope(slope.row.number));
      }
      return;
    }
    const T* t = reinterpret_cast<const T*>(of.t) + begin * n;
    const RowSum* sums = c.sums + begin;
    const auto largest = [&](int64_t row, const auto&) { return sums[row].largest; };
    const auto write = [&](int64_t row, int64_t first, int64_t m, const A* e) {
      const WeightSlopes<T> slope = slopes_of(begin + row);
      T* out = slopes + row * n + first;
      if (slope.row.number < 0) {
        for (int64_t i = 0; i < m; ++i) out[i] = convert<T>(A(0));
        return;
      }
      const auto of_exponential = static_cast<A>(slope.row.sum(of) * slope.g / sums[row].sum);
      if (slope.row.each > 0) {
        for (int64_t i = 0; i < m; ++i) {
          out[i] = convert<T>(e[i] * of_exponential + slope(first + i));
        }
        return;
      }
      for (int64_t i = 0; i < m; ++i) out[i] = convert<T>(e[i] * of_exponential);
      const int64_t own = slope.row.number - first;
      if (own >= 0 && own < m) out[own] = convert<T>(e[own] * of_exponential + slope(first + own));
    };
    each_block_of_exponentials(t, end - begin, n, largest, write);
  });
}

}  // namespace

namespace TH_ISA {

void run_class_loss(const ClassLossCall& call) {
  dispatch_types<FloatingTypes>(call.of.dtype,
                                [&](auto zero) { class_losses<decltype(zero)>(call); });
}
void run_class_loss_slopes(const ClassLossSlopesCall& call) {
  dispatch_types<FloatingTypes>(call.of.dtype,
                                [&](auto zero) { class_loss_slopes<decltype(zero)>(call); });
}

}  // namespace TH_ISA
}  // namespace th
