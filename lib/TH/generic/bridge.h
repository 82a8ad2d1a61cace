#ifndef TH_GENERIC_BRIDGE_H
#define TH_GENERIC_BRIDGE_H

// Converts between the typed C functions and the type-erased core. This is the only place where
// THFloatTensor* and the other tensor types become th::Tensor*, and C numbers become Scalars.

#include <algorithm>
#include <climits>
#include <cstring>
#include <type_traits>

#include "base/op_scope.h"
#include "generic/guard.h"
#include "ops/ops.h"
#include "ops/rows.h"
#include "ops/tracer.h"
#include "tensor/convert.h"

namespace th {

template <class T>
Tensor* erase_tensor(const T* t) {
  return reinterpret_cast<Tensor*>(const_cast<T*>(t));
}
template <class T>
Storage* erase_storage(const T* s) {
  return reinterpret_cast<Storage*>(const_cast<T*>(s));
}

template <class T>
constexpr Scalar to_scalar(T x) {
  if constexpr (std::is_same_v<T, char>) {
    // An element of a CharTensor, which is signed also where `char` is unsigned.
    return Scalar(int64_t{static_cast<signed char>(x)});
  } else if constexpr (IsReduced<T>::value) {
    return Scalar(static_cast<double>(load(x)));
  } else if constexpr (std::is_integral_v<T>) {
    return Scalar(static_cast<int64_t>(x));
  } else {
    return Scalar(static_cast<double>(x));
  }
}
static_assert(to_scalar(static_cast<char>(-1)).i == -1);

// Makes the data fields of the tensors of an operation valid for C code after it: those of the
// results, and those of the inputs, because the program may write through them. Results stay on a
// device only if the program has set that device for one of the tensors.
class Exposure {
 public:
  void add(Tensor* t);
  void add(const TensorList& list);
  // Runs the operation. Fields are valid after an error, too, unless their memory cannot be copied.
  template <class F>
  void after(const F& operation) const {
    try {
      operation();
      for_each([&](Tensor* t) { expose(t); });
    } catch (...) {
      for_each([&](Tensor* t) { try_to_expose(t); });
      throw;
    }
  }

 private:
  void note(const Tensor* t);
  void expose(Tensor* t) const;
  void try_to_expose(Tensor* t) const noexcept;
  template <class F>
  void for_each(const F& f) const {
    for (int k = 0; k < count_; ++k) f(tensors_[k]);
    for (int k = 0; k < list_count_; ++k) {
      std::for_each(lists_[k]->tensors, lists_[k]->tensors + lists_[k]->count, f);
    }
  }

  Tensor* tensors_[kMaxParameters];
  const TensorList* lists_[kMaxParameters];
  int count_ = 0, list_count_ = 0;
  bool on_request_ = false;
};

// Sets one element of a storage. bytes: the value in the element type of the storage. If only a
// device holds the elements, the device writes it, to avoid a copy to the host. If the
// thread has tracers, an operation writes it, which a tape records.
inline void storage_write(Storage* s, ptrdiff_t index, const void* bytes, const Scalar& value) {
  size_t item = item_size(s->dtype);
  if (is_on_device(s) || (tracing() && has_tracers())) {
    ops::fill(vector_of(s, index, 1).get(), value);
    settle(s);
  } else {
    void* data = s->cpu(Access::write, {index * item, (index + 1) * item});
    std::memcpy(static_cast<char*>(data) + index * item, bytes, item);
  }
}

// A storage of sizes. NULL gives an empty list.
inline Sizes to_sizes(const void* long_storage) {
  auto* s = erase_storage(long_storage);
  if (!s) return {0, nullptr};
  int count = static_cast<int>(std::min<ptrdiff_t>(s->size, INT_MAX));
  return {count, static_cast<int64_t*>(s->cpu(Access::read))};
}

// The number of sizes of a list that call_from_c still has to read.
constexpr int kUnreadSizes = -2;

// Converts an argument of a C function to the type of the field. Sizes are read, and generators
// checked, by call_from_c, which can report errors.
template <class To, class From>
To from_c(From x) {
  if constexpr (std::is_same_v<To, From>) {
    return x;
  } else if constexpr (std::is_same_v<To, Tensor*>) {
    return erase_tensor(x);
  } else if constexpr (std::is_same_v<To, Scalar>) {
    return to_scalar(x);
  } else if constexpr (std::is_same_v<To, Sizes>) {
    return {kUnreadSizes, reinterpret_cast<const int64_t*>(x)};
  } else if constexpr (std::is_same_v<To, char>) {
    return x ? *x : '\0';  // an option letter
  } else if constexpr (std::is_pointer_v<To>) {
    return reinterpret_cast<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

// The value that a C function of type R returns.
template <class R, class Arguments>
R returned_to_c(const Arguments& arguments) {
  if constexpr (std::is_void_v<R>) {
    return;
  } else if constexpr (std::is_same_v<decltype(arguments.returned), Scalar>) {
    return convert<R>(arguments.returned);
  } else {
    return static_cast<R>(arguments.returned);
  }
}

// Runs an operation for a C function, whose name is in messages: converts errors for C callers and
// makes the data fields of the tensors valid for them afterwards.
void call_from_c(Op op, void* arguments, const char* function = __builtin_FUNCTION());
void copy_and_expose(Tensor* r, Tensor* src);  // in a C function
void copy_from_c(Tensor* r, Tensor* src, const char* function = __builtin_FUNCTION());

}  // namespace th

#endif
