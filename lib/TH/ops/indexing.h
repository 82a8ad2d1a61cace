#ifndef TH_OPS_INDEXING_H
#define TH_OPS_INDEXING_H

// What the operations on indices and masks share.

#include <initializer_list>

#include "ops/operands.h"
#include "ops/ops.h"

namespace th {

// Throw naming both types, or the argument's.
void check_same_type(const char* op, const Tensor& a, const Tensor& b);
void check_index_type(const char* op, const Tensor& index, int argument);

// How an index goes with the other operands: as an index for each element, or as a vector along the
// dimension.
enum class IndexShape { full, vector };

// What indices are for: dimension dim of an operation's tensor t, which has t's sizes.
struct Indexed {
  Op op;
  const char* name;  // for messages
  int dim;
  int64_t size;  // of the dimension
  Tensor* index;
  IndexShape shape;
  int argument;  // the index's, of the C function
};

// The indices of an operation, checked as ValueCheck says.
class IndexCheck {
 public:
  IndexCheck(const Indexed& by, Device* device, const Tensor& r);
  uint32_t number(const Operands& at) const { return check_.number(at); }
  void operator()(char* text, size_t room) const;

 private:
  const Indexed& by_;
  ValueCheck check_;
};

// r, which has its sizes, becomes t's elements at the indices.
void gather_by(const Indexed& by, const IndexCheck& check, Device* device, Tensor* r, Tensor* t);
// r's elements at the indices become src's, or, where src is null, a value; or src's are added.
// Neither shares memory with r, nor does the index.
void scatter_by(const Indexed& by, const IndexCheck& check, Device* device, ScatterAction action,
                Tensor* r, Tensor* src, Scalar value);

// An element's bits, from the lowest on.
uint64_t element_bits(DType type, Scalar value);

// operand itself, or a copy of it where it shares r's storage, so that writing r may change it.
TensorRef copy_if_aliased(const Tensor& r, Tensor* operand);

// Whether a result would be written over an operand that is still being read.
template <class... Operands>
bool needs_temporary(const Tensor& r, const Operands&... operands) {
  return (share_storage(r, operands) || ...);
}

// r takes over result's sizes and elements. Of several all get their sizes before any elements: one
// that cannot have them leaves the others as they are.
struct Delivery {
  Tensor *r, *result;
};
void deliver(std::initializer_list<Delivery> all);
void deliver(Tensor* r, Tensor* result);

}  // namespace th

#endif
