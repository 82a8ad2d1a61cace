#include "simt/kernels/normalize_batch.h"

#include <cmath>

#include "tensor/type_sets.h"

namespace th {

namespace {

// The elements of a batch, which is contiguous. A group is a channel.
struct BatchElements : NormPositions {
  // The first `longer` parts have size + 1 elements of a channel, others have `size`.
  int64_t parts, size, longer;
  IntDivider<uint64_t> channel;

  // The parts depend on sizes only. width: the number of adjacent channels of a block.
  BatchElements(const NormLayout& l, int width) : NormPositions(l), channel(l.groups) {
    constexpr int64_t kBlocks = 1024, kThreadElements = 16;
    const int64_t tiles = (groups + width - 1) / width;
    const int64_t wanted = (kBlocks + tiles - 1) / tiles;
    const int64_t most = count() / (kThreads / width * kThreadElements);
    parts = wanted < most ? wanted : most > 1 ? most : 1;
    size = count() / parts;
    longer = count() % parts;
  }
  __device__ int64_t first_of(int64_t part) const {
    return part * size + (part < longer ? part : longer);
  }
  __device__ int64_t size_of(int64_t part) const { return size + (part < longer); }
  __device__ int64_t channel_at(int64_t position) const {
    const auto line = static_cast<uint64_t>(run_of(position));
    return static_cast<int64_t>(line - channel.quotient(line) * channel.divisor);
  }
};

// ---- parts of channels

// The sum over the threads of a block whose numbers are equal modulo `width`. All threads must call
// it.
template <int width>
__device__ double column_sum(double own) {
  __shared__ double sums[kThreads];
  const auto thread = static_cast<int>(threadIdx.x);
  sums[thread] = own;
  __syncthreads();
  for (int half = kThreads / 2; half >= width; half /= 2) {
    if (thread < half) sums[thread] += sums[thread + half];
    __syncthreads();
  }
  const double sum = sums[thread % width];
  // A later call may write the shared array.
  __syncthreads();
  return sum;
}

// Calls f(part, c, visit) for the parts of all channels, with a block for `width` adjacent channels
// of a part. visit(read, g) calls g(read(i)) for the positions i of the elements of the calling
// thread. Threads beyond the last channel get c >= groups and no elements. A width above 1 is for
// runs of length 1.
template <int width, class F>
__device__ void visit_parts(const BatchElements& all, const F& f) {
  const int64_t tiles = (all.groups + width - 1) / width;
  for (int64_t task = blockIdx.x; task < tiles * all.parts; task += gridDim.x) {
    const int64_t part = task / tiles;
    const int64_t c = (task - part * tiles) * width + threadIdx.x % width;
    const int64_t end = c < all.groups ? all.first_of(part + 1) : 0;
    f(part, c, [&](const auto& read, const auto& g) {
      read_ahead(
          all.first_of(part) + threadIdx.x / width, end, kThreads / width,
          [&](int64_t k) { return read(width > 1 ? k * all.groups + c : all.position(c, k)); },
          [&](const auto& x, int64_t) { g(x); });
    });
  }
}

// The result of a part of a channel: its mean and its sum of squared deviations, or two sums.
using PartResult = Two<double>;

// See moments_of() in normalize.cc for the deviations from an element.
template <class T, int width>
__global__ void find_part_moments(const T* t, BatchElements all, PartResult* moments) {
  using C = Compute<T>;
  constexpr bool one_pass = sizeof(C) == sizeof(float);
  visit_parts<width>(all, [&](int64_t part, int64_t c, const auto& visit) {
    const auto read = [&](int64_t i) { return load(t[i]); };
    const int64_t first = all.first_of(part);
    const auto n = static_cast<double>(all.size_of(part));
    double origin = one_pass && c < all.groups ? read(all.position(c, first)) : 0;
    if (!std::isfinite(origin)) origin = 0;
    double sum = 0, squares = 0;
    visit(read, [&](C x) {
      const double distance = x - origin;
      sum += distance;
      if (one_pass) squares += distance * distance;
    });
    const double shift = column_sum<width>(sum) / n;
    if (!one_pass) {
      visit(read, [&](C x) { squares += (x - shift) * (x - shift); });
    }
    squares = column_sum<width>(squares);
    if (one_pass) squares -= n * shift * shift;
    if (threadIdx.x < width && c < all.groups) {
      moments[part * all.groups + c] = {origin + shift, squares < 0 ? 0 : squares};
    }
  });
}

// Sums the gradient, and its product with the deviation from the mean.
template <class T, int width>
__global__ void find_part_slopes(const T* g, const T* t, BatchElements all, const double* mean,
                                 PartResult* sums) {
  visit_parts<width>(all, [&](int64_t part, int64_t c, const auto& visit) {
    const double center = mean && c < all.groups ? mean[c] : 0;
    double sum = 0, product = 0;
    visit(
        [&](int64_t i) {
          return Two<double>{element(g, i), element(t, i)};
        },
        [&](const Two<double>& both) {
          sum += both.x;
          product += both.x * (both.y - center);
        });
    sum = column_sum<width>(sum);
    product = column_sum<width>(product);
    if (threadIdx.x < width && c < all.groups) sums[part * all.groups + c] = {sum, product};
  });
}

// ---- totals: one warp for each channel

using Totals = RowShape<0, true>;

// The sum of f(PartResult, part) over the parts of a channel. All threads of the warp must call it.
template <class F>
__device__ double total_of(const PartResult* parts, const BatchElements& all, int64_t c,
                           const F& f) {
  double sum = 0;
  read_ahead(
      Totals::lane(), all.parts, Totals::kLanes,
      [&](int64_t part) { return parts[part * all.groups + c]; },
      [&](const PartResult& x, int64_t part) { sum += f(x, part); });
  return Totals::combined<Sum<double>>(sum);
}

// The constants of a channel. The result of an element x is (x - center) * factor + shift. If there
// is a gradient g, g * slope is added.
struct Channel {
  double center, factor, shift, slope;
};

// parts: null if the moments are given.
template <class T>
__global__ void combine_moments(const PartResult* parts, BatchElements all, const T* weight,
                                const T* bias, double epsilon, double* mean, double* variance,
                                Channel* channels) {
  const auto n = static_cast<double>(all.count());
  for (int64_t c = Totals::first(); c < all.groups; c += Totals::step()) {
    double center, square;
    if (parts) {
      const auto size = [&](int64_t part) { return static_cast<double>(all.size_of(part)); };
      const auto sums = [&](PartResult own, int64_t part) { return size(part) * own.x; };
      center = total_of(parts, all, c, sums) / n;
      const auto squares = [&](PartResult own, int64_t part) {
        return own.y + size(part) * (own.x - center) * (own.x - center);
      };
      square = total_of(parts, all, c, squares) / n;
    } else {
      center = mean[c];
      square = variance[c];
    }
    if (Totals::lane() != 0) continue;
    if (parts) {
      mean[c] = center;
      variance[c] = square;
    }
    channels[c] = {center, weight_at(weight, c, 1) / sqrt(square + epsilon), weight_at(bias, c, 0),
                   0};
  }
}

// parts: null if no result depends on the sums.
template <class T, class A>
__global__ void combine_slopes(const PartResult* parts, BatchElements all, const T* weight,
                               double epsilon, const double* mean, const double* variance,
                               bool constant, A* weights, A* biases, Channel* channels) {
  const auto n = static_cast<double>(all.count());
  for (int64_t c = Totals::first(); c < all.groups; c += Totals::step()) {
    double sum = 0, product = 0;
    if (parts) {
      sum = total_of(parts, all, c, [](PartResult own, int64_t) { return own.x; });
      product = total_of(parts, all, c, [](PartResult own, int64_t) { return own.y; });
    }
    if (Totals::lane() != 0) continue;
    const double scale = 1 / sqrt(variance[c] + epsilon);
    if (weights) weights[c] = static_cast<A>(product * scale);
    if (biases) biases[c] = static_cast<A>(sum);
    const double slope = weight_at(weight, c, 1) * scale;
    const double factor = constant ? 0 : -product / n * scale * scale * slope;
    const double shift = constant || !mean ? 0 : -sum / n * slope;
    channels[c] = {mean ? mean[c] : 0, factor, shift, slope};
  }
}

// ---- results

// g: null, or the gradient. r may be t or g.
template <class T>
__global__ void write_elements(const T* g, const T* t, T* r, int64_t n, BatchElements all,
                               const Channel* channels) {
  read_ahead(
      int64_t{blockIdx.x} * blockDim.x + threadIdx.x, n, int64_t{gridDim.x} * blockDim.x,
      [&](int64_t i) {
        const T own = t[i];
        return Two<T>{g ? g[i] : own, own};
      },
      [&](const Two<T>& both, int64_t i) {
        const Channel& c = channels[all.channel_at(i)];
        const double own = (static_cast<double>(load(both.y)) - c.center) * c.factor + c.shift;
        r[i] = convert<T>(g ? static_cast<double>(load(both.x)) * c.slope + own : own);
      });
}

// Calls f with the layout and the number of adjacent channels for a block, as a constant.
template <class F>
void with_width(NormLayout l, const F& f) {
  if (l.groups == 1) {
    // The elements of the only channel are contiguous.
    l.length = l.count();
    l.runs = 1;
  }
  if (l.length == 1) return f(l, std::integral_constant<int, 32>());
  f(l, std::integral_constant<int, 1>());
}

unsigned blocks_for_parts(const Queue& queue, const BatchElements& all, int width) {
  return at_most(queue, (all.groups + width - 1) / width * all.parts);
}

template <class T>
const T* as(const char* data) {
  return reinterpret_cast<const T*>(data);
}

template <class T>
void normalize(Queue& queue, const NormalizeCall& c) {
  const int64_t channels = c.layout.groups, n = channels * c.layout.count();
  with_width(c.layout, [&](const NormLayout& layout, auto constant) {
    constexpr int width = decltype(constant)::value;
    const BatchElements all(layout, width);
    const Scratch parts(
        queue, static_cast<size_t>(c.given ? 0 : all.parts * channels) * sizeof(PartResult));
    const Scratch of_channels(queue, static_cast<size_t>(channels) * sizeof(Channel));
    if (!c.given) {
      TH_LAUNCH(queue, (find_part_moments<T, width>), blocks_for_parts(queue, all, width), kThreads,
                0, as<T>(c.t), all, parts.as<PartResult>());
    }
    TH_LAUNCH(queue, (combine_moments<T>), Totals::blocks(queue, channels), kThreads, 0,
              parts.as<const PartResult>(), all, as<T>(c.weight), as<T>(c.bias), c.epsilon, c.mean,
              c.variance, of_channels.as<Channel>());
    TH_LAUNCH(queue, (write_elements<T>), blocks_for(queue, n), kThreads, 0, nullptr, as<T>(c.t),
              reinterpret_cast<T*>(c.r), n, all, of_channels.as<const Channel>());
  });
}

template <class T>
void slopes(Queue& queue, const NormalizeSlopesCall& c) {
  using A = Compute<T>;
  const int64_t channels = c.layout.groups, n = channels * c.layout.count();
  with_width(c.layout, [&](const NormLayout& layout, auto constant) {
    constexpr int width = decltype(constant)::value;
    const BatchElements all(layout, width);
    const bool needs_sums = !c.constant || c.weight_slopes || c.bias_slopes;
    const Scratch parts(
        queue, static_cast<size_t>(needs_sums ? all.parts * channels : 0) * sizeof(PartResult));
    const Scratch of_channels(queue, static_cast<size_t>(channels) * sizeof(Channel));
    if (needs_sums) {
      TH_LAUNCH(queue, (find_part_slopes<T, width>), blocks_for_parts(queue, all, width), kThreads,
                0, as<T>(c.g), as<T>(c.t), all, c.mean, parts.as<PartResult>());
    }
    TH_LAUNCH(queue, (combine_slopes<T, A>), Totals::blocks(queue, channels), kThreads, 0,
              parts.as<const PartResult>(), all, as<T>(c.weight), c.epsilon, c.mean, c.variance,
              c.constant, reinterpret_cast<A*>(c.weight_slopes),
              reinterpret_cast<A*>(c.bias_slopes), of_channels.as<Channel>());
    if (!c.slope) return;
    TH_LAUNCH(queue, (write_elements<T>), blocks_for(queue, n), kThreads, 0, as<T>(c.g), as<T>(c.t),
              reinterpret_cast<T*>(c.slope), n, all, of_channels.as<const Channel>());
  });
}

}  // namespace

void normalize_batch(Queue& queue, const NormalizeCall& call) {
  dispatch_types<FloatingTypes>(call.dtype,
                                [&](auto zero) { normalize<decltype(zero)>(queue, call); });
}
void normalize_batch_slopes(Queue& queue, const NormalizeSlopesCall& call) {
  dispatch_types<FloatingTypes>(call.dtype,
                                [&](auto zero) { slopes<decltype(zero)>(queue, call); });
}

}  // namespace th
