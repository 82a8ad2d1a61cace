#ifndef TH_OPS_CLASS_LOSS_H
#define TH_OPS_CLASS_LOSS_H

#include "ops/call.h"

namespace th {

// Returns t with the classes in the last dimension, as a matrix of rows: a view or a copy.
TensorRef rows_of_classes(Tensor* t, int64_t dimension);

// Returns t for classLossSlopes: a matrix as above, or t as outer x classes x inner if the CPU
// computes the losses of `classes` by columns.
TensorRef planes_of_classes(Tensor* t, int64_t dimension, Tensor* classes);

// Returns the class numbers as a vector in which the ignored ones are valid, and a vector with 1 at
// those.
struct ValidClasses {
  TensorRef numbers, ignored;
};
ValidClasses valid_classes(Tensor* classes, int64_t ignored);

}  // namespace th

#endif
