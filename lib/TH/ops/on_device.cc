#include "ops/on_device.h"

#include <algorithm>

#include "cpu/iterator.h"
#include "memory/stats.h"
#include "ops/ops.h"

namespace th {

Device* device_of(Tensor* const* operands, int count) {
  for (int k = 0; k < count; ++k) {
    const Tensor* t = operands[k];
    if (!t || !t->storage) continue;
    if (Device* home = t->storage->get_home()) return home;
  }
  return nullptr;
}

Device* device_of(std::initializer_list<const Tensor*> operands) {
  return device_of(const_cast<Tensor* const*>(operands.begin()), static_cast<int>(operands.size()));
}

char* data_on(Device& device, const Tensor& t, Access access) {
  if (!t.storage) return nullptr;
  t.check_storage();
  auto* block = static_cast<char*>(t.storage->memory.device(access, device, t.bytes()));
  return block + t.storageOffset * item_size(t.dtype);
}

char* result_on(Device& device, Tensor& r, Access access) {
  ensure_storage(&r);
  char* data = data_on(device, r, access);
  r.storage->set_home(&device);
  return data;
}

bool on_host(const Tensor& t) {
  return !t.storage || t.numel() == 0 || t.storage->memory.cpu_if_valid();
}

namespace {
// Storages up to this size come over as a whole, and stay for the next time.
constexpr size_t kWholeStorage = size_t{1} << 20;
}  // namespace

TensorRef brought_to(Device& device, Tensor* t) {
  bool part_of_large = t->storage && t->storage->get_home() != &device &&
                       t->storage->memory.size() > kWholeStorage &&
                       2 * t->numel() <= t->storage->size;
  if (!part_of_large) {
    tensor_retain(t);
    return TensorRef(t);
  }
  TensorRef copied(tensor_new_sized(t->dtype, t->nDimension, t->size));
  if (copied->storage) copied->storage->set_home(&device);
  ops::copy(copied.get(), t);
  return copied;
}

LoopPlanBuilder::LoopPlanBuilder(int ndim, const int64_t* size)
    : ndim_(ndim), numel_(ndim ? 1 : 0) {
  for (int d = 0; d < ndim; ++d) {
    size_[ndim - 1 - d] = size[d];
    numel_ *= size[d];
  }
}

void LoopPlanBuilder::add(char* data, size_t item, const int64_t* stride) {
  for (int d = 0; d < ndim_; ++d) {
    stride_[operands_][ndim_ - 1 - d] = stride[d] * static_cast<int64_t>(item);
  }
  data_[operands_++] = data;
}

bool LoopPlanBuilder::plan(LoopPlan* out, bool keep_order) {
  plan_dimensions(&ndim_, size_, operands_, stride_, keep_order);
  if (ndim_ > kDeviceDims) return false;
  out->ndim = ndim_;
  out->operands = operands_;
  out->numel = numel_;
  std::copy(size_, size_ + ndim_, out->size);
  for (int k = 0; k < operands_; ++k) {
    std::copy(stride_[k], stride_[k] + ndim_, out->stride[k]);
    out->data[k] = data_[k];
  }
  return true;
}

}  // namespace th
