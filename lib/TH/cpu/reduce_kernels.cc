#include "cpu/reduce_kernels.h"

#include "cpu/isa.h"

TH_ISA_TABLE(ReduceKernels, reduce_kernels)
TH_ISA_TABLE(ScanKernels, scan_kernels)
