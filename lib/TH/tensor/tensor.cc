#include "tensor/tensor.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "base/op_scope.h"
#include "memory/heap.h"
#include "tensor/checked.h"

namespace th {

Tensor::~Tensor() {
  if (size != inline_geometry) heap_free(size);
  storage_free(storage);
}

void Tensor::check_fits() const {
  if (numel() == 0) return;
  if (last_position(storageOffset, nDimension, size, stride) >= storage->size) {
    fail(
        "the storage was resized to %td elements, which %sTensor of size %s at offset %lld "
        "exceeds",
        storage->size, name_with_article(dtype), shape_text(*this).c_str(), shown(storageOffset));
  }
}

ByteRange Tensor::bytes() const {
  if (numel() == 0) return {0, 0};
  int64_t last = last_position(storageOffset, nDimension, size, stride);
  size_t item = item_size(dtype);
  return {storageOffset * item, (last + 1) * item};
}

void* Tensor::data_after_move(Access access) const {
  if (storage->current_device()) note_use_on_host();
  // Overwriting needs no range: it replaces the whole storage.
  return storage->cpu(access, access == Access::overwrite ? ByteRange() : bytes());
}

Tensor* tensor_new_sized(DType type, int ndim, const int64_t* size) {
  TensorRef t(tensor_new(type));
  resize(t.get(), ndim, size);
  return t.release();
}

Tensor* tensor_new_view(const Tensor* source) {
  TensorRef t(tensor_new(source->dtype));
  set_view(t.get(), *source);
  return t.release();
}

void tensor_free(Tensor* t) noexcept {
  if (!t || !(t->flag & kRefcounted)) return;
  // If this is the only reference, no other thread can take another, so no atomic decrement is
  // needed.
  bool only = __atomic_load_n(&t->refcount, __ATOMIC_ACQUIRE) == 1;
  if (only || __atomic_sub_fetch(&t->refcount, 1, __ATOMIC_ACQ_REL) == 0) delete t;
}

bool has_contiguous_strides(const Tensor& t) {
  int64_t expected = 1;
  for (int d = t.nDimension - 1; d >= 0; --d) {
    if (t.size[d] == 0) return true;
    if (t.size[d] != 1 && t.stride[d] != expected) {
      for (int e = d - 1; e >= 0; --e) {
        if (t.size[e] == 0) return true;
      }
      return false;
    }
    expected *= t.size[d];
  }
  return true;
}

bool same_view(const Tensor& a, const Tensor& b) {
  if (a.storage != b.storage || a.storageOffset != b.storageOffset || !same_size(a, b)) {
    return false;
  }
  for (int d = 0; d < a.nDimension; ++d) {
    if (a.stride[d] != b.stride[d]) return false;
  }
  return true;
}

std::string shape_text(int ndim, const int64_t* size) {
  std::string text = "[";
  for (int d = 0; d < ndim; ++d) {
    if (d) text += " x ";
    text += std::to_string(size[d]);
  }
  return text + "]";
}

std::string shape_text(const Tensor& t) { return shape_text(t.nDimension, t.size); }

int wrap_dim(int ndim, int64_t d, int argument, const char* owner) {
  int64_t wrapped = d < 0 ? d + ndim : d;
  if (wrapped < 0 || wrapped >= ndim) {
    fail_argument(argument, "dimension %lld is out of range of a %s of %d dimension%s", shown(d),
                  owner, ndim, ndim == 1 ? "" : "s");
  }
  return static_cast<int>(wrapped);
}

int wrap_dim(const Tensor& t, int64_t d, int argument) {
  return wrap_dim(t.nDimension, d, argument);
}

int64_t wrap_index(int64_t index, int64_t size, int argument) {
  int64_t wrapped = index < 0 ? index + size : index;
  if (wrapped < 0 || wrapped >= size) {
    fail_argument(argument, "index %lld is out of range of a dimension of size %lld", shown(index),
                  as_long(size));
  }
  return wrapped;
}

int64_t checked_numel(int ndim, const int64_t* size) {
  if (ndim > kMaxDims) fail("%d dimensions are more than the %d a tensor can have", ndim, kMaxDims);
  if (ndim < 0) fail("a tensor cannot have %d dimensions", ndim);
  if (ndim == 0) return 0;
  if (!size) fail("the sizes of %d dimensions are expected, got NULL", ndim);
  // The product of the nonzero sizes must not overflow even for an empty tensor: strides are such
  // products.
  int64_t n = 1;
  bool empty = false, fits = true;
  for (int d = 0; d < ndim; ++d) {
    if (size[d] < 0) {
      fail("size %lld of dimension %lld is negative", as_long(size[d]), shown(d));
    }
    if (size[d] == 0) {
      empty = true;
    } else {
      fits = fits && mul_fits(n, size[d], &n);
    }
  }
  if (!fits) fail("a tensor of size %s is too large", shape_text(ndim, size).c_str());
  return empty ? 0 : n;
}

constexpr char kLastPosition[] = "the position of a tensor's last element";

int64_t last_position(int64_t offset, int ndim, const int64_t* size, const int64_t* stride) {
  int64_t last = offset;
  for (int d = 0; d < ndim; ++d) {
    const int64_t distance = checked_mul(size[d] - 1, stride[d], kLastPosition);
    last = checked_add(last, distance, kLastPosition);
  }
  return last;
}

int64_t stride_before(int64_t size, int64_t stride) {
  return checked_mul(stride, size > 0 ? size : 1, "a stride");
}

namespace {

void reserve_dims(Tensor* t, int ndim) {
  if (ndim <= t->capacity) return;
  auto* block = static_cast<int64_t*>(heap_allocate(2 * sizeof(int64_t) * ndim));
  std::copy(t->size, t->size + t->nDimension, block);
  std::copy(t->stride, t->stride + t->nDimension, block + ndim);
  if (t->size != t->inline_geometry) heap_free(t->size);
  t->size = block;
  t->stride = block + ndim;
  t->capacity = ndim;
}

Storage* new_storage(const Tensor& t, ptrdiff_t elements) {
  StorageRef made(storage_new(t.dtype, elements));
  made->set_current_device(thread_default_device());
  if (t.exposed && !made->current_device()) settle(made.get());
  return made.release();
}

}  // namespace

void set_geometry(Tensor* t, int ndim, const int64_t* size, const int64_t* stride) {
  if (__atomic_load_n(&t->pins, __ATOMIC_ACQUIRE) > 0) {
    fail("this %sTensor is in use by an operation and cannot be changed now", name(t->dtype));
  }
  int64_t numel = checked_numel(ndim, size);
  // size and stride may point to t's own arrays, so work on copies until nothing can fail.
  int64_t sizes[kMaxDims], strides[kMaxDims];
  for (int d = ndim - 1; d >= 0; --d) {
    sizes[d] = size[d];
    if (stride && stride[d] >= 0) {
      if (stride[d] > kMostElements) {
        fail("stride %lld of dimension %lld is too large", as_long(stride[d]), shown(d));
      }
      strides[d] = stride[d];
    } else {
      strides[d] = d == ndim - 1 ? 1 : stride_before(sizes[d + 1], strides[d + 1]);
    }
  }
  reserve_dims(t, ndim);
  if (numel) {
    const int64_t last = stride ? last_position(t->storageOffset, ndim, sizes, strides)
                                : checked_add(t->storageOffset, numel - 1, kLastPosition);
    const int64_t needed = last + 1;
    if (!t->storage) {
      t->storage = new_storage(*t, needed);
    } else if (t->exposed && !t->storage->current_device()) {
      storage_resize_now(t->storage, std::max<ptrdiff_t>(needed, t->storage->size));
    } else if (needed > t->storage->size) {
      storage_resize(t->storage, needed);
    }
  }
  t->nDimension = ndim;
  for (int d = 0; d < ndim; ++d) {
    t->size[d] = sizes[d];
    t->stride[d] = strides[d];
  }
}

void set_columns(Tensor* t, int ndim, const int64_t* size, int64_t leading) {
  int64_t whole[kMaxDims], stride[kMaxDims];
  std::copy(size, size + ndim, whole);
  const int rows = ndim - 2, columns = ndim - 1;
  whole[rows] = std::max(size[rows], leading);
  stride[rows] = 1;
  stride[columns] = std::max<int64_t>(whole[rows], 1);
  int64_t step = checked_mul(stride[columns], std::max<int64_t>(size[columns], 1), "a matrix");
  for (int d = rows - 1; d >= 0; --d) {
    stride[d] = step;
    step = checked_mul(step, std::max<int64_t>(size[d], 1), "a batch of matrices");
  }
  set_geometry(t, ndim, whole, stride);
  t->size[rows] = size[rows];
}

void resize(Tensor* t, int ndim, const int64_t* size, const int64_t* stride) {
  bool same = ndim == t->nDimension && (size || ndim == 0);
  for (int d = 0; same && d < ndim; ++d) {
    same = size[d] == t->size[d] && (!stride || stride[d] < 0 || stride[d] == t->stride[d]);
  }
  if (!same) set_geometry(t, ndim, size, stride);
}

void resize_as(Tensor* t, const Tensor& like) {
  if (!same_size(*t, like)) set_geometry(t, like.nDimension, like.size, nullptr);
}

void set_view(Tensor* t, const Tensor& source) {
  if (t == &source) return;
  set_part(t, source, source.storageOffset, source.nDimension, source.size, source.stride);
}

void set_storage(Tensor* t, Storage* storage, ptrdiff_t offset, int ndim, const int64_t* size,
                 const int64_t* stride) {
  if (storage && storage->dtype != t->dtype) {
    fail("%sTensor cannot view %sStorage", name_with_article(t->dtype),
         name_with_article(storage->dtype));
  }
  if (offset < 0) fail("storage offset %td is negative", offset);
  if (offset > kMostElements) fail("storage offset %td is too large", offset);
  Storage* old_storage = t->storage;
  ptrdiff_t old_offset = t->storageOffset;
  storage_retain(storage);
  t->storage = storage;
  t->storageOffset = offset;
  try {
    set_geometry(t, ndim, size, stride);
  } catch (...) {
    Storage* abandoned = t->storage;
    t->storage = old_storage;
    t->storageOffset = old_offset;
    storage_free(abandoned);
    throw;
  }
  storage_free(old_storage);
}

void set_part(Tensor* r, const Tensor& t, ptrdiff_t offset, int ndim, const int64_t* size,
              const int64_t* stride) {
  Storage* storage = t.storage;
  bool is_simple = r->dtype == t.dtype && !r->exposed && !(storage && storage->shrunk) &&
                   ndim <= r->capacity && __atomic_load_n(&r->pins, __ATOMIC_ACQUIRE) == 0;
  if (!is_simple) {
    set_storage(r, storage, offset, ndim, size, stride);
    return;
  }
  r->nDimension = ndim;
  for (int d = 0; d < ndim; ++d) {
    r->size[d] = size[d];
    r->stride[d] = stride[d];
  }
  r->storageOffset = offset;
  if (r->storage == storage) return;
  storage_retain(storage);
  storage_free(std::exchange(r->storage, storage));
}

void ensure_storage(Tensor* t) {
  if (!t->storage) t->storage = new_storage(*t, 0);
}

TensorRef vector_of(Storage* storage, ptrdiff_t first, int64_t count) {
  TensorRef view(tensor_new(storage->dtype));
  set_storage(view.get(), storage, first, 1, &count, nullptr);
  return view;
}

TensorRef strided_view(const Tensor& t, ptrdiff_t offset, int ndim, const int64_t* size,
                       const int64_t* stride) {
  TensorRef view(tensor_new(t.dtype));
  set_storage(view.get(), t.storage, offset, ndim, size, stride);
  return view;
}

}  // namespace th
