// Convolutions and cross-correlations of images and volumes: shapes, checks and aliasing.

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "ops/operands.h"
#include "ops/direct.h"
#include "ops/scalars.h"
#include "tensor/checked.h"

namespace th::direct {

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
  int dims;  // 2: images, 3: volumes
  Tensor* r;
  Scalar beta, alpha;
  Tensor *t, *k;
  int64_t step[3];  // rows, columns; for volumes depth first
  ConvolutionKind kind;
  bool flipped;
};

int image_planes(Planes p) {
  return p == Planes::single ? 0 : p == Planes::batch || p == Planes::outer_batch ? 2 : 1;
}
int kernel_planes(Planes p) {
  if (p == Planes::matrix) return 2;
  return image_planes(p);
}

// Sets the mode from the option letters.
void set_mode(Convolution* c, char vf, char xc) {
  if (vf != 'V' && vf != 'F') fail("type of convolution can be 'V' or 'F', got '%c'", vf);
  if (xc != 'X' && xc != 'C') fail("type of convolution can be 'X' or 'C', got '%c'", xc);
  c->kind = vf == 'V' ? ConvolutionKind::valid : ConvolutionKind::full;
  // A full call spreads the kernel over the result, which is a convolution. A valid call gathers
  // with the kernel, which is a cross-correlation. The other two combinations need a flipped
  // kernel.
  c->flipped = (vf == 'V') == (xc == 'C');
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
      fail("steps of 1 or more expected, got %lld", static_cast<long long>(c.step[d]));
    }
  }
  const int64_t *t = c.t->size, *k = c.k->size;
  bool fits = true;
  if (c.planes == Planes::each) fits = t[0] == k[0];
  if (c.planes == Planes::matrix) fits = t[0] == k[1];
  if (c.planes == Planes::batch) fits = t[1] == k[1];
  if (c.planes == Planes::outer_batch) fits = t[0] == k[0];
  if (!fits) fail("invalid number of planes: %s", both_shapes(c).c_str());
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

bool has_size(const Tensor& t, int ndim, const int64_t* size) {
  return t.nDimension == ndim && std::equal(size, size + ndim, t.size);
}

// Returns true if the old elements of r are used: beta is not 0 and the number of elements agrees.
bool adds_to_old(const Convolution& c, int ndim, const int64_t* size) {
  return c.beta.to_double() != 0 && c.r->numel() == checked_numel(ndim, size);
}

bool shares_memory(const Tensor& r, const Tensor& t) {
  return partly_overlap(r, t) || (share_storage(r, t) && same_view(r, t));
}

// Returns true if the result must be computed in a temporary.
bool needs_temporary(const Convolution& c, bool adds, int ndim, const int64_t* size) {
  return shares_memory(*c.r, *c.t) || shares_memory(*c.r, *c.k) ||
         (adds && !has_size(*c.r, ndim, size)) ||
         (has_size(*c.r, ndim, size) && has_shared_elements(*c.r));
}

// Calls make with a temporary instead of r, then copies it to r. If adds, the temporary starts with
// r's elements.
template <class Make>
void through_temporary(Tensor* r, bool adds, int ndim, const int64_t* size, const Make& make) {
  TensorRef temporary(tensor_new_sized(r->dtype, ndim, size));
  if (adds) copy(temporary.get(), r);
  make(temporary.get());
  resize(r, ndim, size);
  copy(r, temporary.get());
}

void convolve(Convolution c) {
  check_shapes(c);
  int64_t size[kMaxDims];
  int ndim = result_sizes(c, size);
  c.alpha = in_type(c.alpha, c.r->dtype);
  c.beta = in_type(c.beta, c.r->dtype);
  bool adds = adds_to_old(c, ndim, size);
  if (!adds) c.beta = in_type(0, c.r->dtype);
  if (needs_temporary(c, adds, ndim, size)) {
    return through_temporary(c.r, adds, ndim, size, [&](Tensor* temporary) {
      c.r = temporary;
      convolve(c);
    });
  }
  resize(c.r, ndim, size);
  Roles roles = roles_of(c.planes);
  run(c.op, device_of({adds ? c.r : nullptr, c.t, c.k}), [&](Operands& at) {
    ConvolutionCall call;
    Placed t = at.read(c.t), k = at.read(c.k);
    call.dtype = c.r->dtype;
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
    call.alpha = c.alpha;
    call.beta = c.beta;
    call.r = operand_of(*c.r, c.dims, roles.r);
    call.t = operand_of(*t.tensor, c.dims, roles.t);
    call.w = operand_of(*k.tensor, c.dims, roles.k);
    call.t.data = t.data;
    call.w.data = k.data;
    call.r.data = adds ? at.write(c.r) : at.overwrite(c.r);
    return call;
  });
}

