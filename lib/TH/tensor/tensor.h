#ifndef TH_TENSOR_TENSOR_H
#define TH_TENSOR_TENSOR_H

#include <string>
#include <utility>

#include "tensor/limits.h"
#include "tensor/storage.h"
#include "memory/visibility.h"

namespace th TH_VISIBLE {

// A view of a storage: sizes and strides in elements. The first fields are those of the public
// THFloatTensor and its sisters. No dimension at all means no element (Torch7's empty tensor).
// set_geometry and set_storage see to it that none of the numbers, nor the product of the sizes
// that are not 0, is negative or above kMostElements, and that the storage had all elements once:
// what an index within the sizes leads to needs no further check.
struct Tensor : Recycled {
  int64_t* size;
  int64_t* stride;
  int nDimension;
  Storage* storage;  // null as long as nothing needed one
  ptrdiff_t storageOffset;
  int refcount;
  char flag;
  DType dtype;
  bool lent;     // C code has it: where it gets another storage or size, memory comes with it
  int capacity;  // dimensions that size and stride have room for
  int retained;  // references that Lua code took by retain(), and may give back by free()
  int pins;      // while it is not 0 sizes, strides and storage stay

  // With these a tensor is two cache lines.
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
        lent(false),
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

  // Host address of the first element; null only when the storage has none. Throws where the
  // storage has been made too small for the tensor meanwhile.
  char* data(Access access) const {
    if (!storage) return nullptr;
    check_storage();
    void* block = storage->memory.cpu_if_ready(access);
    if (!block || block != storage->get_data() || storage->get_home()) {
      block = data_after_move(access);
    }
    if (!block) return nullptr;
    return static_cast<char*>(block) + storageOffset * item_size(dtype);
  }
  // The same for reading and writing where nothing has to be done first; otherwise null.
  char* data_if_ready() const {
    if (!storage || storage->shrunk || storage->get_home()) return nullptr;
    void* block = storage->memory.cpu_if_ready(Access::write);
    if (!block || block != storage->get_data()) return nullptr;
    return static_cast<char*>(block) + storageOffset * item_size(dtype);
  }
  void* data_after_move(Access access) const;
  // The bytes of the storage from the first element's to the last one's.
  ByteRange bytes() const;
  // Where an element is in the storage: one index for each dimension, from 0 and within the sizes.
  ptrdiff_t position(const int64_t* index) const {
    ptrdiff_t at = storageOffset;
    for (int d = 0; d < nDimension; ++d) at += index[d] * stride[d];
    return at;
  }
  // Throws as data() does.
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
Tensor* tensor_new_view(const Tensor* t);  // same storage, same geometry
// C code has, or may get, the tensor, which is true when this returns: see settle(Storage*).
inline void lend(Tensor* t) {
  // Several threads may have it.
  if (!__atomic_load_n(&t->lent, __ATOMIC_RELAXED)) {
    __atomic_store_n(&t->lent, true, __ATOMIC_RELAXED);
  }
  settle(t->storage);
}
inline void tensor_retain(Tensor* t) {
  if (t->flag & kRefcounted) __atomic_fetch_add(&t->refcount, 1, __ATOMIC_RELAXED);
}
void tensor_free(Tensor* t) noexcept;
inline void pin(Tensor* t) { __atomic_fetch_add(&t->pins, 1, __ATOMIC_ACQ_REL); }
inline void unpin(Tensor* t) { __atomic_fetch_sub(&t->pins, 1, __ATOMIC_ACQ_REL); }

// Owns one reference; for temporaries, so that an exception releases them.
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

// ---- geometry ----------------------------------------------------------------------------------

bool has_contiguous_strides(const Tensor& t);
inline bool is_contiguous(const Tensor& t) {
  return t.nDimension == 1 ? t.stride[0] == 1 || t.size[0] <= 1 : has_contiguous_strides(t);
}
bool same_size(const Tensor& a, const Tensor& b);
bool same_view(const Tensor& a, const Tensor& b);  // storage, offset, sizes and strides
// "[2 x 3]", "[]"
std::string shape_text(const Tensor& t);
std::string shape_text(int ndim, const int64_t* size);

// d from the front (0, ...) or from the back (-1, ...); throws naming the tensor's dimensions.
int wrap_dim(const Tensor& t, int64_t d, int argument = 0);
int wrap_dim(int ndim, int64_t d, int argument = 0);
int64_t wrap_index(int64_t index, int64_t size, int argument = 0);

// Elements of a shape; throws on a negative size, too many dimensions, or overflow.
int64_t checked_numel(int ndim, const int64_t* size);
// Where the last element in memory is of a view that has elements, from 0; throws on overflow.
int64_t last_position(int64_t offset, int ndim, const int64_t* size, const int64_t* stride);
// The stride of the dimension before one of that size and stride, where they are contiguous.
int64_t stride_before(int64_t size, int64_t stride);

// Low-level: takes sizes and strides as they are, after checking them against the storage's
// limits; stride null or negative entries: contiguous. Grows the storage where it is too short.
void set_geometry(Tensor* t, int ndim, const int64_t* size, const int64_t* stride);
// Torch7's resize: nothing happens where the sizes agree (whatever the strides).
void resize(Tensor* t, int ndim, const int64_t* size, const int64_t* stride = nullptr);
void resize_as(Tensor* t, const Tensor& like);
void set_view(Tensor* t, const Tensor& source);
void set_storage(Tensor* t, Storage* storage, ptrdiff_t offset, int ndim, const int64_t* size,
                 const int64_t* stride);
// r becomes a view of elements of t, which are not looked at unless t's storage has shrunk. size
// and stride are not r's own.
void set_part(Tensor* r, const Tensor& t, ptrdiff_t offset, int ndim, const int64_t* size,
              const int64_t* stride);
void ensure_storage(Tensor* t);
// count elements of a storage from first on, as a vector.
TensorRef vector_of(Storage* storage, ptrdiff_t first, int64_t count);

}  // namespace TH_VISIBLE

#endif
