#include "tensor/dlpack.h"

#include <memory>
#include <type_traits>
#include <vector>

#include "base/error.h"
#include "memory/lease.h"
#include "tensor/checked.h"
#include "tensor/limits.h"

namespace th {

namespace {

template <class Managed>
constexpr bool kVersioned = std::is_same_v<Managed, DLManagedTensorVersioned>;

DLDataType type_of(DType type) {
  DLDataType made = {};
  bool is_unsigned = type == DType::Byte;
  made.code = static_cast<uint8_t>(type == DType::BFloat16 ? kDLBfloat
                                   : !is_integral(type)    ? kDLFloat
                                   : is_unsigned           ? kDLUInt
                                                           : kDLInt);
  made.bits = static_cast<uint8_t>(8 * item_size(type));
  made.lanes = 1;
  return made;
}

// Deleters cannot report errors. The device reports them at its next use.
void finish_quietly(Device& device) noexcept {
  try {
    device.finish();
  } catch (...) {
  }
}

// ---- export -------------------------------------------------------------------------------------

struct EndSharing {
  void operator()(SharedBlock* block) const noexcept {
    block->share(-1);
    block->release();
  }
};

template <class Managed>
struct Export {
  Managed managed = {};
  StorageRef storage;
  Device* device = nullptr;
  std::unique_ptr<SharedBlock, EndSharing> block;  // on the device
  std::vector<int64_t> geometry;

