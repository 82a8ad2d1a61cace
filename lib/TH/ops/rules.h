#ifndef TH_OPS_RULES_H
#define TH_OPS_RULES_H

#include <cstdint>

#include "base/visibility.h"
#include "tensor/tensor.h"

namespace th TH_VISIBLE {

// How the operands of element-wise operations, copies and masks pair where their shapes differ.
enum class Pairing : uint8_t {
  torch7,  // with as many elements, in order; otherwise by NumPy's rules
  numpy,   // by NumPy's rules; where shapes do not broadcast, as many elements in order
  strict   // by NumPy's rules; an error where pairing in order would give anything else
};

// The rules of a call where those of Torch7 differ from those of require 'tensor'.
struct Rules {
  Pairing pairing = Pairing::torch7;
  // Torch7's results where they are wrong but defined: numbers are truncated to integers, and
  // remainders are a - b * floor(a / b).
  bool torch7 = true;
};

// The rules of the calling thread: those of C functions, unless a scope sets others.
extern __thread Rules current_rules __attribute__((tls_model("initial-exec")));

class RulesScope {
 public:
  explicit RulesScope(Rules rules) noexcept : before_(current_rules) { current_rules = rules; }
  ~RulesScope() { current_rules = before_; }
  RulesScope(const RulesScope&) = delete;
  RulesScope& operator=(const RulesScope&) = delete;

 private:
  Rules before_;
};

// t as it pairs with the elements of like, in like's sizes: a view, or a copy where its layout
// needs one.
TensorRef paired_view(const char* name, Tensor* t, Tensor* like);

}  // namespace TH_VISIBLE

#endif
