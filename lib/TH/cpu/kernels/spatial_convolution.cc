// Convolutions of batches of images, and their gradients. Sums are computed in an order that
// depends on the shapes, and for Winograd's method on whether elements differ much in size.

#include "backend/cpu_backend.h"
#include "cpu/kernels/spatial_depthwise.h"
#include "cpu/kernels/spatial_winograd.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

int64_t volume(const int64_t* size) { return size[0] * size[1] * size[2]; }

// Calls f(k, position) for each position of a kernel.
template <class F>
void for_taps(const int64_t* kernel, const F& f) {
  int64_t k = 0, tap[3];
  for (tap[0] = 0; tap[0] < kernel[0]; ++tap[0]) {
    for (tap[1] = 0; tap[1] < kernel[1]; ++tap[1]) {
      for (tap[2] = 0; tap[2] < kernel[2]; ++tap[2]) f(k++, tap);
    }
  }
}

// Elements as type T: themselves, or a copy.
template <class E, class T>
class Converted {
 public:
  Converted(const char* data, int64_t count)
      : copy_(std::is_same_v<E, T> ? 0 : count), data_(reinterpret_cast<const T*>(data)) {
    if constexpr (!std::is_same_v<E, T>) {
      const E* from = reinterpret_cast<const E*>(data);
      for (int64_t k = 0; k < count; ++k) copy_[k] = load(from[k]);
      data_ = copy_.data();
    }
  }
  const T* data() const { return data_; }

 private:
  Workspace<T> copy_;
  const T* data_;
};

template <class E>
E* elements(char* data) {
  return reinterpret_cast<E*>(data);
}

// The part of the image that the results and the gradient of the weight depend on.
SourceWindow image_window(const SpatialConvolutionCall& c) {
  SourceWindow w;
  for (int d = 0; d < 3; ++d) {
    w.image[d] = c.image[d];
    w.before[d] = c.padding[d];
    w.size[d] = (c.result[d] - 1) * c.stride[d] + (c.kernel[d] - 1) * c.dilation[d] + 1;
  }
  for (int d = 0; d < 2; ++d) w.row_step[d] = c.kernel[d] == 1 ? c.stride[d] : 1;
  w.step = c.stride[2];
  w.phases = std::min(w.step, (c.kernel[2] - 1) * c.dilation[2] + 1);
  return w;
}

// Sets where a product reads the image, and the size of the result. offset: memory for an offset
// for each input and kernel position.
template <class E, class T, class Product>
void set_source(const SpatialConvolutionCall& c, const Source<E, T>& source, int64_t* offset,
                Product* p) {
  p->offset = offset;
  p->source_group = c.inputs * source.channel();
  p->source_image = source.image();
  p->source_stride[0] = c.stride[0] * source.z();
  p->source_stride[1] = c.stride[1] * source.y();
  std::copy(c.result, c.result + 3, p->size);
  const int64_t taps = volume(c.kernel);
  for_taps(c.kernel, [&](int64_t k, const int64_t* tap) {
    const int64_t at =
        source.offset(tap[0] * c.dilation[0], tap[1] * c.dilation[1], tap[2] * c.dilation[2]);
    for (int64_t i = 0; i < c.inputs; ++i) offset[i * taps + k] = i * source.channel() + at;
  });
}

template <class E, class T>
void compute_result(const SpatialConvolutionCall& c) {
  Source<E, T> source(image_window(c), c.groups * c.inputs, c.batch);
  SpatialProduct<E, T> p;
  p.groups = c.groups;
  p.rows = c.outputs;
  p.depth = c.inputs * volume(c.kernel);
  const Converted<E, T> weights(c.weight_data, p.groups * p.rows * p.depth);
  const Workspace<T> copy(source.elements());
  const Workspace<int64_t> offset(p.depth);
  set_source(c, source, offset.data(), &p);
  p.weights = weights.data();
  p.result_row = volume(c.result);
  p.result_group = c.outputs * p.result_row;
  p.result_image = c.groups * p.result_group;
  p.result_stride[0] = c.result[1] * c.result[2];
  p.result_stride[1] = c.result[2];
  p.result_stride[2] = 1;
  p.bias = reinterpret_cast<const E*>(c.bias);
  const int64_t image = c.groups * c.inputs * volume(c.image);
  for (int64_t n = 0; n < c.batch; n += source.images()) {
    p.images = std::min(source.images(), c.batch - n);
    source.read(elements<E>(c.image_data) + n * image, p.images, copy.data());
    p.source = source.data();
    p.readable = source.readable(c.batch - n);
    p.result = elements<E>(c.result_data) + n * p.result_image;
    run_rows_product(p);
  }
}