// Each row (from, to) of map, which count from 1, has its own kernel plane: image plane `from` is
// convolved with it and added to result plane `to`.
void convolve_map(Convolution c, Tensor* map) {
  c.planes = Planes::each;
  check_shapes(c);
  int64_t size[kMaxDims];
  int ndim = result_sizes(c, size);
  if (map->nDimension != 2 || map->size[1] != 2 || map->size[0] > size[0]) {
    fail("a map of up to %lld rows (from, to) expected, got %s", static_cast<long long>(size[0]),
         shape_text(*map).c_str());
  }
  int64_t rows = map->size[0];
  // Plane numbers from 0: `from` and `to` of each row of the map.
  std::vector<int64_t> planes;
  TensorRef entry(tensor_new(map->dtype));
  for (int64_t i = 0; i < 2 * rows; ++i) {
    select(entry.get(), map, 0, i / 2);
    narrow(entry.get(), entry.get(), 0, i % 2, 1);
    double plane = sumall(entry.get()).to_double();
    if (!(plane >= 1 && plane <= static_cast<double>(size[0]))) {
      fail("plane %g of the map is out of range of %lld planes", plane,
           static_cast<long long>(size[0]));
    }
    planes.push_back(static_cast<int64_t>(plane) - 1);
  }
  c.beta = in_type(c.beta, c.r->dtype);
  bool adds = adds_to_old(c, ndim, size);
  auto make = [&](Tensor* r) {
    resize(r, ndim, size);
    if (!adds) {
      zero(r);
    } else if (c.beta.to_double() != 1) {
      mul(r, r, c.beta);
    }
    Convolution one = c;
    one.planes = Planes::single;
    one.beta = 1;
    TensorRef to(tensor_new(r->dtype)), from(tensor_new(r->dtype)), kernel(tensor_new(r->dtype));
    one.r = to.get();
    one.t = from.get();
    one.k = kernel.get();
    for (int64_t i = 0; i < rows; ++i) {
      select(one.t, c.t, 0, planes[2 * i]);
      select(one.r, r, 0, planes[2 * i + 1]);
      select(one.k, c.k, 0, i);
      convolve(one);
    }
  };
  if (needs_temporary(c, adds, ndim, size) || shares_memory(*c.r, *map)) {
    return through_temporary(c.r, adds, ndim, size, make);
  }
  make(c.r);
}

Convolution images(Op op, Planes planes, Tensor* r, Scalar beta, Scalar alpha, Tensor* t, Tensor* k,
                   int64_t srow, int64_t scol) {
  return {op, planes, 2, r, beta, alpha, t, k, {srow, scol, 1}, ConvolutionKind::dilated, false};
}
Convolution volumes(Op op, Planes planes, Tensor* r, Scalar beta, Scalar alpha, Tensor* t,
                    Tensor* k, int64_t sdepth, int64_t srow, int64_t scol) {
  return {op,   planes, 3, r, beta, alpha, t, k, {sdepth, srow, scol}, ConvolutionKind::dilated,
          false};
}

// Chooses the planes from the number of dimensions: single, each or matrix.
void by_dimensions(Op op, int dims, Tensor* r, Tensor* t, Tensor* k, char vf, char xc) {
  Convolution c = images(op, Planes::single, r, 0, 1, t, k, 1, 1);
  c.dims = dims;
  set_mode(&c, vf, xc);
  int image = t->nDimension - dims, kernel = k->nDimension - dims;
  if (image == 1 && kernel == 1) {
    c.planes = Planes::each;
  } else if (image == 1 && kernel == 2) {
    c.planes = Planes::matrix;
  } else if (image != 0 || kernel != 0) {
    fail("image and kernel of %dD and %dD, %dD and %dD, or %dD and %dD expected, got %s", dims,
         dims, dims + 1, dims + 1, dims + 1, dims + 2, both_shapes(c).c_str());
  }
  convolve(c);
}

}  // namespace

