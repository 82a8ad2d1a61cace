#ifndef TH_TENSOR_NEW_VECTOR_H
#define TH_TENSOR_NEW_VECTOR_H

#include "tensor/tensor.h"

namespace th {

// Returns a LongTensor on the CPU with the elements f(0) ... f(n - 1).
template <class F>
TensorRef new_long_vector(int64_t n, const F& f) {
  TensorRef t(tensor_new_sized(DType::Long, 1, &n));
  auto* at = reinterpret_cast<int64_t*>(t->data(Access::overwrite));
  for (int64_t k = 0; k < n; ++k) at[k] = f(k);
  return t;
}

}  // namespace th

#endif
