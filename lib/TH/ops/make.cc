// Filling, making, and putting together.

#include <algorithm>
#include <cmath>

#include "cpu/element_kernels.h"
#include "cpu/iterator.h"
#include "cpu/parallel.h"
#include "memory/error.h"
#include "ops/elementwise.h"
#include "ops/index_on_device.h"
#include "ops/on_device.h"
#include "ops/reduce_on_device.h"
#include "tensor/checked.h"
#include "tensor/convert.h"

namespace th::ops {

namespace {

bool fits_long(double x) { return x >= -9223372036854775808.0 && x < 9223372036854775808.0; }

// A whole number as an integer, where it is one that int64 holds.
Scalar whole(Scalar x) {
  if (x.integral || !fits_long(x.d) || x.d != std::floor(x.d)) return x;
  return Scalar(static_cast<int64_t>(x.d));
}

// The elements of a progression of integers, exactly, where doubles would round. Unsigned: the
// distance may be of 64 bits.
double integral_steps(int64_t first, int64_t last, int64_t step, bool inclusive) {
  uint64_t from = static_cast<uint64_t>(first), to = static_cast<uint64_t>(last);
  uint64_t distance = step > 0 ? to - from : from - to;
  uint64_t by = step > 0 ? static_cast<uint64_t>(step) : 0 - static_cast<uint64_t>(step);
  bool one_more = inclusive || distance % by != 0;
  return static_cast<double>(distance / by) + (one_more ? 1 : 0);
}

// Elements of a progression; throws where it is endless or runs the wrong way.
int64_t steps(const char* name, Scalar a, Scalar b, Scalar by, bool inclusive) {
  double first = a.to_double(), last = b.to_double(), step = by.to_double();
  bool integral = a.integral && b.integral && by.integral;
  if (!std::isfinite(first) || !std::isfinite(last) || !std::isfinite(step) || step == 0) {
    fail("%s: from %g to %g in steps of %g is no finite range", name, first, last, step);
  }
  if (integral ? a.i != b.i && (a.i < b.i) != (by.i > 0) : (last - first) / step < 0) {
    fail("%s: steps of %g do not lead from %g to %g", name, step, first, last);
  }
  double n = integral    ? integral_steps(a.i, b.i, by.i, inclusive)
             : inclusive ? std::floor((last - first) / step) + 1
                         : std::ceil((last - first) / step);
  if (n > 1e15) fail("%s: %g elements are too many", name, n);
  return static_cast<int64_t>(n);
}

// a + i b, or 10^(a + i b), for i = 0, 1, ...; in integers where both are.
struct Progression {
  Scalar a, b;
  bool power_of_ten = false;
};

template <class F>
void generate_by(Tensor* t, const F& f) {
  dispatch(t->dtype, [&](auto zero) {
    using T = decltype(zero);
    T* data = t->data_as<T>(access_for_result(*t));
    parallel_for(t->numel(), Grain::cheap, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) data[i] = convert<T>(f(i));
    });
  });
}

// Writes the progression to r's elements, in order, whatever r's layout.
void generate(Tensor* r, const Progression& p) {
  TensorRef target = is_contiguous(*r) ? TensorRef() : clone(r);
  Tensor* t = target ? target.get() : r;
  if (t->numel() == 0) return;
  if (Device* device = device_of({t})) {
    GenerateCall call = {t->dtype, p.power_of_ten, p.a, p.b, t->numel(), nullptr};
    call.out = result_on(*device, *t, access_for_result(*t));
    device->run(DeviceOp::generate, &call);
  } else if (p.a.integral && p.b.integral) {
    // i b alone may wrap where the sum is an int64 again.
    auto a = static_cast<uint64_t>(p.a.i), b = static_cast<uint64_t>(p.b.i);
    generate_by(t,
                [=](int64_t i) { return static_cast<int64_t>(a + static_cast<uint64_t>(i) * b); });
  } else {
    double a = p.a.to_double(), b = p.b.to_double();
    if (p.power_of_ten) {
      generate_by(t, [&](int64_t i) { return std::pow(10.0, a + static_cast<double>(i) * b); });
    } else {
      generate_by(t, [&](int64_t i) { return a + static_cast<double>(i) * b; });
    }
  }
  if (target) copy(r, t);
}

void resize_to_vector(Tensor* r, int64_t n) {
  // As in Torch7, a result that has as many elements keeps its sizes.
  if (r->numel() != n || r->nDimension == 0) resize(r, 1, &n);
}

