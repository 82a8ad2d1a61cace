// Normalizations by the moments of groups of contiguous runs.

#include "cpu/kernels/normalize.h"

namespace th {
namespace {

// Calls f(first, count) for blocks of n elements and adds the sums that it returns.
template <class F>
inline double sum_blocks(int64_t n, const F& f) {
  double sum = 0;
  for (int64_t i = 0; i < n; i += kSumBlock) {
    sum += static_cast<double>(f(i, least(kSumBlock, n - i)));
  }
  return sum;
}

// Sums in type A, or in double if a sum overflows.
template <class A, class T>
inline double block_sum(const T* x, int64_t n) {
  A sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; ++i) sum += static_cast<A>(load(x[i]));
  if constexpr (!std::is_same_v<A, double>) {
    if (!std::isfinite(sum)) return block_sum<double>(x, n);
  }
  return static_cast<double>(sum);
}
// The sums of d and d^2 for d = x - base.
struct Deviations {
  double sum, squares;
};
template <class A, class T>
inline Deviations deviations_of(const T* x, int64_t n, A base) {
  A ds = 0, squared = 0;
#pragma omp simd reduction(+ : ds, squared)
  for (int64_t i = 0; i < n; ++i) {
    const A d = static_cast<A>(load(x[i])) - base;
    ds += d;
    squared += d * d;
  }
  if constexpr (!std::is_same_v<A, double>) {
    if (!std::isfinite(squared)) return deviations_of<double>(x, n, base);
  }
  return {static_cast<double>(ds), static_cast<double>(squared)};
}

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
  double scale_of(double variance) const { return 1 / std::sqrt(variance + c.epsilon); }

  void find_moments(int64_t group) const {
    const T* x = t + group * l.group_stride();
    if (!c.mean) {
      double squares = 0;
      for (int64_t k = 0; k < l.runs; ++k) {
        const T* run = x + k * l.run_stride();
        squares += sum_blocks(l.length, [&](int64_t i, int64_t n) {
          return deviations_of<A>(run + i, n, A(0)).squares;
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
        const A rounded = static_cast<A>(block_sum<A>(run + i, n) / count);
        const Deviations d = deviations_of<A>(run + i, n, rounded);
        const double rest = d.sum / count;
        m.add(count, static_cast<double>(rounded) + rest, d.squares - d.sum * rest);
      }
    }
    c.mean[group] = m.mean;
    c.variance[group] = m.squares / m.count;
  }

  // B: A, or double.
  template <class B>
  void write_layer_row(const T* x, T* to, B mean, B scale) const {
    if (!weight && !bias) return write_run(x, to, mean, scale, B(0));
    const int64_t n = l.length;
    const T *ws = weight, *bs = bias;
    if (!bs) {
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) {
        to[i] = convert<T>((load(x[i]) - mean) * scale * static_cast<B>(load(ws[i])));
      }
      return;
    }
    if (!ws) {
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) {
        to[i] = convert<T>((load(x[i]) - mean) * scale + static_cast<B>(load(bs[i])));
      }
      return;
    }
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) {
      to[i] = convert<T>((load(x[i]) - mean) * scale * static_cast<B>(load(ws[i])) +
                         static_cast<B>(load(bs[i])));
    }
  }
  template <class B>
  void write_run(const T* x, T* to, B mean, B scale, B shift) const {
    const int64_t n = l.length;
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) {
      to[i] = convert<T>((load(x[i]) - mean) * scale + shift);
    }
  }

  void write(int64_t group) const {
    if (needs_double(c.variance[group])) return write_in<double>(group);
    write_in<A>(group);
  }
  template <class B>
  void write_in(int64_t group) const {
    const B mean = c.mean ? static_cast<B>(c.mean[group]) : B(0);
    const auto scale = static_cast<B>(scale_of(c.variance[group]));
    const int64_t at = group * l.group_stride();
    if (l.kind == NormKind::layer) return write_layer_row(t + at, r + at, mean, scale);
    for (int64_t k = 0; k < l.runs; ++k) {
      const int64_t w = l.kind == NormKind::batch ? group : group % l.groups * l.runs + k;
      const int64_t first = at + k * l.run_stride();
      write_run<B>(t + first, r + first, mean, scale * weight_at(w), bias_at(w));
    }
  }

  // Groups of a batch with short runs: sums the columns of a line, then the columns of each group.
  void run_columns(int64_t first, int64_t groups) const {
    if (!c.given) {
      find_column_moments<A>(first, groups);
      if (any_needs_double(c.variance, first, groups)) find_column_moments<double>(first, groups);
    }
    if (any_needs_double(c.variance, first, groups)) return write_columns<double>(first, groups);
    write_columns<A>(first, groups);
  }

  // Writes f(k) to the columns of each group k.
  template <class B, class F>
  void spread(B* to, int64_t first, int64_t groups, const F& f) const {
    for (int64_t k = 0, i = 0; k < groups; ++k) {
      const auto value = static_cast<B>(f(first + k));
      for (const int64_t end = i + l.length; i < end; ++i) to[i] = value;
    }
  }

  template <class B>
  void find_column_moments(int64_t first, int64_t groups) const {
    const int64_t columns = groups * l.length, at = first * l.length;
    B mean[kColumns + kShortRun] = {};
    // Writes the mean of f(x, mean) over each group.
    const auto average = [&](double* to, const auto& f) {
      double sum[kColumns + kShortRun] = {};
      const B* means = mean;
      for (int64_t block = 0; block < l.runs; block += kLineBlock) {
        B part[kColumns + kShortRun] = {};
        const int64_t last = least(l.runs, block + kLineBlock);
        for (int64_t k = block; k < last; ++k) {
          const T* x = t + at + k * l.run_stride();
#pragma GCC ivdep
          for (int64_t i = 0; i < columns; ++i) part[i] += f(static_cast<B>(load(x[i])), means[i]);
        }
        for (int64_t i = 0; i < columns; ++i) sum[i] += static_cast<double>(part[i]);
      }
      for (int64_t k = 0, i = 0; k < groups; ++k) {
        double total = 0;
        for (const int64_t end = i + l.length; i < end; ++i) total += sum[i];
        to[first + k] = total / static_cast<double>(l.count());
      }
    };
    average(c.mean, [](B x, B) { return x; });
    spread(mean, first, groups, [&](int64_t k) { return c.mean[k]; });
    average(c.variance, [](B x, B m) { return (x - m) * (x - m); });
  }

  template <class B>
  void write_columns(int64_t first, int64_t groups) const {
    const int64_t columns = groups * l.length, at = first * l.length;
    B mean[kColumns + kShortRun], scale[kColumns + kShortRun], shift[kColumns + kShortRun];
    spread(mean, first, groups, [&](int64_t k) { return c.mean[k]; });
    spread(scale, first, groups, [&](int64_t k) {
      return static_cast<B>(scale_of(c.variance[k])) * static_cast<B>(weight_at(k));
    });
    spread(shift, first, groups, [&](int64_t k) { return bias_at(k); });
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

}  // namespace

namespace TH_ISA {

void run_normalize(const NormalizeCall& call) {
  dispatch_types<FloatingTypes>(call.dtype,
                                [&](auto zero) { Normalize<decltype(zero)>{call}.run(); });
}

}  // namespace TH_ISA
}  // namespace th
