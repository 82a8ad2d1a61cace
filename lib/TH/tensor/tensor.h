#ifndef TH_TENSOR_TENSOR_H
#define TH_TENSOR_TENSOR_H

#include <string>
#include <utility>

#include "base/visibility.h"
#include "tensor/limits.h"
#include "tensor/storage.h"

namespace th TH_VISIBLE {

// A view of a storage; strides and offset are in elements. The first fields are those of the public
// THFloatTensor and the other tensor structs. A tensor without dimensions has no elements (Torch7's
// empty tensor). Invariants, checked by set_geometry and set_storage: no size, stride or offset,
// nor the product of the nonzero sizes, is negative or above kMostElements; and the storage
// contained all elements when the view was made. So positions computed from indices within the
// sizes need no further check.
struct Tensor : Recycled {
  int64_t* size;
  int64_t* stride;
  int nDimension;
  Storage* storage;  // null until one is needed
  ptrdiff_t storageOffset;
  int refcount;
  char flag;
  DType dtype;
  bool exposed;  // C code may hold the tensor, so new memory is allocated eagerly
  int capacity;  // number of dimensions for which size and stride have space
  int retained;  // references that Lua code took by retain() and may release by free()
  int pins;      // while > 0, sizes, strides and storage cannot change

  // With this size a tensor fills two cache lines.
  static constexpr int kInlineDims = 4;
  int64_t inline_geometry[2 * kInlineDims];

  explicit Tensor(DType type)
      : size(inline_geometry),
        stride(inline_geometry + kInlineDims),
        nDimension(0),
        storage(nullptr),
        storageOffset(0),
        refcount(1),
        flag(kRefcounted),
        dtype(type),
        exposed(false),
        capacity(kInlineDims),
        retained(0),
        pins(0) {}
  ~Tensor();
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;

  int64_t numel() const {
    if (nDimension == 0) return 0;
    int64_t n = 1;
    for (int d = 0; d < nDimension; ++d) n *= size[d];
    return n;
  }

  // Host address of the first element. Null only if the storage is empty. Throws if the storage has
  // been made too small for the tensor.
  char* data(Access access) const {
    if (!storage) return nullptr;
    check_storage();
    void* block = storage->memory.cpu_if_ready(access);
    if (!block || block != storage->get_data() || storage->current_device()) {
      block = data_after_move(access);
    }
    if (!block) return nullptr;
    return static_cast<char*>(block) + storageOffset * item_size(dtype);
  }
  // The same address for reading and writing if no copy, allocation or check is necessary, else
  // null.
  char* data_if_ready() const {
    if (!storage || storage->shrunk || storage->current_device()) return nullptr;
    void* block = storage->memory.cpu_if_ready(Access::write);
    if (!block || block != storage->get_data()) return nullptr;
    return static_cast<char*>(block) + storageOffset * item_size(dtype);
  }
  void* data_after_move(Access access) const;
  // The byte range of the storage from the first element to the last.
  ByteRange bytes() const;
  // The offset of an element in the storage. index: one index per dimension, from 0, within the
  // sizes.
  ptrdiff_t position(const int64_t* index) const {
    ptrdiff_t at = storageOffset;
    for (int d = 0; d < nDimension; ++d) at += index[d] * stride[d];
    return at;
  }
  // Throws if the storage has been made too small for the tensor.
  void check_storage() const {
    if (storage && storage->shrunk) check_fits();
  }
  void check_fits() const;
  template <class T>
  T* data_as(Access access) const {
    return reinterpret_cast<T*>(data(access));
  }
};

// ---- lifetime ----------------------------------------------------------------------------------

inline Tensor* tensor_new(DType type) { return new Tensor(type); }
Tensor* tensor_new_sized(DType type, int ndim, const int64_t* size);
Tensor* tensor_new_view(const Tensor* t);  // same storage, offset, sizes and strides
// Marks the tensor as visible to C code and makes its data valid: see settle(Storage*).
inline void expose_to_c(Tensor* t) {
  // Atomic, since several threads may hold the tensor.
  if (!__atomic_load_n(&t->exposed, __ATOMIC_RELAXED)) {
    __atomic_store_n(&t->exposed, true, __ATOMIC_RELAXED);
  }
  settle(t->storage);
}
inline void tensor_retain(Tensor* t) {
  if (t->flag & kRefcounted) __atomic_fetch_add(&t->refcount, 1, __ATOMIC_RELAXED);
}
void tensor_free(Tensor* t) noexcept;
inline void pin(Tensor* t) { __atomic_fetch_add(&t->pins, 1, __ATOMIC_ACQ_REL); }
inline void unpin(Tensor* t) { __atomic_fetch_sub(&t->pins, 1, __ATOMIC_ACQ_REL); }

// Owns one reference, so that an exception releases it.
class TensorRef {
 public:
  TensorRef() = default;
  explicit TensorRef(Tensor* owned) : t_(owned) {}
  TensorRef(TensorRef&& other) noexcept : t_(std::exchange(other.t_, nullptr)) {}
  TensorRef& operator=(TensorRef&& other) noexcept {
    std::swap(t_, other.t_);
    return *this;
  }
  ~TensorRef() {
    if (t_) tensor_free(t_);
  }
  Tensor* get() const { return t_; }
  Tensor* operator->() const { return t_; }
  Tensor& operator*() const { return *t_; }
  explicit operator bool() const { return t_ != nullptr; }
  Tensor* release() { return std::exchange(t_, nullptr); }

