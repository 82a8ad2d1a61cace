// Gradients of normalizations.

#include "cpu/kernels/normalize.h"

namespace th {
namespace {

// The sums of g and of g * (t - mean).
struct SlopeSums {
  double g = 0, product = 0;
};

// The slope of t is (g * w - mean_part) * scale - (t - mean) * deviation_part.
template <class A>
struct Slope {
  A mean, scale, mean_part, deviation_part;
};

template <class T>
struct NormalizeSlopes {
  using A = ComputeOf<T>;
  const NormalizeSlopesCall& c;
  const NormLayout& l = c.layout;
  const T* g = reinterpret_cast<const T*>(c.g);
  const T* t = reinterpret_cast<const T*>(c.t);
  const T* weight = reinterpret_cast<const T*>(c.weight);
  T* slope = reinterpret_cast<T*>(c.slope);
  A* weight_slopes = reinterpret_cast<A*>(c.weight_slopes);
  A* bias_slopes = reinterpret_cast<A*>(c.bias_slopes);

  A weight_at(int64_t k) const { return weight ? static_cast<A>(load(weight[k])) : A(1); }
  double mean_of(int64_t group) const { return c.mean ? c.mean[group] : 0; }
  double scale_of(int64_t group) const { return 1 / std::sqrt(c.variance[group] + c.epsilon); }

  // From the sums of g * weight over the group. B: A, or double.
  template <class B>
  Slope<B> slope_of(int64_t group, const SlopeSums& sums) const {
    const double scale = scale_of(group), n = static_cast<double>(l.count());
    Slope<B> s = {static_cast<B>(mean_of(group)), static_cast<B>(scale), B(0), B(0)};
    if (c.constant) return s;
    if (c.mean) s.mean_part = static_cast<B>(sums.g / n);
    s.deviation_part = static_cast<B>(scale * scale * scale * sums.product / n);
    return s;
  }

  // Sums over n elements; w: the weights of the elements, or null.
  template <class B>
  SlopeSums sums_of(int64_t at, int64_t length, B mean, const T* w) const {
    SlopeSums sums;
    for (int64_t i = 0; i < length; i += kSumBlock) {
      const int64_t n = least(kSumBlock, length - i);
      const T* gs = g + at + i;
      const T* ts = t + at + i;
      B sum = 0, product = 0;
      if (w) {
        const T* ws = w + i;
#pragma omp simd reduction(+ : sum, product)
        for (int64_t k = 0; k < n; ++k) {
          const B gw = static_cast<B>(load(gs[k])) * static_cast<B>(load(ws[k]));
          sum += gw;
          product += gw * (load(ts[k]) - mean);
        }
      } else {
#pragma omp simd reduction(+ : sum, product)
        for (int64_t k = 0; k < n; ++k) {
          // GCC 12 compiles two loads of a Half in such a loop wrongly.
          const B x = load(gs[k]);
          sum += x;
          product += x * (load(ts[k]) - mean);
        }
      }
      sums.g += static_cast<double>(sum);
      sums.product += static_cast<double>(product);
    }
    return sums;
  }

  template <class B>
  void write_run(int64_t at, const Slope<B>& of, B w) const {
    if (!slope) return;
    const Slope<B> s = of;
    const T* gs = g + at;
    const T* ts = t + at;
    T* to = slope + at;
    const int64_t n = l.length;
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) {
      to[i] = convert<T>((load(gs[i]) * w - s.mean_part) * s.scale -
                         (load(ts[i]) - s.mean) * s.deviation_part);
    }
  }

