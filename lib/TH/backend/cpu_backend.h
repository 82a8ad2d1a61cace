#ifndef TH_BACKEND_CPU_BACKEND_H
#define TH_BACKEND_CPU_BACKEND_H

// The CPU as a backend: runs the calls of backend/calls.h synchronously on host memory. cpu/
// defines these functions: kernels are compiled for each instruction set, calls of libraries once.

#include "backend/calls.h"

namespace th {

struct CpuBackend {
#define TH_BACKEND_OP(name, Struct) void (*name)(const Struct& call);
  TH_KERNEL_OPS(TH_BACKEND_OP)
#undef TH_BACKEND_OP
};
const CpuBackend& cpu_backend();

#define TH_BACKEND_OP(name, Struct) \
  inline void run_on_cpu(const Struct& call) { cpu_backend().name(call); }
TH_KERNEL_OPS(TH_BACKEND_OP)
#undef TH_BACKEND_OP

#define TH_BACKEND_OP(name, Struct)    \
  void run_##name(const Struct& call); \
  inline void run_on_cpu(const Struct& call) { run_##name(call); }
TH_LIBRARY_OPS(TH_BACKEND_OP)
#undef TH_BACKEND_OP

}  // namespace th

#endif
