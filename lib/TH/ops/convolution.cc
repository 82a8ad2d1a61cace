// Convolutions and cross-correlations of images and volumes: shapes, checks and aliasing.

#include "base/error.h"
#include "ops/compose.h"
#include "ops/product.h"
#include "ops/scalars.h"
#include "tensor/checked.h"

namespace th {

namespace {

// The combination of image planes and kernel planes, and the summation.
enum class Planes {
  single,      // image, kernel -> image
  each,        // n images, n kernels -> n images
  matrix,      // p images, q x p kernels -> q images, each summed over p
  batch,       // the same for each of b batches of p images
  outer,       // p images, q kernels -> q x p images
  outer_batch  // the same, summed over b
};

struct Convolution {
  Op op;
  Planes planes;
  int dims;    // 2: images, 3: volumes
  Tensor*& r;  // a field of the arguments
  Tensor *t, *k;
  Scalar* beta = nullptr;  // a field of the arguments; null: 0
  Scalar alpha = 1;
  int64_t step[3] = {1, 1, 1};  // rows, columns; for volumes depth first
  ConvolutionKind kind = ConvolutionKind::dilated;
  bool flipped = false;
  Tensor* map = nullptr;
};

int image_planes(Planes p) {
  return p == Planes::single ? 0 : p == Planes::batch || p == Planes::outer_batch ? 2 : 1;
}
int kernel_planes(Planes p) {
  if (p == Planes::matrix) return 2;
  return image_planes(p);
}

// Returns c with the mode given by the option letters.
Convolution with_mode(Convolution c, char vf, char xc) {
  if (vf != 'V' && vf != 'F') fail("type of convolution can be 'V' or 'F', got '%c'", vf);
  if (xc != 'X' && xc != 'C') fail("type of convolution can be 'X' or 'C', got '%c'", xc);
  c.kind = vf == 'V' ? ConvolutionKind::valid : ConvolutionKind::full;
  // A full call spreads the kernel over the result, which is a convolution. A valid call gathers
  // with the kernel, which is a cross-correlation. The other two combinations need a flipped
  // kernel.
  c.flipped = (vf == 'V') == (xc == 'C');
  return c;
}

std::string both_shapes(const Convolution& c) {
  return "image " + shape_text(*c.t) + ", kernel " + shape_text(*c.k);
}

void check_shapes(const Convolution& c) {
  int image = image_planes(c.planes) + c.dims, kernel = kernel_planes(c.planes) + c.dims;
  if (c.t->nDimension != image || c.k->nDimension != kernel) {
    fail("a %dD image and a %dD kernel expected, got %s", image, kernel, both_shapes(c).c_str());
  }
  if (c.t->numel() == 0 || c.k->numel() == 0) {
    fail("image and kernel need elements, got %s", both_shapes(c).c_str());
  }
  for (int d = 0; d < c.dims; ++d) {
    if (c.step[d] < 1) {
      fail("steps of 1 or more expected, got %lld", as_long(c.step[d]));
    }
  }
  const int64_t *t = c.t->size, *k = c.k->size;
  bool fits = true;
  if (c.planes == Planes::each) fits = t[0] == k[0];
  if (c.planes == Planes::matrix) fits = t[0] == k[1];
  if (c.planes == Planes::batch) fits = t[1] == k[1];
  if (c.planes == Planes::outer_batch) fits = t[0] == k[0];
  if (!fits) fail("invalid number of planes: %s", both_shapes(c).c_str());
  if (!c.map) return;
  if (c.map->nDimension != 2 || c.map->size[1] != 2 || c.map->size[0] > k[0]) {
    fail("a map of up to %lld rows (from, to) expected, got %s", as_long(k[0]),
         shape_text(*c.map).c_str());
  }
}

int64_t result_size(const Convolution& c, int d) {
  int64_t t = c.t->size[c.t->nDimension - c.dims + d], k = c.k->size[c.k->nDimension - c.dims + d];
  int64_t step = c.step[d];
  if (c.kind == ConvolutionKind::full) {
    return checked_add(checked_mul(t - 1, step, "a size"), k, "a size");
  }
  int64_t reach = k;
  if (c.kind == ConvolutionKind::dilated &&
      (!mul_fits(k - 1, step, &reach) || !add_fits(reach, 1, &reach))) {
    reach = INT64_MAX;
  }
  if (t < reach) {
    fail("the image is smaller than the kernel%s: %s", reach > k ? " in these steps" : "",
         both_shapes(c).c_str());
  }
  return c.kind == ConvolutionKind::valid ? (t - k) / step + 1 : t - reach + 1;
}

// Computes the sizes of the result, planes first.
int result_sizes(const Convolution& c, int64_t* size) {
  int n = 0;
  const int64_t *t = c.t->size, *k = c.k->size;
  switch (c.planes) {
    case Planes::single:
      break;
    case Planes::each:
    case Planes::matrix:
      size[n++] = k[0];
      break;
    case Planes::batch:
      size[n++] = t[0];
      size[n++] = k[0];
      break;
    case Planes::outer:
      size[n++] = k[0];
      size[n++] = t[0];
      break;
    case Planes::outer_batch:
      size[n++] = k[1];
      size[n++] = t[1];
  }
  for (int d = 0; d < c.dims; ++d) size[n++] = result_size(c, d);
  checked_numel(n, size);
  return n;
}

// Returns the strides of a tensor by role. roles has one letter for each leading dimension: group,
// output, input.
ConvolutionCall::Operand operand_of(const Tensor& t, int dims, const char* roles) {
  ConvolutionCall::Operand o = {};
  int leading = t.nDimension - dims;
  for (int d = 0; d < leading; ++d) {
    (roles[d] == 'g' ? o.group : roles[d] == 'o' ? o.output : o.input) = t.stride[d];
  }
  for (int d = 0; d < dims; ++d) o.plane[3 - dims + d] = t.stride[leading + d];
  return o;
}

struct Roles {
  const char *r, *t, *k;
};
Roles roles_of(Planes planes) {
  switch (planes) {
    case Planes::single:
      return {"", "", ""};
    case Planes::each:
      return {"g", "g", "g"};
    case Planes::matrix:
      return {"o", "i", "oi"};
    case Planes::batch:
      return {"go", "gi", "oi"};
    case Planes::outer:
      return {"og", "g", "o"};
    case Planes::outer_batch:
      return {"og", "ig", "io"};
  }
  return {};
}

int64_t size_of_role(const Tensor& t, const char* roles, char role) {
  for (int d = 0; roles[d]; ++d) {
    if (roles[d] == role) return t.size[d];
  }
  return 1;
}

// Returns true if the result must be computed in a temporary. adds: the old elements are used.
bool needs_temporary(const Convolution& c, bool adds, int ndim, const int64_t* size) {
  bool has_its_shape = has_shape(*c.r, ndim, size);
  return may_share(*c.r, *c.t, ndim, size) || may_share(*c.r, *c.k, ndim, size) ||
         (c.map && may_share(*c.r, *c.map, ndim, size)) || (adds && !has_its_shape) ||
         (has_its_shape && has_shared_elements(*c.r));
}

void set_result(const Convolution& c, Shapes& s) {
  check_shapes(c);
  int64_t size[kMaxDims];
  int ndim = result_sizes(c, size);
  // The old elements of r are used if beta is not 0 and their number agrees.
  bool adds = c.beta && in_type(*c.beta, c.r->dtype).to_double() != 0 &&
              c.r->numel() == checked_numel(ndim, size);
  if (c.beta && !adds) *c.beta = 0;
  if (!needs_temporary(c, adds, ndim, size)) {
    if (!has_shape(*c.r, ndim, size)) s.set(c.r, ndim, size, Layout::in_place);
    return;
  }
  TensorRef temporary(tensor_new_sized(c.r->dtype, ndim, size));
  if (adds) ops::copy(temporary.get(), c.r);
  s.set_value(c.r, std::move(temporary));
}

uint32_t check_of_map(const Operands& at, int64_t planes) {
  return late_check(at, {0, "plane %v of the map is out of range of %1 planes", planes});
}

void convolve(const Convolution& c) {
  Roles roles = roles_of(c.planes);
  DType type = c.r->dtype;
  Scalar beta = in_type(c.beta ? *c.beta : Scalar(0), type);
  bool adds = beta.to_double() != 0;
  TensorRef map;
  if (c.map) map = contiguous(c.map);
  run(c.op, device_of({adds ? c.r : nullptr, c.t, c.k}), [&](Operands& at) {
    ConvolutionCall call;
    Placed t = at.read(c.t), k = at.read(c.k);
    call.dtype = type;
    call.tf32 = allows_tf32();
    call.kind = c.kind;
    call.flipped = c.flipped;
    call.groups = size_of_role(*c.r, roles.r, 'g');
    call.outputs = size_of_role(*c.r, roles.r, 'o');
    call.inputs = size_of_role(*c.t, roles.t, 'i');
    for (int d = 0; d < 3; ++d) {
      int own = d - (3 - c.dims);
      auto last = [&](const Tensor& x) {
        return own < 0 ? 1 : x.size[x.nDimension - c.dims + own];
      };
      call.result[d] = last(*c.r);
      call.image[d] = last(*c.t);
      call.kernel[d] = last(*c.k);
      call.step[d] = own < 0 ? 1 : c.step[own];
    }
    call.alpha = in_type(c.alpha, type);
    call.beta = beta;
    call.r = operand_of(*c.r, c.dims, roles.r);
    call.t = operand_of(*t.tensor, c.dims, roles.t);
    call.w = operand_of(*k.tensor, c.dims, roles.k);
    call.t.data = t.data;
    call.w.data = k.data;
    call.map = map ? at.read(map.get()).data : nullptr;
    call.map_rows = map ? map->size[0] : -1;
    call.check = map ? check_of_map(at, call.groups) : 0;
    call.r.data = adds ? at.write(c.r) : at.overwrite(c.r);
    return call;
  });
}

// ---- the rows -----------------------------------------------------------------------------------

template <class Arguments>
Convolution images(Arguments& a, Planes planes) {
  return {Arguments::op, planes, 2, a.r_, a.t, a.k, &a.beta, a.alpha, {a.srow, a.scol, 1}};
}
template <class Arguments>
Convolution volumes(Arguments& a, Planes planes) {
  return {Arguments::op, planes, 3, a.r_, a.t, a.k, &a.beta, a.alpha, {a.sdepth, a.srow, a.scol}};
}
// Each row (from, to) of the map, which count from 1, has its own kernel plane: image plane `from`
// is convolved with it and added to result plane `to`.
Convolution by_map(Convolution c, Tensor* map) {
  c.map = map;
  return c;
}

// Chooses the planes from the number of dimensions: single, each or matrix.
template <class Arguments>
Convolution by_dimensions(Arguments& a, int dims, char xc) {
  Convolution c = with_mode({Arguments::op, Planes::single, dims, a.r_, a.t, a.k}, a.vf, xc);
  int image = a.t->nDimension - dims, kernel = a.k->nDimension - dims;
  if (image == 1 && kernel == 1) {
    c.planes = Planes::each;
  } else if (image == 1 && kernel == 2) {
    c.planes = Planes::matrix;
  } else if (image != 0 || kernel != 0) {
    fail("image and kernel of %dD and %dD, %dD and %dD, or %dD and %dD expected, got %s", dims,
         dims, dims + 1, dims + 1, dims + 1, dims + 2, both_shapes(c).c_str());
  }
  return c;
}

}  // namespace

#define TH_TORCH7_CONVOLUTION(name, convolution)                        \
  void shapes(args::name& a, Shapes& s) { set_result(convolution, s); } \
  void calls(args::name& a) { convolve(convolution); }
TH_TORCH7_CONVOLUTION(conv2, by_dimensions(a, 2, 'C'))
TH_TORCH7_CONVOLUTION(xcorr2, by_dimensions(a, 2, 'X'))
TH_TORCH7_CONVOLUTION(conv3, by_dimensions(a, 3, 'C'))
TH_TORCH7_CONVOLUTION(xcorr3, by_dimensions(a, 3, 'X'))
TH_TORCH7_CONVOLUTION(conv2Dmul, with_mode(images(a, Planes::single), a.vf, a.xc))
TH_TORCH7_CONVOLUTION(conv2Dcmul, with_mode(images(a, Planes::each), a.vf, a.xc))
TH_TORCH7_CONVOLUTION(conv2Dmv, with_mode(images(a, Planes::matrix), a.vf, a.xc))
TH_TORCH7_CONVOLUTION(conv2Dmm, with_mode(images(a, Planes::batch), a.vf, a.xc))
TH_TORCH7_CONVOLUTION(conv2Dger, with_mode(images(a, Planes::outer), a.vf, a.xc))
TH_TORCH7_CONVOLUTION(conv2DRevger, images(a, Planes::outer))
TH_TORCH7_CONVOLUTION(conv2DRevgerm, images(a, Planes::outer_batch))
TH_TORCH7_CONVOLUTION(conv2Dmap, by_map(with_mode(images(a, Planes::each), a.vf, a.xc), a.map))
TH_TORCH7_CONVOLUTION(conv3Dmul, with_mode(volumes(a, Planes::single), a.vf, a.xc))
TH_TORCH7_CONVOLUTION(conv3Dcmul, with_mode(volumes(a, Planes::each), a.vf, a.xc))
TH_TORCH7_CONVOLUTION(conv3Dmv, with_mode(volumes(a, Planes::matrix), a.vf, a.xc))
TH_TORCH7_CONVOLUTION(conv3Dger, with_mode(volumes(a, Planes::outer), a.vf, a.xc))
TH_TORCH7_CONVOLUTION(conv3DRevger, volumes(a, Planes::outer))
TH_TORCH7_CONVOLUTION(conv3Dmap, by_map(with_mode(volumes(a, Planes::each), a.vf, a.xc), a.map))
#undef TH_TORCH7_CONVOLUTION

}  // namespace th