  template <class B>
  void layer_row(int64_t row, A* weights, A* biases) const {
    const int64_t n = l.length, at = row * n;
    const auto s = slope_of<B>(row, sums_of(at, n, static_cast<B>(mean_of(row)), weight));
    const T* gs = g + at;
    const T* ts = t + at;
    if (weights) {
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) {
        weights[i] += static_cast<A>(load(gs[i]) * ((load(ts[i]) - s.mean) * s.scale));
      }
    }
    if (biases) {
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) biases[i] += load(gs[i]);
    }
    if (!weight) return write_run(at, s, B(1));
    if (!slope) return;
    T* to = slope + at;
    const T* ws = weight;
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) {
      to[i] = convert<T>((load(gs[i]) * static_cast<B>(load(ws[i])) - s.mean_part) * s.scale -
                         (load(ts[i]) - s.mean) * s.deviation_part);
    }
  }

  void layer() const {
    parallel_for(c.parts, grain_of(l.outer / c.parts * l.length), [&](int64_t begin, int64_t end) {
      for (int64_t part = begin; part < end; ++part) {
        A* weights = weight_slopes ? weight_slopes + part * l.length : nullptr;
        A* biases = bias_slopes ? bias_slopes + part * l.length : nullptr;
        for (int64_t i = 0; weights && i < l.length; ++i) weights[i] = 0;
        for (int64_t i = 0; biases && i < l.length; ++i) biases[i] = 0;
        const int64_t last = l.outer * (part + 1) / c.parts;
        for (int64_t row = l.outer * part / c.parts; row < last; ++row) {
          if (needs_double(c.variance[row])) {
            layer_row<double>(row, weights, biases);
          } else {
            layer_row<A>(row, weights, biases);
          }
        }
      }
    });
  }

  // The position of a run's weight.
  int64_t weight_of(int64_t group, int64_t run) const {
    return l.kind == NormKind::batch ? group : group % l.groups * l.runs + run;
  }

  template <class B>
  void one_group(int64_t group) const {
    const auto mean = static_cast<B>(mean_of(group));
    const double scale = scale_of(group);
    const int64_t at = group * l.group_stride();
    SlopeSums all, of_batch;
    for (int64_t k = 0; k < l.runs; ++k) {
      const SlopeSums sums = sums_of(at + k * l.run_stride(), l.length, mean, nullptr);
      const auto w = static_cast<double>(weight_at(weight_of(group, k)));
      all.g += w * sums.g;
      all.product += w * sums.product;
      of_batch.g += sums.g;
      of_batch.product += sums.product;
      if (l.kind == NormKind::group) {
        write_weight(group / l.groups * l.weights() + weight_of(group, k), sums, scale);
      }
    }
    if (l.kind == NormKind::batch) write_weight(group, of_batch, scale);
    const auto s = slope_of<B>(group, all);
    for (int64_t k = 0; k < l.runs; ++k) {
      write_run<B>(at + k * l.run_stride(), s, weight_at(weight_of(group, k)));
    }
  }
  void write_weight(int64_t k, const SlopeSums& sums, double scale) const {
    if (weight_slopes) weight_slopes[k] = static_cast<A>(sums.product * scale);
    if (bias_slopes) bias_slopes[k] = static_cast<A>(sums.g);
  }

  template <class B>
  void columns(int64_t first, int64_t groups) const {
    const int64_t n = groups * l.length, at = first * l.length;
    double sum[kColumns + kShortRun] = {}, product[kColumns + kShortRun] = {};
    B mean[kColumns + kShortRun];
    for (int64_t k = 0, i = 0; k < groups; ++k) {
      for (const int64_t end = i + l.length; i < end; ++i)
        mean[i] = static_cast<B>(mean_of(first + k));
    }
    for (int64_t block = 0; block < l.runs; block += kLineBlock) {
      B part[kColumns + kShortRun] = {}, products[kColumns + kShortRun] = {};
      const int64_t last = least(l.runs, block + kLineBlock);
      for (int64_t k = block; k < last; ++k) {
        const T* gs = g + at + k * l.run_stride();
        const T* ts = t + at + k * l.run_stride();
#pragma GCC ivdep
        for (int64_t i = 0; i < n; ++i) {
          const B x = load(gs[i]);
          part[i] += x;
          products[i] += x * (load(ts[i]) - mean[i]);
        }
      }
      for (int64_t i = 0; i < n; ++i) {
        sum[i] += static_cast<double>(part[i]);
        product[i] += static_cast<double>(products[i]);
      }
    }
    // The slope of t is g * factor - shift - (t - mean) * deviation.
    B factor[kColumns + kShortRun], shift[kColumns + kShortRun], deviation[kColumns + kShortRun];
    for (int64_t k = 0, i = 0; k < groups; ++k) {
      SlopeSums sums;
      for (int64_t j = k * l.length; j < (k + 1) * l.length; ++j) {
        sums.g += sum[j];
        sums.product += product[j];
      }
      write_weight(first + k, sums, scale_of(first + k));
      const B w = weight_at(first + k);
      const auto wide = static_cast<double>(w);
      const auto of = slope_of<B>(first + k, {sums.g * wide, sums.product * wide});
      for (const int64_t end = i + l.length; i < end; ++i) {
        factor[i] = w * of.scale;
        shift[i] = of.mean_part * of.scale;
        deviation[i] = of.deviation_part;
      }
    }
    if (!slope) return;
    for (int64_t k = 0; k < l.runs; ++k) {
      const int64_t line = at + k * l.run_stride();
      const T *gs = g + line, *ts = t + line;
      T* to = slope + line;
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) {
        to[i] =
            convert<T>(load(gs[i]) * factor[i] - shift[i] - (load(ts[i]) - mean[i]) * deviation[i]);
      }
    }
  }

  void run() const {
    if (l.kind == NormKind::layer) return layer();
    if (l.kind == NormKind::batch && l.length < kShortRun) {
      const int64_t step = kColumns / l.length;
      const int64_t blocks = (l.groups + step - 1) / step;
      parallel_for(blocks, grain_of(l.runs * kColumns), [&](int64_t begin, int64_t end) {
        for (int64_t k = begin; k < end; ++k) {
          const int64_t first = k * step, groups = least(step, l.groups - first);
          if (any_needs_double(c.variance, first, groups)) {
            columns<double>(first, groups);
          } else {
            columns<A>(first, groups);
          }
        }
      });
      return;
    }
    parallel_for(l.moments(), grain_of(l.count()), [&](int64_t begin, int64_t end) {
      for (int64_t group = begin; group < end; ++group) {
        if (needs_double(c.variance[group])) {
          one_group<double>(group);
        } else {
          one_group<A>(group);
        }
      }
    });
  }
};

}  // namespace

namespace TH_ISA {

void run_normalize_slopes(const NormalizeSlopesCall& call) {
  dispatch_types<FloatingTypes>(call.dtype,
                                [&](auto zero) { NormalizeSlopes<decltype(zero)>{call}.run(); });
}

}  // namespace TH_ISA
}  // namespace th
