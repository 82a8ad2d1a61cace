// Normalizations by the moments of groups of contiguous runs, and their gradients. Sums of up to
// kSumBlock elements are computed in the compute type, sums of these in double.
//
// Loops use local copies of members, which for the compiler may alias the elements that they write.

#include "backend/cpu_backend.h"
#include "cpu/kernels/element_loop.h"
#include "cpu/parallel.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

constexpr int64_t kSumBlock = 512;
// Groups of batches with shorter runs are processed side by side: kColumns elements of a line.
constexpr int64_t kShortRun = 16;
constexpr int64_t kColumns = 128;
constexpr int64_t kLineBlock = 32;  // lines of which the sums are computed in the compute type

inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
inline int64_t grain_of(int64_t count) { return count < 8192 ? 8192 / (count + 1) + 1 : 1; }

template <class T>
using ComputeOf = typename Numeric<T>::Compute;

// Calls f(first, count) for blocks of n elements and adds the sums that it returns.
template <class F>
inline double sum_blocks(int64_t n, const F& f) {
  double sum = 0;
  for (int64_t i = 0; i < n; i += kSumBlock) {
    sum += static_cast<double>(f(i, least(kSumBlock, n - i)));
  }
  return sum;
}

template <class T>
inline ComputeOf<T> block_sum(const T* x, int64_t n) {
  ComputeOf<T> sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; ++i) sum += load(x[i]);
  return sum;
}
// The sums of d and d^2 for d = x - base.
template <class T>
struct Deviations {
  double sum, squares;
  Deviations(const T* x, int64_t n, ComputeOf<T> base) {
    ComputeOf<T> ds = 0, squared = 0;
#pragma omp simd reduction(+ : ds, squared)
    for (int64_t i = 0; i < n; ++i) {
      const ComputeOf<T> d = load(x[i]) - base;
      ds += d;
      squared += d * d;
    }
    sum = static_cast<double>(ds);
    squares = static_cast<double>(squared);
  }
};

// Number of elements, mean, and sum of squared deviations.
struct Moments {
  double count = 0, mean = 0, squares = 0;
  void add(double n, double m, double s) {
    if (count == 0) {
      *this = {n, m, s};
      return;
    }
    const double all = count + n, d = m - mean;
    squares += s + d * d * count * n / all;
    mean += d * n / all;
    count = all;
  }
};

template <class T>
struct Normalize {
  using A = ComputeOf<T>;
  const NormalizeCall& c;
  const NormLayout& l = c.layout;
  const T* t = reinterpret_cast<const T*>(c.t);
  const T* weight = reinterpret_cast<const T*>(c.weight);
  const T* bias = reinterpret_cast<const T*>(c.bias);
  T* r = reinterpret_cast<T*>(c.r);

  A weight_at(int64_t k) const { return weight ? static_cast<A>(load(weight[k])) : A(1); }
  A bias_at(int64_t k) const { return bias ? static_cast<A>(load(bias[k])) : A(0); }
  A scale_of(double variance) const { return static_cast<A>(1 / std::sqrt(variance + c.epsilon)); }

  void find_moments(int64_t group) const {
    const T* x = t + group * l.group_stride();
    if (!c.mean) {
      double squares = 0;
      for (int64_t k = 0; k < l.runs; ++k) {
        const T* run = x + k * l.run_stride();
        squares += sum_blocks(l.length, [&](int64_t i, int64_t n) {
          return Deviations<T>(run + i, n, A(0)).squares;
        });
      }
      c.variance[group] = squares / static_cast<double>(l.count());
      return;
    }
    Moments m;
    for (int64_t k = 0; k < l.runs; ++k) {
      const T* run = x + k * l.run_stride();
      for (int64_t i = 0; i < l.length; i += kSumBlock) {
        const int64_t n = least(kSumBlock, l.length - i);
        // The deviations from a rounded mean correct it: it may be much larger than they are.
        const auto count = static_cast<double>(n);
        const A rounded = static_cast<A>(static_cast<double>(block_sum(run + i, n)) / count);
        const Deviations<T> d(run + i, n, rounded);
        const double rest = d.sum / count;
        m.add(count, static_cast<double>(rounded) + rest, d.squares - d.sum * rest);
      }
    }
    c.mean[group] = m.mean;
    c.variance[group] = m.squares / m.count;
  }