#define TH_CONVOLUTION_2D(name, planes)                                               \
  void name(Tensor* r, Scalar beta, Scalar alpha, Tensor* t, Tensor* k, int64_t srow, \
            int64_t scol, char vf, char xc) {                                         \
    Convolution c = images(Op::name, planes, r, beta, alpha, t, k, srow, scol);       \
    set_mode(&c, vf, xc);                                                             \
    convolve(c);                                                                      \
  }
TH_CONVOLUTION_2D(conv2Dmul, Planes::single)
TH_CONVOLUTION_2D(conv2Dcmul, Planes::each)
TH_CONVOLUTION_2D(conv2Dmv, Planes::matrix)
TH_CONVOLUTION_2D(conv2Dmm, Planes::batch)
TH_CONVOLUTION_2D(conv2Dger, Planes::outer)

#define TH_CONVOLUTION_3D(name, planes)                                                  \
  void name(Tensor* r, Scalar beta, Scalar alpha, Tensor* t, Tensor* k, int64_t sdepth,  \
            int64_t srow, int64_t scol, char vf, char xc) {                              \
    Convolution c = volumes(Op::name, planes, r, beta, alpha, t, k, sdepth, srow, scol); \
    set_mode(&c, vf, xc);                                                                \
    convolve(c);                                                                         \
  }
TH_CONVOLUTION_3D(conv3Dmul, Planes::single)
TH_CONVOLUTION_3D(conv3Dcmul, Planes::each)
TH_CONVOLUTION_3D(conv3Dmv, Planes::matrix)
TH_CONVOLUTION_3D(conv3Dger, Planes::outer)

void conv2DRevger(Tensor* r, Scalar beta, Scalar alpha, Tensor* t, Tensor* k, int64_t srow,
                  int64_t scol) {
  convolve(images(Op::conv2DRevger, Planes::outer, r, beta, alpha, t, k, srow, scol));
}
void conv2DRevgerm(Tensor* r, Scalar beta, Scalar alpha, Tensor* t, Tensor* k, int64_t srow,
                   int64_t scol) {
  convolve(images(Op::conv2DRevgerm, Planes::outer_batch, r, beta, alpha, t, k, srow, scol));
}
void conv3DRevger(Tensor* r, Scalar beta, Scalar alpha, Tensor* t, Tensor* k, int64_t sdepth,
                  int64_t srow, int64_t scol) {
  convolve(volumes(Op::conv3DRevger, Planes::outer, r, beta, alpha, t, k, sdepth, srow, scol));
}
void conv2Dmap(Tensor* r, Scalar beta, Scalar alpha, Tensor* t, Tensor* k, Tensor* map,
               int64_t srow, int64_t scol, char vf, char xc) {
  Convolution c = images(Op::conv2Dmap, Planes::each, r, beta, alpha, t, k, srow, scol);
  set_mode(&c, vf, xc);
  convolve_map(c, map);
}
void conv3Dmap(Tensor* r, Scalar beta, Scalar alpha, Tensor* t, Tensor* k, Tensor* map,
               int64_t sdepth, int64_t srow, int64_t scol, char vf, char xc) {
  Convolution c = volumes(Op::conv3Dmap, Planes::each, r, beta, alpha, t, k, sdepth, srow, scol);
  set_mode(&c, vf, xc);
  convolve_map(c, map);
}

void conv2(Tensor* r, Tensor* t, Tensor* k, char vf) {
  by_dimensions(Op::conv2, 2, r, t, k, vf, 'C');
}
void xcorr2(Tensor* r, Tensor* t, Tensor* k, char vf) {
  by_dimensions(Op::xcorr2, 2, r, t, k, vf, 'X');
}
void conv3(Tensor* r, Tensor* t, Tensor* k, char vf) {
  by_dimensions(Op::conv3, 3, r, t, k, vf, 'C');
}
void xcorr3(Tensor* r, Tensor* t, Tensor* k, char vf) {
  by_dimensions(Op::xcorr3, 3, r, t, k, vf, 'X');
}

}  // namespace th::direct