// The positions x of the image with the same remainder of (x + padding) / stride are a phase. They
// depend on the same kernel positions k, and on the results (x + padding - k * dilation) / stride,
// which are neighbors for neighbors of the phase.
struct ImagePhase {
  int64_t first[3], count[3];  // the first position, and the number of positions
  int64_t taps;

  bool has_tap(const SpatialConvolutionCall& c, const int64_t* tap) const {
    bool has = true;
    for (int d = 0; d < 3; ++d) {
      has = has && (first[d] + c.padding[d] - tap[d] * c.dilation[d]) % c.stride[d] == 0;
    }
    return has;
  }
};

// number: from 0 to the product of `phases`, the numbers of phases of each dimension.
ImagePhase image_phase(const SpatialConvolutionCall& c, const int64_t* phases, int64_t number) {
  ImagePhase phase;
  for (int d = 2; d >= 0; --d) {
    phase.first[d] = number % phases[d];
    number /= phases[d];
    phase.count[d] = ceil_div(c.image[d] - phase.first[d], c.stride[d]);
  }
  phase.taps = 0;
  for_taps(c.kernel, [&](int64_t, const int64_t* tap) { phase.taps += phase.has_tap(c, tap); });
  return phase;
}

// The part of the gradient of the result that the gradient of the image depends on.
SourceWindow result_window(const SpatialConvolutionCall& c) {
  SourceWindow w;
  for (int d = 0; d < 3; ++d) {
    const int64_t reach = (c.kernel[d] - 1) * c.dilation[d];
    const int64_t last = (c.image[d] - 1 + c.padding[d]) / c.stride[d];
    w.image[d] = c.result[d];
    w.before[d] = std::max<int64_t>(0, ceil_div(reach - c.padding[d], c.stride[d]));
    w.size[d] = std::max(c.result[d] - 1, last) + 1 + w.before[d];
  }
  w.row_step[0] = w.row_step[1] = w.step = w.phases = 1;
  return w;
}

// Copies count elements in whole vectors, up to 2 * count.
template <class E, class T>
void copy_beyond(const E* from, int64_t count, T* to) {
  constexpr int kLanes = TileSize<T>::kLanes;
  for (int64_t k = 0; k < count; k += kLanes) {
    for (int i = 0; i < kLanes; ++i) to[k + i] = load(from[k + i]);
  }
}

// Copies the weights of a phase to a matrix for each group: a row for each input, a column for each
// output and kernel position. Computes the offsets in the source of the columns.
template <class E, class T>
void prepare_phase(const SpatialConvolutionCall& c, const ImagePhase& phase,
                   const SourceWindow& window, const Source<E, T>& source, T* weights,
                   int64_t* offset) {
  const Workspace<int64_t> kernel_position(phase.taps);
  int64_t own = 0;
  for_taps(c.kernel, [&](int64_t k, const int64_t* tap) {
    if (!phase.has_tap(c, tap)) return;
    int64_t at[3];
    for (int d = 0; d < 3; ++d) {
      at[d] =
          window.before[d] + (phase.first[d] + c.padding[d] - tap[d] * c.dilation[d]) / c.stride[d];
    }
    const int64_t first = source.offset(at[0], at[1], at[2]);
    for (int64_t o = 0; o < c.outputs; ++o) {
      offset[o * phase.taps + own] = o * source.channel() + first;
    }
    kernel_position[own++] = k;
  });
  const E* from = elements<E>(c.weight_data);
  const int64_t taps = volume(c.kernel), depth = c.outputs * phase.taps;
  const E* end_of_all = from + c.groups * c.outputs * c.inputs * taps;
  // Later columns overwrite what is copied beyond a kernel.
  const bool is_whole = phase.taps == taps && taps >= TileSize<T>::kLanes - 1;
  parallel_for(c.groups * c.inputs, std::max<int64_t>(1, (1 << 14) / std::max<int64_t>(depth, 1)),
               [&](int64_t begin, int64_t end) {
                 // Blocks of rows, as both matrices have long rows.
                 constexpr int64_t kBlock = 16;
                 for (int64_t first = begin; first < end; first += kBlock) {
                   for (int64_t o = 0; o < c.outputs; ++o) {
                     for (int64_t i = first; i < std::min(first + kBlock, end); ++i) {
                       const int64_t group = i / c.inputs, input = i % c.inputs;
                       const E* kernel = from + ((group * c.outputs + o) * c.inputs + input) * taps;
                       T* to = weights + i * depth + o * phase.taps;
                       if (is_whole && (o + 2) * taps <= depth && kernel + 2 * taps <= end_of_all) {
                         copy_beyond(kernel, taps, to);
                         continue;
                       }
                       for (int64_t k = 0; k < phase.taps; ++k) {
                         to[k] = load(kernel[kernel_position[k]]);
                       }
                     }
                   }
                 }
               });
}

