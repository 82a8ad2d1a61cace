#include "simt/patches.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>

#include "simt/product_to_float.h"

namespace th {

namespace {

// A product pays off if enough outputs read each patch, and if there is enough work for several
// kernels.
constexpr int64_t kFewestOutputs = 4;
constexpr int64_t kShortestSum = 8;
constexpr double kLeastWork = 1 << 16;
// Longer sums, of operands whose elements share memory, need too much memory.
constexpr int64_t kLongestSum = int64_t{1} << 40;
// Images with fewer positions are joined in one product, instead of a batch of small ones. If the
// images are the matrices, joining costs a copy.
constexpr int64_t kFewPositions = 128;
constexpr int64_t kFewPositionsOfImages = 32;
// With fewer outputs for each input, patches have more elements than products of the image.
constexpr int64_t kInputsPerOutput = 4;
// The products of an image take up to this many times the memory of the patches.
constexpr int64_t kMostMemory = 16;
// Each combination of remainders by the divisors is a convolution of its own.
constexpr int64_t kMostPhases = 64;
// Rows of a matrix are aligned for the tensor cores.
constexpr int64_t kAlignment = 8;

int64_t depth_of(const PatchConvolution& c) { return c.inputs * volume(c.taps); }

bool is_product_faster(const PatchConvolution& c) {
  const int64_t phases = volume(c.divisor), depth = depth_of(c);
  const double work = static_cast<double>(c.images) * static_cast<double>(c.outputs) *
                      static_cast<double>(depth) * static_cast<double>(volume(c.positions)) /
                      static_cast<double>(phases);
  return c.outputs >= kFewestOutputs && depth >= kShortestSum && depth <= kLongestSum &&
         phases <= kMostPhases && work >= kLeastWork;
}

// The rows of the matrix of products of an image.
int64_t products_of(const PatchConvolution& c) { return c.outputs * volume(c.taps); }

bool is_contiguous(const int64_t* stride, const int64_t* size) {
  int64_t expected = 1;
  for (int d = 2; d >= 0; --d) {
    if (size[d] > 1 && stride[d] != expected) return false;
    expected *= size[d];
  }
  return true;
}

char* at(const PatchConvolution& c, const PatchConvolution::Operand& operand, int64_t group,
         int64_t image, int64_t position) {
  const int64_t offset = group * operand.group + image * operand.image + position;
  return operand.data + offset * static_cast<int64_t>(item_size(c.dtype));
}

struct CopiedOperand {
  DType dtype;
  char* data;
  const int64_t* stride;
};
void copy(Queue& queue, int dims, const int64_t* size, const CopiedOperand& to,
          const CopiedOperand& from) {
  CopyCall call;
  call.to = to.dtype;
  call.from = from.dtype;
  call.plan.start(dims, size);
  call.plan.add(to.data, item_size(to.dtype), to.stride);
  call.plan.add(from.data, item_size(from.dtype), from.stride);
  call.plan.plan();
  run_copy(queue, call);
}

// Scratch memory for a number of elements; none for 0.
class Elements {
 public:
  Elements(Queue& queue, int64_t count, DType type) {
    if (count <= 0) return;
    block_ = std::make_unique<Scratch>(queue, static_cast<size_t>(count) * item_size(type));
  }
  char* data() const { return block_ ? block_->as<char>() : nullptr; }