  static void release(Managed* managed) {
    auto* self = static_cast<Export*>(managed->manager_ctx);
    if (self->storage) unpin(self->storage.get());
    // The other library's queued work may use the block.
    if (self->block) finish_quietly(*self->device);
    delete self;
  }
};

// ---- import -------------------------------------------------------------------------------------

template <class Managed>
struct Import {
  Managed* managed;
  bool owned = false;
};

template <class Managed>
void release_import(void* context, void*) {
  auto* import = static_cast<Import<Managed>*>(context);
  Managed* managed = import->managed;
  if (import->owned && managed->deleter) managed->deleter(managed);
  delete import;
}
// Queued work of this library may use the elements.
template <class Managed>
void release_on_device(Device& device, void* context) {
  finish_quietly(device);
  release_import<Managed>(context, nullptr);
}
[[noreturn]] void* refuse(void*, ptrdiff_t) { fail("memory of another library cannot be resized"); }
[[noreturn]] void* refuse_resize(void*, void*, ptrdiff_t) {
  fail("memory of another library cannot be resized");
}
template <class Managed>
THAllocator import_allocator = {refuse, refuse_resize, release_import<Managed>};

std::vector<int64_t> strides_of(const DLTensor& from, int64_t count) {
  std::vector<int64_t> strides(static_cast<size_t>(from.ndim));
  int64_t next = 1;
  for (int d = from.ndim - 1; d >= 0; --d) {
    auto k = static_cast<size_t>(d);
    strides[k] = from.strides ? from.strides[k] : next;
    if (strides[k] < 0 && count > 0 && from.shape[k] > 1) {
      fail(
          "stride %lld of dimension %d is negative, which tensors do not support: pass a "
          "contiguous "
          "copy",
          as_long(strides[k]), d);
    }
    // The stride of a dimension with at most one element is arbitrary.
    if (count == 0 || from.shape[k] <= 1) strides[k] = next;
    next = checked_mul(next, std::max<int64_t>(from.shape[k], 1), "a stride");
  }
  return strides;
}

template <class Managed>
Managed* export_tensor(const Tensor& t, Device* device) {
  auto made = std::make_unique<Export<Managed>>();
  made->device = device;
  int ndim = std::max(t.nDimension, 1);
  auto n = static_cast<size_t>(ndim);
  made->geometry.assign(2 * n, 0);
  made->geometry[n] = 1;
  for (int d = 0; d < t.nDimension; ++d) {
    made->geometry[static_cast<size_t>(d)] = t.size[d];
    made->geometry[n + static_cast<size_t>(d)] = t.stride[d];
  }
  DLTensor& to = made->managed.dl_tensor;
  to.data = nullptr;
  if (t.numel() && device) {
    t.check_storage();
    storage_to(t.storage, device);
    made->block.reset(t.storage->memory.share_device(*device));
    device->synchronize();
    to.data = static_cast<char*>(made->block->data()) +
              t.storageOffset * static_cast<ptrdiff_t>(item_size(t.dtype));
  } else if (t.numel()) {
    to.data = t.data(Access::write);
  }
  to.device.device_type = device ? static_cast<DLDeviceType>(device->dlpack_type()) : kDLCPU;
  to.device.device_id = device ? device->index() : 0;
  to.ndim = ndim;
  to.dtype = type_of(t.dtype);
  to.shape = made->geometry.data();
  to.strides = to.shape + n;
  if constexpr (kVersioned<Managed>) {
    made->managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  }
  made->managed.manager_ctx = made.get();
  made->managed.deleter = Export<Managed>::release;
  if (to.data) {
    storage_retain(t.storage);
    made->storage.reset(t.storage);
    pin(t.storage);
  }
  return &made.release()->managed;
}

// Returns null for elements on the host.
Device* device_of_elements(const DLTensor& from) {
  const DLDeviceType type = from.device.device_type;
  if (type == kDLCPU || type == kDLCUDAHost) return nullptr;
  if (Device* device = find_dlpack_device(type, from.device.device_id)) return device;
  fail(
      "the elements are on a device that is not available here (DLPack type %d, number %d): copy "
      "them to the CPU first",
      static_cast<int>(type), static_cast<int>(from.device.device_id));
}

template <class Managed>
DType check_managed(const Managed* managed) {
  if (!managed) fail_argument(1, "a managed DLPack tensor is expected, got NULL");
  if constexpr (kVersioned<Managed>) {
    if (managed->version.major != DLPACK_MAJOR_VERSION) {
      fail("DLPack version %u.%u is not supported", managed->version.major, managed->version.minor);
    }
    if (managed->flags & DLPACK_FLAG_BITMASK_READ_ONLY) {
      fail("the elements are read-only, which tensors do not support: pass a copy");
    }
  }
  const DLTensor& from = managed->dl_tensor;
  device_of_elements(from);
  if (from.ndim < 0 || from.ndim > kMaxDims || (from.ndim > 0 && !from.shape)) {
    fail("invalid number of dimensions %d", static_cast<int>(from.ndim));
  }
  if (from.dtype.lanes == 1 && from.dtype.code == kDLBool && from.dtype.bits == 8) {
    return DType::Byte;
  }
  for (int k = 0; k < kDTypes; ++k) {
    DLDataType known = type_of(static_cast<DType>(k));
    bool same =
        known.code == from.dtype.code && known.bits == from.dtype.bits && from.dtype.lanes == 1;
    if (same) return static_cast<DType>(k);
  }
  fail("unsupported element type: %u bits, %u lanes, DLPack type %u",
       static_cast<unsigned>(from.dtype.bits), static_cast<unsigned>(from.dtype.lanes),
       static_cast<unsigned>(from.dtype.code));
}

template <class Managed>
void import_tensor(Tensor* t, Managed* managed) {
  DType type = check_managed(managed);
  if (type != t->dtype) {
    fail("%sTensor is expected, got elements of type %s", name_with_article(t->dtype), name(type));
  }
  const DLTensor& from = managed->dl_tensor;
  // A scalar (0 dimensions) becomes a vector with one element.
  const int64_t one = 1;
  int ndim = std::max<int>(from.ndim, 1);
  const int64_t* size = from.ndim ? from.shape : &one;
  int64_t count = checked_numel(ndim, size);
  std::vector<int64_t> strides = from.ndim ? strides_of(from, count) : std::vector<int64_t>{1};
  if (count == 0) {
    resize(t, ndim, size);
    if (managed->deleter) managed->deleter(managed);
    return;
  }
  int64_t elements = checked_add(last_position(0, ndim, size, strides.data()), 1, "the storage");
  if (!from.data) fail("the address of the elements is NULL");
  auto address = reinterpret_cast<uintptr_t>(from.data) + from.byte_offset;
  if (address % item_size(type) != 0) {
    fail("the address %#zx of the first element is not aligned for %s",
         static_cast<size_t>(address), name(type));
  }
  auto import = std::make_unique<Import<Managed>>();
  import->managed = managed;
  StorageRef storage;
  if (Device* device = device_of_elements(from)) {
    device->finish();
    storage.reset(storage_new(type, elements));
    storage_set_device(storage.get(), *device, reinterpret_cast<void*>(address),
                       release_on_device<Managed>, import.get());
    storage->set_current_device(device);
  } else {
    storage.reset(storage_from_block(type, reinterpret_cast<void*>(address), elements,
                                     &import_allocator<Managed>, import.get()));
  }
  Import<Managed>* context = import.release();
  storage->flag = static_cast<char>(storage->flag & ~kResizable);
  set_storage(t, storage.get(), 0, ndim, size, strides.data());
  context->owned = true;
}

}  // namespace

DLManagedTensorVersioned* to_dlpack(const Tensor& t, Device* device) {
  return export_tensor<DLManagedTensorVersioned>(t, device);
}
DLManagedTensor* to_dlpack_unversioned(const Tensor& t, Device* device) {
  return export_tensor<DLManagedTensor>(t, device);
}
DType check_dlpack(const DLManagedTensorVersioned* managed) { return check_managed(managed); }
DType check_dlpack(const DLManagedTensor* managed) { return check_managed(managed); }
void from_dlpack(Tensor* t, DLManagedTensorVersioned* managed) { import_tensor(t, managed); }
void from_dlpack(Tensor* t, DLManagedTensor* managed) { import_tensor(t, managed); }

}  // namespace th
