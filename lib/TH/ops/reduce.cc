#include "ops/direct.h"
#include "ops/reduce.h"

#include <algorithm>

#include "THGeneral.h"
#include "base/error.h"
#include "ops/operands.h"

namespace th {

void check_floating(const char* name, int argument, const Tensor& t) {
  if (is_integral(t.dtype)) {
    fail_argument(argument, "%s is not defined for a %sTensor: convert it to floating point", name,
                  th::name(t.dtype));
  }
}

void check_result(const char* name, int argument, const Tensor& r, DType type) {
  if (r.dtype != type) {
    fail_argument(argument, "%s: the result must be a %sTensor, got a %sTensor", name,
                  th::name(type), th::name(r.dtype));
  }
}

Scalar to_scalar(Wide value, DType type) {
  return is_integral(type) ? Scalar(value.i) : Scalar(value.d);
}

namespace {

// Reduces along a dimension that is not empty. r is contiguous, has t's type and shares no memory
// with t. Its shape is that of t, except that the dimension has size 1 or is removed. indices is a
// LongTensor of the same shape, or null if the reduction has none.
void reduce_dim(Op op, const Reduction& reduction, Tensor* t, int dim, Tensor* r, Tensor* indices) {
  if (r->numel() == 0) return;
  run(op, device_of({t, r, indices}), [&](Operands& at) {
    Placed in = at.read(t);
    auto item = item_size(t->dtype);
    int64_t stride[kMaxDims];
    int64_t outputs = 1;
    for (int d = t->nDimension - 1; d >= 0; --d) {
      if (d == dim) continue;
      stride[d] = outputs;
      outputs *= t->size[d];
    }
    ReduceDimCall call;
    call.reducer = reduction.reducer;
    call.finish = reduction.finish;
    call.moment = reduction.moment;
    call.dtype = t->dtype;
    call.parameter = reduction.parameter;
    call.n = t->size[dim];
    call.step = in.tensor->stride[dim] * static_cast<int64_t>(item);
    call.indices = nullptr;
    call.index_base = TH_INDEX_BASE;
    call.plan.start(t->nDimension, t->size, dim);
    // The input decides the order of the loop, because more elements are read than written.
    call.plan.add(in.data, item, in.tensor->stride);
    call.plan.add(at.overwrite(r), item, stride);
    if (indices) call.indices = reinterpret_cast<int64_t*>(at.overwrite(indices));
    call.plan.plan();
    call.plan.shared_output = false;
    return call;
  });
}

// A contiguous tensor for a result of these sizes: r itself, or a temporary if r is not contiguous
// or shares the operand's storage. finish() copies the temporary to r.
class Result {
 public:
  Result(Tensor* r, const Tensor& operand, int ndim, const int64_t* size) : r_(r) {
    if (r == &operand || share_storage(*r, operand)) {
      temporary_ = TensorRef(tensor_new_sized(r->dtype, ndim, size));
      return;
    }
    resize(r, ndim, size);
    if (!is_contiguous(*r)) temporary_ = TensorRef(tensor_new_sized(r->dtype, ndim, size));
  }
  Tensor* get() const { return temporary_ ? temporary_.get() : r_; }
  void finish() {
    if (!temporary_) return;
    resize(r_, temporary_->nDimension, temporary_->size);
    ops::copy(r_, temporary_.get());
  }

