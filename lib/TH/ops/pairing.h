#ifndef TH_OPS_PAIRING_H
#define TH_OPS_PAIRING_H

#include <cstdint>

#include "tensor/tensor.h"
#include "memory/visibility.h"

namespace th TH_VISIBLE {

// How the operands of element-wise operations, copies and masks pair where their shapes differ.
enum class Pairing : uint8_t {
  torch7,  // with as many elements, in order; otherwise by NumPy's rules
  numpy,   // by NumPy's rules; where shapes do not broadcast, as many elements in order
  strict   // by NumPy's rules; an error where pairing in order would give anything else
};

// Of the calling thread: that of C functions, unless a scope says otherwise.
extern __thread Pairing current_pairing __attribute__((tls_model("initial-exec")));

class PairingScope {
 public:
  explicit PairingScope(Pairing pairing) noexcept : before_(current_pairing) {
    current_pairing = pairing;
  }
  ~PairingScope() { current_pairing = before_; }
  PairingScope(const PairingScope&) = delete;
  PairingScope& operator=(const PairingScope&) = delete;

 private:
  Pairing before_;
};

// t as it pairs with the elements of like, in like's sizes: a view, or a copy where its layout
// needs one.
TensorRef paired_view(const char* name, Tensor* t, Tensor* like);

}  // namespace TH_VISIBLE

#endif
