#ifndef TH_SIMT_KERNELS_PATCH_SUM_H
#define TH_SIMT_KERNELS_PATCH_SUM_H

#include <type_traits>

#include "simt/offset_calculator.h"
#include "simt/patches.h"
#include "simt/product_integer.h"
#include "tensor/convert.h"

namespace th {
namespace {

// The type of sums of products.
template <class T, bool = std::is_integral_v<T>>
struct SumOfProducts {
  using Type = WordOf<T>;
};
template <class T>
struct SumOfProducts<T, false> {
  using Type = typename Numeric<T>::Compute;
};
template <class T>
using ProductSum = typename SumOfProducts<T>::Type;

// Computes n / divisor, and sets n to the remainder.
template <class Index>
__device__ Index divide(const IntDivider<Index>& by, Index* n) {
  const Index quotient = by.quotient(*n);
  *n -= quotient * by.divisor;
  return quotient;
}

// Converts a number of a position, or of a tap, to indices along the dimensions.
template <class Index>
struct GridIndices {
  IntDivider<Index> plane, row;

  explicit GridIndices(const int64_t* size) : plane(size[1] * size[2]), row(size[2]) {}
  template <class I>
  __device__ void get(Index number, I* at) const {
    at[0] = static_cast<I>(divide(plane, &number));
    at[1] = static_cast<I>(divide(row, &number));
    at[2] = static_cast<I>(number);
  }
};

// Returns the index in the source where the first tap meets `position`, times the divisor.
template <class I>
__device__ I first_in_source(const PatchConvolution& c, int d, I position) {
  return position * static_cast<I>(c.position_step[d]) + static_cast<I>(c.first[d]);
}
// Divides an index. Returns false if there is no such element.
template <class I>
__device__ bool is_in_source(const PatchConvolution& c, int d, I* x) {
  const I divisor = static_cast<I>(c.divisor[d]);
  if (divisor != 1) {
    if (*x % divisor != 0) return false;
    *x /= divisor;
  }
  return *x >= 0 && *x < static_cast<I>(c.source[d]);
}
template <class I>
__device__ I offset_of(const PatchConvolution::Operand& operand, const I* at) {
  I offset = 0;
  for (int d = 0; d < 3; ++d) offset += at[d] * static_cast<I>(operand.plane[d]);
  return offset;
}

// The sum over inputs and taps for a position. t and w: the first elements of the image's group and
// of the output.
template <class T, class I>
__device__ ProductSum<T> patch_sum(const PatchConvolution& c, const T* t, const T* w,
                                   const I* position) {
  using S = ProductSum<T>;
  I first[3], taps[3];
  for (int d = 0; d < 3; ++d) {
    first[d] = first_in_source(c, d, position[d]);
    taps[d] = static_cast<I>(c.taps[d]);
  }
  const auto step = static_cast<I>(c.tap_step[2]);
  const auto t_step = static_cast<I>(c.t.plane[2]), w_step = static_cast<I>(c.w.plane[2]);
  S sum = 0;
  for (I input = 0; input < static_cast<I>(c.inputs); ++input) {
    for (I z = 0; z < taps[0]; ++z) {
      I from_z = first[0] + z * static_cast<I>(c.tap_step[0]);
      if (!is_in_source(c, 0, &from_z)) continue;
      for (I y = 0; y < taps[1]; ++y) {
        I from_y = first[1] + y * static_cast<I>(c.tap_step[1]);
        if (!is_in_source(c, 1, &from_y)) continue;
        const T* row =
            t + from_z * static_cast<I>(c.t.plane[0]) + from_y * static_cast<I>(c.t.plane[1]);
        const T* weights = w + z * static_cast<I>(c.w.plane[0]) + y * static_cast<I>(c.w.plane[1]);
        for (I x = 0; x < taps[2]; ++x) {
          I from_x = first[2] + x * step;
          if (!is_in_source(c, 2, &from_x)) continue;
          sum += static_cast<S>(load(weights[x * w_step])) *
                 static_cast<S>(load(row[from_x * t_step]));
        }
      }
    }
    t += c.t.input;
    w += c.w.input;
  }
  return sum;
}

// Returns the last index in elements that an operand's strides reach, at least.
inline double reach(const PatchConvolution& c, const PatchConvolution::Operand& operand,
                    const int64_t* size) {
  auto along = [](int64_t stride, int64_t n) {
    const double distance = static_cast<double>(stride) * static_cast<double>(n - 1);
    return distance < 0 ? -distance : distance;
  };
  double sum = along(operand.image, c.images) + along(operand.group, c.groups) +
               along(operand.output, c.outputs) + along(operand.input, c.inputs);
  for (int d = 0; d < 3; ++d) sum += along(operand.plane[d], size[d]);
  return sum;
}

// Calls f(uint32_t()) if all numbers of elements, positions and offsets are below 2^31, else
// f(uint64_t()). more: another number.
template <class F>
void dispatch_patch_index(const PatchConvolution& c, double more, const F& f) {
  double most = more;
  auto include = [&](double number) { most = number > most ? number : most; };
  include(reach(c, c.r, c.positions));
  include(reach(c, c.t, c.source));
  include(reach(c, c.w, c.taps));
  const auto images = static_cast<double>(c.images), groups = static_cast<double>(c.groups);
  const double channels = groups * static_cast<double>(c.outputs);
  include(images * channels * volume<double>(c.positions));
  include(channels * static_cast<double>(c.inputs) * volume<double>(c.taps));
  for (int d = 0; d < 3; ++d) {
    const auto first = static_cast<double>(c.first[d] < 0 ? -c.first[d] : c.first[d]);
    const auto step = static_cast<double>(c.tap_step[d] < 0 ? -c.tap_step[d] : c.tap_step[d]);
    include(first + step * static_cast<double>(c.taps[d]) +
            static_cast<double>(c.position_step[d]) * static_cast<double>(c.positions[d]));
    include(static_cast<double>(c.divisor[d]));
  }
  dispatch_index(most > INT32_MAX ? INT64_MAX : 0, f);
}

}  // namespace
}  // namespace th

#endif
