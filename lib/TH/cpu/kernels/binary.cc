#include "cpu/element_kernels.h"
#include "cpu/kernels/element_loop.h"
#include "functors/functors.h"

namespace th::TH_ISA {

#define TH_SCALED(name, lua, types, cost, doc) {TH_KERNELS_##types(functor::name, 2, cost)},
#define TH_BINARY(name, lua, types, cost, doc) {TH_KERNELS_##types(functor::name, 2, cost)},
extern const BinaryKernels binary_kernels;
const BinaryKernels binary_kernels = {
#include "THOps.def"
    {TH_KERNELS_FLOATING(functor::lerp, 2, cheap)},
};

}  // namespace th::TH_ISA
