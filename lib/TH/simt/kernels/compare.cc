#include "simt/kernels/element_kernel.h"

namespace th {
namespace {

template <class Op, class C>
struct WithValue {
  C value;
  TH_HD uint8_t operator()(C x) const { return Op::compare(x, value); }
};
template <class Op, class C>
struct WithTensor {
  TH_HD uint8_t operator()(C a, C b) const { return Op::compare(a, b); }
};

template <class Op, bool with_value, bool to_byte>
void run_comparison(Queue& queue, const ElementCall& call) {
  dispatch(call.dtype, [&](auto zero) {
    using T = decltype(zero);
    using C = typename Numeric<T>::Compute;
    using Out = std::conditional_t<to_byte, uint8_t, T>;
    if constexpr (with_value) {
      WithValue<Op, C> f = {convert<C>(call.params[0])};
      run_elements<WithValue<Op, C>, Out, T, 1>(queue, f, call.plan);
    } else {
      run_elements<WithTensor<Op, C>, Out, T, 2>(queue, {}, call.plan);
    }
  });
}

}  // namespace

bool run_compare(Queue& queue, const ElementCall& call) {
  switch (call.kernel) {
#define TH_COMPARE(name, doc)                                 \
  case ElementKernel::name##_value_to_byte:                   \
    run_comparison<functor::name, true, true>(queue, call);   \
    return true;                                              \
  case ElementKernel::name##_tensor_to_byte:                  \
    run_comparison<functor::name, false, true>(queue, call);  \
    return true;                                              \
  case ElementKernel::name##_value_to_same:                   \
    run_comparison<functor::name, true, false>(queue, call);  \
    return true;                                              \
  case ElementKernel::name##_tensor_to_same:                  \
    run_comparison<functor::name, false, false>(queue, call); \
    return true;
#include "THOps.def"
    default:
      return false;
  }
}

}  // namespace th
