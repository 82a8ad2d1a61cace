#include "cpu/backend.h"

#include "cpu/isa.h"

TH_ISA_TABLE(CpuBackend, cpu_backend)
