// Convolutions of single channels (depthwise), by sums in registers.

#include <algorithm>
#include <cstdlib>
#include <type_traits>

#include "simt/kernels/patch_sum.h"
#include "simt/launch.h"
#include "simt/patches.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

// The results of a thread, one below the other. They share most elements that they read.
constexpr int kResults = 4;

// Divide the number of a thread into a column, a tile of results, an output, a group and an image.
struct ChannelIndices {
  IntDivider<uint32_t> width, tiles, outputs, groups;

  explicit ChannelIndices(const PatchConvolution& c)
      : width(c.positions[2]),
        tiles((c.positions[1] + kResults - 1) / kResults),
        outputs(c.outputs),
        groups(c.groups) {}
};

// taps: along each of the last two dimensions. step: from one result to the next one below.
template <class T, int taps, int step>
__global__ void convolve_channel(PatchConvolution c, ChannelIndices indices, uint32_t n) {
  using S = ProductSum<T>;
  const S alpha = convert<S>(c.alpha), beta = convert<S>(c.beta);
  const auto height = static_cast<int32_t>(c.source[1]), width = static_cast<int32_t>(c.source[2]);
  const auto t_row = static_cast<int32_t>(c.t.plane[1]);
  const auto t_column = static_cast<int32_t>(c.t.plane[2]);
  const auto rows = static_cast<int32_t>(c.positions[1]);
  for (uint32_t k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) {
    uint32_t column = k, tile = divide(indices.width, &column);
    uint32_t output = divide(indices.tiles, &tile), group = divide(indices.outputs, &output);
    const auto image = static_cast<int64_t>(divide(indices.groups, &group));
    const auto in_group = static_cast<int64_t>(group), in_output = static_cast<int64_t>(output);
    const T* t = reinterpret_cast<const T*>(c.t.data) + image * c.t.image + in_group * c.t.group;
    const T* w =
        reinterpret_cast<const T*>(c.w.data) + in_group * c.w.group + in_output * c.w.output;
    S weight[taps * taps];
    TH_UNROLL
    for (int i = 0; i < taps * taps; ++i) {
      weight[i] = static_cast<S>(load(w[i / taps * c.w.plane[1] + i % taps * c.w.plane[2]]));
    }
    const int32_t row = static_cast<int32_t>(tile) * kResults;
    const int32_t y = first_in_source(c, 1, row);
    const int32_t x = first_in_source(c, 2, static_cast<int32_t>(column));
    S sum[kResults] = {};
    TH_UNROLL
    for (int j = 0; j < (kResults - 1) * step + taps; ++j) {
      if (y + j < 0 || y + j >= height) continue;
      TH_UNROLL
      for (int i = 0; i < taps; ++i) {
        if (x + i < 0 || x + i >= width) continue;
        const S value = static_cast<S>(load(t[(y + j) * t_row + (x + i) * t_column]));
        TH_UNROLL
        for (int r = 0; r < kResults; ++r) {
          const int tap = j - r * step;
          if (tap >= 0 && tap < taps) sum[r] += weight[tap * taps + i] * value;
        }
      }
    }
    const S bias =
        c.bias ? static_cast<S>(
                     load(reinterpret_cast<const T*>(c.bias)[in_group * c.outputs + in_output]))
               : S(0);
    T* to = reinterpret_cast<T*>(c.r.data) + image * c.r.image + in_group * c.r.group +
            in_output * c.r.output + row * c.r.plane[1] +
            static_cast<int64_t>(column) * c.r.plane[2];
    TH_UNROLL
    for (int r = 0; r < kResults; ++r) {
      if (row + r >= rows) break;
      S value = alpha * sum[r];
      if (c.bias) value += bias;
      if (beta != 0) value += beta * static_cast<S>(load(*to));
      *to = convert<T>(value);
      to += c.r.plane[1];
    }
  }
}

// Reverses the taps of a dimension, so that they meet ascending elements of the source.
void reverse_taps(PatchConvolution* c, int d) {
  const int64_t last = c->taps[d] - 1;
  c->first[d] += last * c->tap_step[d];
  c->tap_step[d] = -c->tap_step[d];
  c->w.data += last * c->w.plane[d] * static_cast<int64_t>(item_size(c->dtype));
  c->w.plane[d] = -c->w.plane[d];
}

template <class F>
void for_constants(const PatchConvolution& c, const F& f) {
  auto with_taps = [&](auto taps) {
    if (c.position_step[1] == 1) return f(taps, std::integral_constant<int, 1>());
    f(taps, std::integral_constant<int, 2>());
  };
  if (c.taps[1] == 3) return with_taps(std::integral_constant<int, 3>());
  with_taps(std::integral_constant<int, 5>());
}

bool is_channel_convolution(const PatchConvolution& c) {
  for (int64_t divisor : c.divisor) {
    if (divisor != 1) return false;
  }
  return c.inputs == 1 && c.positions[0] == 1 && c.taps[0] == 1 && c.source[0] == 1 &&
         c.first[0] == 0 && (c.taps[1] == 3 || c.taps[1] == 5) && c.taps[2] == c.taps[1] &&
         c.tap_step[1] == 1 && c.tap_step[2] == 1 &&
         (c.position_step[1] == 1 || c.position_step[1] == 2);
}

}  // namespace

bool convolve_channels(Queue& queue, const PatchConvolution& given) {
  if (is_integral(given.dtype)) return false;
  PatchConvolution c = given;
  for (int d = 1; d < 3; ++d) {
    if (c.tap_step[d] == -1) reverse_taps(&c, d);
  }
  if (!is_channel_convolution(c)) return false;
  const int64_t tiles = (c.positions[1] + kResults - 1) / kResults;
  const int64_t n = c.images * c.groups * c.outputs * tiles * c.positions[2];
  // The last thread of a column computes results below the last one, which it does not store.
  const int64_t last_row =
      std::abs(c.first[1]) + c.taps[1] + c.position_step[1] * (c.positions[1] + kResults);
  bool fits = false;
  dispatch_patch_index(c, static_cast<double>(std::max(n, last_row)),
                       [&](auto index) { fits = sizeof(index) == 4; });
  if (!fits) return false;
  dispatch_types<FloatingTypes>(c.dtype, [&](auto zero) {
    using T = decltype(zero);
    for_constants(c, [&](auto taps, auto step) {
      TH_LAUNCH(queue, (convolve_channel<T, decltype(taps)::value, decltype(step)::value>),
                blocks_for(queue, n), kThreads, 0, c, ChannelIndices(c), static_cast<uint32_t>(n));
    });
  });
  return true;
}

}  // namespace th
