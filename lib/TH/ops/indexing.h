#ifndef TH_OPS_INDEXING_H
#define TH_OPS_INDEXING_H

// What the operations on indices and masks share.

#include <algorithm>
#include <cstdint>

#include "ops/on_device.h"
#include "ops/ops.h"

namespace th {

// f(T()) for an unsigned integer of the element type's size: for what only moves elements.
template <class F>
void dispatch_item(DType type, const F& f) {
  switch (item_size(type)) {
    case 1:
      return f(uint8_t());
    case 2:
      return f(uint16_t());
    case 4:
      return f(uint32_t());
    default:
      return f(uint64_t());
  }
}

// Throw naming both types, or the argument's.
void check_same_type(const char* op, const Tensor& a, const Tensor& b);
void check_index_type(const char* op, const Tensor& index, int argument);

// Throws unless all indices, counted from TH_INDEX_BASE, are within dimension dim of the given
// size; names the first that is not.
void check_indices(const char* op, const Tensor& index, int64_t size, int dim, int argument);

// As check_indices, for an operation that runs on the CPU or, unless it is null, a device. Values
// that are on the host are checked at once, others by the kernel that uses them.
class IndexCheck {
 public:
  IndexCheck(const char* op, const Tensor& index, int64_t size, int dim, int argument,
             Device* device);
  // What the kernel has to report; 0: nothing, all are known to be good.
  uint32_t number_on(Device& device) const;
  // Where the CPU runs the operation after all.
  void on_cpu(const Tensor& index) const;
  int64_t size() const { return size_; }

 private:
  const char* op_;
  int64_t size_;
  int dim_, argument_;
  bool done_;
};

// Whether several elements may be one place in memory.
bool has_shared_elements(const Tensor& t);

inline bool share_storage(const Tensor& a, const Tensor& b) {
  return a.storage && a.storage == b.storage;
}

// operand itself, or a copy of it where writing r's elements may change it.
TensorRef kept_from(const Tensor& r, Tensor* operand);

// Whether a result would be written over an operand that is still being read.
template <class... Operands>
bool needs_temporary(const Tensor& r, const Operands&... operands) {
  return (share_storage(r, operands) || ...);
}

// r takes over result's sizes and elements.
void deliver(Tensor* r, Tensor* result);

}  // namespace th

#endif