template <class E, class T>
void compute_image(const SpatialConvolutionCall& c) {
  const SourceWindow window = result_window(c);
  Source<E, T> source(window, c.groups * c.outputs, c.batch);
  const int64_t columns = c.outputs * volume(c.kernel), rows = c.groups * c.inputs;
  // If a stride is larger than the image, each position is a phase.
  int64_t step[3];
  for (int d = 0; d < 3; ++d) step[d] = std::min(c.stride[d], c.image[d]);
  const int64_t count = volume(step);
  const Workspace<T> copy(source.elements()), weights(rows * columns);
  const Workspace<int64_t> offset(columns);
  const Workspace<ImagePhase> phases(count);
  int64_t before = 0;
  for (int64_t k = 0; k < count; ++k) {
    phases[k] = image_phase(c, step, k);
    prepare_phase(c, phases[k], window, source, weights.data() + before * rows,
                  offset.data() + before);
    before += c.outputs * phases[k].taps;
  }
  SpatialProduct<E, T> p;
  p.groups = c.groups;
  p.rows = c.inputs;
  p.source_group = c.outputs * source.channel();
  p.source_image = source.image();
  p.source_stride[0] = source.z();
  p.source_stride[1] = source.y();
  p.result_row = volume(c.image);
  p.result_group = c.inputs * p.result_row;
  p.result_image = c.groups * p.result_group;
  p.result_stride[0] = step[0] * c.image[1] * c.image[2];
  p.result_stride[1] = step[1] * c.image[2];
  p.result_stride[2] = step[2];
  p.bias = reinterpret_cast<const E*>(c.bias);
  const int64_t gradient = c.groups * c.outputs * volume(c.result);
  for (int64_t n = 0; n < c.batch; n += source.images()) {
    p.images = std::min(source.images(), c.batch - n);
    source.read(elements<E>(c.result_data) + n * gradient, p.images, copy.data());
    p.source = source.data();
    p.readable = source.readable(c.batch - n);
    p.weights = weights.data();
    p.offset = offset.data();
    for (int64_t k = 0; k < count; ++k) {
      const ImagePhase& phase = phases[k];
      p.depth = c.outputs * phase.taps;
      std::copy(phase.count, phase.count + 3, p.size);
      p.result = elements<E>(c.image_data) + n * p.result_image +
                 (phase.first[0] * c.image[1] + phase.first[1]) * c.image[2] + phase.first[2];
      run_rows_product(p);
      p.weights += rows * p.depth;
      p.offset += p.depth;
    }
  }
}

// The gradient of the weights of groups with one output.
template <class E, class T>
void add_depthwise(const SpatialConvolutionCall& c, const DepthwiseWeights<E, T>& loop,
                   Source<E, T>& source) {
  const int64_t slots = slots_for(c.groups, loop.work(source.images()));
  const int64_t count = c.groups * c.inputs * volume(c.kernel);
  const Workspace<T> copy(source.elements()), space(slots * loop.space()), sums(count);
  const int64_t image = c.groups * c.inputs * volume(c.image);
  for (int64_t n = 0; n < c.batch; n += source.images()) {
    const int64_t images = std::min(source.images(), c.batch - n);
    source.read(elements<E>(c.image_data) + n * image, images, copy.data());
    const E* gradient = elements<E>(c.result_data) + n * c.groups * volume(c.result);
    for_tasks(c.groups, slots, [&](int64_t group, int64_t slot) {
      loop.run(group, source.data(), gradient, images, n > 0, sums.data(),
               space.data() + slot * loop.space());
    });
  }
  E* weights = elements<E>(c.weight_data);
  for (int64_t k = 0; k < count; ++k) weights[k] = convert<E>(sums[k]);
}

template <class E, class T>
void compute_weight(const SpatialConvolutionCall& c) {
  Source<E, T> source(image_window(c), c.groups * c.inputs, c.batch);
  WeightProduct<E, T> p;
  p.groups = c.groups;
  p.outputs = c.outputs;
  p.depth = c.inputs * volume(c.kernel);
  const Workspace<int64_t> offset(p.depth);
  set_source(c, source, offset.data(), &p);
  p.gradient_output = volume(c.result);
  p.gradient_group = c.outputs * p.gradient_output;
  p.gradient_image = c.groups * p.gradient_group;
  const DepthwiseWeights<E, T> depthwise(p);
  if (depthwise.suits()) return add_depthwise(c, depthwise, source);
  using Loop = WeightLoop<E, T>;
  const Loop loop(p, source.images(), source.images() == c.batch);
  const int64_t slots = slots_for(loop.tasks(), loop.work(source.images()));
  const Workspace<T> copy(source.elements()), matrix(slots * Loop::kMatrix);
  const Workspace<T> sums(loop.sums()), local_sums(slots * loop.local_sums());
  const Workspace<int64_t> positions(slots * Loop::kPositions);
  E* weights = elements<E>(c.weight_data);
  const int64_t image = c.groups * c.inputs * volume(c.image);
  for (int64_t n = 0; n < c.batch; n += source.images()) {
    const int64_t images = std::min(source.images(), c.batch - n);
    source.read(elements<E>(c.image_data) + n * image, images, copy.data());
    const E* gradient = elements<E>(c.result_data) + n * p.gradient_image;
    for_tasks(loop.tasks(), slots, [&](int64_t task, int64_t slot) {
      loop.run(task, source.data(), gradient, images, n > 0, sums.data(),
               local_sums.data() + slot * loop.local_sums(), matrix.data() + slot * Loop::kMatrix,
               positions.data() + slot * Loop::kPositions, weights);
    });
  }
  loop.store(sums.data(), weights);
}

