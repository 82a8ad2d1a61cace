#include "dist/buffer.h"

#include <algorithm>

#include "backend/raw_block.h"
#include "base/op_scope.h"
#include "ops/ops.h"

namespace th::dist {

namespace {

bool is_reduced_type(DType type) { return info(type).kind == Kind::REDUCED; }

}  // namespace

Buffer::Buffer(Tensor* t, Use use, bool reduced, bool is_private, Device* device)
    : tensor_(shared(t)), device_(device) {
  if (t->storage) trace_use(t->storage, use == Use::read ? ElementUse::reads : ElementUse::writes);
  t->check_storage();
  make(t->nDimension, t->size, reduced, is_private || !is_contiguous(*t));
  if (copy_ && use != Use::overwrite && count_) ops::copy(copy_.get(), t);
  find_memory(use == Use::read && !copy_ ? Access::read : Access::write);
}

Buffer::Buffer(Tensor* r, int ndim, const int64_t* size, bool reduced, bool is_private,
               Device* device)
    : tensor_(shared(r)), device_(device) {
  if (r->storage) trace_use(r->storage, ElementUse::writes);
  r->check_storage();
  const bool is_elsewhere = device && (!r->storage || r->storage->current_device() != device);
  make(ndim, size, reduced,
       is_private || is_elsewhere || !is_contiguous(*r) || !has_shape(*r, ndim, size));
  find_memory(Access::write);
}

void Buffer::find_memory(Access access) {
  if (!count_) return;
  Tensor* t = copy_ ? copy_.get() : tensor_.get();
  if (device_) {
    char* block = static_cast<char*>(raw_block(t->storage->memory, *device_, access, t->bytes()));
    data_ = block + t->storageOffset * item_size(t->dtype);
  } else {
    AllowHostAccess allow;
    data_ = t->data(access);
  }
}

void Buffer::make(int ndim, const int64_t* size, bool reduced, bool is_private) {
  const DType own = tensor_->dtype;
  type_ = reduced && is_reduced_type(own) ? DType::Float : own;
  if (is_private || type_ != own) {
    copy_ = TensorRef(tensor_new_sized(type_, ndim, size));
    ensure_storage(copy_.get());
    copy_->storage->set_current_device(device_);
  }
  count_ = (copy_ ? copy_.get() : tensor_.get())->numel();
}

void Buffer::pin_tensor() noexcept {
  Tensor* memory = copy_ ? copy_.get() : tensor_.get();
  if (memory->storage) pin(memory->storage);
}

void Buffer::divide(int number) {
  if (!count_) return;
  Tensor* t = copy_ ? copy_.get() : tensor_.get();
  // Multiplying by the reciprocal of a power of 2 gives the same bits, in less than half of the
  // time.
  const bool is_power = (number & (number - 1)) == 0;
  is_power ? ops::mul(t, t, Scalar(1.0 / number)) : ops::div(t, t, Scalar(number));
}

void Buffer::finish() {
  if (!copy_) return;
  Tensor* r = tensor_.get();
  if (!same_size(*r, *copy_)) {
    resize(r, copy_->nDimension, copy_->size);
    if (device_ && r->storage) r->storage->set_current_device(device_);
  }
  if (count_) ops::copy(r, copy_.get());
}

}  // namespace th::dist
