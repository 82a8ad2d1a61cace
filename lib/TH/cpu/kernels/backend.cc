// The calls of this instruction set.

#include "cpu/backend.h"

namespace th::TH_ISA {

#define TH_DEVICE_OP(name, Struct) void run_##name(const Struct& call);
TH_DEVICE_OPS(TH_DEVICE_OP)
#undef TH_DEVICE_OP

extern const CpuBackend cpu_backend;
const CpuBackend cpu_backend = {
#define TH_DEVICE_OP(name, Struct) &run_##name,
    TH_DEVICE_OPS(TH_DEVICE_OP)
#undef TH_DEVICE_OP
};

}  // namespace th::TH_ISA
