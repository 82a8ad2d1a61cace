#include "cpu/element_kernels.h"

#include "cpu/isa.h"

TH_ISA_TABLE(UnaryKernels, unary_kernels)
TH_ISA_TABLE(ValueKernels, value_kernels)
TH_ISA_TABLE(BinaryKernels, binary_kernels)
TH_ISA_TABLE(TernaryKernels, ternary_kernels)
TH_ISA_TABLE(CompareKernels, compare_kernels)
TH_ISA_TABLE(CopyKernels, copy_kernels)
