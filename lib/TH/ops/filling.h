#ifndef TH_OPS_FILLING_H
#define TH_OPS_FILLING_H

// Shared by the operations that fill tensors with random numbers.

#include "ops/operands.h"
#include "ops/ops.h"

namespace th {

// Returns the largest n such that the element type has all integers from 0 to n.
int64_t largest_exact(DType type);

// Sets a result that kernels fill in the order of its elements, in contiguous memory.
void set_filled(Shapes& s, Tensor*& r, int ndim, const int64_t* size);

// Fills r, which is contiguous. The caller has set distribution, a, b, first and range.
void fill_random(Op op, Tensor* r, Generator* g, RandomCall& call);
void fill_by(Op op, Tensor* r, Generator* g, Distribution distribution, double a, double b = 0);
// Copies random numbers to a result of the same shape. Throws if it is of an integer type that does
// not hold the largest one.
void copy_numbers(Tensor* r, Tensor* numbers);

}  // namespace th

#endif
