#ifndef TENSOR_HPP
#define TENSOR_HPP

// libTH for C++11 and later: tensors that are released automatically, and errors as exceptions. All
// TH functions accept a tensor::Tensor where they expect the tensor of its element type:
//
//   tensor::ThrowErrors errors;
//   tensor::Tensor<float> a{2, 3}, r;
//   THFloatTensor_fill(a, 2);
//   THFloatTensor_cmul(r, a, a);

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>

#include "TH.h"

namespace tensor {

struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// While an object of this class exists, errors of TH functions in its thread are thrown as Error.
// Then the process-wide handlers are in effect again. Errors in OpenMP regions are thrown after the
// region.
class ThrowErrors {
 public:
  ThrowErrors() {
    THSetErrorHandler([](const char* message, void*) { throw Error(message); }, nullptr);
    THSetArgErrorHandler(
        [](int number, const char* message, void*) {
          throw Error("bad argument #" + std::to_string(number) + " (" + message + ")");
        },
        nullptr);
  }
  ~ThrowErrors() {
    THSetErrorHandler(nullptr, nullptr);
    THSetArgErrorHandler(nullptr, nullptr);
  }
  ThrowErrors(const ThrowErrors&) = delete;
  ThrowErrors& operator=(const ThrowErrors&) = delete;
};

// The C functions of each element type, such as Functions<float>.
template <class T>
struct Functions;
#define TH_TYPE(Name, real, ...)                                                      \
  template <>                                                                         \
  struct Functions<real> {                                                            \
    using Handle = TH##Name##Tensor;                                                  \
    static Handle* create() { return TH##Name##Tensor_new(); }                        \
    static Handle* create(THLongStorage* size) {                                      \
      return TH##Name##Tensor_newWithSize(size, nullptr);                             \
    }                                                                                 \
    static void retain(Handle* t) { TH##Name##Tensor_retain(t); }                     \
    static void release(Handle* t) { TH##Name##Tensor_free(t); }                      \
    static real* data(Handle* t) { return TH##Name##Tensor_data(t); }                 \
    static int64_t numel(Handle* t) { return TH##Name##Tensor_nElement(t); }          \
    static int dims(Handle* t) { return TH##Name##Tensor_nDimension(t); }             \
    static int64_t size(Handle* t, int dim) { return TH##Name##Tensor_size(t, dim); } \
  };
#include "THTypes.def"
#undef TH_TYPE

// A reference to a tensor with elements of type T. Copies refer to the same tensor, like copies of
// a std::shared_ptr; TH..._newClone copies the elements.
template <class T>
class Tensor {
 public:
  using F = Functions<T>;
  using Handle = typename F::Handle;

  Tensor() : handle_(F::create()) {}
  // A new tensor of this shape. The elements are not initialized.
  explicit Tensor(std::initializer_list<int64_t> sizes) : handle_(of_shape(sizes)) {}
  // Takes over the reference that a TH function returned, such as TH..._newClone.
  explicit Tensor(Handle* owned) noexcept : handle_(owned) {}
  Tensor(const Tensor& other) : handle_(other.handle_) { F::retain(handle_); }
  Tensor(Tensor&& other) : Tensor() { swap(other); }
  Tensor& operator=(Tensor other) noexcept {
    swap(other);
    return *this;
  }
  ~Tensor() { F::release(handle_); }
  void swap(Tensor& other) noexcept { std::swap(handle_, other.handle_); }

  operator Handle*() const noexcept { return handle_; }
  Handle* get() const noexcept { return handle_; }

  int dims() const { return F::dims(handle_); }
  int64_t size(int dim) const { return F::size(handle_, dim); }
  int64_t numel() const { return F::numel(handle_); }
  // The first element. The others follow it if the tensor is contiguous.
  T* data() const { return F::data(handle_); }

 private:
  static Handle* of_shape(std::initializer_list<int64_t> sizes) {
    Tensor<int64_t> list;  // owns the storage if an error is thrown
    THLongTensor_resize1d(list, static_cast<int64_t>(sizes.size()));
    int64_t* to = list.data();
    for (int64_t size : sizes) *to++ = size;
    return F::create(THLongTensor_storage(list));
  }

  Handle* handle_;
};

}  // namespace tensor

#endif
