// Convolutions of batches of signals, images and volumes, transposed convolutions, and gradients of
// the weight.

#include "ops/spatial.h"

#include <algorithm>

#include "ops/compose.h"
#include "ops/product.h"

namespace th {

namespace {

// The largest number of elements along dimension d that a convolution of an image can have; less
// than 1 if the kernel is larger than the image.
int64_t result_size(const SpatialConvolutionCall& c, int d) {
  const char* what = "a size";
  const int64_t reach = checked_mul(c.kernel[d] - 1, c.dilation[d], what);
  const int64_t size = checked_add(c.image[d], checked_mul(2, c.padding[d], what), what);
  return size <= reach ? 0 : (size - reach - 1) / c.stride[d] + 1;
}

template <class Arguments>
void read_steps(const Arguments& a, int dims, SpatialConvolutionCall* c) {
  read_each(a, a.stride, "stride", dims, 1, c->stride);
  read_each(a, a.padding, "padding", dims, 0, c->padding);
  read_each(a, a.dilation, "dilation", dims, 1, c->dilation);
  for (int d = 0; d < kMaxSpatial - dims; ++d) c->padding[d] = 0;
}

template <class Arguments>
void check_groups(const Arguments& a, const char* what, int64_t channels) {
  if (a.groups < 1) {
    fail_argument(argument_number(a, a.groups), "at least one group is expected, got %lld",
                  as_long(a.groups));
  }
  if (channels % a.groups != 0) {
    fail_argument(argument_number(a, a.groups), "%lld %s cannot be divided into %lld groups",
                  as_long(channels), what, as_long(a.groups));
  }
}

// Checks the weight, and that the bias has an element for each of `outputs`.
template <class Arguments>
void check_weight(const Arguments& a, int dims) {
  const Tensor& w = *a.weight;
  bool is_weight = w.nDimension == dims + 2;
  for (int d = 2; is_weight && d < w.nDimension; ++d) is_weight = w.size[d] > 0;
  if (is_weight) return;
  fail_argument(argument_number(a, a.weight),
                "a weight of %d dimensions is expected, with a kernel of at least one element, "
                "got %s",
                dims + 2, shape_text(w).c_str());
}
template <class Arguments>
void check_bias(const Arguments& a, int64_t outputs) {
  if (!a.bias || (a.bias->nDimension == 1 && a.bias->size[0] == outputs)) return;
  fail_argument(argument_number(a, a.bias), "a bias of %lld elements is expected, got %s",
                as_long(outputs), shape_text(*a.bias).c_str());
}

template <class Arguments>
SpatialConvolutionCall convolution_of(const Arguments& a, int dims) {
  SpatialConvolutionCall c = {};
  check_channels(a, a.t, dims);
  check_weight(a, dims);
  read_steps(a, dims, &c);
  const int64_t channels = channels_of(*a.t, dims), outputs = a.weight->size[0];
  check_groups(a, "inputs", channels);
  check_groups(a, "outputs", outputs);
  c.computes = SpatialResult::result;
  c.batch = batch_of(*a.t, dims);
  c.groups = a.groups;
  c.inputs = channels / a.groups;
  c.outputs = outputs / a.groups;
  if (a.weight->size[1] != c.inputs) {
    fail_argument(argument_number(a, a.weight),
                  "a weight for %lld inputs in %lld groups is expected, outputs x %lld x kernel "
                  "size, got %s",
                  as_long(channels), as_long(a.groups), as_long(c.inputs),
                  shape_text(*a.weight).c_str());
  }
  check_bias(a, outputs);
  spatial_sizes(*a.t, dims, c.image);
  spatial_sizes(*a.weight, dims, c.kernel);
  for (int d = 0; d < kMaxSpatial; ++d) {
    c.result[d] = result_size(c, d);
    if (c.result[d] > 0) continue;
    fail_argument(argument_number(a, a.t),
                  "the kernel of %s is larger than the padded input of %s: %lld elements in steps "
                  "of %lld, and %lld + 2 * %lld",
                  shape_text(*a.weight).c_str(), shape_text(*a.t).c_str(), as_long(c.kernel[d]),
                  as_long(c.dilation[d]), as_long(c.image[d]), as_long(c.padding[d]));
  }
  return c;
}

template <class Arguments>
SpatialConvolutionCall transposed_of(const Arguments& a, int dims) {
  SpatialConvolutionCall c = {};
  check_channels(a, a.t, dims);
  check_weight(a, dims);
  read_steps(a, dims, &c);
  int64_t more[kMaxSpatial];
  read_each(a, a.outputPadding, "outputPadding", dims, 0, more);
  for (int d = 0; d < kMaxSpatial - dims; ++d) more[d] = 0;
  const int64_t channels = channels_of(*a.t, dims);
  check_groups(a, "inputs", channels);
  if (a.weight->size[0] != channels) {
    fail_argument(argument_number(a, a.weight),
                  "a weight for %lld inputs is expected, %lld x outputs / groups x kernel size, "
                  "got %s",
                  as_long(channels), as_long(channels), shape_text(*a.weight).c_str());
  }
  c.computes = SpatialResult::image;
  c.batch = batch_of(*a.t, dims);
  c.groups = a.groups;
  c.outputs = channels / a.groups;
  c.inputs = a.weight->size[1];
  check_bias(a, checked_mul(c.inputs, c.groups, "the number of outputs"));
  spatial_sizes(*a.t, dims, c.result);
  spatial_sizes(*a.weight, dims, c.kernel);
  const char* what = "a size";
  for (int d = 0; d < kMaxSpatial; ++d) {
    const int64_t reach = checked_mul(c.kernel[d] - 1, c.dilation[d], what);
    const int64_t size = checked_add(
        checked_add(checked_mul(std::max<int64_t>(c.result[d] - 1, 0), c.stride[d], what), reach,
                    what),
        checked_add(more[d], 1, what), what);
    c.image[d] = size - checked_mul(2, c.padding[d], what);
    if (c.image[d] > 0 && c.result[d] > 0) continue;
    fail_argument(argument_number(a, a.t),
                  "the result is empty: %lld elements and a padding of %lld along a dimension",
                  as_long(c.result[d]), as_long(c.padding[d]));
  }
  return c;
}

// r = bias, in each channel.
void fill_channels(Tensor* r, Tensor* bias, int dims) {
  int64_t size[kMaxDims];
  std::fill(size, size + r->nDimension, 1);
  size[r->nDimension - dims - 1] = bias->size[0];
  ops::copy(r, expanded(reshaped(bias, r->nDimension, size), *r).get());
}

// Runs the call; the operand that is null is the result. Operands without elements contribute
// nothing to the sums.
void convolve(Op op, const SpatialConvolutionCall& c, int dims, Tensor* r, Tensor* image,
              Tensor* weight, Tensor* result, Tensor* bias) {
  if (r->numel() == 0) return;
  const bool is_empty = (image && image->numel() == 0) || (weight && weight->numel() == 0) ||
                        (result && result->numel() == 0);
  Device* device = device_of({image, weight, result, bias});
  if (is_empty) {
    place_result(device, r);
    return bias ? fill_channels(r, bias, dims) : ops::zero(r);
  }
  const TensorRef own_image = contiguous_or_null(image);
  const TensorRef own_weight = contiguous_or_null(weight);
  const TensorRef own_result = contiguous_or_null(result);
  const TensorRef own_bias = contiguous_or_null(bias);
  run(op, device, [&](Operands& at) {
    SpatialConvolutionCall call = c;
    call.dtype = r->dtype;
    call.tf32 = allows_tf32();
    if (own_image) call.image_data = at.read(own_image.get()).data;
    if (own_weight) call.weight_data = at.read(own_weight.get()).data;
    if (own_result) call.result_data = at.read(own_result.get()).data;
    call.bias = own_bias ? at.read(own_bias.get()).data : nullptr;
    char* data = at.overwrite(r);
    (image ? weight ? call.result_data : call.weight_data : call.image_data) = data;
    return call;
  });
}

template <class Arguments>
void set_shape(Arguments& a, int dims, int64_t channels, const int64_t* size, Shapes& s) {
  int64_t shape[kMaxDims];
  const int ndim = with_spatial_sizes(*a.t, dims, size, shape);
  shape[ndim - dims - 1] = channels;
  s.set(a.r_, ndim, shape, Layout::contiguous);
}

template <class Arguments>
void set_convolution(Arguments& a, int dims, Shapes& s) {
  set_shape(a, dims, a.weight->size[0], convolution_of(a, dims).result, s);
}
template <class Arguments>
void set_transposed(Arguments& a, int dims, Shapes& s) {
  const SpatialConvolutionCall c = transposed_of(a, dims);
  set_shape(a, dims, c.inputs * c.groups, c.image, s);
}

SpatialConvolutionCall weight_call(const args::convWeight& a) {
  SpatialConvolutionCall c = {};
  const int dims = a.kernel.ndim;
  if (dims < 1 || dims > kMaxSpatial) {
    fail_argument(argument_number(a, a.kernel), "one to three numbers are expected, got %d", dims);
  }
  read_each(a, a.kernel, "kernel", dims, 1, c.kernel);
  read_steps(a, dims, &c);
  const Tensor &t = *a.t, &g = *a.gradient;
  if (t.nDimension != dims + 2 || g.nDimension != dims + 2 || t.size[0] != g.size[0]) {
    fail_argument(argument_number(a, a.gradient),
                  "two batches of equal size are expected, got %s and %s", shape_text(t).c_str(),
                  shape_text(g).c_str());
  }
  check_groups(a, "inputs", t.size[1]);
  check_groups(a, "outputs", g.size[1]);
  c.computes = SpatialResult::weight;
  c.batch = t.size[0];
  c.groups = a.groups;
  c.inputs = t.size[1] / a.groups;
  c.outputs = g.size[1] / a.groups;
  spatial_sizes(t, dims, c.image);
  spatial_sizes(g, dims, c.result);
  for (int d = 0; d < kMaxSpatial; ++d) {
    if (c.result[d] <= result_size(c, d)) continue;
    fail_argument(argument_number(a, a.gradient),
                  "a gradient for an input of %s is expected, got %s", shape_text(t).c_str(),
                  shape_text(g).c_str());
  }
  return c;
}

}  // namespace

#define TH_CONVOLVED(name, dims)                                                         \
  void shapes(args::name& a, Shapes& s) { set_convolution(a, dims, s); }                 \
  void calls(args::name& a) {                                                            \
    convolve(a.op, convolution_of(a, dims), dims, a.r_, a.t, a.weight, nullptr, a.bias); \
  }
TH_CONVOLVED(conv1d, 1)
TH_CONVOLVED(conv2d, 2)
TH_CONVOLVED(conv3d, 3)

#define TH_TRANSPOSED(name, dims)                                                       \
  void shapes(args::name& a, Shapes& s) { set_transposed(a, dims, s); }                 \
  void calls(args::name& a) {                                                           \
    convolve(a.op, transposed_of(a, dims), dims, a.r_, nullptr, a.weight, a.t, a.bias); \
  }
TH_TRANSPOSED(convTranspose1d, 1)
TH_TRANSPOSED(convTranspose2d, 2)
TH_TRANSPOSED(convTranspose3d, 3)

void shapes(args::convWeight& a, Shapes& s) {
  const SpatialConvolutionCall c = weight_call(a);
  const int dims = a.kernel.ndim;
  int64_t shape[kMaxSpatial + 2] = {c.outputs * c.groups, c.inputs};
  std::copy(c.kernel + kMaxSpatial - dims, c.kernel + kMaxSpatial, shape + 2);
  s.set(a.r_, dims + 2, shape, Layout::contiguous);
}
void calls(args::convWeight& a) {
  convolve(a.op, weight_call(a), a.kernel.ndim, a.r_, a.t, nullptr, a.gradient, nullptr);
}

}  // namespace th
