// Element-wise kernels whose instructions are counted, for limits.txt. They may contain fused
// multiply-add.

#include "functors/functors.h"
#include "simt/kernels/element_kernel.h"

namespace th {
namespace {

template <class T, template <class> class F, class... In>
void* strided() {
  using C = typename Numeric<T>::Compute;
  return reinterpret_cast<void*>(&strided_kernel<F<C>, T, C, In...>);
}

template <class T, template <class> class F>
void* unary() {
  using C = typename Numeric<T>::Compute;
  return reinterpret_cast<void*>(&packed_kernel<F<C>, T, 16 / sizeof(T), C, T>);
}

// A conversion, as in a copy.
template <class T>
struct Same {
  __device__ T operator()(T x) const { return x; }
};

template <class To, class From>
void* conversion() {
  using C = typename Numeric<From>::Compute;
  return reinterpret_cast<void*>(&packed_kernel<Same<C>, To, 16 / sizeof(From), C, From>);
}

}  // namespace

struct Elements {
  void* of_strides[4] = {strided<float, functor::cadd, float, float>(),
                         strided<double, functor::cadd, double, double>(),
                         strided<Half, functor::cadd, Half, Half>(),
                         strided<float, functor::neg, float>()};
  void* of_one_operand[4] = {unary<float, functor::neg>(), unary<Half, functor::neg>(),
                             unary<float, functor::exp>(), unary<double, functor::sqrt>()};
  void* conversions[4] = {conversion<float, Half>(), conversion<Half, float>(),
                          conversion<double, float>(), conversion<float, int32_t>()};
};
Elements elements() { return {}; }

}  // namespace th
