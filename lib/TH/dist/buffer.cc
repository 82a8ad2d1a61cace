#include "dist/buffer.h"

#include <algorithm>

#include "base/op_scope.h"
#include "ops/ops.h"
#include "ops/tracer.h"

namespace th::dist {

namespace {

bool is_reduced_type(DType type) { return info(type).kind == Kind::REDUCED; }

TensorRef retained(Tensor* t) {
  tensor_retain(t);
  return TensorRef(t);
}

}  // namespace

Buffer::Buffer(Tensor* t, Use use, bool reduced, bool is_private) : tensor_(retained(t)) {
  if (t->storage) trace_use(t->storage, use == Use::read ? ElementUse::reads : ElementUse::writes);
  t->check_storage();
  make(t->nDimension, t->size, reduced, is_private || !is_contiguous(*t));
  if (copy_ && use != Use::overwrite && count_) ops::copy(copy_.get(), t);
  AllowHostAccess allow;
  Tensor* memory = copy_ ? copy_.get() : t;
  if (count_) data_ = memory->data(use == Use::read && !copy_ ? Access::read : Access::write);
}

Buffer::Buffer(Tensor* r, int ndim, const int64_t* size, bool reduced, bool is_private)
    : tensor_(retained(r)) {
  if (r->storage) trace_use(r->storage, ElementUse::writes);
  r->check_storage();
  make(ndim, size, reduced, is_private || !is_contiguous(*r) || !has_shape(*r, ndim, size));
  AllowHostAccess allow;
  if (count_) data_ = (copy_ ? copy_.get() : r)->data(Access::write);
}

void Buffer::make(int ndim, const int64_t* size, bool reduced, bool is_private) {
  const DType own = tensor_->dtype;
  type_ = reduced && is_reduced_type(own) ? DType::Float : own;
  if (is_private || type_ != own) {
    copy_ = TensorRef(tensor_new_sized(type_, ndim, size));
    ensure_storage(copy_.get());
    copy_->storage->set_current_device(nullptr);
  }
  count_ = (copy_ ? copy_.get() : tensor_.get())->numel();
}

void Buffer::pin_tensor() noexcept {
  Tensor* memory = copy_ ? copy_.get() : tensor_.get();
  if (memory->storage) pin(memory->storage);
}

void Buffer::divide(int number) {
  Tensor* t = copy_ ? copy_.get() : tensor_.get();
  if (count_) ops::div(t, t, Scalar(number));
}

void Buffer::finish() {
  if (!copy_) return;
  Tensor* r = tensor_.get();
  if (!same_size(*r, *copy_)) resize(r, copy_->nDimension, copy_->size);
  if (count_) ops::copy(r, copy_.get());
}

}  // namespace th::dist
