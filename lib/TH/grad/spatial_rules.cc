// Derivatives of convolutions and of sums of neighbors. Each of a convolution, its transpose and
// the gradient of its weight has derivatives in terms of the other two.

#include <algorithm>

#include "base/error.h"
#include "grad/functions.h"
#include "tensor/bands.h"

namespace th::grad {

namespace {

constexpr int kMaxSpatial = 3;

// A number for each spatial dimension.
class Each {
 public:
  Each(int dims) : dims_(dims) {}
  Each(int dims, const Sizes& sizes) : dims_(dims) {
    for (int d = 0; d < dims; ++d) value_[d] = sizes.size[sizes.ndim == 1 ? 0 : d];
  }
  Sizes sizes() const { return {dims_, value_}; }
  int64_t& operator[](int d) { return value_[d]; }
  int64_t operator[](int d) const { return value_[d]; }

 private:
  int dims_;
  int64_t value_[kMaxSpatial];
};

// The parameters of a convolution and of its transpose.
struct Steps {
  int dims;
  Each stride, padding, dilation;
  int64_t groups;

  template <class Arguments>
  Steps(int n, const Arguments& a)
      : dims(n),
        stride(n, a.stride),
        padding(n, a.padding),
        dilation(n, a.dilation),
        groups(a.groups) {}
};

// The first spatial dimension.
int first_of(const Var& t, int dims) { return t->nDimension - dims; }

Var with_batch(const Var& t, int dims) {
  return t->nDimension == dims + 2 ? t : unsqueeze1d(t, int64_t{0});
}

// The first elements, in the spatial shape of `like`.
Var cut(Var t, const Var& like, int dims) {
  for (int d = first_of(t, dims); d < t->nDimension; ++d) {
    if (t->size[d] > like->size[d]) t = narrow(t, int64_t{d}, int64_t{0}, like->size[d]);
  }
  return t;
}

Var convolution(const Steps& s, const Var& t, const Var& weight) {
  const Sizes stride = s.stride.sizes(), padding = s.padding.sizes(), dilation = s.dilation.sizes();
  const Var none;
  if (s.dims == 1) return conv1d(t, weight, none, stride, padding, dilation, s.groups);
  if (s.dims == 2) return conv2d(t, weight, none, stride, padding, dilation, s.groups);
  return conv3d(t, weight, none, stride, padding, dilation, s.groups);
}

// The transposed convolution with a result in the spatial shape of `like`.
Var transposed_convolution(const Steps& s, const Var& t, const Var& weight, const Var& like) {
  Each more(s.dims);
  for (int d = 0; d < s.dims; ++d) {
    const int64_t size = (t->size[first_of(t, s.dims) + d] - 1) * s.stride[d] - 2 * s.padding[d] +
                         s.dilation[d] * (weight->size[2 + d] - 1) + 1;
    more[d] = like->size[first_of(like, s.dims) + d] - size;
  }
  const Sizes stride = s.stride.sizes(), padding = s.padding.sizes(), dilation = s.dilation.sizes();
  const Sizes rest = more.sizes();
  const Var none;
  if (s.dims == 1) {
    return convTranspose1d(t, weight, none, stride, padding, rest, s.groups, dilation);
  }
  if (s.dims == 2) {
    return convTranspose2d(t, weight, none, stride, padding, rest, s.groups, dilation);
  }
  return convTranspose3d(t, weight, none, stride, padding, rest, s.groups, dilation);
}

// The gradient of the weight of a convolution of t, from the gradient of its result.
Var weight_gradient(const Steps& s, const Var& t, const Var& g, const Var& weight) {
  Each kernel(s.dims);
  for (int d = 0; d < s.dims; ++d) kernel[d] = weight->size[2 + d];
  return convWeight(with_batch(t, s.dims), with_batch(g, s.dims), kernel.sizes(), s.stride.sizes(),
                    s.padding.sizes(), s.dilation.sizes(), s.groups);
}

// The gradient of a bias: the sums of all dimensions but that of the channels.
Var bias_gradient(const Var& g, int dims) {
  int64_t summed[kMaxDims];
  int count = 0;
  const int channels = first_of(g, dims) - 1;
  for (int d = 0; d < g->nDimension; ++d) {
    if (d != channels) summed[count++] = d;
  }
  return sumDims(g, Sizes{count, summed}, false);
}

enum { kR, kT, kWeight, kBias };

template <class Arguments>
void convolution_rule(Backward& b, int dims) {
  const Steps s(dims, *static_cast<const Arguments*>(b.arguments()));
  const Var t = b.value(kT), weight = b.value(kWeight), g = b.gradient();
  if (b.wants(kT)) b.give(kT, transposed_convolution(s, g, weight, t));
  if (b.wants(kWeight)) b.give(kWeight, weight_gradient(s, t, g, weight));
  if (b.wants(kBias)) b.give(kBias, bias_gradient(g, dims));
}

template <class Arguments>
void transposed_rule(Backward& b, int dims) {
  const Steps s(dims, *static_cast<const Arguments*>(b.arguments()));
  const Var t = b.value(kT), weight = b.value(kWeight), g = b.gradient();
  if (b.wants(kT)) b.give(kT, cut(convolution(s, g, weight), t, dims));
  if (b.wants(kWeight)) b.give(kWeight, weight_gradient(s, g, t, weight));
  if (b.wants(kBias)) b.give(kBias, bias_gradient(g, dims));
}

}  // namespace

#define TH_CONVOLUTION_RULES(dims)                                                           \
  void conv##dims##d_slopes(Backward& b) { convolution_rule<args::conv##dims##d>(b, dims); } \
  void convTranspose##dims##d_slopes(Backward& b) {                                          \
    transposed_rule<args::convTranspose##dims##d>(b, dims);                                  \
  }
