#include "ops/operands.h"

#include <cstring>

#include "base/error.h"
#include "memory/heap.h"
#include "ops/ops.h"
#include "ops/tracer.h"

namespace th {

namespace {

// Storages up to this size, in bytes, are copied to a device as a whole, to be available for later
// operations.
constexpr size_t kWholeStorage = size_t{1} << 20;

// The access mode for a result whose elements are all replaced: overwrite only if r covers its
// whole storage.
Access access_to_replace(const Tensor& r) {
  return r.storageOffset == 0 && r.storage && r.numel() == r.storage->size && is_contiguous(r)
             ? Access::overwrite
             : Access::write;
}

// Returns true if t is copied to the device instead of its storage: t is a small part of a large
// storage on another device, or its memory is shared and must stay where it is.
bool goes_as_copy(const Tensor& t, const Device& device) {
  if (!t.storage || t.storage->current_device() == &device) return false;
  return (t.storage->memory.size() > kWholeStorage && 2 * t.numel() <= t.storage->size) ||
         t.storage->memory.shares_host() || t.storage->memory.is_device_shared();
}

void start_check(CheckCall* call, Condition condition, int64_t limit, int64_t also,
                 const Tensor& t) {
  call->dtype = t.dtype;
  call->condition = condition;
  call->limit = limit;
  call->also = also;
}

void check_on_host(Condition condition, int64_t limit, Tensor* t, const CheckText& text,
                   int64_t also = 0) {
  if (t->numel() == 0) return;
  AllowHostAccess allow;
  DeviceAssertion found = {};
  CheckCall call;
  start_check(&call, condition, limit, also, *t);
  call.check = 1;
  call.found = &found;
  char* data = t->data(Access::read);
  if (is_contiguous(*t)) {
    call.plan.start_contiguous(t->numel());
    call.plan.add_contiguous(data, item_size(t->dtype));
  } else {
    // Repeated integers are checked once. Errors about other types need the position.
    int64_t size[kMaxDims];
    for (int d = 0; d < t->nDimension; ++d) {
      size[d] = t->stride[d] == 0 && is_integral(t->dtype) ? 1 : t->size[d];
    }
    call.plan.start(t->nDimension, size);
    call.plan.add(data, item_size(t->dtype), t->stride);
    call.plan.plan(true);
  }
  run_on_cpu(call);
  if (found.check) fail_check(text, found.value);
}

// The number of values that the host checks faster than it calls a kernel.
constexpr int64_t kFewValues = 1024;

}  // namespace

bool on_host(const Tensor& t) {
  return !t.storage || t.numel() == 0 || t.storage->memory.cpu_if_valid();
}

bool is_checked_on_host(const Tensor& t) {
  return on_host(t) && (t.numel() <= kFewValues || t.storage->memory.head() != Head::synced);
}

Device* device_of(Tensor* const* operands, int count) {
  for (int k = 0; k < count; ++k) {
    const Tensor* t = operands[k];
    if (!t || !t->storage) continue;
    if (Device* home = t->storage->current_device()) return home;
  }
  return nullptr;
}

Device* device_of(std::initializer_list<const Tensor*> operands) {
  return device_of(const_cast<Tensor* const*>(operands.begin()), static_cast<int>(operands.size()));
}

void Operands::release_scratch() noexcept {
  for (int k = 0; k < scratch_count_; ++k) {
    if (device_) {
      device_->release(scratch_[k]);
    } else {
      heap_free(scratch_[k]);
    }
  }
}

char* Operands::ask_device(Tensor* t, Access access) {
  if (!t->storage) return nullptr;
  t->check_storage();
  Lease* lease = &leases_.add(Lease());
  char* block = t->storage->memory.lease(access, *device_, t->bytes(), lease);
  return block + t->storageOffset * item_size(t->dtype);
}

// Returns t, or a copy of it on the device.
Tensor* Operands::brought(Tensor* t) {
  if (!goes_as_copy(*t, *device_)) return t;
  TensorRef copy(tensor_new_sized(t->dtype, t->nDimension, t->size));
  // The elements of memory that is shared on a device are copied there first.
  const bool is_shared = t->storage->memory.is_device_shared();
  if (copy->storage && !is_shared) copy->storage->set_current_device(device_);
  ops::copy(copy.get(), t);
  return copies_.add(std::move(copy)).get();
}

char* Operands::write(Tensor* r) {
  if (!device_) return ask(r, Access::write);
  ensure_storage(r);
  char* data = ask(r, Access::write);
  r->storage->set_current_device(device_);
  return data;
}

char* Operands::overwrite(Tensor* r) {
  if (char* data = device_ ? nullptr : r->data_if_ready()) {
    return data;
  }
  Access access = access_to_replace(*r);
  for (int k = 0; k < read_count_; ++k) {
    if (read_[k] == r->storage) access = Access::write;
  }
  if (access == Access::write) return write(r);
  char* data = ask(r, access);
  if (device_) r->storage->set_current_device(device_);
  return data;
}

char* Operands::scratch(size_t bytes) {
  void* block = device_ ? device_->allocate(bytes) : heap_allocate(bytes);
  scratch_[scratch_count_++] = block;
  return static_cast<char*>(block);
}

void Operands::read_back(void* to, const char* scratch, size_t bytes) const {
  if (device_) {
    device_->copy_to_host(to, scratch, bytes);
  } else {
    std::memcpy(to, scratch, bytes);
  }
}

uint32_t late_check(const Operands& at, const CheckText& text) {
  return at.device() ? number_of_check(text) : 0;
}

void note_fallback() {
  note_use_on_host();
  trace_fallback();
}

void place_result(Device* device, Tensor* r) {
  if (!device) return;
  if (r->numel() > 0) {
    Operands(device).overwrite(r);
  } else if (!r->storage || r->storage->size == 0) {
    ensure_storage(r);
    r->storage->set_current_device(device);
  }
}

namespace {

// Also true for memory that C code reads directly. False for results that were just resized.
bool has_elements_at_host(const Tensor& r) {
  const Storage* s = r.storage;
  if (!s || s->current_device()) return false;
  return s->is_exposed() || (r.numel() > 0 && s->memory.head() != Head::uninitialized);
}

}  // namespace

void wait_for_assertions(Device* device, const Tensor& r) {
  if (device && has_elements_at_host(r)) device->synchronize();
}

ValueCheck::ValueCheck(Op op, Condition condition, int64_t limit, Tensor* t, Device* device,
                       const CheckText& text, const Tensor& r)
    : op_(op),
      condition_(condition),
      limit_(limit),
      t_(t),
      text_(text),
      done_(!device || is_checked_on_host(*t)) {
  if (done_) {
    check_on_host(condition, limit, t, text);
  } else if (has_elements_at_host(r)) {
    check_values(op, condition, limit, t, text);
    device->synchronize();
    done_ = true;
  }
}

uint32_t ValueCheck::number(const Operands& at) const {
  if (done_) return 0;
  if (at.device()) return number_of_check(text_);
  check_on_host(condition_, limit_, t_, text_);
  return 0;
}

void ValueCheck::run() const {
  if (!done_) check_values(op_, condition_, limit_, t_, text_);
}

void check_values(Op op, Condition condition, int64_t limit, Tensor* t, const CheckText& text,
                  int64_t also) {
  if (t->numel() == 0) return;
  Device* device = is_checked_on_host(*t) ? nullptr : device_of({t});
  run_steps(op, device, [&](Operands& at) {
    if (!at.device()) {
      check_on_host(condition, limit, t, text, also);
      return true;
    }
    CheckCall call;
    start_check(&call, condition, limit, also, *t);
    call.plan.start(t->nDimension, t->size);
    call.found = nullptr;
    Placed values = at.read(t);
    call.check = number_of_check(text);
    call.plan.add(values.data, item_size(t->dtype), values.tensor->stride);
    call.plan.plan(true);
    call.plan.shared_output = false;  // check calls write nothing
    return at.run(call);
  });
}

}  // namespace th
