#ifndef TH_BACKEND_COMPLEX_CALL_H
#define TH_BACKEND_COMPLEX_CALL_H

#include <cstdint>

#include "tensor/dtype.h"

namespace th {

// The products, or quotients, of n complex numbers in float or double: pairs of a real and an
// imaginary part. All tensors are contiguous.
struct ComplexProductCall {
  DType dtype;
  bool divides;
  int64_t n;
  const char *a, *b;
  char* r;
};

}  // namespace th

// The rows of TH_KERNEL_OPS.
#define TH_COMPLEX_OPS(X) X(complex_product, ComplexProductCall)

#endif
