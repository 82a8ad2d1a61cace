#ifndef TH_BACKEND_FOURIER_CALL_H
#define TH_BACKEND_FOURIER_CALL_H

#include "backend/loop_plan.h"
#include "tensor/dtype.h"

namespace th {

enum class FourierKind {
  complex,          // n complex elements to n complex elements
  real_to_complex,  // n real elements to n / 2 + 1 complex ones; the others are their conjugates
  complex_to_real   // the inverse of real_to_complex
};

// Discrete Fourier transforms of type Float or Double, one for each position of the plan, whose
// operands are output and input:
//   out[k] = scale * sum of in[j] * exp(-2 pi i j k / n)
// The exponent is positive if `inverse` is set, and for complex_to_real, which ignores the
// imaginary parts of element 0 and, if n is even, of element n / 2. Output and input do not
// overlap.
struct FourierCall {
  DType dtype;
  FourierKind kind;
  bool inverse;  // of FourierKind::complex
  double scale;
  int64_t n;
  int64_t in_count;           // elements of the input; later ones count as 0
  int64_t out_step, in_step;  // bytes from one element of a transform to the next
  int64_t out_part, in_part;  // bytes from the real part to the imaginary part
  LoopPlan plan;
};

// Returns the smallest number from n on that has no prime factor above 7: transforms of such
// lengths are fast.
inline int64_t fast_fourier_size(int64_t n) {
  for (;; ++n) {
    int64_t rest = n;
    for (int factor = 2; factor <= 7; ++factor) {
      while (rest > 0 && rest % factor == 0) rest /= factor;
    }
    if (rest <= 1) return n;
  }
}

}  // namespace th

#endif
