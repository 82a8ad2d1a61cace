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
#include "tensor/convert.h"
#include "tensor/rollback.h"

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
Scalar to_scalar(T x) {
  if constexpr (IsReduced<T>::value) {
    return Scalar(static_cast<double>(load(x)));
  } else if constexpr (std::is_integral_v<T>) {
    return Scalar(static_cast<int64_t>(x));
  } else {
    return Scalar(static_cast<double>(x));
  }
}

// Sets one element of a storage. bytes: the value in the element type of the storage. If only a
// device holds the elements, the device writes it, to avoid a copy to the host.
inline void storage_write(Storage* s, ptrdiff_t index, const void* bytes, const Scalar& value) {
  size_t item = item_size(s->dtype);
  if (is_on_device(s)) {
    ops::fill(vector_of(s, index, 1).get(), value);
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

template <class T>
Generator* erase_generator(T* g) {
  if (!g) fail("a generator is expected, got NULL");
  return reinterpret_cast<Generator*>(g);
}

template <class To, class From>
To bridge(From x) {
  if constexpr (std::is_same_v<To, From>) {
    return x;
  } else if constexpr (std::is_same_v<To, Tensor*>) {
    return erase_tensor(x);
  } else if constexpr (std::is_same_v<To, Scalar>) {
    return to_scalar(x);
  } else if constexpr (std::is_same_v<To, Sizes>) {
    return to_sizes(x);
  } else if constexpr (std::is_same_v<To, Generator*>) {
    return erase_generator(x);
  } else if constexpr (std::is_same_v<From, const char*>) {
    return x ? *x : '\0';  // an option letter
  } else if constexpr (std::is_pointer_v<To>) {
    return reinterpret_cast<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

template <class To, class From>
To bridge_result(From x) {
  if constexpr (std::is_same_v<From, Scalar>) {
    return convert<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

// Holds the tensors of one call, to make their data fields valid for C code afterwards. Results
// stay on a device only if the program has set that device for one of the operands. If the call
// fails, the tensors get back the sizes they had.
class Settled {
 public:
  template <class... P>
  explicit Settled(const P&... arguments) {
    static_assert((0 + ... + int{std::is_same_v<P, Tensor*>}) <= kMost);
    (add(arguments), ...);
    start();
  }
  ~Settled() {
    if (!settled_) before_.restore();
  }
  Settled(const Settled&) = delete;
  Settled& operator=(const Settled&) = delete;
  void settle();

 private:
  static constexpr int kMost = Rollback::kMost;
  template <class T>
  void add(const T& argument) {
    if constexpr (std::is_same_v<T, Tensor*>) {
      if (argument) tensors_[count_++] = argument;
    }
  }
  void start();

  Tensor* tensors_[kMost];
  int count_ = 0;
  bool on_request_ = false, settled_ = false;
  Rollback before_;
};

template <class R, class... P>
R call_settled(R (*operation)(P...), P... arguments) {
  Settled tensors(arguments...);
  if constexpr (std::is_void_v<R>) {
    operation(arguments...);
    tensors.settle();
  } else {
    R result = operation(arguments...);
    tensors.settle();
    return result;
  }
}

// Converts the arguments that depend on the element type before the call boundary; this cannot
// fail. The rest of the call is compiled once for each signature instead of once for each type.
template <class To, class From>
auto carry(From x) {
  if constexpr (std::is_same_v<To, Tensor*> || std::is_same_v<To, Scalar>) {
    return bridge<To>(x);
  } else {
    return x;
  }
}
template <class R, class... P, class... C>
__attribute__((noinline)) R call_guarded(const char* name, const char* function,
                                         R (*operation)(P...), C... carried) {
  return guard(
      [&]() -> R {
        OpScope scope(name);
        return call_settled(operation, bridge<P>(carried)...);
      },
      function);
}

// expose<Result>("name", &th::ops::name)(C arguments...) calls an operation of the core and
// converts its errors for C callers.
template <class Result, class R, class... P>
auto expose(const char* name, R (*operation)(P...), const char* function = __builtin_FUNCTION()) {
  return [=](auto... arguments) -> Result {
    if constexpr (std::is_void_v<Result>) {
      call_guarded(name, function, operation, carry<P>(arguments)...);
    } else {
      return bridge_result<Result>(call_guarded(name, function, operation, carry<P>(arguments)...));
    }
  };
}

}  // namespace th

#endif
