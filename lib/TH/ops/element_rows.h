#ifndef TH_OPS_ELEMENT_ROWS_H
#define TH_OPS_ELEMENT_ROWS_H

// The element-wise rows of THOps.def by their names, for who makes expressions of them.

#include <string>

#include "backend/op.h"
#include "functors/rows.h"
#include "tensor/tensor.h"

namespace th {

struct ElementFunction {
  Op op;
  const char* name;  // in C
  const char* lua;
  ElementRow row;
  std::string pattern;  // its arguments: T a tensor, B a ByteTensor, N a number
  bool (*defined)(DType type);
  int64_t grain;
  void (*call)(Tensor* r, Tensor* const* tensors, const Scalar* numbers);
};

const ElementFunction& element_function(Op op);
// That takes these arguments (T or N each), under its name in Lua or in C. A number stands for a
// tensor where no row takes one; a factor may be left out, and is 1. Null where there is none; then
// known says whether the name is a row's.
const ElementFunction* find_element_function(const std::string& name, const std::string& arguments,
                                             bool* known);

}  // namespace th

#endif
