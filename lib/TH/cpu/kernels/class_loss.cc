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

template <class T>
RowSum sum_of_row(const T* t, int64_t count) {
  using A = ComputeOf<T>;
  A largest = largest_of(t, count);
  // NaN is not larger than -infinity, but the sum is then NaN.
  if (largest == -std::numeric_limits<A>::infinity()) largest = 0;
  double sum = 0;
  each_block_of_exponentials(t, count, static_cast<double>(largest),
                             [&](int64_t, int64_t n, const A* e) {
                               A part = 0;
#pragma omp simd reduction(+ : part)
                               for (int64_t i = 0; i < n; ++i) part += e[i];
                               sum += static_cast<double>(part);
                             });
  return {static_cast<double>(largest), sum};
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
    for (int64_t row = begin; row < end; ++row) {
      const T* t = reinterpret_cast<const T*>(of.t) + row * n;
      const RowWeights w = weights_of(of, weight, row);
      const RowSum sum = c.sums ? sum_of_row(t, n) : RowSum{0, 1};
      if (c.sums) c.sums[row] = sum;
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

template <class T>
void class_loss_slopes(const ClassLossSlopesCall& c) {
  using A = ComputeOf<T>;
  const ClassRows& of = c.of;
  const T* weight = reinterpret_cast<const T*>(of.weight);
  const int64_t n = of.classes, grain = Grain::costly / n + 1;
  parallel_for(of.rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const T* t = reinterpret_cast<const T*>(of.t) + row * n;
      T* slope = reinterpret_cast<T*>(c.slope) + row * n;
      const RowWeights w = weights_of(of, weight, row);
      const double g = c.g[row];
      const A each = static_cast<A>(w.each * g);
      // -(the weight of the class i in the loss), times g.
      const auto weight_slope = [&](int64_t i) {
        const A own = i == w.number ? static_cast<A>(w.own * g) : A(0);
        return own + (each == 0 ? A(0) : weight ? each * static_cast<A>(load(weight[i])) : each);
      };
      if (w.number < 0 || !c.sums) {
        for (int64_t i = 0; i < n; ++i) slope[i] = convert<T>(A(0));
        if (w.number < 0) continue;
        for (int64_t i = 0; w.each > 0 && i < n; ++i) slope[i] = convert<T>(-weight_slope(i));
        slope[w.number] = convert<T>(-weight_slope(w.number));
        continue;
      }
      const RowSum sum = c.sums[row];
      const A of_exponential = static_cast<A>(w.sum(of) * g / sum.sum);
      each_block_of_exponentials(t, n, sum.largest, [&](int64_t first, int64_t m, const A* e) {
        if (w.each > 0) {
          for (int64_t i = 0; i < m; ++i) {
            slope[first + i] = convert<T>(e[i] * of_exponential - weight_slope(first + i));
          }
          return;
        }
        for (int64_t i = 0; i < m; ++i) slope[first + i] = convert<T>(e[i] * of_exponential);
        const int64_t own = w.number - first;
        if (own >= 0 && own < m) {
          slope[w.number] = convert<T>(e[own] * of_exponential - weight_slope(w.number));
        }
      });
    }
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