  void write_layer_row(const T* x, T* to, A mean, A scale) const {
    if (!weight && !bias) return write_run(x, to, mean, scale, A(0));
    const int64_t n = l.length;
    const T *ws = weight, *bs = bias;
    if (!bs) {
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) {
        to[i] = convert<T>((load(x[i]) - mean) * scale * static_cast<A>(load(ws[i])));
      }
      return;
    }
    if (!ws) {
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) {
        to[i] = convert<T>((load(x[i]) - mean) * scale + static_cast<A>(load(bs[i])));
      }
      return;
    }
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) {
      to[i] = convert<T>((load(x[i]) - mean) * scale * static_cast<A>(load(ws[i])) +
                         static_cast<A>(load(bs[i])));
    }
  }
  void write_run(const T* x, T* to, A mean, A scale, A shift) const {
    const int64_t n = l.length;
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) {
      to[i] = convert<T>((load(x[i]) - mean) * scale + shift);
    }
  }

  void write(int64_t group) const {
    const A mean = c.mean ? static_cast<A>(c.mean[group]) : A(0);
    const A scale = scale_of(c.variance[group]);
    const int64_t at = group * l.group_stride();
    if (l.kind == NormKind::layer) return write_layer_row(t + at, r + at, mean, scale);
    for (int64_t k = 0; k < l.runs; ++k) {
      const int64_t w = l.kind == NormKind::batch ? group : group % l.groups * l.runs + k;
      const int64_t first = at + k * l.run_stride();
      write_run(t + first, r + first, mean, scale * weight_at(w), bias_at(w));
    }
  }

  // Groups of a batch with short runs: sums the columns of a line, then the columns of each group.
  void run_columns(int64_t first, int64_t groups) const {
    const int64_t n = groups * l.length, at = first * l.length;
    A mean[kColumns + kShortRun], scale[kColumns + kShortRun], shift[kColumns + kShortRun];
    // Writes the mean of f(x, mean) over each group.
    const auto average = [&](double* to, const auto& f) {
      double sum[kColumns + kShortRun] = {};
      const int64_t columns = n;
      const A* means = mean;
      for (int64_t block = 0; block < l.runs; block += kLineBlock) {
        A part[kColumns + kShortRun] = {};
        const int64_t last = least(l.runs, block + kLineBlock);
        for (int64_t k = block; k < last; ++k) {
          const T* x = t + at + k * l.run_stride();
#pragma GCC ivdep
          for (int64_t i = 0; i < columns; ++i) part[i] += f(load(x[i]), means[i]);
        }
        for (int64_t i = 0; i < columns; ++i) sum[i] += static_cast<double>(part[i]);
      }
      for (int64_t k = 0, i = 0; k < groups; ++k) {
        double total = 0;
        for (const int64_t end = i + l.length; i < end; ++i) total += sum[i];
        to[first + k] = total / static_cast<double>(l.count());
      }
    };
    const auto spread = [&](A* to, const auto& f) {
      for (int64_t k = 0, i = 0; k < groups; ++k) {
        const A value = f(first + k);
        for (const int64_t end = i + l.length; i < end; ++i) to[i] = value;
      }
    };
    const auto mean_of = [&](int64_t k) { return static_cast<A>(c.mean[k]); };
    if (!c.given) {
      for (int64_t i = 0; i < n; ++i) mean[i] = 0;
      average(c.mean, [](A x, A) { return x; });
      spread(mean, mean_of);
      average(c.variance, [](A x, A m) { return (x - m) * (x - m); });
    }
    spread(mean, mean_of);
    spread(scale, [&](int64_t k) { return scale_of(c.variance[k]) * weight_at(k); });
    spread(shift, [&](int64_t k) { return bias_at(k); });
    const int64_t columns = n;
    for (int64_t k = 0; k < l.runs; ++k) {
      const T* x = t + at + k * l.run_stride();
      T* to = r + at + k * l.run_stride();
#pragma GCC ivdep
      for (int64_t i = 0; i < columns; ++i) {
        to[i] = convert<T>((load(x[i]) - mean[i]) * scale[i] + shift[i]);
      }
    }
  }

  void run() const {
    if (l.kind == NormKind::batch && l.length < kShortRun) {
      const int64_t step = kColumns / l.length;
      const int64_t blocks = (l.groups + step - 1) / step;
      parallel_for(blocks, grain_of(l.runs * kColumns), [&](int64_t begin, int64_t end) {
        for (int64_t k = begin; k < end; ++k) {
          run_columns(k * step, least(step, l.groups - k * step));
        }
      });
      return;
    }
    parallel_for(l.moments(), grain_of(l.count()), [&](int64_t begin, int64_t end) {
      for (int64_t group = begin; group < end; ++group) {
        if (!c.given) find_moments(group);
        write(group);
      }
    });
  }
};