TH_CONVOLUTION_RULES(1)
TH_CONVOLUTION_RULES(2)
TH_CONVOLUTION_RULES(3)

void convWeight_slopes(Backward& b) {
  enum { kImage = 1, kGradient };
  const auto& a = *static_cast<const args::convWeight*>(b.arguments());
  const int dims = a.kernel.ndim;
  const Steps s(dims, a);
  const Var t = b.value(kImage), g = b.value(kGradient), weight = b.gradient();
  if (b.wants(kImage)) b.give(kImage, transposed_convolution(s, g, weight, t));
  if (b.wants(kGradient)) b.give(kGradient, cut(convolution(s, t, weight), g, dims));
}

void resample_slopes(Backward& b) {
  enum { kFirst = 3, kWeights };
  const auto& a = *static_cast<const args::resample*>(b.arguments());
  const Var t = b.value(kT), g = b.gradient();
  if (b.wants(kWeights)) fail("the derivative with respect to 'weights' is not implemented");
  if (!b.wants(kT)) return;
  const int64_t dim = a.dimension < 0 ? a.dimension + t->nDimension : a.dimension;
  const TensorRef first = contiguous(b.value(kFirst).get());
  const TensorRef weights = contiguous(b.value(kWeights).get());
  const Bands bands = transposed_bands(first.get(), weights.get(), t->size[dim], TH_INDEX_BASE);
  b.give(kT, resample(g, dim, Var::share(bands.first.get()), Var::share(bands.weights.get())));
}

namespace functions {

Var put_in_plane(const Var& g, Shape t, const Var& index, int dims) {
  int64_t planes = 1, elements = 1;
  for (int d = 0; d < t.t->nDimension; ++d) {
    (d < t.t->nDimension - dims ? planes : elements) *= t.t->size[d];
  }
  if (planes == 0) return Var();
  const int64_t size[] = {planes, elements}, count[] = {planes, g->numel() / planes};
  const Var r = filled(*g, 2, size, 0);
  ops::scatterAdd(r.get(), 1, reshaped(index, 2, count).get(), reshaped(g, 2, count).get());
  return reshaped(r, t.t->nDimension, t.t->size);
}

}  // namespace functions

}  // namespace th::grad
