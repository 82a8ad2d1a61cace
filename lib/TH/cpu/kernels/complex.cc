// Products and quotients of complex numbers.

#include "backend/cpu_backend.h"
#include "cpu/parallel.h"
#include "functors/complex_quotient.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

// Multiplies up to kNumbers complex numbers. The products are stored before they are added, because
// GCC 12 would fuse both to one rounding, also with -ffp-contract=off.
constexpr int64_t kNumbers = 64;
template <class T>
void multiply_some(const T* a, const T* b, T* r, int64_t n) {
  T of_re[2 * kNumbers], of_im[2 * kNumbers];
  for (int64_t i = 0; i < n; ++i) {
    of_re[2 * i] = a[2 * i] * b[2 * i];
    of_re[2 * i + 1] = a[2 * i] * b[2 * i + 1];
    of_im[2 * i] = -(a[2 * i + 1] * b[2 * i + 1]);
    of_im[2 * i + 1] = a[2 * i + 1] * b[2 * i];
  }
  asm("" : : "r"(of_re), "r"(of_im) : "memory");
  for (int64_t i = 0; i < 2 * n; ++i) r[i] = of_re[i] + of_im[i];
}

// Divides up to kNumbers complex numbers. The parts are separated first, for vectors.
template <class T>
void divide_some(const T* a, const T* b, T* r, int64_t n) {
  T a_re[kNumbers], a_im[kNumbers], b_re[kNumbers], b_im[kNumbers], re[kNumbers], im[kNumbers];
  for (int64_t i = 0; i < n; ++i) {
    a_re[i] = a[2 * i];
    a_im[i] = a[2 * i + 1];
    b_re[i] = b[2 * i];
    b_im[i] = b[2 * i + 1];
  }
  const auto x = [&](int64_t i) { return Complex<T>{a_re[i], a_im[i]}; };
  const auto y = [&](int64_t i) { return Complex<T>{b_re[i], b_im[i]}; };
  int rare = 0;
#pragma omp simd reduction(| : rare)
  for (int64_t i = 0; i < n; ++i) {
    const Complex<T> quotient = plain_quotient(x(i), y(i));
    re[i] = quotient.re;
    im[i] = quotient.im;
    rare |= !is_plain(x(i), y(i));
  }
  for (int64_t i = 0; rare && i < n; ++i) {
    if (is_plain(x(i), y(i))) continue;
    const Complex<T> quotient = complex_quotient(x(i), y(i));
    re[i] = quotient.re;
    im[i] = quotient.im;
  }
  for (int64_t i = 0; i < n; ++i) {
    r[2 * i] = re[i];
    r[2 * i + 1] = im[i];
  }
}

template <class T>
void compute(const ComplexProductCall& call) {
  const auto *a = reinterpret_cast<const T*>(call.a), *b = reinterpret_cast<const T*>(call.b);
  T* r = reinterpret_cast<T*>(call.r);
  parallel_for(call.n, Grain::cheap / 2, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i += kNumbers) {
      const int64_t n = end - i < kNumbers ? end - i : kNumbers;
      const auto some = call.divides ? &divide_some<T> : &multiply_some<T>;
      some(a + 2 * i, b + 2 * i, r + 2 * i, n);
    }
  });
}

}  // namespace

namespace TH_ISA {

void run_complex_product(const ComplexProductCall& call) {
  dispatch_types<BlasTypes>(call.dtype, [&](auto zero) { compute<decltype(zero)>(call); });
}

}  // namespace TH_ISA
}  // namespace th
