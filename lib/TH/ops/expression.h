#ifndef TH_OPS_EXPRESSION_H
#define TH_OPS_EXPRESSION_H

// Expressions such as "a*b + exp(-c/2)", read into nodes: operators and functions are element-wise
// rows of THOps.def, and reductions.

#include <string>
#include <vector>

#include "memory/visibility.h"
#include "ops/element_rows.h"
#include "ops/ops.h"

namespace th TH_VISIBLE {

struct ExpressionNode {
  enum Kind { number, operand, element, reduction };
  ExpressionNode(Kind of_kind, size_t place) : kind(of_kind), at(place) {}

  Kind kind;
  size_t at;  // where it is in the text
  double value = 0;
  int index = 0;                              // of an operand, or of a reduction
  const ElementFunction* function = nullptr;  // of an element-wise operation
  int input[3] = {-1, -1, -1};                // nodes, for its tensors in their order
  Scalar numbers[2] = {};
  int dim = 0;  // of a reduction: from 1, or from the end where negative; 0: all elements

  // Whether it is the same of the same nodes, bit for bit.
  bool same_as(const ExpressionNode& other) const;
};

class Expression {
 public:
  Expression() = default;  // for who has the nodes
  // Throws where the text is no expression.
  explicit Expression(const char* text);

  // What is equal is one node; a node's inputs stand before it. The last one need not be the root.
  std::vector<ExpressionNode> nodes;
  int root = 0;
  std::vector<std::string> operands;  // names, in the order of the text

  // Throws what is wrong at a place of the text, which is shown.
  [[noreturn]] void fail_at(size_t at, const char* format, ...) const
      __attribute__((format(printf, 3, 4)));
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// r becomes what the expression gives for the operands.
void evaluate(const Expression& e, Tensor* r, TensorList operands);

struct ExpressionReduction {
  const char* name;
  void (*reduce)(Tensor* r, Tensor* t, int64_t dim);  // keeps the dimension
  bool floating;                                      // for floating point only
};
// sum, prod, mean, min, max, var, std
const ExpressionReduction& expression_reduction(int index);
constexpr int kExpressionReductions = 7;

}  // namespace TH_VISIBLE

#endif
