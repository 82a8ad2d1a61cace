#ifndef TH_OPS_ELEMENT_ROWS_H
#define TH_OPS_ELEMENT_ROWS_H

// Lookup of the element-wise operations of THOps.def by name, for code that builds expressions.

#include <string>

#include "base/op.h"
#include "functors/rows.h"
#include "tensor/tensor.h"

namespace th {

struct ElementFunction {
  Op op;
  const char* name;  // in C
  const char* lua;
  ElementRow row;
  std::string pattern;              // argument kinds: T tensor, B ByteTensor, N number
  bool takes_element[kMaxNumbers];  // numbers that the element type must hold
  bool (*defined)(DType type);
  int64_t grain;
  void (*call)(Tensor* r, Tensor* const* tensors, const Scalar* numbers);
};

const ElementFunction& element_function(Op op);
// The operation that computes the powers of floating-point elements fastest: cmul(t, t) for 2,
// mul(t, 1) for 1, cinv(t) for -1 and rootPower(t) for 0.5, which are exact, and cube(t) for 3.
// Otherwise pow.
inline Op op_of_power(double exponent) {
  return exponent == 2     ? Op::cmul
         : exponent == 3   ? Op::cube
         : exponent == 1   ? Op::mul
         : exponent == -1  ? Op::cinv
         : exponent == 0.5 ? Op::rootPower
                           : Op::pow;
}
// Finds the operation with this Lua or C name that takes these arguments (each T or N). If no
// operation takes a number at some position, one that takes a tensor there matches. A factor that
// is omitted is 1. Returns null if nothing matches; *known is then true if the name exists.
const ElementFunction* find_element_function(const std::string& name, const std::string& arguments,
                                             bool* known);

}  // namespace th

#endif
