#include "cpu/element_kernels.h"

#include "cpu/isa.h"

TH_ISA_TABLE(ElementKernels, unary_kernels)
TH_ISA_TABLE(ElementKernels, binary_kernels)
TH_ISA_TABLE(ElementKernels, scaled_kernels)
TH_ISA_TABLE(ElementKernels, compare_kernels)
TH_ISA_TABLE(CopyKernels, copy_kernels)
