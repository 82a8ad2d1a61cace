// Convolutions in general form: sums for each element, and the matrix of patches for products.

#include "simt/patches.h"

#include <algorithm>

#include "simt/block_sum.h"
#include "simt/kernels/patch_sum.h"
#include "simt/launch.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

template <class Index>
__device__ Index thread_number() {
  return static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
}
template <class Index>
__device__ Index threads_of_grid() {
  return static_cast<Index>(gridDim.x) * blockDim.x;
}

// Converts numbers of elements of r to their indices.
template <class Index>
struct ResultIndices {
  IntDivider<Index> plane, outputs, groups;
  GridIndices<Index> positions;

  explicit ResultIndices(const PatchConvolution& c)
      : plane(volume(c.positions)), outputs(c.outputs), groups(c.groups), positions(c.positions) {}
};

template <class T, class Index>
__global__ void convolve_each(PatchConvolution c, ResultIndices<Index> indices, Index n) {
  using I = std::make_signed_t<Index>;
  using S = ProductSum<T>;
  const S alpha = convert<S>(c.alpha), beta = convert<S>(c.beta);
  for (Index k = thread_number<Index>(); k < n; k += threads_of_grid<Index>()) {
    Index position = k, output = divide(indices.plane, &position);
    Index group = divide(indices.outputs, &output), image = divide(indices.groups, &group);
    const auto in_image = static_cast<int64_t>(image), in_group = static_cast<int64_t>(group);
    const auto in_output = static_cast<int64_t>(output);
    I at[3];
    indices.positions.get(position, at);
    const T* t = reinterpret_cast<const T*>(c.t.data) + in_image * c.t.image + in_group * c.t.group;
    const T* w =
        reinterpret_cast<const T*>(c.w.data) + in_group * c.w.group + in_output * c.w.output;
    T* r = reinterpret_cast<T*>(c.r.data) + in_image * c.r.image + in_group * c.r.group +
           in_output * c.r.output + offset_of(c.r, at);
    S value = alpha * patch_sum<T, I>(c, t, w, at);
    if (c.bias) {
      value += static_cast<S>(
          load(reinterpret_cast<const T*>(c.bias)[in_group * c.outputs + in_output]));
    }
    if (beta != 0) value += beta * static_cast<S>(load(*r));
    *r = convert<T>(value);
  }
}

// One block for each run of `run` weights, which are neighbors along the last dimension.
template <class T, class Index, int run>
__global__ void correlate_each(PatchConvolution c, IntDivider<Index> plane,
                               GridIndices<Index> positions, GridIndices<Index> tap_indices,
                               Index runs) {
  using I = std::make_signed_t<Index>;
  const Index taps = static_cast<Index>(volume(c.taps));
  const Index inputs = static_cast<Index>(c.inputs), outputs = static_cast<Index>(c.outputs);
  const Index n = static_cast<Index>(c.images) * plane.divisor;
  const auto width = static_cast<I>(c.source[2]), step = static_cast<I>(c.tap_step[2]);
  const auto column = static_cast<I>(c.t.plane[2]);
  for (Index number = blockIdx.x; number < runs; number += gridDim.x) {
    const Index k = number * run;
    I tap[3];
    tap_indices.get(k % taps, tap);
    const auto input = static_cast<int64_t>(k / taps % inputs);
    const auto output = static_cast<int64_t>(k / taps / inputs % outputs);
    const auto group = static_cast<int64_t>(k / taps / inputs / outputs);
    const T* t = reinterpret_cast<const T*>(c.t.data) + group * c.t.group + input * c.t.input;
    const T* r = reinterpret_cast<const T*>(c.r.data) + group * c.r.group + output * c.r.output;
    ProductSum<T> sum[run] = {};
    for (Index i = threadIdx.x; i < n; i += kThreads) {
      Index position = i;
      const auto image = static_cast<int64_t>(divide(plane, &position));
      I at[3], from[3];
      positions.get(position, at);
      bool inside = true;
      for (int d = 0; d < 3; ++d) {
        from[d] = first_in_source(c, d, at[d]) + tap[d] * static_cast<I>(c.tap_step[d]);
        // The elements of a run are checked below.
        inside = (d == 2 || is_in_source(c, d, &from[d])) && inside;
      }
      if (!inside) continue;
      const auto value = load(r[image * c.r.image + offset_of(c.r, at)]);
      const T* row = t + image * c.t.image + from[0] * static_cast<I>(c.t.plane[0]) +
                     from[1] * static_cast<I>(c.t.plane[1]);
      TH_UNROLL
      for (int j = 0; j < run; ++j) {
        const I x = from[2] + j * step;
        if (x >= 0 && x < width) sum[j] += value * load(row[x * column]);
      }
    }
    TH_UNROLL
    for (int j = 0; j < run; ++j) {
      const double total = block_sum(static_cast<double>(sum[j]));
      if (threadIdx.x == 0) {
        reinterpret_cast<T*>(c.w.data)[k + static_cast<Index>(j)] = convert<T>(total);
      }
    }
  }
}