 private:
  std::unique_ptr<Scratch> block_;
};

// Divides the columns into parts of up to `most`, and calls f(PatchColumns) for each.
template <class F>
void for_columns(const PatchConvolution& c, int64_t most, const F& f) {
  const int64_t plane = volume(c.positions), images = most / plane;
  if (images > 0) {
    for (int64_t image = 0; image < c.images; image += images) {
      f(PatchColumns{image, std::min(images, c.images - image), 0, plane});
    }
    return;
  }
  for (int64_t image = 0; image < c.images; ++image) {
    for (int64_t first = 0; first < plane; first += most) {
      f(PatchColumns{image, 1, first, std::min(most, plane - first)});
    }
  }
}

int64_t aligned(int64_t columns) {
  return columns < kAlignment ? columns : (columns + kAlignment - 1) / kAlignment * kAlignment;
}

// The columns of the matrices that are built at a time, of `lines` rows in all.
int64_t most_columns(const Queue& queue, const PatchConvolution& c, int64_t lines) {
  const int64_t all = c.images * volume(c.positions);
  const int64_t bytes = lines * static_cast<int64_t>(item_size(compute_type(c.dtype)));
  return std::clamp<int64_t>(queue.patch_bytes() / bytes, 1, all);
}

// Returns true if the matrix of an image's patches is the image.
bool has_own_matrix(const PatchConvolution& c) {
  for (int d = 0; d < 3; ++d) {
    const bool same = c.taps[d] == 1 && c.first[d] == 0 && c.source[d] == c.positions[d] &&
                      (c.positions[d] == 1 || c.position_step[d] == 1);
    if (!same) return false;
  }
  const int64_t plane = volume(c.positions);
  return is_contiguous(c.t.plane, c.source) && (c.inputs == 1 || c.t.input >= plane) &&
         (plane >= kFewPositionsOfImages || c.images == 1);
}

ProductCall product_of(const PatchConvolution& c, int64_t batches) {
  ProductCall call;
  call.dtype = c.dtype;
  call.tf32 = c.tf32;
  call.sum = false;
  call.batches = batches;
  call.m = c.outputs;
  call.alpha = c.alpha;
  call.beta = c.beta;
  return call;
}

int64_t weights_of(const PatchConvolution& c) {
  return (c.w.group ? c.groups : 1) * c.outputs * depth_of(c);
}

// Copies the weights of c to packed memory, with these strides of outputs and inputs.
void pack_weights(Queue& queue, char* packed, int64_t output, int64_t input, PatchConvolution* c) {
  PatchConvolution::Operand& w = c->w;
  const int64_t group = w.group ? c->outputs * depth_of(*c) : 0;
  const int64_t size[] = {
      w.group ? c->groups : 1, c->outputs, c->inputs, c->taps[0], c->taps[1], c->taps[2]};
  const int64_t from[] = {w.group, w.output, w.input, w.plane[0], w.plane[1], w.plane[2]};
  const int64_t to[] = {group, output, input, c->taps[1] * c->taps[2], c->taps[2], 1};
  copy(queue, 6, size, {c->dtype, packed, to}, {c->dtype, w.data, from});
  w = {packed, 0, group, output, input, {to[3], to[4], 1}};
}

// Runs a product. The result has the compute type of the factors.
void multiply_in_compute_type(Queue& queue, const ProductCall& call) {
  if (compute_type(call.dtype) == call.dtype) {
    run_product(queue, call);
  } else {
    run_product_to_float(queue, call);
  }
}

// Products of the weights and the matrices of patches, if all divisors are 1.
class PatchProduct {
 public:
  PatchProduct(Queue& queue, const PatchConvolution& c)
      : queue_(queue),
        c_(c),
        gathers_(!has_own_matrix(c)),
        stores_(!has_own_rows(c, gathers_ ? kFewPositions : kFewPositionsOfImages)),
        columns_(gathers_ || stores_ ? most_columns(queue, c, std::max(depth_of(c), c.outputs))
                                     : c.images * volume(c.positions)),
        row_(aligned(columns_)),
        weights_(queue, has_own_weights(c) ? 0 : weights_of(c), c.dtype),
        matrix_(queue, gathers_ ? depth_of(c) * row_ : 0, c.dtype),
        sums_(queue, stores_ ? c.outputs * row_ : 0, compute_type(c.dtype)) {}

  void run() {
    if (c_.bias) {
      fill_with_bias(queue_, c_);
      c_.beta = Scalar(1.0);
    }
    if (weights_.data()) {
      pack_weights(queue_, weights_.data(), depth_of(c_), volume(c_.taps), &c_);
    }
    for (int64_t group = 0; group < c_.groups; ++group) {
      for_columns(c_, columns_, [&](const PatchColumns& columns) { multiply(group, columns); });
    }
  }

 private:
  static bool has_own_weights(const PatchConvolution& c) {
    return is_contiguous(c.w.plane, c.taps) && (c.inputs == 1 || c.w.input == volume(c.taps)) &&
           c.w.output >= depth_of(c);
  }
  // Returns true if a product for each image can write to r.
  static bool has_own_rows(const PatchConvolution& c, int64_t fewest) {
    const int64_t plane = volume(c.positions);
    return is_contiguous(c.r.plane, c.positions) && c.r.output >= plane &&
           (plane >= fewest || c.images == 1);
  }

