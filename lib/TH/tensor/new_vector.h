#ifndef TH_TENSOR_NEW_VECTOR_H
#define TH_TENSOR_NEW_VECTOR_H

#include "tensor/tensor.h"

namespace th {

// Returns a tensor on the CPU with the elements f(0) ... f(n - 1).
template <class T, class F>
TensorRef new_vector(DType type, int64_t n, const F& f) {
  TensorRef t(tensor_new_sized(type, 1, &n));
  if (n == 0) return t;
  auto* at = reinterpret_cast<T*>(t->data(Access::overwrite));
  for (int64_t k = 0; k < n; ++k) at[k] = f(k);
  return t;
}
template <class F>
TensorRef new_long_vector(int64_t n, const F& f) {
  return new_vector<int64_t>(DType::Long, n, f);
}
template <class F>
TensorRef new_double_vector(int64_t n, const F& f) {
  return new_vector<double>(DType::Double, n, f);
}

}  // namespace th

#endif