// The blocks of a grid are divided among columns in x and rows in y.
dim3 blocks_for(const Queue& queue, const PatchColumns& columns, int64_t rows) {
  constexpr int64_t kMostRows = 65535;
  const unsigned across = blocks_for(queue, columns.size());
  const int64_t down =
      std::clamp<int64_t>(queue.most_blocks() / across, 1, std::min(rows, kMostRows));
  return dim3(across, static_cast<unsigned>(down), 1);
}

// T: an unsigned integer of the size of the elements.
template <class T, class Index>
__global__ void gather(PatchConvolution c, const T* t, PatchColumns columns,
                       IntDivider<Index> per_image, GridIndices<Index> positions,
                       IntDivider<Index> taps_z, IntDivider<Index> taps_y, T* matrix, int64_t row) {
  using I = std::make_signed_t<Index>;
  const auto n = static_cast<Index>(columns.size());
  const Index lines = static_cast<Index>(c.inputs) * taps_z.divisor * taps_y.divisor;
  const auto taps = static_cast<I>(c.taps[2]), step = static_cast<I>(c.tap_step[2]);
  const auto size = static_cast<I>(c.source[2]), stride = static_cast<I>(c.t.plane[2]);
  for (Index k = thread_number<Index>(); k < n; k += threads_of_grid<Index>()) {
    Index position = k;
    const Index image = divide(per_image, &position);
    I at[3];
    positions.get(position + static_cast<Index>(columns.first), at);
    const T* planes = t + static_cast<int64_t>(image) * c.t.image;
    for (Index line = blockIdx.y; line < lines; line += gridDim.y) {
      Index y = line, z = divide(taps_y, &y);
      const Index input = divide(taps_z, &z);
      I from_z = first_in_source(c, 0, at[0]) + static_cast<I>(z) * static_cast<I>(c.tap_step[0]);
      I from_y = first_in_source(c, 1, at[1]) + static_cast<I>(y) * static_cast<I>(c.tap_step[1]);
      const bool inside = is_in_source(c, 0, &from_z) && is_in_source(c, 1, &from_y);
      const T* from = planes;
      if (inside) {
        from += static_cast<int64_t>(input) * c.t.input + from_z * static_cast<I>(c.t.plane[0]) +
                from_y * static_cast<I>(c.t.plane[1]);
      }
      T* to = matrix + static_cast<int64_t>(line) * c.taps[2] * row + static_cast<int64_t>(k);
      I x = first_in_source(c, 2, at[2]);
      for (I tap = 0; tap < taps; ++tap, x += step, to += row) {
        *to = inside && x >= 0 && x < size ? from[x * stride] : T(0);
      }
    }
  }
}

template <class T, class Index>
__global__ void store(PatchConvolution c, T* r, PatchColumns columns, IntDivider<Index> per_image,
                      GridIndices<Index> positions, const typename Numeric<T>::Compute* sums,
                      int64_t row) {
  using I = std::make_signed_t<Index>;
  using S = ProductSum<T>;
  const auto n = static_cast<Index>(columns.size());
  const S beta = convert<S>(c.beta);
  for (Index k = thread_number<Index>(); k < n; k += threads_of_grid<Index>()) {
    Index position = k;
    const Index image = divide(per_image, &position);
    I at[3];
    positions.get(position + static_cast<Index>(columns.first), at);
    T* to = r + static_cast<int64_t>(image) * c.r.image + offset_of(c.r, at);
    for (int64_t output = blockIdx.y; output < c.outputs; output += gridDim.y) {
      T* element = to + output * c.r.output;
      S value = static_cast<S>(sums[output * row + static_cast<int64_t>(k)]);
      if (beta != 0) value += beta * static_cast<S>(load(*element));
      *element = convert<T>(value);
    }
  }
}