  void multiply(int64_t group, const PatchColumns& columns) {
    const bool joins = stores_ && gathers_;
    ProductCall call = product_of(c_, joins ? 1 : columns.images);
    call.n = joins ? columns.size() : columns.count;
    call.k = depth_of(c_);
    call.a = {at(c_, c_.w, group, 0, 0), 0, c_.w.output, 1};
    if (gathers_) {
      gather_patches(queue_, c_, group, columns, matrix_.data(), row_);
      call.b = {matrix_.data(), columns.count, row_, 1};
    } else {
      call.b = {at(c_, c_.t, group, columns.image, columns.first), c_.t.image,
                c_.inputs == 1 ? volume(c_.source) : c_.t.input, 1};
    }
    if (!stores_) {
      call.c = {at(c_, c_.r, group, columns.image, columns.first), c_.r.image, c_.r.output, 1};
      return run_product(queue_, call);
    }
    call.beta = is_integral(c_.dtype) ? Scalar(0) : Scalar(0.0);
    call.c = {sums_.data(), columns.count, row_, 1};
    multiply_in_compute_type(queue_, call);
    store_sums(queue_, c_, group, columns, sums_.data(), row_);
  }

  Queue& queue_;
  PatchConvolution c_;
  bool gathers_, stores_;
  int64_t columns_, row_;
  Elements weights_, matrix_, sums_;
};

// Products of the weights of each tap and each element of the source. A kernel adds those that
// belong to a position.
class SourceProduct {
 public:
  static bool is_faster(const Queue& queue, const PatchConvolution& c) {
    for (int64_t step : c.position_step) {
      if (step != 1) return false;
    }
    const int64_t rows = products_of(c), source = volume(c.source);
    const double elements = static_cast<double>(rows) * static_cast<double>(source);
    const double work = static_cast<double>(c.images) * elements * static_cast<double>(c.inputs);
    return c.inputs >= kShortestSum && c.outputs * kInputsPerOutput <= c.inputs &&
           rows >= kFewestOutputs && work >= kLeastWork &&
           elements * static_cast<double>(item_size(compute_type(c.dtype))) <=
               static_cast<double>(queue.patch_bytes() * kMostMemory) &&
           is_contiguous(c.t.plane, c.source) && c.t.input >= source && !has_own_matrix(c);
  }

  SourceProduct(Queue& queue, const PatchConvolution& c)
      : queue_(queue),
        c_(c),
        source_(volume(c.source)),
        images_(most_images(queue, c)),
        row_(aligned(images_ * source_)),
        weights_(queue, has_own_weights(c) ? 0 : weights_of(c), c.dtype),
        products_(queue, products_of(c) * row_, compute_type(c.dtype)) {}

  void run() {
    if (weights_.data()) {
      pack_weights(queue_, weights_.data(), volume(c_.taps), products_of(c_), &c_);
    }
    for (int64_t group = 0; group < c_.groups; ++group) {
      for (int64_t image = 0; image < c_.images; image += images_) {
        multiply(group, image, std::min(images_, c_.images - image));
      }
    }
  }

 private:
  static int64_t most_images(const Queue& queue, const PatchConvolution& c) {
    const int64_t bytes =
        products_of(c) * volume(c.source) * static_cast<int64_t>(item_size(compute_type(c.dtype)));
    return std::clamp<int64_t>(queue.patch_bytes() / bytes, 1, c.images);
  }
  static bool has_own_weights(const PatchConvolution& c) {
    return is_contiguous(c.w.plane, c.taps) && (c.outputs == 1 || c.w.output == volume(c.taps)) &&
           c.w.input >= products_of(c);
  }

  void multiply(int64_t group, int64_t image, int64_t images) {
    ProductCall call = product_of(c_, images);
    call.m = products_of(c_);
    call.n = source_;
    call.k = c_.inputs;
    call.beta = is_integral(c_.dtype) ? Scalar(0) : Scalar(0.0);
    call.a = {at(c_, c_.w, group, 0, 0), 0, 1, c_.w.input};
    call.b = {at(c_, c_.t, group, image, 0), c_.t.image, c_.t.input, 1};
    call.c = {products_.data(), source_, row_, 1};
    multiply_in_compute_type(queue_, call);
    add_products(queue_, c_, group, image, images, products_.data(), row_);
  }