 private:
  Tensor* t_ = nullptr;
};
// Returns another reference to t, which may be null.
inline TensorRef shared(Tensor* t) {
  if (t) tensor_retain(t);
  return TensorRef(t);
}

// ---- geometry ----------------------------------------------------------------------------------

bool has_contiguous_strides(const Tensor& t);
inline bool is_contiguous(const Tensor& t) {
  return t.nDimension == 1 ? t.stride[0] == 1 || t.size[0] <= 1 : has_contiguous_strides(t);
}
inline bool has_shape(const Tensor& t, int ndim, const int64_t* size) {
  if (t.nDimension != ndim) return false;
  for (int d = 0; d < ndim; ++d) {
    if (t.size[d] != size[d]) return false;
  }
  return true;
}
inline bool same_size(const Tensor& a, const Tensor& b) {
  return has_shape(a, b.nDimension, b.size);
}
// The sizes of a matrix, or of the matrices of a batch.
inline int64_t rows_of(const Tensor& t) { return t.size[t.nDimension - 2]; }
inline int64_t columns_of(const Tensor& t) { return t.size[t.nDimension - 1]; }
bool same_view(const Tensor& a, const Tensor& b);  // compares storage, offset, sizes and strides
// "[2 x 3]", "[]"
std::string shape_text(const Tensor& t);
std::string shape_text(int ndim, const int64_t* size);

// Converts a dimension that counts from the front (0, ...) or the back (-1, ...) to one from 0.
// Throws if it is out of range. owner, for the message: what has the dimensions.
int wrap_dim(const Tensor& t, int64_t d, int argument = 0);
int wrap_dim(int ndim, int64_t d, int argument = 0, const char* owner = "tensor");
int64_t wrap_index(int64_t index, int64_t size, int argument = 0);

// Returns the number of elements. Throws for a negative size, too many dimensions, or overflow.
int64_t checked_numel(int ndim, const int64_t* size);
// Returns the position of the last element in memory, from 0, for a view that is not empty. Throws
// on overflow.
int64_t last_position(int64_t offset, int ndim, const int64_t* size, const int64_t* stride);
// Returns the contiguous stride of the dimension before one with this size and stride.
int64_t stride_before(int64_t size, int64_t stride);

// Sets sizes and strides after checking the limits. A null stride or negative entries mean
// contiguous strides. Grows the storage if it is too small.
void set_geometry(Tensor* t, int ndim, const int64_t* size, const int64_t* stride);
// The same with strides for which each matrix in the last two dimensions is column-major. Each
// column has space for `leading` elements, at least for its own.
void set_columns(Tensor* t, int ndim, const int64_t* size, int64_t leading = 0);
// Torch7's resize: if the sizes agree already, nothing changes, whatever the strides are.
void resize(Tensor* t, int ndim, const int64_t* size, const int64_t* stride = nullptr);
void resize_as(Tensor* t, const Tensor& like);
void set_view(Tensor* t, const Tensor& source);
void set_storage(Tensor* t, Storage* storage, ptrdiff_t offset, int ndim, const int64_t* size,
                 const int64_t* stride);
// Makes r a view of part of t. The part is not checked, unless t's storage has shrunk. size and
// stride must not be r's own arrays.
void set_part(Tensor* r, const Tensor& t, ptrdiff_t offset, int ndim, const int64_t* size,
              const int64_t* stride);
void ensure_storage(Tensor* t);
// Returns count elements of a storage, starting at first, as a vector.
TensorRef vector_of(Storage* storage, ptrdiff_t first, int64_t count);
// Returns a view of t's storage. A null stride means contiguous strides.
TensorRef strided_view(const Tensor& t, ptrdiff_t offset, int ndim, const int64_t* size,
                       const int64_t* stride);

}  // namespace TH_VISIBLE

#endif
