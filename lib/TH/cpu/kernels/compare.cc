#include "cpu/element_kernels.h"
#include "cpu/kernels/element_loop.h"
#include "functors/functors.h"

namespace th {
namespace {

template <class F, class C>
struct WithValue {
  C value;
  bool operator()(C x) const { return F::compare(x, value); }
};
template <class F, class C>
struct WithTensor {
  bool operator()(C a, C b) const { return F::compare(a, b); }
};
// 16-bit floats are compared in float, straight from memory.
template <class F, class T>
struct Loading {
  F f;
  template <class... In>
  auto operator()(In... x) const {
    return static_cast<uint8_t>(f(load(x)...));
  }
};

template <class F, class T, class Out>
void value_loop(char* const* data, const int64_t* stride, int64_t n, const Scalar* params) {
  using C = typename Numeric<T>::Compute;
  using Op = Loading<WithValue<F, C>, T>;
  Op f{{convert<C>(params[0])}};
  direct_loop<Op, Out, T>(data, stride, n, f, std::make_index_sequence<1>());
}

template <class F, class T, class Out>
void tensor_loop(char* const* data, const int64_t* stride, int64_t n, const Scalar*) {
  using C = typename Numeric<T>::Compute;
  using Op = Loading<WithTensor<F, C>, T>;
  direct_loop<Op, Out, T>(data, stride, n, Op{}, std::make_index_sequence<2>());
}

}  // namespace

namespace TH_ISA {

extern const CompareKernels compare_kernels;

template <class F>
struct Row {
  static constexpr CompareLoops loops() {
    return {{
#define TH_TYPE(Name, real, accreal, kind, ...) \
  &value_loop<F, ElementOf<DType::Name>::Type, uint8_t>,
#include "THTypes.def"
            },
            {
#undef TH_TYPE
#define TH_TYPE(Name, real, accreal, kind, ...) \
  &tensor_loop<F, ElementOf<DType::Name>::Type, uint8_t>,
#include "THTypes.def"
            },
            {
#undef TH_TYPE
#define TH_TYPE(Name, real, accreal, kind, ...) \
  &value_loop<F, ElementOf<DType::Name>::Type, ElementOf<DType::Name>::Type>,
#include "THTypes.def"
            },
            {
#undef TH_TYPE
#define TH_TYPE(Name, real, accreal, kind, ...) \
  &tensor_loop<F, ElementOf<DType::Name>::Type, ElementOf<DType::Name>::Type>,
#include "THTypes.def"
            }};
  }
};

#define TH_COMPARE(name, doc) Row<functor::name>::loops(),
const CompareKernels compare_kernels = {
#include "THOps.def"
};

}  // namespace TH_ISA
}  // namespace th
