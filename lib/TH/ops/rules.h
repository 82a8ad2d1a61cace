#ifndef TH_OPS_RULES_H
#define TH_OPS_RULES_H

#include <cstdint>

#include "base/visibility.h"
#include "tensor/tensor.h"

namespace th TH_VISIBLE {

struct OpRow;

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

// A call whose operands pair by Pairing::strict.
struct StrictCall {
  const OpRow& row;
  void* arguments;
};

// The rules of the calling thread. By default those of C functions; RulesScope sets others.
extern __thread Rules current_rules __attribute__((tls_model("initial-exec")));
// The outermost call, while one is running by Pairing::strict. Not a part of the rules, which are
// copied at each call.
extern __thread const StrictCall* strict_call __attribute__((tls_model("initial-exec")));

class RulesScope {
 public:
  explicit RulesScope(Rules rules) noexcept : before_(current_rules) { current_rules = rules; }
  ~RulesScope() { current_rules = before_; }
  RulesScope(const RulesScope&) = delete;
  RulesScope& operator=(const RulesScope&) = delete;

 private:
  Rules before_;
};

// The rules of one call under Pairing::strict. Inner calls pair by NumPy's rules, because their
// operands have shapes that the caller did not choose. The exception are inner calls on two or more
// operands of the outermost call.
class StrictScope {
 public:
  StrictScope(const OpRow& row, void* arguments) noexcept
      : own_{row, arguments}, rules_(rules_of(own_)), before_(strict_call) {
    if (!before_) strict_call = &own_;
  }
  ~StrictScope() { strict_call = before_; }
  StrictScope(const StrictScope&) = delete;
  StrictScope& operator=(const StrictScope&) = delete;

 private:
  static Rules rules_of(const StrictCall& own) noexcept;

  StrictCall own_;
  RulesScope rules_;
  const StrictCall* before_;
};

// Returns t in the shape of like, paired by current_rules: a view if the strides allow it, else a
// copy.
TensorRef paired_view(Tensor* t, Tensor* like);

}  // namespace TH_VISIBLE

#endif
