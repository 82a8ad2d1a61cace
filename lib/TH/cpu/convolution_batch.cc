#include "cpu/convolution_batch.h"

#include <algorithm>

#include "cpu/convolution_operand.h"
#include "cpu/parallel.h"
#include "tensor/type_sets.h"

namespace th {

namespace {

constexpr int64_t kFewestOutputs = 8;
constexpr double kLeastWork = 1 << 18;

int64_t volume(const int64_t* size) { return size[0] * size[1] * size[2]; }

// Returns true if the planes of an operand, and the groups, outputs and inputs that have elements
// of their own, follow each other in memory.
bool is_contiguous(const Operand& o, const ConvolutionCall& c, int64_t inputs,
                   const int64_t* plane) {
  const int64_t stride[] = {o.plane[2], o.plane[1], o.plane[0], o.input, o.output, o.group};
  const int64_t size[] = {plane[2], plane[1], plane[0], inputs, c.outputs, c.groups};
  int64_t expected = 1;
  for (int d = 0; d < 6; ++d) {
    if (size[d] == 1 || (d > 2 && stride[d] == 0)) continue;
    if (stride[d] != expected) return false;
    expected *= size[d];
  }
  return true;
}

// r = beta * r + alpha * sums, whose groups and outputs follow each other.
template <class T>
void add_sums(const ConvolutionCall& c, const T* sums) {
  const auto alpha = static_cast<T>(c.alpha.d), beta = static_cast<T>(c.beta.d);
  const int64_t *size = c.result, *step = c.r.plane, rows = size[0] * size[1];
  parallel_for(c.groups * c.outputs * rows, std::max<int64_t>(1, Grain::cheap / size[2]),
               [&](int64_t begin, int64_t end) {
                 for (int64_t k = begin; k < end; ++k) {
                   const int64_t row = k % rows, plane = k / rows;
                   T* to = reinterpret_cast<T*>(c.r.data) + plane / c.outputs * c.r.group +
                           plane % c.outputs * c.r.output + row / size[1] * step[0] +
                           row % size[1] * step[1];
                   const T* from = sums + k * size[2];
                   for (int64_t x = 0; x < size[2]; ++x) {
                     T& r = to[x * step[2]];
                     r = beta == 0 ? alpha * from[x] : beta * r + alpha * from[x];
                   }
                 }
               });
}

template <class T>
void convolve(const ConvolutionCall& c) {
  Operand kernels = c.w;
  if (c.flipped) flip(&kernels, c.kernel, c.dtype);
  const auto packed = [&](const Operand& o, int64_t inputs, const int64_t* plane) {
    RowLayout layout;
    layout.pack = !is_contiguous(o, c, inputs, plane);
    return layout;
  };
  const Packed w(kernels, c.dtype, c.dtype, c, c.inputs, c.kernel,
                 packed(kernels, c.inputs, c.kernel));
  const Packed t(c.t, c.dtype, c.dtype, c, c.inputs, c.image, packed(c.t, c.inputs, c.image));
  w.read();
  t.read();
  const bool is_direct = c.alpha.d == 1 && c.beta.d == 0 && is_contiguous(c.r, c, 1, c.result);
  const Workspace<T> sums(is_direct ? 0 : c.groups * c.outputs * volume(c.result));

  SpatialConvolutionCall call;
  call.computes = SpatialResult::result;
  call.dtype = c.dtype;
  call.tf32 = c.tf32;
  // Groups that share the kernels are a batch; those that share the image have further outputs.
  call.batch = c.w.group ? 1 : c.groups;
  call.groups = c.w.group && c.t.group ? c.groups : 1;
  call.outputs = c.w.group && !c.t.group ? c.groups * c.outputs : c.outputs;
  call.inputs = c.inputs;
  for (int d = 0; d < 3; ++d) {
    const bool is_valid = c.kind == ConvolutionKind::valid;
    call.image[d] = c.image[d];
    call.result[d] = c.result[d];
    call.kernel[d] = c.kernel[d];
    call.stride[d] = is_valid ? c.step[d] : 1;
    call.padding[d] = 0;
    call.dilation[d] = is_valid ? 1 : c.step[d];
  }
  call.image_data = t.operand().data;
  call.weight_data = w.operand().data;
  call.result_data = is_direct ? c.r.data : reinterpret_cast<char*>(sums.data());
  call.bias = nullptr;
  run_on_cpu(call);
  if (!is_direct) add_sums(c, sums.data());
}

}  // namespace

bool is_batch_faster(const ConvolutionCall& c) {
  const int64_t outputs = c.w.group && !c.t.group ? c.groups * c.outputs : c.outputs;
  const double work = static_cast<double>(c.groups) * static_cast<double>(c.inputs) *
                      static_cast<double>(c.outputs) * static_cast<double>(volume(c.kernel)) *
                      static_cast<double>(volume(c.result));
  const bool has_own = (c.groups == 1 || c.w.group || c.t.group) &&
                       (c.outputs == 1 || (c.w.output && !c.t.output)) &&
                       (c.inputs == 1 || (c.w.input && c.t.input));
  return c.kind != ConvolutionKind::full && BlasTypes::contains(c.dtype) && has_own &&
         outputs >= kFewestOutputs && work >= kLeastWork;
}

void convolve_as_batch(const ConvolutionCall& call) {
  if (call.dtype == DType::Float) {
    convolve<float>(call);
  } else {
    convolve<double>(call);
  }
}

}  // namespace th
