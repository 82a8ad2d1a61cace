#ifndef TH_CPU_ELEMENT_LOOP_H
#define TH_CPU_ELEMENT_LOOP_H

// Runs an element-wise operation on the CPU: a loop of kernels/ in the compute type, plus the
// common parts: scalar operands, conversion of 16-bit types in blocks, and predicate results that
// are not bytes.

#include "backend/loop.h"
#include "base/element_op.h"
#include "functors/rows.h"

namespace th {

class ElementLoop {
 public:
  // The operation must support dtype. result: the type of operand 0. params: the operation's
  // numbers, which must outlive this object.
  ElementLoop(ElementOp op, DType dtype, DType result, const Scalar* params);

  // A Loop over n elements whose context is an ElementLoop. Operand 0 is the result, the others are
  // the input tensors.
  static void run(char* const* data, const int64_t* stride, int64_t n, const void* context);

  // The element size of each operand, in bytes.
  const int64_t* items() const { return operand_item_; }

 private:
  void run_arranged(char* const* data, const int64_t* stride, int64_t n) const;
  void run_converted(char* const* data, const int64_t* stride, int64_t n) const;

  Loop kernel_;
  const Scalar* params_;
  bool plain_;     // the kernel uses the operands directly
  bool converts_;  // some operand is converted
  int inputs_;
  int64_t operand_item_[1 + kMaxInputs];
  int source_[kMaxInputs];
  alignas(8) mutable char number_[kMaxNumbers][8];  // in the compute type
  // The conversion of each kernel operand; null: none.
  Loop convert_[kMaxOperands];
  int64_t item_[kMaxOperands];  // bytes of the kernel's elements
};

}  // namespace th

#endif