void progression(const char* name, Tensor* r, Scalar first, Scalar last, Scalar step,
                 bool inclusive) {
  int64_t n = steps(name, whole(first), whole(last), whole(step), inclusive);
  resize_to_vector(r, n);
  if (!fits_long(last.to_double()) && !last.integral) {
    generate(r, {first.to_double(), step.to_double()});
  } else if (r->dtype == DType::Long) {
    generate(r, {whole(first), whole(step)});
  } else {
    generate(r, {first, step});
  }
}

// The diagonal of a matrix from the element in row down and column right on: a view.
TensorRef diagonal_of(Tensor* t, int64_t down, int64_t right) {
  constexpr char what[] = "the stride of a diagonal";
  TensorRef diagonal(tensor_new(t->dtype));
  int64_t first[] = {down, right};
  int64_t length = std::min(t->size[0] - down, t->size[1] - right);
  int64_t stride = length > 1 ? checked_add(t->stride[0], t->stride[1], what) : 1;
  set_storage(diagonal.get(), t->storage, t->position(first), 1, &length, &stride);
  return diagonal;
}

void check_matrix(const char* name, const Tensor* t) {
  if (t->nDimension != 2) {
    fail_argument(2, "%s: a matrix is expected, got a tensor of size %s", name,
                  shape_text(*t).c_str());
  }
}

// r, which all of will be written, lives where an operation on t runs.
void place_result(Tensor* r, Tensor* t) {
  Device* device = device_of({r, t});
  if (device && r->numel() > 0) result_on(*device, *r, access_for_result(*r));
}

// t with zeros above the diagonal, or below it.
void zero_triangle(const char* name, Tensor* r, Tensor* t, bool above, int64_t diagonal) {
  check_matrix(name, t);
  if (r->dtype != t->dtype) fail("%s: result and source differ in type", name);
  if (r != t) {
    resize_as(r, *t);
    if (!share_storage(*r, *t)) place_result(r, t);
    copy(r, t);
  }
  if (r->numel() == 0) return;
  if (Device* device = device_of({r})) return zero_triangle_on(*device, r, above, diagonal);
  dispatch(r->dtype, [&](auto zero) {
    using T = decltype(zero);
    T* data = r->data_as<T>(Access::write);
    for (int64_t i = 0; i < r->size[0]; ++i) {
      for (int64_t j = 0; j < r->size[1]; ++j) {
        if (above ? j - i > diagonal : j - i < diagonal) {
          data[i * r->stride[0] + j * r->stride[1]] = T();
        }
      }
    }
  });
}

}  // namespace

namespace {
bool fill_on_device(Device& device, Tensor* r, Scalar value) {
  if (has_shared_elements(*r)) return false;
  FillCall call = {r->dtype, value, {}};
  LoopPlanBuilder builder(r->nDimension, r->size);
  builder.add(result_on(device, *r, access_for_result(*r)), item_size(r->dtype), r->stride);
  if (!builder.plan(&call.plan)) return false;
  device.run(DeviceOp::fill, &call);
  return true;
}
}  // namespace

void fill(Tensor* r, Scalar value) {
  if (r->numel() == 0) return;
  Device* device = device_of({r});
  if (device && fill_on_device(*device, r, value)) return;
  DType from = value.integral ? DType::Long : DType::Double;
  Loop loop = copy_kernels().copy[static_cast<int>(r->dtype)][static_cast<int>(from)];
  static const int64_t still[kMaxDims] = {};
  char* data = r->data(access_for_result(*r));
  Iterator iterator(r->nDimension, r->size);
  iterator.add(data, item_size(r->dtype), r->stride);
  iterator.add(reinterpret_cast<char*>(&value.i), 0, still);
  iterator.run(loop, nullptr, Grain::cheap);
}

void zero(Tensor* r) { fill(r, 0); }

void zeros(Tensor* r, Sizes sizes) {
  resize(r, sizes.ndim, sizes.size);
  zero(r);
}
void zerosLike(Tensor* r, Tensor* like) {
  resize_as(r, *like);
  zero(r);
}
void ones(Tensor* r, Sizes sizes) {
  resize(r, sizes.ndim, sizes.size);
  fill(r, 1);
}
void onesLike(Tensor* r, Tensor* like) {
  resize_as(r, *like);
  fill(r, 1);
}

void eye(Tensor* r, int64_t n, int64_t m) {
  if (n < 0) fail_argument(2, "eye: %lld rows", static_cast<long long>(n));
  if (m <= 0) m = n;
  int64_t size[] = {n, m};
  resize(r, 2, size);
  zero(r);
  if (n > 0) fill(diagonal_of(r, 0, 0).get(), 1);
}

void range(Tensor* r, Scalar first, Scalar last, Scalar step) {
  progression("range", r, first, last, step, true);
}
void arange(Tensor* r, Scalar first, Scalar last, Scalar step) {
  progression("arange", r, first, last, step, false);
}

