#include "tensor/bands.h"

#include <algorithm>

#include "tensor/checked.h"

namespace th {

bool are_bands(Tensor* first_column, Tensor* weights, int64_t columns, int64_t base) {
  const int64_t count = weights->size[0], width = weights->size[1];
  const int64_t step = first_column->stride[0];
  const int64_t* stride = weights->stride;
  const auto* first = reinterpret_cast<const int64_t*>(first_column->data(Access::read));
  const auto* weight = reinterpret_cast<const double*>(weights->data(Access::read));
  for (int64_t row = 0; row < count; ++row) {
    if (row > 0 && first[row * step] < first[(row - 1) * step]) return false;
    if (first[row * step] < base || first[row * step] - base > kMostElements) return false;
    const int64_t column = first[row * step] - base;
    for (int64_t k = 0; k < width; ++k) {
      if (weight[row * stride[0] + k * stride[1]] != 0 && column + k >= columns) return false;
    }
  }
  return true;
}

Bands transposed_bands(Tensor* first_column, Tensor* weights, int64_t rows, int64_t base) {
  const int64_t count = weights->size[0], width = weights->size[1];
  const auto* first = reinterpret_cast<const int64_t*>(first_column->data(Access::read));
  const auto* weight = reinterpret_cast<const double*>(weights->data(Access::read));
  // Row r of the transposed matrix has the columns from `begin` to `end`.
  const auto begin_of = [&](int64_t row) {
    return std::lower_bound(first, first + count, base + row - width + 1) - first;
  };
  const auto end_of = [&](int64_t row) {
    return std::upper_bound(first, first + count, base + row) - first;
  };
  int64_t widest = 1;
  for (int64_t row = 0; row < rows; ++row) {
    widest = std::max<int64_t>(widest, end_of(row) - begin_of(row));
  }
  return new_bands(rows, widest, base, [&](int64_t row, double* to) {
    const int64_t begin = begin_of(row), end = end_of(row);
    for (int64_t k = begin; k < end; ++k) to[k - begin] = weight[k * width + base + row - first[k]];
    return begin;
  });
}

}  // namespace th
