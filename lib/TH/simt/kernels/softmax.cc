// Softmax of rows, or its logarithm.

#include <cmath>

#include "functors/reducers.h"
#include "simt/row.h"
#include "tensor/type_sets.h"

namespace th {

namespace {

template <class T, class Shape>
__global__ void find_softmax(SoftmaxCall c) {
  using C = Compute<T>;
  for (int64_t row = Shape::first(); row < c.rows; row += Shape::step()) {
    const T* t = reinterpret_cast<const T*>(c.t) + row * c.n;
    T* r = reinterpret_cast<T*>(c.r) + row * c.n;
    const auto read = [&](int64_t i) { return load(t[i]); };
    typename Shape::template Elements<C> elements;
    elements.load(c.n, read);
    C largest = -INFINITY;
    double sum = 0;
    elements.visit(c.n, read, [&](C x, int64_t) { largest = Largest<C>::combine(largest, x); });
    largest = Shape::template combined<Largest<C>>(largest);
    if (c.logarithm) {
      elements.visit(c.n, read, [&](C x, int64_t) { sum += std::exp(x - largest); });
      const C shift = static_cast<C>(log(Shape::template combined<Sum<double>>(sum)));
      elements.visit(c.n, read, [&](C x, int64_t i) { r[i] = convert<T>(x - largest - shift); });
      continue;
    }
    const auto exponential = [&](C x) { return std::exp(x - largest); };
    const auto read_exponential = [&](int64_t i) { return exponential(read(i)); };
    elements.replace(c.n, exponential);
    elements.visit(c.n, read_exponential, [&](C x, int64_t) { sum += x; });
    const C all = static_cast<C>(Shape::template combined<Sum<double>>(sum));
    elements.visit(c.n, read_exponential, [&](C x, int64_t i) { r[i] = convert<T>(x / all); });
  }
}

}  // namespace

void run_softmax(Queue& queue, const SoftmaxCall& call) {
  dispatch_types<FloatingTypes>(call.dtype, [&](auto zero) {
    using T = decltype(zero);
    with_row_shape(call.n, [&](auto shape) {
      using Shape = decltype(shape);
      TH_LAUNCH(queue, (find_softmax<T, Shape>), Shape::blocks(queue, call.rows), kThreads, 0,
                call);
    });
  });
}

}  // namespace th
