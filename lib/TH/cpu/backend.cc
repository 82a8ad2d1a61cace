#include "backend/cpu_backend.h"

#include "cpu/isa.h"

TH_ISA_TABLE(CpuBackend, cpu_backend)
