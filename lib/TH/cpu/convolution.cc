// Convolutions on the CPU, divided into rows of the result. Images are copied, if necessary, to a
// layout and a type that the row kernels support.

#include "cpu/convolution.h"

#include <algorithm>
#include <vector>

#include "backend/grain.h"
#include "base/error.h"
#include "cpu/convolution_operand.h"
#include "cpu/convolution_batch.h"
#include "cpu/parallel.h"
#include "tensor/convert.h"

namespace th {

namespace {

// The type in which products are added.
DType sum_type(DType type) {
  if (info(type).kind == Kind::REDUCED) return DType::Float;
  return is_integral(type) && type != DType::Long ? DType::Int : type;
}

// Returns true if all kernel elements are finite: then zeros beside the image add exactly 0.
template <class T>
bool all_finite(const char* data, int64_t n) {
  const T* x = reinterpret_cast<const T*>(data);
  T sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += x[i] * T(0);
  return sum == T(0);
}
bool all_finite(DType type, const char* data, int64_t n) {
  if (is_integral(type)) return true;
  return type == DType::Float ? all_finite<float>(data, n) : all_finite<double>(data, n);
}

// Returns the kernel taps of result o along a dimension, and the positions of the first tap in
// image and kernel.
ConvolutionTaps taps_at(const ConvolutionCall& c, int d, int64_t o, int64_t* i, int64_t* k) {
  int64_t step = c.step[d], t = c.t.plane[d], w = c.w.plane[d];
  *k = 0;
  if (c.kind != ConvolutionKind::full) {
    *i = c.kind == ConvolutionKind::valid ? o * step : o;
    return {c.kernel[d], c.kind == ConvolutionKind::valid ? t : t * step, w};
  }
  // k = o - i * step, for all image positions i for which k is within the kernel.
  int64_t last = std::min(o / step, c.image[d] - 1);
  *k = o - last * step;
  *i = last;
  int64_t count = *k < c.kernel[d] ? std::min((c.kernel[d] - 1 - *k) / step, last) + 1 : 0;
  return {count, -t, w * step};
}

struct ImageRows {
  int64_t phase;  // elements from one phase to the next
  bool margin;    // zeros replace the taps that would be skipped
  bool is_padded;
};

// Computes one row of the result for up to kConvolutionOutputs outputs, starting with `output`.
void convolve_row(const ConvolutionCall& c, const ImageRows& image, int64_t group, int64_t output,
                  int64_t z, int64_t y) {
  int64_t item = static_cast<int64_t>(item_size(c.dtype));
  ConvolutionRow row;
  int64_t iz, kz, iy, ky;
  row.input = {c.inputs, c.t.input, c.w.input};
  row.z = taps_at(c, 0, z, &iz, &kz);
  row.y = taps_at(c, 1, y, &iy, &ky);
  row.outputs = static_cast<int>(std::min<int64_t>(c.outputs - output, kConvolutionOutputs));
  row.alpha = c.alpha;
  row.beta = c.beta;
  row.t = c.t.data + (group * c.t.group + iz * c.t.plane[0] + iy * c.t.plane[1]) * item;
  row.w = c.w.data +
          (group * c.w.group + output * c.w.output + kz * c.w.plane[0] + ky * c.w.plane[1]) * item;
  row.w_output = c.w.output;
  row.r = c.r.data +
          (group * c.r.group + output * c.r.output + z * c.r.plane[0] + y * c.r.plane[1]) * item;
  row.r_output = c.r.output;
  row.r_step = c.r.plane[2];
  row.row = 0;
  row.is_padded = image.is_padded;
  row.n = c.result[2];
  row.phase = {1, 0, 0};
  row.step = 1;
  ConvolutionKernel kernel = convolution_kernels().rows[c.dtype];
  int64_t step = c.step[2], w = c.w.plane[2];
  switch (c.kind) {
    case ConvolutionKind::valid:
      row.step = step;
      row.phase = {std::min(step, c.kernel[2]), image.phase, w};
      row.x = {c.kernel[2], 1, w * step};
      return kernel(row);
    case ConvolutionKind::dilated:
      row.x = {c.kernel[2], step, w};
      return kernel(row);
    case ConvolutionKind::full:
      // Results that are a step apart have the same taps.
      if (!image.margin) row.row = c.image[2];
      row.r_step *= step;
      for (int64_t k = 0; k < std::min(step, c.result[2]); ++k) {
        row.x = {ceil_div(std::max<int64_t>(c.kernel[2] - k, 0), step), -1, w * step};
        row.n = ceil_div(c.result[2] - k, step);
        kernel(row);
        row.w += w * item;
        row.r += c.r.plane[2] * item;
      }
  }
}

// Returns the minimum number of rows per thread.
int64_t grain_of(const ConvolutionCall& c) {
  double work = static_cast<double>(c.inputs) * static_cast<double>(c.result[2]) *
                static_cast<double>(std::min<int64_t>(c.outputs, kConvolutionOutputs));
  for (int64_t k : c.kernel) work *= static_cast<double>(k);
  double enough = 1 << 17;
  return work >= enough ? 1 : static_cast<int64_t>(enough / work);
}

// Returns the plane numbers of a map, from 0: from and to of each row.
std::vector<int64_t> planes_of_map(const ConvolutionCall& c) {
  std::vector<int64_t> planes(static_cast<size_t>(2 * c.map_rows));
  dispatch(c.dtype, [&](auto zero) {
    auto* map = reinterpret_cast<const decltype(zero)*>(c.map);
    for (size_t i = 0; i < planes.size(); ++i) {
      auto plane = static_cast<double>(load(map[i]));
      if (!(plane >= 1 && plane <= static_cast<double>(c.groups))) {
        fail("plane %g of the map is out of range of %lld planes", plane, as_long(c.groups));
      }
      planes[i] = static_cast<int64_t>(plane) - 1;
    }
  });
  return planes;
}

// r = beta * r
void scale_result(const ConvolutionCall& c) {
  if (c.beta.to_double() == 1) return;
  const int64_t size[] = {c.groups, c.result[0], c.result[1], c.result[2]};
  const int64_t stride[] = {c.r.group, c.r.plane[0], c.r.plane[1], c.r.plane[2]};
  ElementCall call;
  call.plan.start(4, size);
  call.plan.add(c.r.data, item_size(c.dtype), stride);
  if (c.beta.to_double() == 0) {
    call.plan.plan();
    return run_on_cpu(FillCall{c.dtype, c.beta, call.plan});
  }
  call.op = ElementOp::mul;
  call.dtype = call.result = c.dtype;
  call.params[0] = c.beta;
  call.grain = Grain::cheap;
  call.plan.add(c.r.data, item_size(c.dtype), stride);
  call.plan.plan();
  run_on_cpu(call);
}

void convolve_by_map(const ConvolutionCall& c) {
  const std::vector<int64_t> planes = planes_of_map(c);
  scale_result(c);
  ConvolutionCall one = c;
  one.map_rows = -1;
  one.groups = 1;
  one.beta = is_integral(c.dtype) ? Scalar(1) : Scalar(1.0);
  one.r.group = one.t.group = one.w.group = 0;
  const auto item = static_cast<int64_t>(item_size(c.dtype));
  for (int64_t row = 0; row < c.map_rows; ++row) {
    const int64_t from = planes[static_cast<size_t>(2 * row)];
    const int64_t to = planes[static_cast<size_t>(2 * row + 1)];
    one.t.data = c.t.data + from * c.t.group * item;
    one.w.data = c.w.data + row * c.w.group * item;
    one.r.data = c.r.data + to * c.r.group * item;
    convolve(one);
  }
}

}  // namespace

void convolve(const ConvolutionCall& original) {
  if (original.map_rows >= 0) return convolve_by_map(original);
  if (is_batch_faster(original)) return convolve_as_batch(original);
  ConvolutionCall c = original;
  c.dtype = sum_type(original.dtype);
  bool full = c.kind == ConvolutionKind::full;
  int64_t item = static_cast<int64_t>(item_size(c.dtype)), step = c.step[2];
  RowLayout by_rows;
  by_rows.pack = full;
  Packed w(c.w, original.dtype, c.dtype, c, c.inputs, c.kernel, by_rows);
  w.read();
  RowLayout layout;
  // Rows shorter than a SIMD register are still computed in one; this reads past the image, so pad
  // it.
  bool short_rows = ceil_div(c.result[2], full ? step : 1) * item < kConvolutionPadding;
  layout.pack = full || c.t.plane[2] != 1 || short_rows;
  if (c.kind == ConvolutionKind::valid && step != 1) {
    layout = {true, step, std::min(step, c.kernel[2]), 0};
  }
  if (full && all_finite(c.dtype, w.operand().data, w.numel())) {
    layout.margin = ceil_div(c.kernel[2], step);
  }
  Packed t(c.t, original.dtype, c.dtype, c, c.inputs, c.image, layout);
  Packed r(c.r, original.dtype, c.dtype, c, 1, c.result);
  t.read();
  if (c.beta.to_double() != 0) r.read();
  c.t = t.operand();
  c.w = w.operand();
  c.r = r.operand();
  if (c.flipped) flip(&c.w, c.kernel, c.dtype);
  ImageRows image = {t.phase(), layout.margin != 0, t.is_copy()};
  int64_t blocks = ceil_div(c.outputs, kConvolutionOutputs);
  int64_t rows = c.result[0] * c.result[1];
  parallel_for(c.groups * blocks * rows, grain_of(c), [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      int64_t plane = k / rows, row = k % rows;
      convolve_row(c, image, plane / blocks, plane % blocks * kConvolutionOutputs,
                   row / c.result[1], row % c.result[1]);
    }
  });
  r.write();
}

}  // namespace th
