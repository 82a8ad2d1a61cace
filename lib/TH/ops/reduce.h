#ifndef TH_OPS_REDUCE_H
#define TH_OPS_REDUCE_H

#include "backend/reduce_call.h"
#include "base/op.h"
#include "ops/ops.h"

namespace th {

struct Reduction {
  Reducer reducer;
  bool moment = false;
  double parameter = 0;  // for Reducer::powers and Finish::root
  Finish finish = Finish::none;
};

// Reduces all elements of a. With a transform other than none, reduces its values for pairs of
// elements of a and b, which have equal sizes. finish is not applied.
Partial reduce_all(Op op, const Reduction& reduction, Tensor* a,
                   Transform transform = Transform::none, Tensor* b = nullptr);

// The operation, its name in error messages, and the positions of the C function's arguments.
struct ReduceRow {
  Op op;
  const char* name;
  int t_argument;
  int dim_argument;
};

// Resizes r, and indices unless null. With keepdim the dimension keeps size 1; otherwise it is
// removed, except from a vector.
void reduce_along(const ReduceRow& row, const Reduction& reduction, Tensor* r, Tensor* indices,
                  Tensor* t, int64_t dim, bool keepdim);

// Throws unless t has a floating-point type.
void check_floating(const char* name, int argument, const Tensor& t);
// Throws unless r has the given type.
void check_result(const char* name, int argument, const Tensor& r, DType type);

Scalar to_scalar(Wide value, DType type);

}  // namespace th

#endif