 private:
  Tensor* r_;
  TensorRef temporary_;
};

}  // namespace

namespace {

// Adds the elements of a, and those of b unless it is null; b has the same shape.
void plan_inputs(Operands& at, LoopPlan* plan, Tensor* a, Tensor* b) {
  if (a->numel() == 0) return plan->start_contiguous(0);
  if (is_contiguous(*a) && (!b || is_contiguous(*b))) {
    plan->start_contiguous(a->numel());
    plan->add_contiguous(at.read(a).data, item_size(a->dtype));
    if (b) plan->add_contiguous(at.read(b).data, item_size(b->dtype));
    return;
  }
  plan->start(a->nDimension, a->size);
  for (Tensor* t : {a, b}) {
    if (!t) continue;
    Placed in = at.read(t);
    plan->add(in.data, item_size(t->dtype), in.tensor->stride);
  }
  plan->plan();
  plan->shared_output = false;
}

}  // namespace

Partial reduce_all(Op op, const Reduction& reduction, Tensor* a, Transform transform, Tensor* b) {
  Partial result = {};
  // Reductions of empty tensors run on the CPU.
  Device* device = a->numel() > 0 ? device_of({a, b}) : nullptr;
  run_steps(op, device, [&](Operands& at) {
    ReduceAllCall call;
    call.reducer = reduction.reducer;
    call.transform = transform;
    call.moment = reduction.moment;
    call.dtype = a->dtype;
    call.parameter = reduction.parameter;
    call.out = &result;
    plan_inputs(at, &call.plan, a, b);
    if (!at.device()) return at.run(call);
    call.out = reinterpret_cast<Partial*>(at.scratch(sizeof(Partial)));
    if (!at.run(call)) return false;
    at.read_back(&result, reinterpret_cast<char*>(call.out), sizeof(Partial));
    return true;
  });
  return result;
}

void reduce_along(const ReduceRow& row, const Reduction& reduction, Tensor* r, Tensor* indices,
                  Tensor* t, int64_t dim, bool keepdim) {
  check_result(row.name, 1, *r, t->dtype);
  if (indices) check_result(row.name, 2, *indices, DType::Long);
  if (indices == r) fail_argument(2, "%s: values and indices must be two tensors", row.name);
  int d = wrap_dim(*t, dim, row.dim_argument);
  if (indices && t->size[d] == 0) {
    fail_argument(row.t_argument, "%s: dimension %lld of %s has no element", row.name, shown(d),
                  shape_text(*t).c_str());
  }
  int ndim = t->nDimension;
  int64_t size[kMaxDims];
  std::copy(t->size, t->size + ndim, size);
  if (keepdim || ndim == 1) {
    size[d] = 1;
  } else {
    std::copy(size + d + 1, size + ndim, size + d);
    --ndim;
  }
  if (t->size[d] == 0) {
    TensorRef none(tensor_new(t->dtype));
    Partial nothing = reduce_all(row.op, reduction, none.get());
    if (reduction.finish != Finish::none) {
      nothing.value.d = finished(reduction.finish, nothing, 0, reduction.parameter);
    }
    resize(r, ndim, size);
    ops::fill(r, to_scalar(nothing.value, t->dtype));
    return;
  }
  if (!indices) {
    Result values(r, *t, ndim, size);
    reduce_dim(row.op, reduction, t, d, values.get(), nullptr);
    values.finish();
    return;
  }
  Result values(r, *t, ndim, size);
  Result places(indices, share_storage(*r, *indices) ? *r : *t, ndim, size);
  reduce_dim(row.op, reduction, t, d, values.get(), places.get());
  values.finish();
  places.finish();
}

namespace direct {

namespace {

constexpr Reduction kSum = {Reducer::sum};
constexpr Reduction kProd = {Reducer::prod};
constexpr Reduction kMean = {Reducer::sum, false, 0, Finish::mean};
constexpr Reduction kMin = {Reducer::min};
constexpr Reduction kMax = {Reducer::max};

Scalar extreme(Op op, const char* name, const Reduction& reduction, Tensor* t) {
  if (t->nDimension == 0) fail_argument(1, "%s: tensor must have one dimension", name);
  if (t->numel() == 0) {
    fail_argument(1, "%s: a tensor of size %s has no element", name, shape_text(*t).c_str());
  }
  return to_scalar(reduce_all(op, reduction, t).value, t->dtype);
}

}  // namespace

Scalar sumall(Tensor* t) { return to_scalar(reduce_all(Op::sumall, kSum, t).value, t->dtype); }

Scalar prodall(Tensor* t) { return to_scalar(reduce_all(Op::prodall, kProd, t).value, t->dtype); }

Scalar meanall(Tensor* t) {
  check_floating("mean", 1, *t);
  if (t->nDimension == 0) fail_argument(1, "mean: empty Tensor");
  return finished(Finish::mean, reduce_all(Op::meanall, kMean, t), t->numel(), 0);
}

Scalar minall(Tensor* t) { return extreme(Op::minall, "min", kMin, t); }
Scalar maxall(Tensor* t) { return extreme(Op::maxall, "max", kMax, t); }

Scalar trace(Tensor* t) {
  if (t->nDimension != 2) {
    fail_argument(1, "trace: expected a matrix, got size %s", shape_text(*t).c_str());
  }
  TensorRef diagonal(tensor_new(t->dtype));
  int64_t size = std::min(t->size[0], t->size[1]);
  int64_t stride = t->stride[0] + t->stride[1];
  if (size > 0) {
    set_storage(diagonal.get(), t->storage, t->storageOffset, 1, &size, &stride);
  }
  return to_scalar(reduce_all(Op::trace, kSum, diagonal.get()).value, t->dtype);
}

void sum(Tensor* r, Tensor* t, int64_t dim, bool keepdim) {
  reduce_along({Op::sum, "sum", 2, 3}, kSum, r, nullptr, t, dim, keepdim);
}

void prod(Tensor* r, Tensor* t, int64_t dim, bool keepdim) {
  reduce_along({Op::prod, "prod", 2, 3}, kProd, r, nullptr, t, dim, keepdim);
}

void mean(Tensor* r, Tensor* t, int64_t dim, bool keepdim) {
  check_floating("mean", 2, *t);
  reduce_along({Op::mean, "mean", 2, 3}, kMean, r, nullptr, t, dim, keepdim);
}

void min(Tensor* values, Tensor* indices, Tensor* t, int64_t dim, bool keepdim) {
  reduce_along({Op::min, "min", 3, 4}, kMin, values, indices, t, dim, keepdim);
}

void max(Tensor* values, Tensor* indices, Tensor* t, int64_t dim, bool keepdim) {
  reduce_along({Op::max, "max", 3, 4}, kMax, values, indices, t, dim, keepdim);
}

}  // namespace direct
}  // namespace th
