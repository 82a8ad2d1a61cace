// Products and quotients of complex numbers.

#include "functors/complex_quotient.h"
#include "simt/launch.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

template <class T>
__global__ void compute_complex(ComplexProductCall call) {
  const auto *a = reinterpret_cast<const T*>(call.a), *b = reinterpret_cast<const T*>(call.b);
  const int64_t step = int64_t(gridDim.x) * blockDim.x;
  for (int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x; i < call.n; i += step) {
    const T re = a[2 * i], im = a[2 * i + 1], x = b[2 * i], y = b[2 * i + 1];
    T* r = reinterpret_cast<T*>(call.r) + 2 * i;
    if (call.divides) {
      const Complex<T> up = {re, im}, down = {x, y};
      const Complex<T> quotient =
          is_plain(up, down) ? plain_quotient(up, down) : complex_quotient(up, down);
      r[0] = quotient.re;
      r[1] = quotient.im;
    } else {
      r[0] = re * x - im * y;
      r[1] = re * y + im * x;
    }
  }
}

}  // namespace

void run_complex_product(Queue& queue, const ComplexProductCall& call) {
  dispatch_types<BlasTypes>(call.dtype, [&](auto zero) {
    TH_LAUNCH(queue, (compute_complex<decltype(zero)>), blocks_for(queue, call.n), kThreads, 0,
              call);
  });
}

}  // namespace th
