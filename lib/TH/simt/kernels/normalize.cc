// Normalizations by the moments of groups of elements, and their gradients. The order of sums
// depends only on sizes.

#include <cmath>

#include "simt/kernels/normalize_batch.h"
#include "tensor/type_sets.h"

namespace th {

namespace {

struct Moments {
  double mean, variance;
};

// The moments of n elements; with `centered` false, those about 0. Floats are read once: the
// variance is the mean square of the distances d from an element, less the square of their mean.
// Since mean(d)^2 <= n * variance, its relative error is at most about n * 2^-53.
template <class Shape, class C, class Elements, class Read>
__device__ Moments moments_of(const Elements& elements, int64_t n, const Read& read,
                              bool centered) {
  const auto mean_square = [&](double center) {
    double sum = 0;
    elements.visit(n, read, [&](C x, int64_t) { sum += (x - center) * (x - center); });
    return Shape::template combined<Sum<double>>(sum) / static_cast<double>(n);
  };
  if (!centered) return {0, mean_square(0)};
  constexpr bool one_pass = sizeof(C) == sizeof(float);
  double origin = one_pass ? read(0) : 0, sum = 0, squares = 0;
  if (!std::isfinite(origin)) origin = 0;
  elements.visit(n, read, [&](C x, int64_t) {
    const double distance = x - origin;
    sum += distance;
    if (one_pass) squares += distance * distance;
  });
  const double shift = Shape::template combined<Sum<double>>(sum) / static_cast<double>(n);
  if (!one_pass) return {shift, mean_square(shift)};
  squares = Shape::template combined<Sum<double>>(squares) / static_cast<double>(n);
  const double variance = squares - shift * shift;
  return {origin + shift, variance < 0 ? 0 : variance};
}

template <class T, class Shape>
__global__ void find_moments_and_normalize(const T* t, const T* weight, const T* bias, T* r,
                                           NormPositions l, double* mean, double* variance,
                                           double epsilon) {
  using C = Compute<T>;
  const int64_t n = l.count();
  for (int64_t group = Shape::first(); group < l.moments(); group += Shape::step()) {
    const auto read = [&](int64_t k) { return load(t[l.position(group, k)]); };
    typename Shape::template Elements<C> elements;
    elements.load(n, read);
    const Moments m = moments_of<Shape, C>(elements, n, read, mean != nullptr);
    if (Shape::lane() == 0) {
      if (mean) mean[group] = m.mean;
      variance[group] = m.variance;
    }
    const double scale = 1 / sqrt(m.variance + epsilon);
    elements.visit(n, read, [&](C x, int64_t k) {
      const int64_t w = l.weight_position(group, k);
      r[l.position(group, k)] =
          convert<T>((x - m.mean) * scale * weight_at(weight, w, 1) + weight_at(bias, w, 0));
    });
  }
}

template <class T, class Shape>
__global__ void find_slopes(const T* g, const T* t, const T* weight, T* slope, NormPositions l,
                            const double* mean, const double* variance, double epsilon,
                            bool constant) {
  using C = Compute<T>;
  const int64_t n = l.count();
  for (int64_t group = Shape::first(); group < l.moments(); group += Shape::step()) {
    const double center = mean ? mean[group] : 0;
    const double scale = 1 / sqrt(variance[group] + epsilon);
    const auto read_g = [&](int64_t k) { return load(g[l.position(group, k)]); };
    const auto read_t = [&](int64_t k) { return load(t[l.position(group, k)]); };
    typename Shape::template Elements<C> gs, ts;
    gs.load(n, read_g);
    ts.load(n, read_t);
    const auto weighted = [&](C x, int64_t k) {
      return x * weight_at(weight, l.weight_position(group, k), 1);
    };
    double sum = 0, product = 0;
    if (!constant) {
      ts.visit_both(n, read_t, gs, read_g, [&](C x, C y, int64_t k) {
        const double w = weighted(y, k);
        sum += w;
        product += w * (x - center);
      });
      sum = mean ? Shape::template combined<Sum<double>>(sum) / static_cast<double>(n) : 0;
      product = Shape::template combined<Sum<double>>(product) / static_cast<double>(n) * scale *
                scale * scale;
    }
    ts.visit_both(n, read_t, gs, read_g, [&](C x, C y, int64_t k) {
      slope[l.position(group, k)] =
          convert<T>((weighted(y, k) - sum) * scale - (x - center) * product);
    });
  }
}

// The partial sums of weights. One block for each part and weight of NormKind::group and batch: a
// run, or the runs of a group. One thread for each part and weight of NormKind::layer: a column of
// some rows.
template <class T, class A>
__global__ void sum_runs(const T* g, const T* t, NormPositions l, const double* mean,
                         const double* variance, double epsilon, A* weights, A* biases) {
  const bool batch = l.kind == NormKind::batch;
  const int64_t sums = l.outer * l.weights(), n = batch ? l.count() : l.length;
  for (int64_t k = blockIdx.x; k < sums; k += gridDim.x) {
    const int64_t group = batch ? k : k / l.runs;
    const int64_t first = batch ? 0 : k % l.runs * l.length;
    const double center = mean ? mean[group] : 0;
    double sum = 0, product = 0;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
      const int64_t at = l.position(group, first + i);
      sum += element(g, at);
      product += element(g, at) * (element(t, at) - center);
    }
    sum = block_sum(sum);
    product = block_sum(product) / sqrt(variance[group] + epsilon);
    if (threadIdx.x != 0) continue;
    if (weights) weights[k] = static_cast<A>(product);
    if (biases) biases[k] = static_cast<A>(sum);
  }
}

template <class T, class A>
__global__ void sum_columns(const T* g, const T* t, NormPositions l, const double* mean,
                            const double* variance, double epsilon, A* weights, A* biases,
                            int64_t parts) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t k = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       k < parts * l.length; k += step) {
    const int64_t part = k / l.length, column = k % l.length;
    const int64_t last = l.outer * (part + 1) / parts;
    double sum = 0, product = 0;
    for (int64_t row = l.outer * part / parts; row < last; ++row) {
      const int64_t at = row * l.length + column;
      const double center = mean ? mean[row] : 0;
      sum += element(g, at);
      product += element(g, at) * (element(t, at) - center) / sqrt(variance[row] + epsilon);
    }
    if (weights) weights[k] = static_cast<A>(product);
    if (biases) biases[k] = static_cast<A>(sum);
  }
}

