// Rows of convolutions. The sums stay in registers over all taps, for several vectors of a row and
// several outputs at a time.

#include "cpu/convolution.h"
#include "cpu/convolution_kernels.h"
#include "cpu/kernels/element_loop.h"
#include "cpu/kernels/vector_bytes.h"

namespace th {
namespace {

// Integers wrap, so they are summed as unsigned.
template <class T>
struct WordOf {
  using Type = T;
};
template <>
struct WordOf<int> {
  using Type = uint32_t;
};
template <>
struct WordOf<int64_t> {
  using Type = uint64_t;
};

template <class T>
T scalar_of(const Scalar& s) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(s.i);
  } else {
    return static_cast<T>(s.d);
  }
}

template <class T>
struct RowLoop {
  static constexpr int kLanes = kVectorBytes / sizeof(T);
  typedef T Vector __attribute__((vector_size(kVectorBytes)));
  typedef T Unaligned __attribute__((vector_size(kVectorBytes), aligned(sizeof(T))));
  // Number of vectors of a row; their sums for four outputs fill the registers.
  static constexpr int kMost = kVectorBytes == 64 ? 4 : 2;

  const ConvolutionRow& row;
  const T* t;
  const T* w;

  int64_t taps_of_phase(int64_t phase) const {
    return (row.x.count - phase + row.step - 1) / row.step;
  }

  // Calls f(t, w, taps of x) for all inputs, planes, rows and phases.
  template <class F>
  void for_lines(int64_t x, const F& f) const {
    for (int64_t p = 0; p < row.input.count; ++p) {
      for (int64_t z = 0; z < row.z.count; ++z) {
        for (int64_t y = 0; y < row.y.count; ++y) {
          const T* t_line = t + x + p * row.input.t + z * row.z.t + y * row.y.t;
          const T* w_line = w + p * row.input.w + z * row.z.w + y * row.y.w;
          for (int64_t k = 0; k < row.phase.count; ++k) {
            f(t_line + k * row.phase.t, w_line + k * row.phase.w, taps_of_phase(k));
          }
        }
      }
    }
  }

  // Writes n results, starting at x.
  void store(const T* sums, int output, int64_t x, int64_t n) const {
    T* r = reinterpret_cast<T*>(row.r) + output * row.r_output + x * row.r_step;
    if (row.r_step == 1) {
      store_in_steps(sums, r, 1, n);
    } else {
      store_in_steps(sums, r, row.r_step, n);
    }
  }
  // Inlined for both cases: a constant step of 1 allows vectorization.
  [[gnu::always_inline]] void store_in_steps(const T* sums, T* r, int64_t step, int64_t n) const {
    T alpha = scalar_of<T>(row.alpha), beta = scalar_of<T>(row.beta);
    if (beta == T(0)) {
      for (int64_t i = 0; i < n; ++i) r[i * step] = alpha * sums[i];
    } else {
      for (int64_t i = 0; i < n; ++i) r[i * step] = beta * r[i * step] + alpha * sums[i];
    }
  }

  // Computes vectors of results starting at x. They are contiguous, except the last one, which
  // begins at x + last and of which only results [begin, end) are written.
  template <int kOutputs, int kVectors>
  void vectors(int64_t x, int output, int64_t last, int64_t begin, int64_t end) const {
    constexpr int64_t kWhole = int64_t{kVectors - 1} * kLanes;
    Vector sum[kOutputs][kVectors] = {};
    for_lines(x, [&](const T* t_tap, const T* w_tap, int64_t count) {
      w_tap += output * row.w_output;
      for (int64_t k = 0; k < count; ++k, t_tap += row.x.t, w_tap += row.x.w) {
        Vector v[kVectors];
        for (int j = 0; j < kVectors - 1; ++j) {
          v[j] = *reinterpret_cast<const Unaligned*>(t_tap + j * kLanes);
        }
        v[kVectors - 1] = *reinterpret_cast<const Unaligned*>(t_tap + last);
        for (int o = 0; o < kOutputs; ++o) {
          T factor = w_tap[o * row.w_output];
          for (int j = 0; j < kVectors; ++j) sum[o][j] += factor * v[j];
        }
      }
    });
    for (int o = 0; o < kOutputs; ++o) {
      const T* sums = reinterpret_cast<const T*>(sum[o]);
      if (kWhole) store(sums, output + o, x, kWhole);
      store(sums + kWhole + begin, output + o, x + last + begin, end - begin);
    }
  }

