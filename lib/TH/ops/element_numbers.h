#ifndef TH_OPS_ELEMENT_NUMBERS_H
#define TH_OPS_ELEMENT_NUMBERS_H

// Adapts the numbers of element-wise rows to the element type.

#include "base/op.h"
#include "tensor/dtype.h"

namespace th {

// Replaces an operation on elements of the type, and its numbers, by current_rules.
//
// Comparison of integers: the number becomes one that the type holds. Clamp of integers: the bounds
// become the nearest integers of the type within the bounds. Unless the rules are Torch7's, the
// remainder of floating-point numbers becomes exact, and a clamp with a lower bound above the upper
// one gives the upper one.
// Throws if a clamp of integers has no integer within its bounds, or if a tolerance is negative.
// Also throws if integers are raised to a negative power, unless the rules are Torch7's.
void fit_numbers(DType type, Op* op, Scalar* numbers);

}  // namespace th

#endif
