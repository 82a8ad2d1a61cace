#ifndef TH_GENERIC_FILE

// Arithmetic on plain arrays.

#include "TH.h"

#include <algorithm>
#include <cstring>

#include "backend/cpu_backend.h"
#include "functors/functors.h"
#include "generic/array_call.h"

namespace th {
namespace {

// The kernels of the element-wise operations take longer to start than to compute this many
// elements: 70 ns. Conversions of the 16-bit types are slower here.
template <class T>
constexpr ptrdiff_t kShort = IsReduced<T>::value ? 16 : 512;

// z[i] = f(number, inputs[i] ...): what op computes, whose kernel is called if there are many
// elements.
template <DType type, class T, class F, class... Inputs>
void combine(ElementOp op, const F& f, Scalar number, ptrdiff_t n, T* z, const Inputs*... inputs) {
  if (n > kShort<T>) {
    return guard([=] { run_on_arrays<T>(op, type, n, {{z}, {inputs}...}, number); });
  }
  using Element = typename ElementOf<type>::Type;
  auto element = [](const T& x) { return load(reinterpret_cast<const Element&>(x)); };
  const auto c = convert<decltype(element(*z))>(number);
#pragma omp simd
  for (ptrdiff_t i = 0; i < n; ++i) {
    reinterpret_cast<Element&>(z[i]) = convert<Element>(f(c, element(inputs[i])...));
  }
}

// Raises an error of the calling C function for an integer divisor of 0. In an OpenMP region, where
// the error comes later, returns false.
template <class T>
bool check_divisors(const T* y, ptrdiff_t n, const char* function = __builtin_FUNCTION()) {
  if constexpr (std::is_integral_v<T>) {
    return guard(
        [&] {
          if (n > 0 && std::find(y, y + n, T(0)) != y + n) fail("division by zero");
          return true;
        },
        function);
  }
  return true;
}

}  // namespace
}  // namespace th

#define TH_GENERIC_FILE "generic/THVector.cc"
#include "THGenerateAllTypes.h"

#else

extern "C" {

void THVector_(fill)(real* x, const real c, const ptrdiff_t n) {
  if (n > 0) std::fill(x, x + n, c);
}
void THVector_(copy)(real* y, const real* x, const ptrdiff_t n) {
  if (n > 0) std::memmove(y, x, n * sizeof(real));
}
#define TH_COMBINE(op, parameters, value, number, ...) \
  th::combine<th::DType::Real>(                        \
      th::ElementOp::op, [] parameters { return th::functor::value; }, number, n, __VA_ARGS__)

void THVector_(cadd)(real* z, const real* x, const real* y, const real c, const ptrdiff_t n) {
  TH_COMBINE(cadd, (auto c, auto a, auto b), plus(a, th::functor::times(c, b)), th::to_scalar(c), z,
             x, y);
}
void THVector_(adds)(real* y, const real* x, const real c, const ptrdiff_t n) {
  TH_COMBINE(add, (auto c, auto a), plus(a, c), th::to_scalar(c), y, x);
}
void THVector_(cmul)(real* z, const real* x, const real* y, const ptrdiff_t n) {
  TH_COMBINE(cmul, (auto, auto a, auto b), times(a, b), th::Scalar(), z, x, y);
}
void THVector_(muls)(real* y, const real* x, const real c, const ptrdiff_t n) {
  TH_COMBINE(mul, (auto c, auto a), times(a, c), th::to_scalar(c), y, x);
}
void THVector_(cdiv)(real* z, const real* x, const real* y, const ptrdiff_t n) {
  if (!th::check_divisors(y, n)) return;
  TH_COMBINE(cdiv, (auto, auto a, auto b), quotient(a, b), th::Scalar(), z, x, y);
}
void THVector_(divs)(real* y, const real* x, const real c, const ptrdiff_t n) {
  if (!th::check_divisors(&c, 1)) return;
  TH_COMBINE(div, (auto c, auto a), quotient(a, c), th::to_scalar(c), y, x);
}
void THVector_(vectorDispatchInit)(void) { th::cpu_backend(); }

#undef TH_COMBINE
}

#endif
