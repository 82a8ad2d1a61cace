#ifndef TH_OPS_TERM_H
#define TH_OPS_TERM_H

// The values of formulas that build an expression instead of computing tensors: see formulas.h.

#include <type_traits>

#include "ops/rows.h"

namespace th::formulas {

class ExpressionBuilder;

// A node of the expression that a formula builds.
struct Term {
  ExpressionBuilder* builder = nullptr;
  int parameter = -1;  // of the operation, if the term is its value
  int node = -1;       // otherwise
};

// Adds nodes to an expression.
class ExpressionBuilder {
 public:
  virtual Term number(double value) = 0;
  virtual Term element(Op op, const Term* inputs, int count, const Scalar* numbers,
                       int number_count) = 0;
  // The term of anything but an element-wise operation: it makes the expression invalid.
  virtual Term invalid() = 0;

 protected:
  ~ExpressionBuilder() = default;
};

inline ExpressionBuilder* builder_of() { return nullptr; }
template <class A, class... Rest>
ExpressionBuilder* builder_of(const A& a, const Rest&... rest) {
  if constexpr (std::is_same_v<A, Term>) {
    return a.builder;
  } else {
    return builder_of(rest...);
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
  ExpressionBuilder& builder = *builder_of(a...);
  TermArguments arguments;
  (arguments.add(a), ...);
  if (!arguments.fits) return builder.invalid();
  return builder.element(op, arguments.terms, arguments.term_count, arguments.numbers,
                         arguments.number_count);
}

}  // namespace th::formulas

#endif
