#include "cpu/convolution_kernels.h"

#include "cpu/isa.h"

TH_ISA_TABLE(ConvolutionKernels, convolution_kernels)