// Returns true if run_winograd computes the result or the gradient of the image, and is faster.
bool suits_winograd(const SpatialConvolutionCall& c) {
  constexpr int64_t kLeastChannels = 16, kLeastElements = 512, kLeastProduct = 20000;
  const int64_t channels = std::min(c.inputs, c.outputs);
  const int64_t elements = c.batch * volume(c.result);
  bool suits = c.kernel[0] == 1 && c.image[0] == 1 && c.result[0] == 1 && c.padding[0] == 0 &&
               channels >= kLeastChannels && elements >= kLeastElements &&
               channels * elements >= kLeastProduct;
  for (int d = 1; d < 3; ++d) {
    suits = suits && c.kernel[d] == 3 && c.stride[d] == 1 && c.dilation[d] == 1;
  }
  return suits;
}

// Returns false, and a wrong result, if elements or weights are not finite or differ much in size.
template <class E, class T>
bool compute_by_winograd(const SpatialConvolutionCall& c) {
  const bool is_turned = c.computes == SpatialResult::image;
  const int64_t *from = is_turned ? c.result : c.image, *to = is_turned ? c.image : c.result;
  WinogradProduct<E, T> p;
  p.groups = c.groups;
  p.rows = is_turned ? c.inputs : c.outputs;
  p.depth = is_turned ? c.outputs : c.inputs;
  SourceWindow window = {{1, from[1], from[2]}, {}, {1, 0, 0}, {1, 1}, 2, 2};
  for (int d = 1; d < 3; ++d) {
    window.before[d] = is_turned ? 2 - c.padding[d] : c.padding[d];
    window.size[d] = 2 * ceil_div(to[d], 2) + 2;
    p.size[d - 1] = to[d];
  }
  p.weights = elements<const E>(c.weight_data);
  if (!has_small_range<T>(p.weights, p.groups * p.rows * p.depth * volume(c.kernel))) return false;
  Source<E, T> source(window, p.groups * p.depth, c.batch);
  const Workspace<T> copy(source.elements());
  p.is_turned = is_turned;
  p.source_channel = source.channel();
  p.source_group = p.depth * p.source_channel;
  p.source_image = source.image();
  p.source_y = source.y();
  p.source_odd = source.offset(0, 0, 1);
  p.result_row = to[1] * to[2];
  p.result_group = p.rows * p.result_row;
  p.result_image = p.groups * p.result_group;
  p.bias = reinterpret_cast<const E*>(c.bias);
  const int64_t image = p.groups * p.depth * from[1] * from[2];
  const E* data = elements<E>(is_turned ? c.result_data : c.image_data);
  for (int64_t n = 0; n < c.batch; n += source.images()) {
    p.images = std::min(source.images(), c.batch - n);
    source.read(data + n * image, p.images, copy.data());
    p.source = source.data();
    p.result = elements<E>(is_turned ? c.image_data : c.result_data) + n * p.result_image;
    if (!has_small_range<T>(p.source, p.images * p.source_image) || !run_winograd(p)) return false;
  }
  return true;
}

}  // namespace

namespace TH_ISA {

void run_spatial_convolution(const SpatialConvolutionCall& call) {
  dispatch_types<FloatingTypes>(call.dtype, [&](auto zero) {
    using E = decltype(zero);
    using T = typename Numeric<E>::Compute;
    if (call.computes != SpatialResult::weight && suits_winograd(call) &&
        compute_by_winograd<E, T>(call)) {
      return;
    }
    switch (call.computes) {
      case SpatialResult::result:
        return compute_result<E, T>(call);
      case SpatialResult::image:
        return compute_image<E, T>(call);
      case SpatialResult::weight:
        return compute_weight<E, T>(call);
    }
  });
}

}  // namespace TH_ISA
}  // namespace th
