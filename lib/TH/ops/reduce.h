#ifndef TH_OPS_REDUCE_H
#define TH_OPS_REDUCE_H

#include "backend/op.h"
#include "backend/reduce_call.h"
#include "ops/ops.h"

namespace th {

struct Reduction {
  Reducer reducer;
  bool moment = false;
  double parameter = 0;  // of Reducer::powers, and of Finish::root
  Finish finish = Finish::none;
};

// Of all elements of a; with a transform other than none, of what it makes of each pair of a's and
// b's, which have the same sizes. finish is not applied.
Partial reduce_all(Op op, const Reduction& reduction, Tensor* a,
                   Transform transform = Transform::none, Tensor* b = nullptr);

// The operation, what error messages call it, and the numbers of the C function's arguments.
struct ReduceRow {
  Op op;
  const char* name;
  int t_argument;
  int dim_argument;
};

// r, and indices unless null, are resized: with keepdim the dimension keeps size 1, else it goes
// away, but for a vector's.
void reduce_along(const ReduceRow& row, const Reduction& reduction, Tensor* r, Tensor* indices,
                  Tensor* t, int64_t dim, bool keepdim);

// Throws unless t's elements are floating point.
void check_floating(const char* name, int argument, const Tensor& t);
// Throws unless r has the given type.
void check_result(const char* name, int argument, const Tensor& r, DType type);

Scalar to_scalar(Wide value, DType type);

}  // namespace th

#endif
