// Copies between tensors of any types, layouts and homes.

#include <algorithm>

#include "cpu/element_kernels.h"
#include "cpu/iterator.h"
#include "cpu/parallel.h"
#include "memory/stats.h"
#include "ops/elementwise.h"
#include "ops/on_device.h"

namespace th {

namespace {

void copy_on_host(Tensor* r, Tensor* src, int ndim, const int64_t* size) {
  Loop loop = copy_kernels().copy[static_cast<int>(r->dtype)][static_cast<int>(src->dtype)];
  Iterator iterator(ndim, size);
  char* from = src->data(Access::read);
  char* to = r->data(access_for_result(*r));
  int64_t stride[kMaxDims];
  broadcast_strides(*src, ndim, size, stride);
  iterator.add(to, item_size(r->dtype), r->stride);
  iterator.add(from, item_size(src->dtype), stride);
  iterator.run(loop, nullptr, Grain::cheap);
}

bool copy_on_device(Device& device, Tensor* r, Tensor* src, int ndim, const int64_t* size) {
  if (has_shared_elements(*r)) return false;
  CopyCall call = {r->dtype, src->dtype, {}};
  int64_t stride[kMaxDims];
  broadcast_strides(*src, ndim, size, stride);
  LoopPlanBuilder builder(ndim, size);
  char* from = data_on(device, *src, Access::read);
  Access access = r->storage == src->storage ? Access::write : access_for_result(*r);
  builder.add(result_on(device, *r, access), item_size(r->dtype), r->stride);
  builder.add(from, item_size(src->dtype), stride);
  if (!builder.plan(&call.plan)) return false;
  device.run(DeviceOp::copy, &call);
  return true;
}

size_t bytes_of(const Tensor& t) { return t.numel() * item_size(t.dtype); }

// Contiguous, of the given type, with its bytes on the device; t itself or a copy.
TensorRef packed_on(Device& device, Tensor* t, DType type) {
  if (t->dtype == type && is_contiguous(*t)) {
    tensor_retain(t);
    return TensorRef(t);
  }
  TensorRef packed(tensor_new_sized(type, t->nDimension, t->size));
  packed->storage->set_home(&device);
  ops::copy(packed.get(), t);
  return packed;
}

// From a device to the CPU: only src's elements come over, and src's memory stays as it is.
void copy_to_host(Tensor* r, Tensor* src) {
  Device& device = *src->storage->get_home();
  TensorRef packed = packed_on(device, src, r->dtype);
  size_t bytes = bytes_of(*packed);
  const char* from = data_on(device, *packed, Access::read);
  if (is_contiguous(*r)) {
    device.copy_to_host(r->data(access_for_result(*r)), from, bytes);
    return;
  }
  TensorRef whole(tensor_new(r->dtype));
  whole->storage = storage_new(r->dtype);
  set_geometry(whole.get(), r->nDimension, r->size, nullptr);
  device.copy_to_host(whole->data(Access::overwrite), from, bytes);
  copy_on_host(r, whole.get(), r->nDimension, r->size);
}

// From the CPU to a device: only src's elements go over, and src's memory stays as it is.
void copy_to_device(Tensor* r, Tensor* src, int ndim, const int64_t* size) {
  Device& device = *r->storage->get_home();
  TensorRef packed;
  if (is_contiguous(*src)) {
    tensor_retain(src);
    packed = TensorRef(src);
  } else {
    packed = TensorRef(tensor_new(src->dtype));
    packed->storage = storage_new(src->dtype);
    set_geometry(packed.get(), src->nDimension, src->size, nullptr);
    copy_on_host(packed.get(), src, src->nDimension, src->size);
  }
  const char* from = packed->data(Access::read);
  size_t bytes = bytes_of(*packed);
  if (r->dtype == src->dtype && is_contiguous(*r) && packed->numel() == r->numel()) {
    device.copy_to_device(result_on(device, *r, access_for_result(*r)), from, bytes);
    return;
  }
  TensorRef arrived(tensor_new(src->dtype));
  arrived->storage = storage_new(src->dtype);
  arrived->storage->set_home(&device);
  set_geometry(arrived.get(), packed->nDimension, packed->size, nullptr);
  device.copy_to_device(result_on(device, *arrived, Access::overwrite), from, bytes);
  if (!copy_on_device(device, r, arrived.get(), ndim, size)) {
    copy_on_host(r, src, ndim, size);
  }
}

void copy_elements(Tensor* r, Tensor* src, int ndim, const int64_t* size) {
  ensure_storage(r);
  Device* to = r->storage->get_home();
  Device* from = src->storage->get_home();
  // Memory that nobody used yet goes where its contents come from.
  if (!to && from && r->storage->memory.head() == Head::uninitialized) {
    r->storage->set_home(from);
    to = from;
  }
  if (to && on_host(*src) && !from) {
    copy_to_device(r, src, ndim, size);
  } else if (to) {
    if (!copy_on_device(*to, r, src, ndim, size)) copy_on_host(r, src, ndim, size);
  } else if (from && !on_host(*src) && r->numel() == src->numel()) {
    copy_to_host(r, src);
  } else {
    HostUseMeant meant;
    copy_on_host(r, src, ndim, size);
  }
}

}  // namespace

void ops::copy(Tensor* r, Tensor* src) {
  if (r == src) return;
  if (r->nDimension == 0 && src->nDimension == 0) return;
  // r's sizes are fixed, so r joins as an operand whose elements nobody reads.
  Tensor* shapes[] = {r, src};
  int ndim;
  int64_t size[kMaxDims];
  bool pairs = !elementwise_shape("copy", shapes, 2, r, &ndim, size);
  if (partly_overlap(*r, *src)) {
    TensorRef temporary = clone(src);
    copy(r, temporary.get());
    return;
  }
  if (r->numel() == 0) return;
  if (same_view(*r, *src)) return;
  TensorRef view;
  if (pairs) {
    // Read src in r's shape, or write r in src's, whichever needs no copy.
    int64_t stride[kMaxDims];
    view = TensorRef(tensor_new(src->dtype));
    if (view_strides(*src, ndim, size, stride)) {
      set_storage(view.get(), src->storage, src->storageOffset, ndim, size, stride);
    } else if (is_contiguous(*r)) {
      TensorRef target(tensor_new(r->dtype));
      set_storage(target.get(), r->storage, r->storageOffset, src->nDimension, src->size, nullptr);
      copy(target.get(), src);
      return;
    } else {
      TensorRef whole = clone(src);
      set_geometry(whole.get(), ndim, size, nullptr);
      view = std::move(whole);
    }
    src = view.get();
  }
  copy_elements(r, src, ndim, size);
}

}  // namespace th
