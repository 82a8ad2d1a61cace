#ifndef TH_FUSE_EXPRESSION_H
#define TH_FUSE_EXPRESSION_H

// Parses expressions such as "a*b + exp(-c/2)" into nodes. Operators and functions are the
// element-wise operations of THOps.def and reductions.

#include <string>
#include <vector>

#include "base/visibility.h"
#include "ops/element_rows.h"
#include "ops/ops.h"
#include "ops/reduce.h"

namespace th TH_VISIBLE {

struct ExpressionNode {
  enum Kind { number, operand, element, reduction };
  ExpressionNode(Kind of_kind, size_t place) : kind(of_kind), at(place) {}

  Kind kind;
  size_t at;      // position in the text
  Scalar value;   // of a number
  int index = 0;  // of an operand
  const KernelReduction* reduction_row = nullptr;
  const ElementFunction* function = nullptr;  // of an element-wise operation
  int input[3] = {-1, -1, -1};                // nodes of its tensor arguments, in order
  Scalar numbers[2] = {};
  int dim = 0;  // of a reduction: counts from 1, negative from the end; 0: all elements

  // Returns true if both nodes compute bit-identical results: same function or reduction, same
  // inputs, same numbers.
  bool same_as(const ExpressionNode& other) const;
};

class Expression {
 public:
  Expression() = default;  // for callers that build the nodes themselves
  // Parses the text. Throws if it is not a valid expression.
  explicit Expression(const char* text);

  // Equal subexpressions share a node. The inputs of a node precede it. The root may be followed by
  // unused nodes.
  std::vector<ExpressionNode> nodes;
  int root = 0;
  std::vector<std::string> operands;  // names, in the order of the text

  // Throws an error that shows this position of the text.
  [[noreturn]] void fail_at(size_t at, const char* format, ...) const
      __attribute__((format(printf, 3, 4)));
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Evaluates the expression for the operands on a device, null: the CPU, and stores the result in r.
// If a tracer follows one of them, calls an operation for each node.
void evaluate(const Expression& e, Tensor* r, TensorList operands, Device* device);
// The same, on the device of the first operand that has one, or else of r.
void evaluate(const Expression& e, Tensor* r, TensorList operands);

}  // namespace TH_VISIBLE

#endif
