#include "cpu/isa.h"

#include <cstdlib>
#include <cstring>

#ifdef TH_HAVE_X86_KERNELS
#include <cpuid.h>
#endif

namespace th {

namespace {

#ifdef TH_HAVE_X86_KERNELS
// Clang's __builtin_cpu_supports does not know it.
bool has_f16c() {
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}
#endif

Isa detect() noexcept {
#ifdef TH_HAVE_X86_KERNELS
  __builtin_cpu_init();
  Isa best = Isa::baseline;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2") && has_f16c()) {
    best = Isa::avx2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
      best = Isa::avx512;
    }
  }
  if (const char* asked = std::getenv("TENSOR_ISA")) {
    if (!std::strcmp(asked, "baseline")) return Isa::baseline;
    if (!std::strcmp(asked, "avx2") && best == Isa::avx512) return Isa::avx2;
  }
  return best;
#else
  return Isa::baseline;
#endif
}

}  // namespace

Isa isa() noexcept {
  static const Isa chosen = detect();
  return chosen;
}

const char* isa_name() noexcept {
  switch (isa()) {
    case Isa::avx512:
      return "AVX-512";
    case Isa::avx2:
      return "AVX2";
    case Isa::baseline:
      break;
  }
  return "baseline";
}

}  // namespace th
