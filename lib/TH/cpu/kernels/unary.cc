#include "cpu/element_kernels.h"
#include "cpu/kernels/element_loop.h"
#include "functors/functors.h"

namespace th::TH_ISA {

#define TH_UNARY(name, types, cost, doc) {TH_KERNELS_##types(functor::name, 1, cost)},
extern const UnaryKernels unary_kernels;
const UnaryKernels unary_kernels = {
#include "THOps.def"
};

}  // namespace th::TH_ISA
