#include "cpu/element_kernels.h"
#include "cpu/kernels/element_loop.h"
#include "functors/functors.h"

namespace th::TH_ISA {

#define TH_SCALAR(name, lua, types, cost, doc) {TH_KERNELS_##types(functor::name, 1, cost)},
extern const ValueKernels value_kernels;
const ValueKernels value_kernels = {
#include "THOps.def"
    {TH_KERNELS_ALL(functor::tpow, 1, costly)},
    {TH_KERNELS_ALL(functor::clamp, 1, cheap)},
};

}  // namespace th::TH_ISA
