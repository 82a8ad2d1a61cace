#include "cpu/isa.h"

#include <cstdlib>
#include <cstring>

#if defined(TH_HAVE_AVX2) || defined(TH_HAVE_AVX512)
#define TH_HAVE_X86_KERNELS 1
#include <cpuid.h>
#endif

namespace th {

namespace {

#ifdef TH_HAVE_X86_KERNELS
// Clang's __builtin_cpu_supports does not support "f16c".
bool has_f16c() {
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}
#endif

Isa detect() noexcept {
#ifdef TH_HAVE_X86_KERNELS
  __builtin_cpu_init();
#ifdef TH_HAVE_BASELINE
  const char* requested = std::getenv("TENSOR_ISA");
#else
  const char* requested = nullptr;
#endif
  if (requested && !std::strcmp(requested, "baseline")) return Isa::baseline;
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi2") && has_f16c();
  [[maybe_unused]] const bool avx512 =
      avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl");
  TH_IF_AVX512(if (avx512 && !(requested && !std::strcmp(requested, "avx2"))) return Isa::avx512;)
  TH_IF_AVX2(if (avx2) return Isa::avx2;)
  return Isa::baseline;
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