// ---- gradients ----------------------------------------------------------------------------------

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
  A mean_of(int64_t group) const { return c.mean ? static_cast<A>(c.mean[group]) : A(0); }
  double scale_of(int64_t group) const { return 1 / std::sqrt(c.variance[group] + c.epsilon); }

  // From the sums of g * weight over the group.
  Slope<A> slope_of(int64_t group, const SlopeSums& sums) const {
    const double scale = scale_of(group), n = static_cast<double>(l.count());
    Slope<A> s = {mean_of(group), static_cast<A>(scale), A(0), A(0)};
    if (c.constant) return s;
    if (c.mean) s.mean_part = static_cast<A>(sums.g / n);
    s.deviation_part = static_cast<A>(scale * scale * scale * sums.product / n);
    return s;
  }

  // Sums over n elements; w: the weights of the elements, or null.
  SlopeSums sums_of(int64_t at, int64_t length, A mean, const T* w) const {
    SlopeSums sums;
    for (int64_t i = 0; i < length; i += kSumBlock) {
      const int64_t n = least(kSumBlock, length - i);
      const T* gs = g + at + i;
      const T* ts = t + at + i;
      A sum = 0, product = 0;
      if (w) {
        const T* ws = w + i;
#pragma omp simd reduction(+ : sum, product)
        for (int64_t k = 0; k < n; ++k) {
          const A gw = load(gs[k]) * static_cast<A>(load(ws[k]));
          sum += gw;
          product += gw * (load(ts[k]) - mean);
        }
      } else {
#pragma omp simd reduction(+ : sum, product)
        for (int64_t k = 0; k < n; ++k) {
          // GCC 12 compiles two loads of a Half in such a loop wrongly.
          const A x = load(gs[k]);
          sum += x;
          product += x * (load(ts[k]) - mean);
        }
      }
      sums.g += static_cast<double>(sum);
      sums.product += static_cast<double>(product);
    }
    return sums;
  }

  void write_run(int64_t at, const Slope<A>& of, A w) const {
    if (!slope) return;
    const Slope<A> s = of;
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

  void layer_row(int64_t row, A* weights, A* biases) const {
    const int64_t n = l.length, at = row * n;
    const Slope<A> s = slope_of(row, sums_of(at, n, mean_of(row), weight));
    const T* gs = g + at;
    const T* ts = t + at;
    if (weights) {
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i)
        weights[i] += load(gs[i]) * ((load(ts[i]) - s.mean) * s.scale);
    }
    if (biases) {
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) biases[i] += load(gs[i]);
    }
    if (!weight) return write_run(at, s, A(1));
    if (!slope) return;
    T* to = slope + at;
    const T* ws = weight;
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) {
      to[i] = convert<T>((load(gs[i]) * static_cast<A>(load(ws[i])) - s.mean_part) * s.scale -
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
          layer_row(row, weights, biases);
        }
      }
    });
  }

  // The position of a run's weight.
  int64_t weight_of(int64_t group, int64_t run) const {
    return l.kind == NormKind::batch ? group : group % l.groups * l.runs + run;
  }

  void one_group(int64_t group) const {
    const A mean = mean_of(group);
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
    const Slope<A> s = slope_of(group, all);
    for (int64_t k = 0; k < l.runs; ++k) {
      write_run(at + k * l.run_stride(), s, weight_at(weight_of(group, k)));
    }
  }
  void write_weight(int64_t k, const SlopeSums& sums, double scale) const {
    if (weight_slopes) weight_slopes[k] = static_cast<A>(sums.product * scale);
    if (bias_slopes) bias_slopes[k] = static_cast<A>(sums.g);
  }

  void columns(int64_t first, int64_t groups) const {
    const int64_t n = groups * l.length, at = first * l.length;
    double sum[kColumns + kShortRun] = {}, product[kColumns + kShortRun] = {};
    A mean[kColumns + kShortRun];
    for (int64_t k = 0, i = 0; k < groups; ++k) {
      for (const int64_t end = i + l.length; i < end; ++i) mean[i] = mean_of(first + k);
    }
    for (int64_t block = 0; block < l.runs; block += kLineBlock) {
      A part[kColumns + kShortRun] = {}, products[kColumns + kShortRun] = {};
      const int64_t last = least(l.runs, block + kLineBlock);
      for (int64_t k = block; k < last; ++k) {
        const T* gs = g + at + k * l.run_stride();
        const T* ts = t + at + k * l.run_stride();
#pragma GCC ivdep
        for (int64_t i = 0; i < n; ++i) {
          const A x = load(gs[i]);
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
    A factor[kColumns + kShortRun], shift[kColumns + kShortRun], deviation[kColumns + kShortRun];
    for (int64_t k = 0, i = 0; k < groups; ++k) {
      SlopeSums sums;
      for (int64_t j = k * l.length; j < (k + 1) * l.length; ++j) {
        sums.g += sum[j];
        sums.product += product[j];
      }
      write_weight(first + k, sums, scale_of(first + k));
      const A w = weight_at(first + k);
      const auto wide = static_cast<double>(w);
      const Slope<A> of = slope_of(first + k, {sums.g * wide, sums.product * wide});
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
          columns(k * step, least(step, l.groups - k * step));
        }
      });
      return;
    }
    parallel_for(l.moments(), grain_of(l.count()), [&](int64_t begin, int64_t end) {
      for (int64_t group = begin; group < end; ++group) one_group(group);
    });
  }
};

}  // namespace

namespace TH_ISA {

void run_normalize(const NormalizeCall& call) {
  dispatch_types<FloatingTypes>(call.dtype,
                                [&](auto zero) { Normalize<decltype(zero)>{call}.run(); });
}
void run_normalize_slopes(const NormalizeSlopesCall& call) {
  dispatch_types<FloatingTypes>(call.dtype,
                                [&](auto zero) { NormalizeSlopes<decltype(zero)>{call}.run(); });
}

}  // namespace TH_ISA
}  // namespace th
