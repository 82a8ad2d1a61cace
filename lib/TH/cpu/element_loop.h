#ifndef TH_CPU_ELEMENT_LOOP_H
#define TH_CPU_ELEMENT_LOOP_H

// What the CPU does for an element-wise row: a loop of kernels/ over elements of the compute type,
// and about it what is the same for all rows: numbers among the operands, 16-bit types, which are
// converted by blocks, and results of predicates that are no bytes.

#include "backend/loop.h"
#include "backend/op.h"
#include "functors/rows.h"

namespace th {

class ElementLoop {
 public:
  // For a row that is defined for the type; result: the type of operand 0. params: the row's
  // numbers, which must live as long as this.
  ElementLoop(Op op, DType dtype, DType result, const Scalar* params);

  // A Loop over n elements, for a context that is an ElementLoop: operand 0 is the result, the
  // others are the row's tensors.
  static void run(char* const* data, const int64_t* stride, int64_t n, const void* context);

  // Bytes of an element of each operand.
  const int64_t* items() const { return operand_item_; }

 private:
  void run_arranged(char* const* data, const int64_t* stride, int64_t n) const;
  void run_converted(char* const* data, const int64_t* stride, int64_t n) const;

  Loop kernel_;
  const Scalar* params_;
  bool plain_;     // the kernel takes the operands as they are
  bool converts_;  // some operand
  int inputs_;
  int64_t operand_item_[1 + kMaxInputs];
  int source_[kMaxInputs];
  alignas(8) mutable char number_[kMaxNumbers][8];  // in the compute type
  // Where it converts, by the kernel's operands; null: as it is.
  Loop convert_[kMaxOperands];
  int64_t item_[kMaxOperands];  // bytes of the kernel's elements
};

}  // namespace th

#endif
