#ifndef TENSOR_TEST_C_CORE_TENSORS_H
#define TENSOR_TEST_C_CORE_TENSORS_H

// Tensors of every element type and layout for tests of the C++ core.

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "amount.h"
#include "ops/ops.h"
#include "tensor/convert.h"

namespace core {

using th::DType;
using th::Tensor;
using th::TensorRef;
using Shape = std::vector<int64_t>;

inline const DType kAllTypes[] = {DType::Byte,     DType::Char,  DType::Short,
                                  DType::Int,      DType::Long,  DType::Half,
                                  DType::BFloat16, DType::Float, DType::Double};
inline const DType kRealTypes[] = {DType::Half, DType::BFloat16, DType::Float, DType::Double};

enum class Layout { contiguous, permuted, spaced, expanded };
inline const Layout kLayouts[] = {Layout::contiguous, Layout::permuted, Layout::spaced,
                                  Layout::expanded};

// permuted: the first dimension is the innermost; spaced: an offset, and gaps between elements;
// expanded: all slices of the first dimension are one.
inline TensorRef make(DType type, const Shape& shape, Layout layout = Layout::contiguous) {
  int ndim = static_cast<int>(shape.size());
  int64_t stride[th::kMaxDims];
  int64_t step = layout == Layout::spaced ? 3 : 1;
  for (int k = 0; k < ndim; ++k) {
    int d = layout == Layout::permuted ? k : ndim - 1 - k;
    stride[d] = step;
    if (layout == Layout::expanded && d == 0) stride[d] = 0;
    step *= shape[d] + (layout == Layout::spaced ? 1 : 0);
  }
  TensorRef t(th::tensor_new(type));
  th::Storage* storage = th::storage_new(type, step + 5);
  th::set_storage(t.get(), storage, layout == Layout::spaced ? 5 : 0, ndim, shape.data(), stride);
  th::storage_free(storage);
  return t;
}

// Bytes from the first element to the i-th in row-major order.
inline int64_t place(const Tensor& t, int64_t i) {
  int64_t offset = 0;
  for (int d = t.nDimension - 1; d >= 0; --d) {
    offset += i % t.size[d] * t.stride[d];
    i /= t.size[d];
  }
  return offset * static_cast<int64_t>(th::item_size(t.dtype));
}

inline void put(const Tensor& t, int64_t i, double value) {
  char* at = t.data(th::Access::write) + place(t, i);
  th::dispatch(t.dtype, [&](auto zero) {
    using T = decltype(zero);
    *reinterpret_cast<T*>(at) = th::convert<T>(value);
  });
}
inline double get(const Tensor& t, int64_t i) {
  const char* at = t.data(th::Access::read) + place(t, i);
  return th::dispatch(t.dtype, [&](auto zero) {
    return static_cast<double>(th::load(*reinterpret_cast<const decltype(zero)*>(at)));
  });
}

// f(i): the value of the i-th element.
template <class F>
void fill(const Tensor& t, const F& f) {
  if (t.numel() == 0) return;
  char* data = t.data(th::Access::write);
  th::dispatch(t.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < t.numel(); ++i) {
      *reinterpret_cast<T*>(data + place(t, i)) = th::convert<T>(f(i));
    }
  });
}
inline TensorRef vector(DType type, std::initializer_list<double> values) {
  TensorRef t = make(type, {static_cast<int64_t>(values.size())});
  fill(*t, [&](int64_t i) { return values.begin()[i]; });
  return t;
}
inline std::vector<double> values(const Tensor& t) {
  std::vector<double> all(static_cast<size_t>(t.numel()));
  if (all.empty()) return all;
  const char* data = t.data(th::Access::read);
  th::dispatch(t.dtype, [&](auto zero) {
    for (size_t i = 0; i < all.size(); ++i) {
      const char* at = data + place(t, static_cast<int64_t>(i));
      all[i] = static_cast<double>(th::load(*reinterpret_cast<const decltype(zero)*>(at)));
    }
  });
  return all;
}
inline Shape shape(const Tensor& t) { return Shape(t.size, t.size + t.nDimension); }

inline TensorRef empty(DType type) { return TensorRef(th::tensor_new(type)); }

// The elements along a dimension, one list for each of the others' positions, in order.
inline std::vector<std::vector<double>> lines(const Tensor& t, int dim) {
  int64_t inner = 1;
  for (int d = dim + 1; d < t.nDimension; ++d) inner *= t.size[d];
  int64_t n = t.size[dim];
  const std::vector<double> elements = values(t);
  std::vector<std::vector<double>> all;
  for (int64_t first = 0; first < t.numel() / n / inner; ++first) {
    for (int64_t k = 0; k < inner; ++k) {
      std::vector<double> line(static_cast<size_t>(n));
      for (int64_t i = 0; i < n; ++i) {
        line[static_cast<size_t>(i)] = elements[static_cast<size_t>((first * n + i) * inner + k)];
      }
      all.push_back(std::move(line));
    }
  }
  return all;
}

// A number from 0 to 1 that depends on i alone.
inline double noise(int64_t i) {
  uint64_t x = static_cast<uint64_t>(i + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
  return static_cast<double>((x ^ x >> 32) >> 11) / 9007199254740992.0;
}

}  // namespace core

#endif