// The distances between taps with the same remainder by the divisor, or the number of taps if that
// is smaller; and the distances between the elements of the source that they meet.
template <class I>
struct TapPeriods {
  I taps[3], elements[3];

  explicit TapPeriods(const PatchConvolution& c) {
    for (int d = 0; d < 3; ++d) {
      taps[d] = static_cast<I>(std::min(tap_period(c, d), c.taps[d]));
      elements[d] = static_cast<I>(c.tap_step[d] / (c.divisor[d] / tap_period(c, d)));
    }
  }
};

// The taps that meet elements of the source at a position, along a dimension: the first one, the
// element that it meets, and the distances to the next ones.
template <class I>
struct MeetingTaps {
  I tap, x, period, step;

  __device__ MeetingTaps(const PatchConvolution& c, const TapPeriods<I>& periods, int d, I position)
      : tap(0),
        x(first_in_source(c, d, position)),
        period(periods.taps[d]),
        step(periods.elements[d]) {
    const auto divisor = static_cast<I>(c.divisor[d]);
    if (divisor == 1) return;
    while (x % divisor != 0) {
      x += static_cast<I>(c.tap_step[d]);
      if (++tap < period) continue;
      tap = static_cast<I>(c.taps[d]);  // none
      return;
    }
    x /= divisor;
  }
};

template <class T, class Index>
__global__ void add_taps(PatchConvolution c, T* r, const T* bias,
                         TapPeriods<std::make_signed_t<Index>> periods, IntDivider<Index> plane,
                         IntDivider<Index> outputs, GridIndices<Index> positions,
                         const typename Numeric<T>::Compute* products, int64_t row, Index n) {
  using I = std::make_signed_t<Index>;
  using S = ProductSum<T>;
  const S beta = convert<S>(c.beta);
  I taps[3], size[3];
  for (int d = 0; d < 3; ++d) {
    taps[d] = static_cast<I>(c.taps[d]);
    size[d] = static_cast<I>(c.source[d]);
  }
  for (Index k = thread_number<Index>(); k < n; k += threads_of_grid<Index>()) {
    Index position = k, image = divide(plane, &position);
    const Index in_image = divide(outputs, &image), output = image;
    I at[3];
    positions.get(position, at);
    const auto* own = products +
                      static_cast<int64_t>(output) * (taps[0] * taps[1] * taps[2]) * row +
                      static_cast<int64_t>(in_image) * (size[0] * size[1] * size[2]);
    S sum = 0;
    const MeetingTaps<I> first_y(c, periods, 1, at[1]), first_x(c, periods, 2, at[2]);
    MeetingTaps<I> z(c, periods, 0, at[0]);
    for (; z.tap < taps[0]; z.tap += z.period, z.x += z.step) {
      if (z.x < 0 || z.x >= size[0]) continue;
      MeetingTaps<I> y = first_y;
      for (; y.tap < taps[1]; y.tap += y.period, y.x += y.step) {
        if (y.x < 0 || y.x >= size[1]) continue;
        MeetingTaps<I> x = first_x;
        const auto* from = own + (z.x * size[1] + y.x) * size[2];
        const int64_t first_tap = (z.tap * taps[1] + y.tap) * taps[2];
        for (; x.tap < taps[2]; x.tap += x.period, x.x += x.step) {
          if (x.x < 0 || x.x >= size[2]) continue;
          sum += static_cast<S>(from[(first_tap + x.tap) * row + x.x]);
        }
      }
    }
    if (bias) sum += static_cast<S>(load(bias[output]));
    T* to = r + static_cast<int64_t>(in_image) * c.r.image +
            static_cast<int64_t>(output) * c.r.output + offset_of(c.r, at);
    if (beta != 0) sum += beta * static_cast<S>(load(*to));
    *to = convert<T>(sum);
  }
}

// The first element of an operand in a group and an image.
char* first_of(const PatchConvolution& c, const PatchConvolution::Operand& operand, int64_t group,
               int64_t image) {
  return operand.data +
         (group * operand.group + image * operand.image) * static_cast<int64_t>(item_size(c.dtype));
}

}  // namespace

