#include "cpu/isa.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>

#if defined(TH_HAVE_AVX2) || defined(TH_HAVE_AVX512)
#define TH_HAVE_X86_KERNELS 1
#include <cpuid.h>
#endif
#ifdef TH_HAVE_AMX
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace th {

namespace {

struct IsaNames {
  const char* request;  // the value of TENSOR_ISA
  const char* name;
};
constexpr IsaNames kNames[] = {{"baseline", "baseline"},
                               {"avx2", "AVX2"},
                               {"avx512", "AVX-512"},
                               {"avx512bf16", "AVX512-BF16"},
                               {"amx", "AMX"}};

#ifdef TH_HAVE_X86_KERNELS
// Clang's __builtin_cpu_supports does not support "f16c".
bool has_f16c() {
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}

// GCC 10's __builtin_cpu_supports does not support these.
[[maybe_unused]] bool has_avx512bf16() {
  unsigned a, b, c, d;
  return __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a & 1 << 5);
}
#ifdef TH_HAVE_AMX
// Linux may not support the tile registers of the CPU.
bool has_amx() {
  unsigned a, b, c, d;
  constexpr unsigned kBFloat16 = 1 << 22, kTile = 1 << 24;
  constexpr int kGetSupported = 0x1021, kTileData = 18;  // ARCH_GET_XCOMP_SUPP
  uint64_t supported = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & kBFloat16) && (d & kTile) &&
         syscall(SYS_arch_prctl, kGetSupported, &supported) == 0 && (supported >> kTileData & 1);
}
#endif

Isa best() {
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi2") && has_f16c();
  [[maybe_unused]] const bool avx512 =
      avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl");
#ifdef TH_HAVE_AMX
  if (avx512 && has_avx512bf16() && has_amx()) return Isa::amx;
#endif
#ifdef TH_HAVE_AVX512BF16
  if (avx512 && has_avx512bf16()) return Isa::avx512bf16;
#endif
  TH_IF_AVX512(if (avx512) return Isa::avx512;)
  TH_IF_AVX2(if (avx2) return Isa::avx2;)
  return Isa::baseline;
}
#else
Isa best() { return Isa::baseline; }
#endif

Isa detect() noexcept {
  Isa chosen = best();
#ifdef TH_HAVE_BASELINE
  if (const char* requested = std::getenv("TENSOR_ISA")) {
    for (int isa = 0; isa < static_cast<int>(chosen); ++isa) {
      if (!std::strcmp(requested, kNames[isa].request)) chosen = static_cast<Isa>(isa);
    }
  }
#endif
  TH_IF_AVX512(if (chosen >= Isa::avx512) return chosen;)
  TH_IF_AVX2(if (chosen >= Isa::avx2) return Isa::avx2;)
  return Isa::baseline;
}

}  // namespace

Isa isa() noexcept {
  static const Isa chosen = detect();
  return chosen;
}

const char* isa_name() noexcept { return kNames[static_cast<int>(isa())].name; }

}  // namespace th
