#ifndef TH_GRAD_PARTS_H
#define TH_GRAD_PARTS_H

// Helpers of the sources of the tape.

#include "grad/tape.h"

namespace th::grad {

// A tensor with the shape, strides and offset of t, but without memory.
TensorRef without_memory(const Tensor& t);
// The end of the elements that t shows in its storage.
int64_t extent_of(const Tensor& t);
// A new contiguous tensor with the elements of t, made by an operation that other tapes record.
TensorRef copy_of(Tensor* t);

inline uint32_t bit(int k) { return uint32_t{1} << k; }

}  // namespace th::grad

#endif
