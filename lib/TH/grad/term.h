#ifndef TH_GRAD_TERM_H
#define TH_GRAD_TERM_H

// Formulas of element-wise operations as expressions, which one pass over memory computes.

#include <vector>

#include "fuse/expression.h"
#include "ops/term.h"

namespace th::grad {

using formulas::Term;

// The expression of one gradient. It is invalid if the formula calls anything but element-wise
// operations.
class Formula final : public formulas::ExpressionBuilder {
 public:
  static constexpr int kGradient = 100;
  // For fewer elements, an expression costs more than it saves.
  static constexpr int64_t kLeastElements = 1024;

  // The tensors of the parameters; null for those that the formula may not read.
  Formula(Tensor* const* values, Tensor* gradient) : values_(values), gradient_(gradient) {}

  Term parameter(int k) { return {this, k, -1}; }
  Term gradient() { return {this, kGradient, -1}; }
  Term invalid() override {
    is_valid_ = false;
    return {this, -1, 0};
  }
  Term number(double value) override;
  Term element(Op op, const Term* inputs, int count, const Scalar* numbers,
               int number_count) override;
  // Returns true if the term is an expression of several operations on tensors of one shape, and
  // perhaps on tensors of one element.
  bool is_worth_fusing(const Term& root) const;
  // Computes the elements of a term.
  void evaluate(const Term& root, Tensor* r);

 private:
  int node_of(const Term& term);
  const Tensor& largest() const;
  int add(const ExpressionNode& node);

  Tensor* const* values_;
  Tensor* gradient_;
  Expression expression_;
  std::vector<Tensor*> operands_;
  int operations_ = 0;
  bool is_valid_ = true;
};

}  // namespace th::grad

#endif
