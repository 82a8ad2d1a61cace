// Arithmetic of complex tensors.

#include "ops/complex.h"

#include <algorithm>

#include "ops/tracer.h"
#include "tensor/new_vector.h"

namespace th {
namespace {

// A complex tensor of the given real and imaginary parts, or absolute values and angles.
template <class A>
void shapes_of_pair(A& a, Shapes& s, const Tensor& x, Tensor* const& y) {
  if (x.nDimension == 0 || x.nDimension == kMaxDims || !has_shape(*y, x.nDimension, x.size)) {
    s.fail(y, "two tensors of the same shape are expected, of 1 to %d dimensions, got %s and %s",
           kMaxDims - 1, shape_text(x).c_str(), shape_text(*y).c_str());
  }
  int64_t size[kMaxDims];
  std::copy_n(x.size, x.nDimension, size);
  size[x.nDimension] = 2;
  s.set(a.r_, x.nDimension + 1, size);
}

template <class A>
void shapes_of_number(A& a, Shapes& s) {
  s.set(a.r_, complex_dims(*a.t), a.t->size);
}

template <class A>
void shapes_of_both(A& a, Shapes& s) {
  complex_dims(*a.a);
  complex_dims(*a.b);
  int ndim;
  int64_t size[kMaxDims];
  if (!broadcast_sizes(a.a->nDimension, a.a->size, a.b->nDimension, a.b->size, &ndim, size)) {
    s.fail(a.b, "sizes %s and %s do not broadcast", shape_text(*a.a).c_str(),
           shape_text(*a.b).c_str());
  }
  s.set(a.r_, ndim, size, Layout::contiguous);
}

// Calls f(real part of r, imaginary part of r). Reduced types are computed in float.
template <class F>
void with_parts(Tensor* r, const F& f) {
  if (r->numel() == 0) return;
  compute_in(compute_type(r->dtype), r, [&](Tensor* computed) {
    const TensorRef t = shared(computed);
    f(part_of(t, 0).get(), part_of(t, 1).get());
  });
}

struct Parts {
  TensorRef re, im;
};
// The parts of t in the type of computation, expanded to the shape of r.
Parts parts_of(Tensor* t, const Tensor& r) {
  TensorRef x = in_type(t, compute_type(t->dtype));
  x = expanded(x, r);
  return {part_of(x, 0), part_of(x, 1)};
}

// re + i * im = (a.re + i * a.im) * (b.re + i * b.im)
void multiply(Tensor* re, Tensor* im, const Parts& a, const Parts& b) {
  ops::cmul(re, a.re.get(), b.re.get());
  ops::addcmul(re, re, -1, a.im.get(), b.im.get());
  ops::cmul(im, a.re.get(), b.im.get());
  ops::addcmul(im, im, 1, a.im.get(), b.re.get());
}

// The product, or the quotient, in one pass.
template <class A>
void run_product(A& a, bool divides) {
  Device* device = device_of({a.a, a.b});
  place_result(device, a.r_);
  if (a.r_->numel() == 0) return;
  const DType type = compute_type(a.r_->dtype);
  TensorRef x = contiguous(expanded(in_type(a.a, type), *a.r_).get());
  TensorRef y = contiguous(expanded(in_type(a.b, type), *a.r_).get());
  compute_in(type, a.r_, [&](Tensor* r) {
    run(a.op, device, [&](Operands& at) {
      ComplexProductCall call;
      call.dtype = type;
      call.divides = divides;
      call.n = r->numel() / 2;
      call.a = at.read(x.get()).data;
      call.b = at.read(y.get()).data;
      call.r = at.overwrite(r);
      return call;
    });
  });
}

}  // namespace

void shapes(args::complexOf& a, Shapes& s) { shapes_of_pair(a, s, *a.re, a.im); }
void calls(args::complexOf& a) {
  TensorRef r = shared(a.r_);
  ops::copy(part_of(r, 0).get(), a.re);
  ops::copy(part_of(r, 1).get(), a.im);
}

void shapes(args::polar& a, Shapes& s) { shapes_of_pair(a, s, *a.r, a.angle); }
void calls(args::polar& a) {
  with_parts(a.r_, [&](Tensor* re, Tensor* im) {
    TensorRef r = in_type(a.r, re->dtype), angle = in_type(a.angle, re->dtype);
    ops::cos(re, angle.get());
    ops::cmul(re, re, r.get());
    ops::sin(im, angle.get());
    ops::cmul(im, im, r.get());
  });
}

void shapes(args::complexAbs& a, Shapes& s) { shapes_of_number(a, s); }
void calls(args::complexAbs& a) {
  TensorRef t = shared(a.t);
  ops::hypot(a.r_, part_of(t, 0).get(), part_of(t, 1).get());
}

void shapes(args::complexAngle& a, Shapes& s) { shapes_of_number(a, s); }
void calls(args::complexAngle& a) {
  TensorRef t = shared(a.t);
  ops::atan2(a.r_, part_of(t, 1).get(), part_of(t, 0).get());
}

void shapes(args::complexConj& a, Shapes& s) {
  complex_dims(*a.t);
  s.set(a.r_, *a.t);
}
void calls(args::complexConj& a) {
  // A tensor of signs takes longer than a second pass over a few elements, and tensor.compile
  // cannot record it.
  if (a.r_->numel() < 3000 || tracing()) {
    ops::copy(a.r_, a.t);
    TensorRef im = part_of(shared(a.r_), 1);
    ops::neg(im.get(), im.get());
    return;
  }
  TensorRef signs = new_double_vector(2, [](int64_t part) { return part == 0 ? 1.0 : -1.0; });
  signs = in_type(signs.get(), a.t->dtype);
  ops::cmul(a.r_, a.t, expanded(signs, *a.r_).get());
}

void shapes(args::complexMul& a, Shapes& s) { shapes_of_both(a, s); }
void calls(args::complexMul& a) {
  // No tracer follows the kernel.
  if (!is_followed({a.a, a.b})) return run_product(a, false);
  with_parts(a.r_, [&](Tensor* re, Tensor* im) {
    multiply(re, im, parts_of(a.a, *a.r_), parts_of(a.b, *a.r_));
  });
}

void shapes(args::complexDiv& a, Shapes& s) { shapes_of_both(a, s); }
void calls(args::complexDiv& a) { run_product(a, true); }

}  // namespace th
