#ifndef TH_OPS_RANDOM_H
#define TH_OPS_RANDOM_H

// Contiguous results, for backends that require them.

#include "functors/philox.h"
#include "ops/operands.h"
#include "ops/ops.h"
#include "random/generator.h"

namespace th {

// Contiguous memory for all elements of r: its own, or a temporary, which finish() copies to r.
// operand (may be null) must not share memory with the result.
class ContiguousResult {
 public:
  ContiguousResult(Device* device, Tensor* r, const Tensor* operand) : r_(r) {
    if (is_contiguous(*r) && !(operand && share_storage(*r, *operand))) return;
    temporary_ = TensorRef(tensor_new_sized(r->dtype, r->nDimension, r->size));
    place_result(device, temporary_.get());
  }
  Tensor* get() const { return temporary_ ? temporary_.get() : r_; }
  void finish() {
    if (temporary_) ops::copy(r_, temporary_.get());
  }

 private:
  Tensor* r_;
  TensorRef temporary_;
};

}  // namespace th

#endif
