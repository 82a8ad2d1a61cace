#ifndef TH_CPU_KERNELS_SPATIAL_DEPTHWISE_H
#define TH_CPU_KERNELS_SPATIAL_DEPTHWISE_H

// Convolutions of groups with one output each, mostly of one input: vectors of positions of the
// result are computed from the source, without a matrix product.

#include "cpu/kernels/spatial_product.h"
#include "cpu/kernels/spatial_weights.h"

namespace th {
namespace {

template <class T>
struct Depthwise {
  static constexpr int kLanes = kVectorBytes / sizeof(T);
  typedef T Vector __attribute__((vector_size(kVectorBytes)));

  static Vector load_vector(const T* from) {
    Vector v;
    std::memcpy(&v, from, sizeof v);
    return v;
  }
};

// The product of spatial_product.h for groups with one row of weights. The sums have the same order
// as there.
template <class E, class T>
class DepthwiseLoop {
 public:
  explicit DepthwiseLoop(const SpatialProduct<E, T>& product) : p_(product) {
    bands_ = ceil_div(p_.size[1], kBand);
  }
  bool suits() const {
    if (p_.rows != 1 || p_.depth > kMostDepth) return false;
    if (p_.size[2] >= kLanes || p_.depth == 0) return true;
    // A vector of the last position extends beyond the row.
    const int64_t* size = p_.size;
    const int64_t last = (p_.groups - 1) * p_.source_group + (p_.images - 1) * p_.source_image +
                         (size[0] - 1) * p_.source_stride[0] + (size[1] - 1) * p_.source_stride[1] +
                         *std::max_element(p_.offset, p_.offset + p_.depth);
    return last + kLanes <= p_.readable;
  }
  int64_t tasks() const { return p_.images * p_.groups * p_.size[0] * bands_; }
  double work() const {
    return static_cast<double>(p_.images * p_.groups) * static_cast<double>(p_.depth) *
           static_cast<double>(p_.size[0] * p_.size[1] * p_.size[2]);
  }

  void run(int64_t task) const {
    const int64_t band = task % bands_, z = task / bands_ % p_.size[0];
    const int64_t plane = task / bands_ / p_.size[0];
    const int64_t group = plane % p_.groups, image = plane / p_.groups;
    const T* source =
        p_.source + group * p_.source_group + image * p_.source_image + z * p_.source_stride[0];
    E* result =
        p_.result + group * p_.result_group + image * p_.result_image + z * p_.result_stride[0];
    const int64_t end = std::min(p_.size[1], (band + 1) * kBand);
    for (int64_t y = band * kBand; y < end; y += kRows) {
      const T* from = source + y * p_.source_stride[1];
      E* to = result + y * p_.result_stride[1];
      switch (std::min(kRows, end - y)) {
        case 4:
          find_rows<4>(group, from, to);
          break;
        case 3:
          find_rows<3>(group, from, to);
          break;
        case 2:
          find_rows<2>(group, from, to);
          break;
        default:
          find_rows<1>(group, from, to);
      }
    }
  }

 private:
  using Vector = typename Depthwise<T>::Vector;
  static constexpr int kLanes = Depthwise<T>::kLanes;
  static constexpr int64_t kRows = 4, kBand = 32, kMostDepth = 128;

  // Computes rows of the result.
  template <int rows>
  void find_rows(int64_t group, const T* source, E* result) const {
    const int64_t depth = p_.depth, width = p_.size[2], source_row = p_.source_stride[1];
    const int64_t result_row = p_.result_stride[1], step = p_.result_stride[2];
    const int64_t* const offset = p_.offset;
    const T* const weights = p_.weights + group * depth;
    const bool has_bias = p_.bias;
    const T bias = has_bias ? T(load(p_.bias[group])) : T(0);
    for (int64_t x = 0; x < width; x += kLanes) {
      // The last vector ends with the row.
      const int64_t begin = std::max<int64_t>(0, std::min(x, width - kLanes));
      const T* const from = source + begin;
      Vector sum[rows] = {};
      for (int64_t k = 0; k < depth; ++k) {
        const T weight = weights[k];
        const T* const at = from + offset[k];
#pragma GCC unroll 4
        for (int i = 0; i < rows; ++i) {
          sum[i] = multiply_add<T>(weight, Depthwise<T>::load_vector(at + i * source_row), sum[i]);
        }
      }
      const int64_t count = std::min<int64_t>(width, kLanes);
#pragma GCC unroll 4
      for (int i = 0; i < rows; ++i) {
        if (has_bias) sum[i] += bias;
        E* const to = result + i * result_row + begin * step;
        if constexpr (std::is_same_v<E, T>) {
          if (step == 1 && count == kLanes) {
            std::memcpy(to, &sum[i], sizeof sum[i]);
            continue;
          }
        }
        for (int64_t k = 0; k < count; ++k) to[k * step] = convert<E>(sum[i][k]);
      }
    }
  }

