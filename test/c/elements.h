#ifndef TENSOR_TEST_ELEMENTS_H
#define TENSOR_TEST_ELEMENTS_H

// Tensors of any type and layout, element by element.

#include <vector>

#include "amount.h"
#include "tensor/convert.h"
#include "tensor/tensor.h"

namespace elements {

using th::DType;
using th::Tensor;
using th::TensorRef;
using Shape = std::vector<int64_t>;
using Values = std::vector<double>;

constexpr DType kTypes[] = {DType::Byte, DType::Char,     DType::Short, DType::Int,   DType::Long,
                            DType::Half, DType::BFloat16, DType::Float, DType::Double};

inline TensorRef make(DType type, const Shape& size) {
  return TensorRef(th::tensor_new_sized(type, static_cast<int>(size.size()), size.data()));
}

// Where in the storage, from the tensor's offset on, the element of that number in order lies.
inline int64_t place(const Tensor& t, int64_t element) {
  int64_t offset = 0;
  for (int d = t.nDimension - 1; d >= 0; --d) {
    offset += element % t.size[d] * t.stride[d];
    element /= t.size[d];
  }
  return offset;
}

// Returns x converted to the element type and back.
inline double held(DType type, double x) {
  return th::dispatch(type, [&](auto zero) {
    return static_cast<double>(th::load(th::convert<decltype(zero)>(x)));
  });
}

inline double get(const Tensor& t, int64_t element) {
  return th::dispatch(t.dtype, [&](auto zero) {
    using T = decltype(zero);
    return static_cast<double>(th::load(t.data_as<T>(th::Access::read)[place(t, element)]));
  });
}

inline void put(const Tensor& t, int64_t element, double value) {
  th::dispatch(t.dtype, [&](auto zero) {
    using T = decltype(zero);
    t.data_as<T>(th::Access::write)[place(t, element)] = th::convert<T>(value);
  });
}

inline Values values(const Tensor& t) {
  Values out(static_cast<size_t>(t.numel()));
  if (out.empty()) return out;
  th::dispatch(t.dtype, [&](auto zero) {
    const auto* data = t.data_as<decltype(zero)>(th::Access::read);
    for (size_t i = 0; i < out.size(); ++i) {
      out[i] = static_cast<double>(th::load(data[place(t, static_cast<int64_t>(i))]));
    }
  });
  return out;
}
inline Values values(const TensorRef& t) { return values(*t); }

// f(i): the value of the i-th element.
template <class F>
void fill(const TensorRef& t, const F& f) {
  if (t->numel() == 0) return;
  th::dispatch(t->dtype, [&](auto zero) {
    using T = decltype(zero);
    T* data = t->data_as<T>(th::Access::write);
    for (int64_t i = 0; i < t->numel(); ++i) {
      data[place(*t, i)] = th::convert<T>(static_cast<double>(f(i)));
    }
  });
}

inline TensorRef tensor_of(DType type, const Shape& size, const Values& from) {
  TensorRef t = make(type, size);
  for (size_t i = 0; i < from.size(); ++i) put(*t, static_cast<int64_t>(i), from[i]);
  return t;
}

}  // namespace elements

#endif
