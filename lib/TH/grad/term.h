#ifndef TH_GRAD_TERM_H
#define TH_GRAD_TERM_H

// Formulas of element-wise operations as expressions, which one pass over memory computes.

#include <vector>

#include "fuse/expression.h"

namespace th::grad {

class Formula;

// A node of the expression that a formula builds.
struct Term {
  Formula* formula = nullptr;
  int parameter = -1;  // of the operation, if the term is its value; kGradient: the gradient
  int node = -1;       // otherwise
};

// The expression of one gradient. It is invalid if the formula calls anything but element-wise
// operations.
class Formula {
 public:
  static constexpr int kGradient = 100;
  // For fewer elements, an expression costs more than it saves.
  static constexpr int64_t kLeastElements = 1024;

  // The tensors of the parameters; null for those that the formula may not read.
  Formula(Tensor* const* values, Tensor* gradient) : values_(values), gradient_(gradient) {}

  Term parameter(int k) { return {this, k, -1}; }
  Term gradient() { return {this, kGradient, -1}; }
  Term invalid() {
    is_valid_ = false;
    return {this, -1, 0};
  }
  Term number(double value);
  Term element(Op op, const Term* inputs, int count, const Scalar* numbers, int number_count);
  // Returns true if the term is an expression of several operations on tensors of one shape.
  bool is_worth_fusing(const Term& root) const;
  // Computes the elements of a term.
  TensorRef evaluate(const Term& root);

 private:
  int node_of(const Term& term);
  int add(const ExpressionNode& node);

  Tensor* const* values_;
  Tensor* gradient_;
  Expression expression_;
  std::vector<Tensor*> operands_;
  int operations_ = 0;
  bool is_valid_ = true;
};

inline Formula* formula_of() { return nullptr; }
template <class A, class... Rest>
Formula* formula_of(const A& a, const Rest&... rest) {
  if constexpr (std::is_same_v<A, Term>) {
    return a.formula;
  } else {
    return formula_of(rest...);
  }
}

struct TermArguments {
  Term terms[3];
  Scalar numbers[2];
  int term_count = 0, number_count = 0;
  bool fits = true;

  template <class A>
  void add(const A& a) {
    if constexpr (std::is_same_v<A, Term>) {
      if ((fits = fits && term_count < 3)) terms[term_count++] = a;
    } else if constexpr (std::is_constructible_v<Scalar, A> && !std::is_pointer_v<A>) {
      if ((fits = fits && number_count < 2)) numbers[number_count++] = Scalar(a);
    } else {
      fits = false;
    }
  }
};

// The term of an operation with these arguments.
template <class... A>
Term term_of(Op op, const A&... a) {
  Formula& formula = *formula_of(a...);
  TermArguments arguments;
  (arguments.add(a), ...);
  if (!arguments.fits) return formula.invalid();
  return formula.element(op, arguments.terms, arguments.term_count, arguments.numbers,
                         arguments.number_count);
}

}  // namespace th::grad

#endif