  Queue& queue_;
  PatchConvolution c_;
  int64_t source_, images_, row_;
  Elements weights_, products_;
};

// Returns false if SourceProduct is slower, or if it lacks memory in the last attempt. Patches need
// less.
bool multiply_source(Queue& queue, const PatchConvolution& c) {
  if (!SourceProduct::is_faster(queue, c)) return false;
  thread_local int shortages = 0;  // of memory, in a row
  std::optional<SourceProduct> product;
  try {
    product.emplace(queue, c);
  } catch (const DeviceFailure& failure) {
    if (failure.status != kDeviceOutOfMemory) throw;
    shortages = (shortages + 1) % kMemoryAttempts;
    if (shortages != 0) throw;
    return false;
  }
  shortages = 0;
  product->run();
  return true;
}

// The part of a convolution whose positions have the remainders `at`, by the divisors. Its divisors
// are 1. Returns false if it has no positions. If no taps meet elements, it has no inputs.
bool find_phase(const PatchConvolution& c, const int64_t* at, PatchConvolution* phase) {
  *phase = c;
  const auto item = static_cast<int64_t>(item_size(c.dtype));
  for (int d = 0; d < 3; ++d) {
    const int64_t divisor = c.divisor[d];
    if (at[d] >= c.positions[d]) return false;
    phase->positions[d] = (c.positions[d] - at[d] + divisor - 1) / divisor;
    phase->r.data += at[d] * c.r.plane[d] * item;
    phase->r.plane[d] *= divisor;
    const int64_t period = tap_period(c, d);
    const int64_t first = at[d] * c.position_step[d] + c.first[d];
    int64_t tap = 0;
    while (tap < std::min(period, c.taps[d]) && (first + tap * c.tap_step[d]) % divisor != 0) ++tap;
    if (tap == std::min(period, c.taps[d])) {
      phase->inputs = 0;
      tap = 0;
      phase->first[d] = 0;
    } else {
      phase->first[d] = (first + tap * c.tap_step[d]) / divisor;
    }
    phase->taps[d] = (c.taps[d] - 1 - tap) / period + 1;
    phase->tap_step[d] = period * c.tap_step[d] / divisor;
    phase->w.data += tap * c.w.plane[d] * item;
    phase->w.plane[d] *= period;
    phase->divisor[d] = 1;
  }
  return true;
}

}  // namespace

void fill_with_bias(Queue& queue, const PatchConvolution& c) {
  const int64_t size[] = {c.images,       c.groups,       c.outputs,
                          c.positions[0], c.positions[1], c.positions[2]};
  const int64_t to[] = {c.r.image, c.r.group, c.r.output, c.r.plane[0], c.r.plane[1], c.r.plane[2]};
  const int64_t from[] = {0, c.outputs, 1, 0, 0, 0};
  copy(queue, 6, size, {c.dtype, c.r.data, to}, {c.dtype, const_cast<char*>(c.bias), from});
}

void convolve_patches(Queue& queue, const PatchConvolution& c) {
  if (convolve_channels(queue, c)) return;
  if (multiply_source(queue, c)) return;
  if (!is_product_faster(c)) return convolve_directly(queue, c);
  int64_t at[3];
  for (at[0] = 0; at[0] < c.divisor[0]; ++at[0]) {
    for (at[1] = 0; at[1] < c.divisor[1]; ++at[1]) {
      for (at[2] = 0; at[2] < c.divisor[2]; ++at[2]) {
        PatchConvolution phase;
        if (!find_phase(c, at, &phase)) continue;
        if (phase.inputs == 0) {
          convolve_directly(queue, phase);
        } else {
          PatchProduct(queue, phase).run();
        }
      }
    }
  }
}

void correlate_patches(Queue& queue, const PatchConvolution& c) {
  if (!is_product_faster(c)) return correlate_directly(queue, c);
  const DType type = compute_type(c.dtype);
  const int64_t depth = depth_of(c), matrix = c.outputs * depth;
  const int64_t most = most_columns(queue, c, std::max(depth, c.outputs)), row = aligned(most);
  const Elements patches(queue, depth * row, c.dtype);
  const Elements sums(queue, type == c.dtype ? 0 : c.groups * matrix, type);
  for (int64_t group = 0; group < c.groups; ++group) {
    double beta = 0;
    for_columns(c, most, [&](const PatchColumns& columns) {
      gather_patches(queue, c, group, columns, patches.data(), row);
      ProductCall call = product_of(c, columns.images);
      call.sum = columns.images > 1;
      call.n = depth;
      call.k = columns.count;
      call.beta = Scalar(beta);
      call.a = {at(c, c.r, group, columns.image, columns.first), c.r.image, c.r.output, 1};
      call.b = {patches.data(), columns.count, 1, row};
      if (sums.data()) {
        call.c = {sums.data() + group * matrix * static_cast<int64_t>(item_size(type)), 0, depth,
                  1};
        run_product_to_float(queue, call);
      } else {
        call.c = {at(c, c.w, group, 0, 0), 0, depth, 1};
        run_product(queue, call);
      }
      beta = 1;
    });
  }
  if (!sums.data()) return;
  const int64_t size = c.groups * matrix, stride = 1;
  copy(queue, 1, &size, {c.dtype, c.w.data, &stride}, {type, sums.data(), &stride});
}

}  // namespace th
