#include "ops/reduce.h"

#include <algorithm>

#include "memory/error.h"
#include "tensor/convert.h"

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

bool has_repeats(const Tensor& t) {
  for (int d = 0; d < t.nDimension; ++d) {
    if (t.stride[d] == 0 && t.size[d] > 1) return true;
  }
  return false;
}

Scalar to_scalar(Wide value, DType type) {
  return is_integral(type) ? Scalar(value.i) : Scalar(value.d);
}

Result::Result(Tensor* r, const Tensor& operand, int ndim, const int64_t* size) : r_(r) {
  if (r == &operand || (r->storage && r->storage == operand.storage)) {
    temporary_ = TensorRef(tensor_new_sized(r->dtype, ndim, size));
    return;
  }
  resize(r, ndim, size);
  if (!is_contiguous(*r)) temporary_ = TensorRef(tensor_new_sized(r->dtype, ndim, size));
}

void Result::finish() {
  if (!temporary_) return;
  resize(r_, temporary_->nDimension, temporary_->size);
  ops::copy(r_, temporary_.get());
}

void reduce_along(const ReduceRow& row, const Reduction& op, Tensor* r, Tensor* indices, Tensor* t,
                  int64_t dim, bool keepdim) {
  check_result(row.name, 1, *r, t->dtype);
  if (indices) check_result(row.name, 2, *indices, DType::Long);
  if (indices == r) fail_argument(2, "%s: values and indices must be two tensors", row.name);
  int d = wrap_dim(*t, dim, row.dim_argument);
  if (indices && t->size[d] == 0) {
    fail_argument(row.t_argument, "%s: dimension %d of %s has no element", row.name, d + 1,
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
    Wide nothing = reduce_nothing(op, t->dtype);
    resize(r, ndim, size);
    ops::fill(r, to_scalar(nothing, t->dtype));
    return;
  }
  if (!indices) {
    Result values(r, *t, ndim, size);
    reduce_dim(op, t, d, values.get(), nullptr);
    values.finish();
    return;
  }
  Result values(r, *t, ndim, size);
  Result places(indices, r->storage == indices->storage ? *r : *t, ndim, size);
  reduce_dim(op, t, d, values.get(), places.get());
  values.finish();
  places.finish();
}

namespace ops {

namespace {

constexpr Reduction kSum = {Reducer::sum};
constexpr Reduction kProd = {Reducer::prod};
constexpr Reduction kMean = {Reducer::sum, Reduction::Extra::none, 0, Finish::mean};
constexpr Reduction kMin = {Reducer::min};
constexpr Reduction kMax = {Reducer::max};
constexpr Reduction kFirstMin = {Reducer::min, Reduction::Extra::index};
constexpr Reduction kFirstMax = {Reducer::max, Reduction::Extra::index};

Scalar extreme(const char* name, const Reduction& op, Tensor* t) {
  if (t->nDimension == 0) fail_argument(1, "%s: tensor must have one dimension", name);
  if (t->numel() == 0) {
    fail_argument(1, "%s: a tensor of size %s has no element", name, shape_text(*t).c_str());
  }
  return to_scalar(reduce_all(op, *t).value, t->dtype);
}

}  // namespace

Scalar sumall(Tensor* t) { return to_scalar(reduce_all(kSum, *t).value, t->dtype); }

Scalar prodall(Tensor* t) { return to_scalar(reduce_all(kProd, *t).value, t->dtype); }

Scalar meanall(Tensor* t) {
  check_floating("mean", 1, *t);
  if (t->nDimension == 0) fail_argument(1, "mean: empty Tensor");
  return finished(Finish::mean, reduce_all(kMean, *t), t->numel(), 0);
}

Scalar minall(Tensor* t) { return extreme("min", kMin, t); }
Scalar maxall(Tensor* t) { return extreme("max", kMax, t); }

bool logicalall(Tensor* t) {
  if (t->dtype != DType::Byte) {
    fail_argument(1, "all is defined for a ByteTensor, got a %sTensor", name(t->dtype));
  }
  return t->numel() == 0 || reduce_all(kMin, *t).value.i != 0;
}

bool logicalany(Tensor* t) {
  if (t->dtype != DType::Byte) {
    fail_argument(1, "any is defined for a ByteTensor, got a %sTensor", name(t->dtype));
  }
  return t->numel() != 0 && reduce_all(kMax, *t).value.i != 0;
}

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
  return sumall(diagonal.get());
}

void sum(Tensor* r, Tensor* t, int64_t dim, bool keepdim) {
  reduce_along({"sum", 2, 3}, kSum, r, nullptr, t, dim, keepdim);
}

void prod(Tensor* r, Tensor* t, int64_t dim, bool keepdim) {
  reduce_along({"prod", 2, 3}, kProd, r, nullptr, t, dim, keepdim);
}

void mean(Tensor* r, Tensor* t, int64_t dim, bool keepdim) {
  check_floating("mean", 2, *t);
  reduce_along({"mean", 2, 3}, kMean, r, nullptr, t, dim, keepdim);
}

void min(Tensor* values, Tensor* indices, Tensor* t, int64_t dim, bool keepdim) {
  reduce_along({"min", 3, 4}, kFirstMin, values, indices, t, dim, keepdim);
}

void max(Tensor* values, Tensor* indices, Tensor* t, int64_t dim, bool keepdim) {
  reduce_along({"max", 3, 4}, kFirstMax, values, indices, t, dim, keepdim);
}

}  // namespace ops
}  // namespace th
