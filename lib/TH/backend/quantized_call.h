#ifndef TH_BACKEND_QUANTIZED_CALL_H
#define TH_BACKEND_QUANTIZED_CALL_H

#include <cstdint>

#include "tensor/dtype.h"

namespace th {

// scales[i] = max(|t[i]|) / 127 and q[i][j] = t[i][j] / scales[i], rounded to nearest even, for the
// rows of a contiguous matrix, rows x cols, both at least 1. If a row or its scale is not finite,
// its scale is NaN and its elements are 0.
struct QuantizeRowsCall {
  DType dtype;
  int64_t rows, cols;
  const char* t;
  int8_t* q;
  float* scales;
};

// r[i][j] = scales[j] * (the sum of x[i][l] * weight[j][l]), for contiguous x, m x k, and r, m x n.
// weight: n rows of k contiguous elements. All sizes are at least 1. tf32: as in ProductCall.
struct QuantizedProductCall {
  DType dtype;
  int64_t m, n, k;
  bool tf32;
  const char* x;
  const int8_t* weight;
  int64_t weight_row;  // elements from one row to the next
  const float* scales;
  char* r;
};

}  // namespace th

// The rows of TH_KERNEL_OPS.
#define TH_QUANTIZED_OPS(X)          \
  X(quantize_rows, QuantizeRowsCall) \
  X(quantized_product, QuantizedProductCall)

#endif
