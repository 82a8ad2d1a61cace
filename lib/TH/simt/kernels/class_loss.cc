// Losses of class numbers.

#include <cmath>

#include "functors/condition.h"
#include "simt/block_sum.h"
#include "simt/row.h"
#include "tensor/type_sets.h"

namespace th {

namespace {

template <class T>
__device__ double weight_at(const T* weight, int64_t k) {
  return weight ? element(weight, k) : 1;
}

// The class of a row, from 0; -1: the row is ignored. So are numbers out of range, which another
// kernel reports.
__device__ inline int64_t class_of(const ClassRows& of, int64_t row) {
  const int64_t number = position_of(of.numbers[row], of.classes);
  const bool counts = of.numbers[row] != of.ignored && number >= 0 && number < of.classes;
  return counts ? number : -1;
}

template <class T, class Shape>
__global__ void find_losses(ClassLossCall c) {
  using C = Compute<T>;
  const ClassRows& of = c.of;
  const T* weight = reinterpret_cast<const T*>(of.weight);
  for (int64_t row = Shape::first(); row < of.rows; row += Shape::step()) {
    const T* t = reinterpret_cast<const T*>(of.t) + row * of.classes;
    const auto read = [&](int64_t i) { return load(t[i]); };
    typename Shape::template Elements<C> elements;
    elements.load(of.classes, read);
    RowSum row_sum = {0, 1};
    if (c.sums) {
      C largest = -INFINITY;
      double sum = 0;
      elements.visit(of.classes, read,
                     [&](C x, int64_t) { largest = Largest<C>::combine(largest, x); });
      largest = Shape::template combined<Largest<C>>(largest);
      const double shift = largest == -INFINITY ? 0 : largest;
      elements.visit(of.classes, read, [&](C x, int64_t) { sum += exp(x - shift); });
      row_sum = {shift, Shape::template combined<Sum<double>>(sum)};
    }
    const double log_sum = log(row_sum.sum);
    const auto loss_of = [&](double x) { return log_sum - (x - row_sum.largest); };
    double rest = 0;
    if (of.smoothing > 0) {
      elements.visit(of.classes, read,
                     [&](C x, int64_t i) { rest += weight_at(weight, i) * loss_of(x); });
      rest = Shape::template combined<Sum<double>>(rest);
    }
    if (Shape::lane() != 0) continue;
    const int64_t number = class_of(of, row);
    if (c.sums) c.sums[row] = row_sum;
    c.losses[row] = c.weights[row] = 0;
    if (number < 0) continue;
    c.weights[row] = weight_at(weight, number);
    c.losses[row] = (1 - of.smoothing) * c.weights[row] * loss_of(element(t, number)) +
                    of.smoothing / static_cast<double>(of.classes) * rest;
  }
}

template <class T>
__global__ void find_slopes(ClassLossSlopesCall c) {
  const ClassRows& of = c.of;
  const T* weight = reinterpret_cast<const T*>(of.weight);
  const int64_t n = of.rows * of.classes, step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t k = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; k < n; k += step) {
    const int64_t row = k / of.classes, i = k % of.classes;
    double slope = 0;
    const int64_t number = class_of(of, row);
    if (number >= 0) {
      const double own = (1 - of.smoothing) * weight_at(weight, number);
      const double each = of.smoothing / static_cast<double>(of.classes);
      if (c.sums) {
        const double x = element(reinterpret_cast<const T*>(of.t), k);
        const RowSum sum = c.sums[row];
        slope = exp(x - sum.largest) / sum.sum * (own + each * of.weight_sum);
      }
      if (of.smoothing > 0) slope -= each * weight_at(weight, i);
      if (i == number) slope -= own;
      slope *= c.g[row];
    }
    reinterpret_cast<T*>(c.slope)[k] = convert<T>(slope);
  }
}

template <class T>
void losses_call(Queue& queue, const ClassLossCall& c) {
  with_row_shape(c.of.classes, [&](auto shape) {
    using Shape = decltype(shape);
    TH_LAUNCH(queue, (find_losses<T, Shape>), Shape::blocks(queue, c.of.rows), kThreads, 0, c);
  });
}
template <class T>
void slopes_call(Queue& queue, const ClassLossSlopesCall& c) {
  const unsigned blocks = blocks_for(queue, c.of.rows * c.of.classes);
  TH_LAUNCH(queue, (find_slopes<T>), blocks, kThreads, 0, c);
}

}  // namespace

void run_class_loss(Queue& queue, const ClassLossCall& call) {
  dispatch_types<FloatingTypes>(call.of.dtype,
                                [&](auto zero) { losses_call<decltype(zero)>(queue, call); });
}
void run_class_loss_slopes(Queue& queue, const ClassLossSlopesCall& call) {
  dispatch_types<FloatingTypes>(call.of.dtype,
                                [&](auto zero) { slopes_call<decltype(zero)>(queue, call); });
}

}  // namespace th