void linspace(Tensor* r, Scalar a, Scalar b, int64_t n) {
  double first = a.to_double(), last = b.to_double();
  if (n < 1 && !(n == 0)) fail_argument(4, "linspace: %lld points", static_cast<long long>(n));
  if (n == 1 && first != last) fail_argument(4, "linspace: one point cannot be both ends");
  resize_to_vector(r, n);
  double step = n > 1 ? (last - first) / static_cast<double>(n - 1) : 0;
  generate(r, {first, step});
}
void logspace(Tensor* r, Scalar a, Scalar b, int64_t n) {
  double first = a.to_double(), last = b.to_double();
  if (n < 1 && !(n == 0)) fail_argument(4, "logspace: %lld points", static_cast<long long>(n));
  if (n == 1 && first != last) fail_argument(4, "logspace: one point cannot be both ends");
  resize_to_vector(r, n);
  double step = n > 1 ? (last - first) / static_cast<double>(n - 1) : 0;
  generate(r, {first, step, true});
}

void diag(Tensor* r, Tensor* t, int64_t k) {
  if (r->dtype != t->dtype) fail("diag: result and source differ in type");
  if (t->nDimension != 1 && t->nDimension != 2) {
    fail_argument(2, "diag: a matrix or a vector is expected, got a tensor of size %s",
                  shape_text(*t).c_str());
  }
  constexpr int64_t limit = int64_t{1} << 40;
  if (k < -limit || k > limit) fail_argument(3, "diag: there is no such diagonal");
  int64_t down = k < 0 ? -k : 0, right = k > 0 ? k : 0;
  if (t->nDimension == 2) {
    int64_t length = std::min(t->size[0] - down, t->size[1] - right);
    if (length <= 0) {
      fail_argument(3, "diag: a matrix of size %s has no diagonal %lld", shape_text(*t).c_str(),
                    static_cast<long long>(k));
    }
    TensorRef result = clone(diagonal_of(t, down, right).get());
    resize(r, 1, &length);
    place_result(r, result.get());
    copy(r, result.get());
    return;
  }
  TensorRef source = clone(t);
  int64_t n = source->size[0];
  int64_t side = checked_add(n, down + right, "diag: a size");
  int64_t size[] = {side, side};
  resize(r, 2, size);
  place_result(r, source.get());
  zero(r);
  if (n == 0) return;
  copy(diagonal_of(r, down, right).get(), source.get());
}

void tril(Tensor* r, Tensor* t, int64_t k) { zero_triangle("tril", r, t, true, k); }
void triu(Tensor* r, Tensor* t, int64_t k) { zero_triangle("triu", r, t, false, k); }

void reshape(Tensor* r, Tensor* t, Sizes sizes) {
  int64_t size[kMaxDims];
  infer_sizes(sizes, t->numel(), size);
  if (checked_numel(sizes.ndim, size) != t->numel()) {
    fail_argument(3, "reshape: the %lld elements of size %s do not fill %s",
                  static_cast<long long>(t->numel()), shape_text(*t).c_str(),
                  shape_text(sizes.ndim, sizes.size).c_str());
  }
  TensorRef source = clone(t);
  resize(r, sizes.ndim, size);
  copy(r, source.get());
}

bool equal(Tensor* a, Tensor* b) {
  if (a->dtype != b->dtype) {
    fail("equal: a %sTensor and a %sTensor do not go together", name(a->dtype), name(b->dtype));
  }
  if (!same_size(*a, *b)) return false;
  if (a->numel() == 0) return true;
  if (Device* device = device_of({a, b})) {
    Partial different;
    if (reduce_all_on(*device, {Reducer::sum}, Pairing::unequal, *a, b, &different)) {
      return different.value.i == 0;
    }
  }
  return dispatch(a->dtype, [&](auto zero) {
    using T = decltype(zero);
    int64_t different = 0;
    Iterator iterator(a->nDimension, a->size);
    iterator.add(a->data(Access::read), sizeof(T), a->stride);
    iterator.add(b->data(Access::read), sizeof(T), b->stride);
    iterator.plan(false);
    iterator.for_each_run(0, iterator.numel(),
                          [&](char* const* data, const int64_t* stride, int64_t n) {
                            if (different) return;
                            for (int64_t i = 0; i < n; ++i) {
                              T x = *reinterpret_cast<const T*>(data[0] + i * stride[0]);
                              T y = *reinterpret_cast<const T*>(data[1] + i * stride[1]);
                              different += load(x) != load(y);
                            }
                          });
    return different == 0;
  });
}

bool isSameSizeAs(Tensor* a, Tensor* b) { return same_size(*a, *b); }
bool isSetTo(Tensor* a, Tensor* b) { return a->storage && same_view(*a, *b); }

}  // namespace th::ops