  // Computes the results from x to end with kVectors vectors. The last vector ends at `end`; the
  // results it shares with the previous vector are not written again.
  template <int kOutputs, int kVectors>
  void rest(int64_t x, int64_t end, int output) const {
    int64_t last = end - x - kLanes;
    if constexpr (kVectors == 1) {
      vectors<kOutputs, 1>(x + last, output, 0, -last, kLanes);
    } else {
      vectors<kOutputs, kVectors>(x, output, last, (kVectors - 1) * kLanes - last, kLanes);
    }
  }

  void one(int64_t x, int output) const {
    T sum = 0;
    for_lines(x, [&](const T* t_tap, const T* w_tap, int64_t count) {
      w_tap += output * row.w_output;
      int64_t first = 0;
      if (row.row) {
        first = x >= row.row ? x - row.row + 1 : 0;
        count = x + 1 < count ? x + 1 : count;
      }
      for (int64_t k = first; k < count; ++k) sum += t_tap[k * row.x.t] * w_tap[k * row.x.w];
    });
    store(&sum, output, x, 1);
  }

  // For results without skipped taps.
  template <int kOutputs>
  void inside(int64_t x, int64_t end, int output) const {
    if (end - x < kLanes) {
      if (row.is_padded && x < end) return vectors<kOutputs, 1>(x, output, 0, 0, end - x);
      for (; x < end; ++x) {
        for (int o = 0; o < kOutputs; ++o) one(x, output + o);
      }
      return;
    }
    for (; end - x > kMost * kLanes; x += kMost * kLanes) {
      vectors<kOutputs, kMost>(x, output, (kMost - 1) * kLanes, 0, kLanes);
    }
    switch ((end - x + kLanes - 1) / kLanes) {
      case 1:
        return rest<kOutputs, 1>(x, end, output);
      case 2:
        return rest<kOutputs, 2>(x, end, output);
      case 3:
        return rest < kOutputs, kMost == 4 ? 3 : 2 > (x, end, output);
      default:
        return rest<kOutputs, kMost>(x, end, output);
    }
  }

  void run() const {
    int64_t begin = 0, end = row.n;
    if (row.row) {
      begin = row.x.count > 0 ? row.x.count - 1 : 0;
      end = row.row < row.n ? row.row : row.n;
      if (begin > end) begin = end = row.n;
      for (int output = 0; output < row.outputs; ++output) {
        for (int64_t x = 0; x < begin; ++x) one(x, output);
        for (int64_t x = end; x < row.n; ++x) one(x, output);
      }
    }
    if (row.outputs == kConvolutionOutputs) return inside<kConvolutionOutputs>(begin, end, 0);
    for (int output = 0; output < row.outputs; ++output) inside<1>(begin, end, output);
  }
};

template <class T>
void convolution_row(const ConvolutionRow& row) {
  using Word = typename WordOf<T>::Type;
  RowLoop<Word>{row, reinterpret_cast<const Word*>(row.t), reinterpret_cast<const Word*>(row.w)}
      .run();
}

}  // namespace

namespace TH_ISA {

// convolve divides the call into rows and calls the kernels of this table.
void run_convolution(const ConvolutionCall& call) { convolve(call); }

extern const ConvolutionKernels convolution_kernels;
constexpr ConvolutionKernels convolution_kernels = {
    for_types<ConvolutionTypes>([](auto zero) { return &convolution_row<decltype(zero)>; })};

}  // namespace TH_ISA
}  // namespace th
