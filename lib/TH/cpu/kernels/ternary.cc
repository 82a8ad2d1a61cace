#include "cpu/element_kernels.h"
#include "cpu/kernels/element_loop.h"
#include "functors/functors.h"

namespace th::TH_ISA {

#define TH_TERNARY(name, types, cost, doc) {TH_KERNELS_##types(functor::name, 3, cost)},
extern const TernaryKernels ternary_kernels;
const TernaryKernels ternary_kernels = {
#include "THOps.def"
};

}  // namespace th::TH_ISA
