// The table of backend calls for this instruction set.

#include "backend/cpu_backend.h"

namespace th::TH_ISA {

#define TH_BACKEND_OP(name, Struct) void run_##name(const Struct& call);
TH_KERNEL_OPS(TH_BACKEND_OP)
#undef TH_BACKEND_OP

extern const CpuBackend cpu_backend;
const CpuBackend cpu_backend = {
#define TH_BACKEND_OP(name, Struct) &run_##name,
    TH_KERNEL_OPS(TH_BACKEND_OP)
#undef TH_BACKEND_OP
};

}  // namespace th::TH_ISA
