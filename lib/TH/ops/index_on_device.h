#ifndef TH_OPS_INDEX_ON_DEVICE_H
#define TH_OPS_INDEX_ON_DEVICE_H

// The operations on indices and masks on devices. Each returns false, having written nothing, where
// the layout is not one that devices walk.

#include "backend/index_call.h"
#include "ops/indexing.h"

namespace th {

// How an index goes with the other operands: as an index for each element, or as a vector along the
// dimension.
enum class IndexShape { full, vector };

// r has its sizes.
bool gather_on(Device& device, Tensor* r, Tensor* t, int dim, Tensor* index, IndexShape shape,
               const IndexCheck& check);

// r's elements at the indices become src's, or, where src is null, a value; or src's are added.
bool scatter_on(Device& device, ScatterAction action, Tensor* r, int dim, Tensor* index,
                IndexShape shape, Tensor* src, Scalar value, const IndexCheck& check);

// mask has r's or t's sizes; mask_check: the number of what the kernel reports for masks of other
// values than 0 and 1, or 0.
bool masked_fill_on(Device& device, Tensor* r, Tensor* mask, Scalar value, uint32_t mask_check);
// src is contiguous and shares no memory with r. count_check: for more ones than src has elements.
bool masked_copy_on(Device& device, Tensor* r, Tensor* mask, Tensor* src, uint32_t mask_check,
                    uint32_t count_check);
// These two resize r, and wait for the device to know the size; ones: how many the mask has, or -1.
bool masked_select_on(Device& device, Tensor* r, Tensor* t, Tensor* mask, int64_t ones,
                      uint32_t mask_check);
bool nonzero_on(Device& device, Tensor* r, Tensor* t);

// Zeros in the matrix r above the diagonal, or below it.
void zero_triangle_on(Device& device, Tensor* r, bool above, int64_t diagonal);

// An element's bits, from the lowest on.
uint64_t element_bits(DType type, Scalar value);

}  // namespace th

#endif
