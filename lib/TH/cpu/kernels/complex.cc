// Products and quotients of complex numbers.

#include <cstring>
#include <type_traits>
#include <utility>

#include "backend/cpu_backend.h"
#include "cpu/kernels/vector_bytes.h"
#include "cpu/parallel.h"
#include "functors/complex_quotient.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

constexpr int64_t kNumbers = 64;  // that are multiplied or divided together

#if defined(__clang__) || __GNUC__ >= 12
#define TH_LANES(x, ...) __builtin_shufflevector(x, x, __VA_ARGS__)
#else
#define TH_LANES(x, ...) __builtin_shuffle(x, Lanes{__VA_ARGS__})
#endif

// Multiplies a vector of complex numbers, whose parts have the numbers K. It uses GCC's vectors,
// because GCC 12 fuses the products and sums of loops to one rounding, also with -ffp-contract=off.
template <class T, int... K>
inline void multiply_vector(const T* a, const T* b, T* r, std::integer_sequence<int, K...>) {
  using Lanes [[maybe_unused, gnu::vector_size(kVectorBytes)]] =
      std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  typedef T Vector __attribute__((vector_size(kVectorBytes)));
  Vector x, y;
  std::memcpy(&x, a, sizeof(x));
  std::memcpy(&y, b, sizeof(y));
  const Vector sign = {(K % 2 ? T(1) : T(-1))...};
  const Vector of_re = TH_LANES(x, (K & ~1)...) * y;
  const Vector of_im = TH_LANES(x, (K | 1)...) * TH_LANES(y, (K ^ 1)...);
  const Vector product = of_re + sign * of_im;
  std::memcpy(r, &product, sizeof(product));
}

// Multiplies n complex numbers.
template <class T>
void multiply_some(const T* a, const T* b, T* r, int64_t n) {
  constexpr int lanes = kVectorBytes / sizeof(T);
  constexpr auto parts = std::make_integer_sequence<int, lanes>();
  int64_t i = 0;
  for (; i + lanes <= 2 * n; i += lanes) multiply_vector(a + i, b + i, r + i, parts);
  if (i == 2 * n) return;
  const auto rest = static_cast<size_t>(2 * n - i) * sizeof(T);
  T x[lanes] = {}, y[lanes] = {}, product[lanes];
  std::memcpy(x, a + i, rest);
  std::memcpy(y, b + i, rest);
  multiply_vector(x, y, product, parts);
  std::memcpy(r + i, product, rest);
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