// Enough threads for a group, at least a warp.
unsigned threads_for(int64_t count) {
  unsigned threads = 32;
  while (threads < kThreads && threads < count) threads *= 2;
  return threads;
}

template <class T>
void normalize_call(Queue& queue, const NormalizeCall& c) {
  const auto* t = reinterpret_cast<const T*>(c.t);
  const auto* weight = reinterpret_cast<const T*>(c.weight);
  const auto* bias = reinterpret_cast<const T*>(c.bias);
  auto* r = reinterpret_cast<T*>(c.r);
  const int64_t groups = c.layout.moments(), count = c.layout.count();
  with_row_shape(count, [&](auto shape) {
    using Shape = decltype(shape);
    TH_LAUNCH(queue, (find_moments_and_normalize<T, Shape>), Shape::blocks(queue, groups), kThreads,
              0, t, weight, bias, r, NormPositions(c.layout), c.mean, c.variance, c.epsilon);
  });
}

template <class T>
void slopes_call(Queue& queue, const NormalizeSlopesCall& c) {
  using A = Compute<T>;
  const auto* g = reinterpret_cast<const T*>(c.g);
  const auto* t = reinterpret_cast<const T*>(c.t);
  const auto* weight = reinterpret_cast<const T*>(c.weight);
  const NormPositions l(c.layout);
  if (c.slope) {
    with_row_shape(l.count(), [&](auto shape) {
      using Shape = decltype(shape);
      TH_LAUNCH(queue, (find_slopes<T, Shape>), Shape::blocks(queue, l.moments()), kThreads, 0, g,
                t, weight, reinterpret_cast<T*>(c.slope), l, c.mean, c.variance, c.epsilon,
                c.constant);
    });
  }
  auto* weights = reinterpret_cast<A*>(c.weight_slopes);
  auto* biases = reinterpret_cast<A*>(c.bias_slopes);
  if (!weights && !biases) return;
  if (l.kind == NormKind::layer) {
    TH_LAUNCH(queue, (sum_columns<T, A>), blocks_for(queue, c.parts * l.length), kThreads, 0, g, t,
              l, c.mean, c.variance, c.epsilon, weights, biases, c.parts);
    return;
  }
  const int64_t elements = l.kind == NormKind::batch ? l.count() : l.length;
  TH_LAUNCH(queue, (sum_runs<T, A>), at_most(queue, l.outer * l.weights()), threads_for(elements),
            0, g, t, l, c.mean, c.variance, c.epsilon, weights, biases);
}

}  // namespace

void run_normalize(Queue& queue, const NormalizeCall& call) {
  if (call.given || has_parts(call.layout)) return normalize_batch(queue, call);
  dispatch_types<FloatingTypes>(call.dtype,
                                [&](auto zero) { normalize_call<decltype(zero)>(queue, call); });
}
void run_normalize_slopes(Queue& queue, const NormalizeSlopesCall& call) {
  if (has_parts(call.layout)) return normalize_batch_slopes(queue, call);
  dispatch_types<FloatingTypes>(call.dtype,
                                [&](auto zero) { slopes_call<decltype(zero)>(queue, call); });
}

}  // namespace th
