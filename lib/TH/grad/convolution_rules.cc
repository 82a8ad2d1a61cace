// Derivatives of convolutions: the gradients are convolutions with the other mode, or the other
// kind, of the gradient of the result.

#include "grad/functions.h"

namespace th::grad {

namespace {

// Planes are images, or volumes.
struct Kind {
  int dims;    // of a plane
  bool flips;  // a convolution, not a cross-correlation
};

Var convolved(const Kind& kind, const Var& t, const Var& k, char mode) {
  if (kind.dims == 2) return kind.flips ? conv2(t, k, mode) : xcorr2(t, k, mode);
  return kind.flips ? conv3(t, k, mode) : xcorr3(t, k, mode);
}

// The planes of x for each pair of the first two dimensions of `like`, along one dimension.
Var planes_for(const Var& x, const Var& like, int dim) {
  int64_t size[kMaxDims];
  const int ndim = like->nDimension;
  size[0] = like->size[0];
  size[1] = like->size[1];
  for (int d = 2; d < ndim; ++d) size[d] = x->size[d - 1];
  const Var all = expand(unsqueeze1d(x, int64_t{dim}), Sizes{ndim, size});
  size[1] *= size[0];
  return reshaped(all, ndim - 1, size + 1);
}

void convolution_rule(Backward& b, const Kind& kind, char vf) {
  enum { kR, kT, kK };
  const Var t = b.value(kT), k = b.value(kK), g = b.gradient();
  const bool valid = vf == 'V' || vf == 'v';
  const bool sums = k->nDimension == kind.dims + 2;
  if (b.wants(kT)) {
    const Var kernels = sums ? transpose(k, int64_t{0}, int64_t{1}) : k;
    const Kind other = {kind.dims, !kind.flips};
    b.give(kT, convolved(other, g, kernels, valid ? 'F' : 'V'));
  }
  if (!b.wants(kK)) return;
  Var images = t, gradients = g;
  if (sums) {
    images = planes_for(t, k, 0);
    gradients = planes_for(g, k, 1);
  }
  const Kind correlation = {kind.dims, false};
  Var slope = valid ? convolved(correlation, images, gradients, 'V')
                    : convolved(correlation, gradients, images, 'V');
  if (kind.flips == valid) {
    const int64_t dims[] = {-1, -2, -3};
    slope = flip(slope, Sizes{kind.dims, dims});
  }
  b.give(kK, reshaped(slope, k->nDimension, k->size));
}

}  // namespace

void conv2_slopes(Backward& b) {
  convolution_rule(b, {2, true}, static_cast<const args::conv2*>(b.arguments())->vf);
}
void xcorr2_slopes(Backward& b) {
  convolution_rule(b, {2, false}, static_cast<const args::xcorr2*>(b.arguments())->vf);
}
void conv3_slopes(Backward& b) {
  convolution_rule(b, {3, true}, static_cast<const args::conv3*>(b.arguments())->vf);
}
void xcorr3_slopes(Backward& b) {
  convolution_rule(b, {3, false}, static_cast<const args::xcorr3*>(b.arguments())->vf);
}

}  // namespace th::grad
