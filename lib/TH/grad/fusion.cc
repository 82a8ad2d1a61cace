#include "grad/rule.h"
#include "ops/tracer.h"

namespace th::grad {

// Tracers, such as the recorder of tensor.compile, observe the single operations.
bool Fusion::may_pay(const Backward& backward) {
  const Var g = backward.gradient();
  return g && g->numel() >= Formula::kLeastElements && !is_integral(g->dtype) && !has_tracers();
}

Fusion::Fusion(Backward& backward) : backward_(backward), gradient_(backward.gradient()) {
  for (int k = 0; k < kMaxParameters; ++k) {
    kept_[k] = backward.kept_value(k);
    values_[k] = kept_[k].get();
  }
  formula_.emplace(values_, gradient_.get());
}

void Fusion::give(int parameter, const Term& gradient) {
  if (formula_->is_worth_fusing(gradient)) {
    const Var slope{TensorRef(tensor_new(gradient_->dtype))};
    formula_->evaluate(gradient, slope.get());
    backward_.give_all(parameter, slope);
  }
  formula_.emplace(values_, gradient_.get());  // for the next parameter, at the same address
}

}  // namespace th::grad