  SpatialProduct<E, T> p_;
  int64_t bands_;
};

// As run_product, by the faster of both ways.
template <class E, class T>
void run_rows_product(const SpatialProduct<E, T>& product) {
  const DepthwiseLoop<E, T> loop(product);
  if (!loop.suits()) return run_product(product);
  for_tasks(loop.tasks(), slots_for(loop.tasks(), loop.work()),
            [&](int64_t task, int64_t) { loop.run(task); });
}

// The gradient of the weights of groups with one output: the sums of spatial_weights.h, of which
// each lane adds its own positions of an image.
template <class E, class T>
class DepthwiseWeights {
 public:
  explicit DepthwiseWeights(const WeightProduct<E, T>& product) : p_(product) {
    plane_ = p_.size[0] * p_.size[1] * p_.size[2];
  }
  // The tasks are groups.
  bool suits() const {
    return p_.outputs == 1 && p_.depth <= kMostDepth && p_.groups >= kFewestGroups &&
           p_.size[2] >= kLanes;
  }
  double work(int64_t images) const {
    return static_cast<double>(images * plane_) * static_cast<double>(p_.groups * p_.depth);
  }
  int64_t space() const { return std::is_same_v<E, T> ? 0 : plane_; }  // of a slot

  // Adds the images to the sums of a group, or sets them if these are the first ones.
  void run(int64_t group, const T* source, const E* gradient, int64_t images, bool adds, T* sums,
           T* space) const {
    source += group * p_.source_group;
    gradient += group * p_.gradient_group;
    sums += group * p_.depth;
    for (int64_t k = 0; !adds && k < p_.depth; ++k) sums[k] = 0;
    for (int64_t image = 0; image < images; ++image) {
      const T* g = space;
      if constexpr (std::is_same_v<E, T>) {
        g = gradient;
      } else {
        for (int64_t k = 0; k < plane_; ++k) space[k] = load(gradient[k]);
      }
      for (int64_t k = 0; k < p_.depth; k += kTaps) {
        add_taps(std::min(kTaps, p_.depth - k), source, p_.offset + k, g, sums + k);
      }
      source += p_.source_image;
      gradient += p_.gradient_image;
    }
  }

 private:
  using Vector = typename Depthwise<T>::Vector;
  static constexpr int kLanes = Depthwise<T>::kLanes;
  static constexpr int64_t kTaps = 9, kMostDepth = 128, kFewestGroups = 8;

  void add_taps(int64_t taps, const T* source, const int64_t* offset, const T* g, T* sums) const {
    using Function = void (DepthwiseWeights::*)(const T*, const int64_t*, const T*, T*) const;
    constexpr Function all[] = {
        &DepthwiseWeights::add_image<1>, &DepthwiseWeights::add_image<2>,
        &DepthwiseWeights::add_image<3>, &DepthwiseWeights::add_image<4>,
        &DepthwiseWeights::add_image<5>, &DepthwiseWeights::add_image<6>,
        &DepthwiseWeights::add_image<7>, &DepthwiseWeights::add_image<8>,
        &DepthwiseWeights::add_image<9>,
    };
    (this->*all[taps - 1])(source, offset, g, sums);
  }

  // Adds an image to the sums of some kernel positions.
  template <int taps>
  void add_image(const T* source, const int64_t* offset, const T* g, T* sums) const {
    const int64_t width = p_.size[2], whole = width / kLanes * kLanes;
    Vector number;
    for (int i = 0; i < kLanes; ++i) number[i] = static_cast<T>(i);
    // The lanes of the last vector that the vector before it has not.
    const auto is_new = number >= static_cast<T>(kLanes - (width - whole)) - Vector{};
    Vector sum[taps] = {};
    for (int64_t z = 0; z < p_.size[0]; ++z) {
      const T* row = source + z * p_.source_stride[0];
      for (int64_t y = 0; y < p_.size[1]; ++y, row += p_.source_stride[1], g += width) {
        for (int64_t x = 0; x < whole; x += kLanes) {
          const Vector slope = Depthwise<T>::load_vector(g + x);
#pragma GCC unroll 9
          for (int k = 0; k < taps; ++k) {
            const Vector of_source = Depthwise<T>::load_vector(row + offset[k] + x);
            sum[k] = multiply_add_vectors<T>(slope, of_source, sum[k]);
          }
        }
        if (whole == width) continue;
        const int64_t x = width - kLanes;
        const Vector slope = is_new ? Depthwise<T>::load_vector(g + x) : Vector{};
#pragma GCC unroll 9
        for (int k = 0; k < taps; ++k) {
          const Vector of_source = Depthwise<T>::load_vector(row + offset[k] + x);
          sum[k] = multiply_add_vectors<T>(slope, is_new ? of_source : Vector{}, sum[k]);
        }
      }
    }
    for (int k = 0; k < taps; ++k) {
      T total = 0;
      for (int i = 0; i < kLanes; ++i) total += sum[k][i];
      sums[k] += total;
    }
  }

  WeightProduct<E, T> p_;
  int64_t plane_;
};

}  // namespace
}  // namespace th

#endif
