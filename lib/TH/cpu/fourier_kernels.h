#ifndef TH_CPU_FOURIER_KERNELS_H
#define TH_CPU_FOURIER_KERNELS_H

// Transforms of a block of positions, the lanes, side by side. In work memory, element i of lane k
// is element i * lanes + k, with the real parts and the imaginary parts in separate arrays.

#include "backend/fourier_call.h"
#include "cpu/fourier_plan.h"

namespace th {

template <class T>
struct FourierBlock {
  // Has call->n points, or half of them if n is even and the kind is real.
  const FourierPlan<T>* plan;
  const FourierCall* call;
  int64_t lanes;
  char* const* out;  // the first element of each lane
  const char* const* in;
  T* work;  // fourier_work elements
};

// Elements between two arrays in work memory. A distance that is a power of two would be slow.
constexpr int64_t kFourierGap = 16;

// The elements of one array of real or imaginary parts.
inline int64_t fourier_array(int64_t n, int64_t lanes) { return (n + 1) * lanes + kFourierGap; }

template <class T>
int64_t fourier_work(const FourierPlan<T>& plan, int64_t lanes) {
  const int64_t inner = plan.convolution ? fourier_array(plan.convolution->n, lanes) : 0;
  return 4 * (fourier_array(plan.n, lanes) + inner);
}

struct FourierKernels {
  void (*of_float)(const FourierBlock<float>&);
  void (*of_double)(const FourierBlock<double>&);
};
const FourierKernels& fourier_kernels();

}  // namespace th

#endif
