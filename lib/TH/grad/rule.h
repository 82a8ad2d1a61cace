#ifndef TH_GRAD_RULE_H
#define TH_GRAD_RULE_H

// The rules of differentiation of the rows of THOps.def, made from their column `derivative`.

#include <optional>

#include "grad/term.h"
#include "ops/formulas.h"

namespace th TH_VISIBLE {
namespace grad {
class Tape;
}
}  // namespace TH_VISIBLE

namespace th::grad {

using namespace formulas;

// The column `derivative` of a row.
enum class Derivative : uint8_t {
  formulas,     // grad(parameter, formula) for each differentiable parameter
  function,     // rule(function), operand_rule(function): a C++ function, see grad/functions.h
  constant,     // the results do not depend on the operands, or only in jumps
  composed,     // the operation calls other operations, which have derivatives
  shares,       // the result is a view of the operand, or a copy made by another operation
  unsupported,  // not implemented: an error
};

struct Entry;
struct Operand;

// The gradient alpha * a * b of a factor of a matrix product, or of a batch of them. The product is
// added to the operand's gradient in place.
struct Product {
  Var a, b;
  double alpha;
};

// A recorded operation while its gradients are computed: the values of its arguments, the gradients
// of its results, and where to add the gradients of its operands.
class Backward {
 public:
  using Value = Var;
  Backward(Tape& tape, Entry& entry) : tape_(tape), entry_(entry) {}

  // True if the parameter with this number (from 0) needs a gradient.
  bool wants(int parameter) const;
  // The value of a tensor parameter whose elements were kept, or null.
  Var kept_value(int parameter) const;
  // The value of a tensor parameter, or its shape and type only if no formula reads its elements.
  Var value(int parameter) const;
  // The gradient of a result, which is the parameter with this number; empty: it is 0.
  Var gradient(int result) const;
  // The same, with zeros if it is 0.
  Var gradient_or_zeros(int result) const;
  // The gradient of the first result, or of the returned number.
  Var gradient() const;
  // The returned number, as a tensor of one element of the type of the operands.
  Var returned() const;
  void* arguments() const;

  // Adds a gradient of an operand. It is summed over dimensions that were broadcast, or repeated
  // along those that were reduced, and converted to the operand's type.
  void give(int parameter, const Var& gradient);
  // The same for the whole gradient: `wants` returns false afterwards.
  void give_all(int parameter, const Var& gradient);
  void give(int parameter, const Product& gradient);

  void set(Derivative) {}
  void run(void (*rule)(Backward&), uint32_t) { rule(*this); }

 private:
  Var in_own_type(const Var& v) const;
  void give_to(const Operand& o, const Var& gradient);

  Tape& tape_;
  Entry& entry_;
  uint32_t given_ = 0;  // bit k: the whole gradient of parameter k was given
};

// Computes the gradients of the formulas of an element-wise operation in one pass each, where that
// pays. The others are left to Backward.
class Fusion {
 public:
  using Value = Term;
  // Returns true if the operation has enough elements, and no tracer observes it.
  static bool may_pay(const Backward& backward);
  explicit Fusion(Backward& backward);

  bool wants(int parameter) const { return backward_.wants(parameter); }
  Term value(int parameter) { return formula_->parameter(parameter); }
  Term gradient() { return formula_->gradient(); }
  Term returned() { return formula_->parameter(kMaxParameters); }  // has no tensor
  void* arguments() const { return backward_.arguments(); }
  void give(int parameter, const Term& gradient);
  void set(Derivative) {}
  void run(void (*)(Backward&)) {}

 private:
  Backward& backward_;
  Tensor* values_[kMaxParameters + 1] = {};
  Var kept_[kMaxParameters], gradient_;
  std::optional<Formula> formula_;
};

// Finds which parameters' elements the formulas read.
class Uses {
 public:
  using Value = Use;
  static constexpr int kReturned = 31;  // bit of the returned number

  bool wants(int) const { return true; }
  Use value(int parameter) const { return {uint32_t{1} << parameter}; }
  Use gradient() const { return {}; }
  Use returned() const { return {uint32_t{1} << kReturned}; }
  void give(int parameter, const Use& use) {
    read[parameter] |= use.read;
    has_formula |= uint32_t{1} << parameter;
  }
  void set(Derivative d) { derivative = d; }
  // A function may read everything but `unread`, and give a gradient to each operand.
  void run(void (*)(Backward&), uint32_t unread) {
    derivative = Derivative::function;
    has_formula = ~uint32_t{0};
    for (uint32_t& r : read) r = ~unread;
  }

  Derivative derivative = Derivative::formulas;
  uint32_t has_formula = 0;
  uint32_t read[kMaxParameters] = {};
};

struct RowRule {
  Derivative derivative;
  uint32_t has_formula;           // bit k: parameter k has one
  uint32_t read[kMaxParameters];  // what the formula of parameter k reads
  void (*run)(Backward& backward);
  void (*fuse)(Fusion& fusion);  // null unless the operation is element-wise
};
TH_VISIBLE const RowRule& rule_of(Op op);

}  // namespace th::grad

#endif
