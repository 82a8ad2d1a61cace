#ifndef TH_OPS_RULES_H
#define TH_OPS_RULES_H

#include <cstdint>

#include "base/visibility.h"
#include "tensor/tensor.h"

namespace th TH_VISIBLE {

// The rule by which operands of different shapes pair, in element-wise operations, copies and
// masks. In order: the first element with the first one, and so on.
enum class Pairing : uint8_t {
  torch7,  // in order if the numbers of elements are equal; otherwise by NumPy's rules
  numpy,   // by NumPy's rules; if they do not apply, in order if the numbers of elements are equal
  strict   // by NumPy's rules; an error if pairing in order would give another result
};

// The rules of a call that differ between require 'torch' and require 'tensor'.
struct Rules {
  Pairing pairing = Pairing::torch7;
  // Reproduce Torch7's results, even if they are wrong: numbers are truncated to integers, and
  // remainders are a - b * floor(a / b).
  bool torch7 = true;
};

// The rules of the calling thread. By default those of C functions; RulesScope sets others.
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

// Returns t in the shape of like, paired by current_rules: a view if the strides allow it, else a
// copy.
TensorRef paired_view(Tensor* t, Tensor* like);

}  // namespace TH_VISIBLE

#endif
