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
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "TH.h"

namespace tensor {

struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// While an object of this class exists, errors of TH functions in its thread are thrown as Error.
// Then the previous handlers are in effect again, unless others have been set. Errors in OpenMP
// regions are thrown after the region.
class ThrowErrors {
 public:
  ThrowErrors()
      : error_(THGetErrorHandler(&error_data_)), argument_(THGetArgErrorHandler(&argument_data_)) {
    THSetErrorHandler(throw_error, nullptr);
    THSetArgErrorHandler(throw_argument_error, nullptr);
  }
  ~ThrowErrors() {
    void* data;
    if (THGetErrorHandler(&data) == throw_error) THSetErrorHandler(error_, error_data_);
    if (THGetArgErrorHandler(&data) == throw_argument_error) {
      THSetArgErrorHandler(argument_, argument_data_);
    }
  }
  ThrowErrors(const ThrowErrors&) = delete;
  ThrowErrors& operator=(const ThrowErrors&) = delete;

 private:
  static void throw_error(const char* message, void*) { throw Error(message); }
  static void throw_argument_error(int number, const char* message, void*) {
    throw Error("bad argument #" + std::to_string(number) + " (" + message + ")");
  }

  void *error_data_, *argument_data_;
  THErrorHandlerFunction error_;
  THArgErrorHandlerFunction argument_;
};

// The C functions of each element type, such as Functions<float>.
template <class T>
struct Functions {
  static_assert(
      sizeof(T) == 0,
      "the element types are unsigned char, char, short, int, int64_t, THHalf, THBFloat16, "
      "float and double");
};
#define TH_TYPE(Name, real, ...)                                                                 \
  template <>                                                                                    \
  struct Functions<real> {                                                                       \
    using Handle = TH##Name##Tensor;                                                             \
    static Handle* create() { return TH##Name##Tensor_new(); }                                   \
    static Handle* create(THLongStorage* size) {                                                 \
      return TH##Name##Tensor_newWithSize(size, nullptr);                                        \
    }                                                                                            \
    static void retain(Handle* t) { TH##Name##Tensor_retain(t); }                                \
    static void release(Handle* t) { TH##Name##Tensor_free(t); }                                 \
    static real* data(Handle* t) { return TH##Name##Tensor_data(t); }                            \
    static int64_t numel(Handle* t) { return TH##Name##Tensor_nElement(t); }                     \
    static int dims(Handle* t) { return TH##Name##Tensor_nDimension(t); }                        \
    static int64_t size(Handle* t, int dim) { return TH##Name##Tensor_size(t, dim); }            \
    static void load(Handle* t, const char* file) { TH##Name##Tensor_load(t, file); }            \
    static void save(Handle* t, const char* file) { TH##Name##Tensor_save(t, file); }            \
    static void load_csv(Handle* t, const char* file, const THCsvOptions* options) {             \
      TH##Name##Tensor_loadCsv(t, file, options);                                                \
    }                                                                                            \
    static void save_csv(Handle* t, const char* file, const char* const* names, int64_t count) { \
      TH##Name##Tensor_saveCsv(t, file, names, count);                                           \
    }                                                                                            \
    static void read(Handle* t, THTensorReader* file, int64_t k, bool map) {                     \
      if (map) {                                                                                 \
        TH##Name##Tensor_mapFrom(t, file, k);                                                    \
      } else {                                                                                   \
        TH##Name##Tensor_readFrom(t, file, k);                                                   \
      }                                                                                          \
    }                                                                                            \
    static void write(Handle* t, THTensorWriter* file, const char* name) {                       \
      TH##Name##Tensor_writeTo(t, file, name);                                                   \
    }                                                                                            \
    static char* text(Handle* t, const THPrintOptions* options) {                                \
      return TH##Name##Tensor_toString(t, options);                                              \
    }                                                                                            \
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
  // A new tensor of this shape. The elements are 0.
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

// Read the tensor of an .npy file, and the matrix of a .csv or .tsv file. Elements of another type
// are converted.
template <class T>
Tensor<T> load(const std::string& filename) {
  Tensor<T> t;
  Functions<T>::load(t, filename.c_str());
  return t;
}
template <class T>
Tensor<T> load_csv(const std::string& filename, const THCsvOptions* options = nullptr) {
  Tensor<T> t;
  Functions<T>::load_csv(t, filename.c_str(), options);
  return t;
}

// Write an .npy file, and a .csv or .tsv file. names: of all columns, or none.
template <class T>
void save(const std::string& filename, const Tensor<T>& t) {
  Functions<T>::save(t, filename.c_str());
}
template <class T>
void save_csv(const std::string& filename, const Tensor<T>& t,
              const std::vector<std::string>& names = {}) {
  std::vector<const char*> list;
  for (const std::string& name : names) list.push_back(name.c_str());
  Functions<T>::save_csv(t, filename.c_str(), names.empty() ? nullptr : list.data(),
                         static_cast<int64_t>(list.size()));
}

// Reads an .npz or .safetensors file.
class Reader {
 public:
  explicit Reader(const std::string& filename)
      : file_(THTensorReader_new(filename.c_str()), THTensorReader_free) {}

  int64_t count() const { return THTensorReader_count(get()); }
  std::string name(int64_t k) const { return THTensorReader_name(get(), k); }
  THType type(int64_t k) const { return THTensorReader_type(get(), k); }
  // Returns a tensor of the file. map: its elements are mapped into memory.
  template <class T>
  Tensor<T> read(int64_t k, bool map = false) const {
    Tensor<T> t;
    Functions<T>::read(t, get(), k, map);
    return t;
  }
  template <class T>
  Tensor<T> read(const std::string& name, bool map = false) const {
    const int64_t k = THTensorReader_find(get(), name.c_str());
    if (k < 0) throw Error("the file has no tensor '" + name + "'");
    return read<T>(k, map);
  }
  THTensorReader* get() const { return file_.get(); }

 private:
  std::unique_ptr<THTensorReader, void (*)(THTensorReader*)> file_;
};

// Writes an .npz or .safetensors file.
class Writer {
 public:
  explicit Writer(const std::string& filename)
      : file_(THTensorWriter_new(filename.c_str()), THTensorWriter_free) {}

  template <class T>
  void add(const std::string& name, const Tensor<T>& t) {
    Functions<T>::write(t, get(), name.c_str());
  }
  void commit() { THTensorWriter_commit(get()); }
  THTensorWriter* get() const { return file_.get(); }

 private:
  std::unique_ptr<THTensorWriter, void (*)(THTensorWriter*)> file_;
};

// The printed form. options: null for the defaults.
template <class T>
std::string to_string(const Tensor<T>& t, const THPrintOptions* options = nullptr) {
  std::unique_ptr<char, void (*)(void*)> text(Functions<T>::text(t, options), THFree);
  return text.get();
}
template <class T>
std::ostream& operator<<(std::ostream& stream, const Tensor<T>& t) {
  return stream << to_string(t);
}

}  // namespace tensor

#endif
