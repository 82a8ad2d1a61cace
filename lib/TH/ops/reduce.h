#ifndef TH_OPS_REDUCE_H
#define TH_OPS_REDUCE_H

#include "ops/reduction.h"
#include "ops/ops.h"

namespace th {

// What an error message names: the operation, and the numbers of the C function's arguments.
struct ReduceRow {
  const char* name;
  int t_argument;
  int dim_argument;
};

// r, and indices unless null, are resized: with keepdim the dimension keeps size 1, else it goes
// away, but for a vector's.
void reduce_along(const ReduceRow& row, const Reduction& op, Tensor* r, Tensor* indices, Tensor* t,
                  int64_t dim, bool keepdim);

// Throws unless t's elements are floating point.
void check_floating(const char* name, int argument, const Tensor& t);
// Throws unless r has the given type.
void check_result(const char* name, int argument, const Tensor& r, DType type);

// Whether elements of t are one place in memory because t was expanded.
bool has_repeats(const Tensor& t);

Scalar to_scalar(Wide value, DType type);

// A contiguous tensor for a result of these sizes: r, resized, or a temporary where r is not
// contiguous or shares the operand's storage, which finish() then copies to r.
class Result {
 public:
  Result(Tensor* r, const Tensor& operand, int ndim, const int64_t* size);
  Tensor* get() const { return temporary_ ? temporary_.get() : r_; }
  void finish();

 private:
  Tensor* r_;
  TensorRef temporary_;
};

}  // namespace th

#endif
