#include "cpu/product_kernels.h"

#include "cpu/isa.h"

TH_ISA_TABLE(ProductKernels, product_kernels)
