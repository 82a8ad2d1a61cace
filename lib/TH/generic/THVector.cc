#ifndef TH_GENERIC_FILE

// Arithmetic on plain arrays, by the kernels of the element-wise operations.

#include "TH.h"

#include <algorithm>
#include <cstring>

#include "cpu/element_loop.h"
#include "cpu/isa.h"
#include "generic/bridge.h"

namespace th {
namespace {

// z = f(x, y), or f(x) if y is null.
template <class T>
void combine(ElementOp op, DType type, T* z, const T* x, const T* y, const Scalar* number,
             ptrdiff_t n) {
  if (n <= 0) return;
  char* data[] = {reinterpret_cast<char*>(z), reinterpret_cast<char*>(const_cast<T*>(x)),
                  reinterpret_cast<char*>(const_cast<T*>(y))};
  const int64_t stride[] = {sizeof(T), sizeof(T), sizeof(T)};
  ElementLoop loop(op, type, type, number);
  ElementLoop::run(data, stride, n, &loop);
}

template <class T>
void check_divisors(const T* y, ptrdiff_t n) {
  if (std::is_integral_v<T> && std::find(y, y + n, T(0)) != y + n) fail("division by zero");
}

}  // namespace
}  // namespace th

#define TH_GENERIC_FILE "generic/THVector.cc"
#include "THGenerateAllTypes.h"

#else

extern "C" {

#define TH_COMBINE(op, z, x, y, number) \
  th::guard([&] { th::combine(th::ElementOp::op, th::DType::Real, z, x, y, number, n); })

void THVector_(fill)(real* x, const real c, const ptrdiff_t n) {
  if (n > 0) std::fill(x, x + n, c);
}
void THVector_(copy)(real* y, const real* x, const ptrdiff_t n) {
  if (n > 0) std::memmove(y, x, n * sizeof(real));
}
void THVector_(cadd)(real* z, const real* x, const real* y, const real c, const ptrdiff_t n) {
  th::Scalar number = th::to_scalar(c);
  TH_COMBINE(cadd, z, x, y, &number);
}
void THVector_(adds)(real* y, const real* x, const real c, const ptrdiff_t n) {
  th::Scalar number = th::to_scalar(c);
  TH_COMBINE(add, y, x, static_cast<const real*>(nullptr), &number);
}
void THVector_(cmul)(real* z, const real* x, const real* y, const ptrdiff_t n) {
  TH_COMBINE(cmul, z, x, y, nullptr);
}
void THVector_(muls)(real* y, const real* x, const real c, const ptrdiff_t n) {
  th::Scalar number = th::to_scalar(c);
  TH_COMBINE(mul, y, x, static_cast<const real*>(nullptr), &number);
}
void THVector_(cdiv)(real* z, const real* x, const real* y, const ptrdiff_t n) {
  th::guard([&] { th::check_divisors(y, n); });
  TH_COMBINE(cdiv, z, x, y, nullptr);
}
void THVector_(divs)(real* y, const real* x, const real c, const ptrdiff_t n) {
  th::guard([&] { th::check_divisors(&c, 1); });
  th::Scalar number = th::to_scalar(c);
  TH_COMBINE(div, y, x, static_cast<const real*>(nullptr), &number);
}
void THVector_(vectorDispatchInit)(void) { th::isa(); }

#undef TH_COMBINE
}

#endif
