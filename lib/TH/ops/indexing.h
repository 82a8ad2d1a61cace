#ifndef TH_OPS_INDEXING_H
#define TH_OPS_INDEXING_H

// Helpers shared by the operations on indices and masks.

#include <initializer_list>

#include "ops/operands.h"
#include "ops/ops.h"

namespace th {

// Throw if the types differ, or if the index is not a LongTensor.
void check_same_type(const char* op, const Tensor& a, const Tensor& b);
void check_index_type(const char* op, const Tensor& index, int argument);

// full: one index for each element. vector: one index for each position along the dimension.
enum class IndexShape { full, vector };

// The indices of an operation for dimension dim of its tensor.
struct Indexed {
  Op op;
  const char* name;  // for messages
  int dim;
  int64_t size;  // of the dimension
  Tensor* index;
  IndexShape shape;
  int argument;  // position of the index in the C function
};

// Checks the indices of an operation (see ValueCheck).
class IndexCheck {
 public:
  IndexCheck(const Indexed& by, Device* device, const Tensor& r);
  uint32_t number(const Operands& at) const { return check_.number(at); }
  void operator()(char* text, size_t room) const;

 private:
  const Indexed& by_;
  ValueCheck check_;
};

// r = elements of t at the indices. r has its final sizes.
void gather_by(const Indexed& by, const IndexCheck& check, Device* device, Tensor* r, Tensor* t);
// Moves, adds or fills: the elements of r at the indices become those of src, are increased by
// them, or become value if src is null. Neither src nor the index shares memory with r.
void scatter_by(const Indexed& by, const IndexCheck& check, Device* device, ScatterAction action,
                Tensor* r, Tensor* src, Scalar value);

// Returns the bits of an element, starting from the lowest.
uint64_t element_bits(DType type, Scalar value);

// Returns operand, or a copy of it if it shares r's storage and writing r would change it.
TensorRef copy_if_aliased(const Tensor& r, Tensor* operand);

// Returns true if writing r would overwrite an operand.
template <class... Operands>
bool needs_temporary(const Tensor& r, const Operands&... operands) {
  return (share_storage(r, operands) || ...);
}

// Gives r the sizes and elements of result. All tensors are resized before any is written, so that
// a failed resize leaves the others unchanged.
struct Delivery {
  Tensor *r, *result;
};
void deliver(std::initializer_list<Delivery> all);
void deliver(Tensor* r, Tensor* result);

}  // namespace th

#endif
