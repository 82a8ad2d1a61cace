#include "cpu/linalg_kernels.h"

#include "cpu/isa.h"

TH_ISA_TABLE(LinalgKernels, linalg_kernels)
