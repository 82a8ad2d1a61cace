// Copies between tensors of any element types, layouts and devices.

#include <algorithm>

#include "ops/elementwise.h"
#include "ops/operands.h"
#include "ops/tracer.h"

namespace th {

namespace {

// Copies on the device of both operands, or on the CPU if device is null.
void copy_at(Device* device, Tensor* r, Tensor* src, int ndim, const int64_t* size) {
  run(Op::copy, device, [&](Operands& at) {
    CopyCall call;
    call.to = r->dtype;
    call.from = src->dtype;
    call.plan.start(ndim, size);
    int64_t stride[kMaxDims];
    char* from = at.read_whole(src);
    broadcast_strides(*src, ndim, size, stride);
    call.plan.add(at.overwrite(r), item_size(r->dtype), r->stride);
    call.plan.add(from, item_size(src->dtype), stride);
    call.plan.plan();
    return call;
  });
}

size_t bytes_of(const Tensor& t) { return t.numel() * item_size(t.dtype); }

// Returns t, or a copy, contiguous, of the given type and on the device.
TensorRef packed_copy(Device& device, Tensor* t, DType type) {
  if (t->dtype == type && is_contiguous(*t)) return shared(t);
  TensorRef packed(tensor_new_sized(type, t->nDimension, t->size));
  packed->storage->set_current_device(&device);
  ops::copy(packed.get(), t);
  return packed;
}

// Copies from a device to the CPU. Only src's elements are copied; the head of src's memory does
// not change.
void copy_to_host(Tensor* r, Tensor* src) {
  Device& device = *src->storage->current_device();
  TensorRef packed = packed_copy(device, src, r->dtype);
  size_t bytes = bytes_of(*packed);
  Operands there(&device), here(nullptr);
  const char* from = there.read_whole(packed.get());
  if (is_contiguous(*r)) {
    device.copy_to_host(here.overwrite(r), from, bytes);
    return;
  }
  TensorRef whole(tensor_new(r->dtype));
  whole->storage = storage_new(r->dtype);
  set_geometry(whole.get(), r->nDimension, r->size, nullptr);
  device.copy_to_host(here.overwrite(whole.get()), from, bytes);
  copy_at(nullptr, r, whole.get(), r->nDimension, r->size);
}

// Copies from the CPU to a device. Only src's elements are copied; the head of src's memory does
// not change.
void copy_to_device(Tensor* r, Tensor* src, int ndim, const int64_t* size) {
  Device& device = *r->storage->current_device();
  TensorRef packed;
  if (is_contiguous(*src)) {
    packed = shared(src);
  } else {
    packed = TensorRef(tensor_new(src->dtype));
    packed->storage = storage_new(src->dtype);
    set_geometry(packed.get(), src->nDimension, src->size, nullptr);
    copy_at(nullptr, packed.get(), src, src->nDimension, src->size);
  }
  Operands here(nullptr);
  const char* from = here.read_whole(packed.get());
  size_t bytes = bytes_of(*packed);
  if (r->dtype == src->dtype && is_contiguous(*r) && packed->numel() == r->numel()) {
    device.copy_to_device(Operands(&device).overwrite(r), from, bytes);
    return;
  }
  TensorRef arrived(tensor_new(src->dtype));
  arrived->storage = storage_new(src->dtype);
  arrived->storage->set_current_device(&device);
  set_geometry(arrived.get(), packed->nDimension, packed->size, nullptr);
  device.copy_to_device(Operands(&device).overwrite(arrived.get()), from, bytes);
  copy_at(&device, r, arrived.get(), ndim, size);
}

void copy_elements(Tensor* r, Tensor* src, int ndim, const int64_t* size) {
  ensure_storage(r);
  Device* to = r->storage->current_device();
  Device* from = src->storage->current_device();
  // Unused memory is placed on the device of its future contents.
  if (!to && from && r->storage->memory.head() == Head::uninitialized) {
    r->storage->set_current_device(from);
    to = from;
  }
  if (to && on_host(*src) && !from) {
    copy_to_device(r, src, ndim, size);
  } else if (to) {
    copy_at(to, r, src, ndim, size);
  } else if (from && !on_host(*src) && r->numel() == src->numel()) {
    copy_to_host(r, src);
  } else {
    AllowHostAccess allow;
    copy_at(nullptr, r, src, ndim, size);
  }
}

}  // namespace

TensorRef clone_on_host(Tensor* t) {
  TensorRef copied(tensor_new_sized(t->dtype, t->nDimension, t->size));
  ensure_storage(copied.get());
  copied->storage->set_current_device(nullptr);
  copy_at(nullptr, copied.get(), t, t->nDimension, t->size);
  return copied;
}

static void run_copy(Tensor* r, Tensor* src) {
  if (r == src) return;
  if (r->nDimension == 0 && src->nDimension == 0) return;
  // r's shape is fixed, so r takes part in the shape computation as an operand that is not read.
  Tensor* shapes[] = {r, src};
  int ndim;
  int64_t size[kMaxDims];
  bool pairs = !elementwise_shape(shapes, 2, r, &ndim, size);
  if (partly_overlap(*r, *src)) {
    TensorRef temporary = clone(src);
    run_copy(r, temporary.get());
    return;
  }
  if (r->numel() == 0) return place_result(device_of({src}), r);
  if (same_view(*r, *src)) return;
  TensorRef view;
  if (pairs) {
    // View src in r's shape or r in src's shape, whichever needs no copy.
    int64_t stride[kMaxDims];
    if (view_strides(*src, ndim, size, stride)) {
      view = strided_view(*src, src->storageOffset, ndim, size, stride);
    } else if (is_contiguous(*r)) {
      TensorRef target = strided_view(*r, r->storageOffset, src->nDimension, src->size, nullptr);
      run_copy(target.get(), src);
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

static void copy_by_rules(args::copy* a) {
  if (!tracing()) return run_copy(a->r, a->src);
  TracedCall traced(row_of(Op::copy), a);
  run_copy(a->r, a->src);
  traced.finish();
}

void ops::copy(Tensor* r, Tensor* src) {
  args::copy arguments{r, src};
  if (current_rules.pairing != Pairing::strict) return copy_by_rules(&arguments);
  StrictScope rules(row_of(Op::copy), &arguments);
  copy_by_rules(&arguments);
}

}  // namespace th
