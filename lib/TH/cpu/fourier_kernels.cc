#include "cpu/fourier_kernels.h"

#include "cpu/isa.h"

TH_ISA_TABLE(FourierKernels, fourier_kernels)
