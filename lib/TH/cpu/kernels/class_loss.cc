// Losses of class numbers: cross-entropy of logits, or negative log-likelihood, of each row.

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

template <class T>
void class_losses(const ClassLossCall& c) {
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
