#ifndef TH_TENSOR_BANDS_H
#define TH_TENSOR_BANDS_H

// Matrices with a band of nonzero elements in each row, as operands of `resample`.

#include "tensor/new_vector.h"

namespace th {

// Row i has the elements weights[i][k] in the columns first[i] + k, counted from `base`.
struct Bands {
  TensorRef first;    // LongTensor
  TensorRef weights;  // DoubleTensor: rows x width
};

// Returns bands of f(row, weights), which sets weights[0] ... weights[width - 1], which are 0
// before, and returns the first column.
template <class F>
Bands new_bands(int64_t rows, int64_t width, int64_t base, const F& f) {
  const int64_t size[] = {rows, width};
  Bands bands;
  bands.weights = TensorRef(tensor_new_sized(DType::Double, 2, size));
  auto* weights = reinterpret_cast<double*>(bands.weights->data(Access::overwrite));
  for (int64_t k = 0; k < rows * width; ++k) weights[k] = 0;
  bands.first =
      new_long_vector(rows, [&](int64_t row) { return base + f(row, weights + row * width); });
  return bands;
}

// Returns true if the first columns are not negative and do not decrease, and all weights other
// than 0 are in one of `columns` columns.
bool are_bands(Tensor* first, Tensor* weights, int64_t columns, int64_t base);

// Returns the bands of the transposed matrix, which has `rows` rows. first and weights: contiguous,
// for which are_bands() is true.
Bands transposed_bands(Tensor* first, Tensor* weights, int64_t rows, int64_t base);

}  // namespace th

#endif