void convolve_directly(Queue& queue, const PatchConvolution& c) {
  const int64_t n = c.images * c.groups * c.outputs * volume(c.positions);
  dispatch_patch_index(c, static_cast<double>(n), [&](auto index) {
    using Index = decltype(index);
    dispatch(c.dtype, [&](auto zero) {
      using T = decltype(zero);
      TH_LAUNCH(queue, (convolve_each<T, Index>), blocks_for(queue, n), kThreads, 0, c,
                ResultIndices<Index>(c), static_cast<Index>(n));
    });
  });
}

void correlate_directly(Queue& queue, const PatchConvolution& c) {
  const int64_t taps = volume(c.taps);
  const int64_t n = c.groups * c.outputs * c.inputs * taps;
  dispatch_patch_index(c, static_cast<double>(n), [&](auto index) {
    using Index = decltype(index);
    dispatch_types<FloatingTypes>(c.dtype, [&](auto zero) {
      using T = decltype(zero);
      auto launch = [&](auto run) {
        constexpr int kRun = decltype(run)::value;
        TH_LAUNCH(queue, (correlate_each<T, Index, kRun>), at_most(queue, n / kRun), kThreads, 0, c,
                  IntDivider<Index>(volume(c.positions)), GridIndices<Index>(c.positions),
                  GridIndices<Index>(c.taps), static_cast<Index>(n / kRun));
      };
      if (c.taps[2] == 3) return launch(std::integral_constant<int, 3>());
      if (c.taps[2] == 5) return launch(std::integral_constant<int, 5>());
      launch(std::integral_constant<int, 1>());
    });
  });
}

void gather_patches(Queue& queue, const PatchConvolution& c, int64_t group,
                    const PatchColumns& columns, char* matrix, int64_t row) {
  const int64_t lines = c.inputs * c.taps[0] * c.taps[1];
  dispatch_patch_index(c, static_cast<double>(lines), [&](auto index) {
    using Index = decltype(index);
    dispatch_size(item_size(c.dtype), [&](auto zero) {
      using T = decltype(zero);
      TH_LAUNCH(queue, (gather<T, Index>), blocks_for(queue, columns, lines), kThreads, 0, c,
                reinterpret_cast<const T*>(first_of(c, c.t, group, columns.image)), columns,
                IntDivider<Index>(columns.count), GridIndices<Index>(c.positions),
                IntDivider<Index>(c.taps[0]), IntDivider<Index>(c.taps[1]),
                reinterpret_cast<T*>(matrix), row);
    });
  });
}

void add_products(Queue& queue, const PatchConvolution& c, int64_t group, int64_t image,
                  int64_t images, const char* products, int64_t row) {
  const int64_t n = images * c.outputs * volume(c.positions);
  const double source = volume<double>(c.source) * static_cast<double>(images);
  dispatch_patch_index(c, source, [&](auto index) {
    using Index = decltype(index);
    dispatch(c.dtype, [&](auto zero) {
      using T = decltype(zero);
      const T* bias = c.bias ? reinterpret_cast<const T*>(c.bias) + group * c.outputs : nullptr;
      TH_LAUNCH(queue, (add_taps<T, Index>), blocks_for(queue, n), kThreads, 0, c,
                reinterpret_cast<T*>(first_of(c, c.r, group, image)), bias,
                TapPeriods<std::make_signed_t<Index>>(c), IntDivider<Index>(volume(c.positions)),
                IntDivider<Index>(c.outputs), GridIndices<Index>(c.positions),
                reinterpret_cast<const typename Numeric<T>::Compute*>(products), row,
                static_cast<Index>(n));
    });
  });
}

void store_sums(Queue& queue, const PatchConvolution& c, int64_t group, const PatchColumns& columns,
                const char* sums, int64_t row) {
  dispatch_patch_index(c, 0, [&](auto index) {
    using Index = decltype(index);
    dispatch(c.dtype, [&](auto zero) {
      using T = decltype(zero);
      TH_LAUNCH(queue, (store<T, Index>), blocks_for(queue, columns, c.outputs), kThreads, 0, c,
                reinterpret_cast<T*>(first_of(c, c.r, group, columns.image)), columns,
                IntDivider<Index>(columns.count), GridIndices<Index>(c.positions),
                reinterpret_cast<const typename Numeric<T>::Compute*>(sums), row);
    });
  });
}

}  // namespace th
