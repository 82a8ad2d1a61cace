#ifndef TH_CPU_ISA_H
#define TH_CPU_ISA_H

// Kernels are compiled once per instruction set. The one to use is chosen once, according to the
// CPU.

#include "base/error.h"

namespace th {

// Each includes the ones before it. From avx512bf16 on, only the products of BFloat16 matrices have
// kernels of their own (cpu/bfloat16_product.h); the others are those of avx512.
enum class Isa { baseline, avx2, avx512, avx512bf16, amx };

// Returns the best instruction set that the build and the CPU support, or a lower one if the
// environment variable TENSOR_ISA (a name of Isa) requests it. A build for one set only ignores the
// variable. If the CPU supports no set of the build, returns baseline.
Isa isa() noexcept;
const char* isa_name() noexcept;

// Throws an Error: this CPU supports no instruction set of the build.
template <class Table>
const Table& no_kernels() {
  fail("this CPU lacks the instruction set that libTH was built for: build it with TH_ISAS=all");
}

}  // namespace th

#ifdef TH_HAVE_AVX2
#define TH_IF_AVX2(...) __VA_ARGS__
#else
#define TH_IF_AVX2(...)
#endif
#ifdef TH_HAVE_AVX512
#define TH_IF_AVX512(...) __VA_ARGS__
#else
#define TH_IF_AVX512(...)
#endif
// A build for this machine's CPU only (TH_ISAS=host) may have no baseline kernels.
#ifdef TH_HAVE_BASELINE
#define TH_BASELINE_TABLE(Table, function) baseline::function
#else
#define TH_BASELINE_TABLE(Table, function) no_kernels<Table>()
#endif

// Defines function(), which returns the table of the chosen instruction set.
#define TH_ISA_TABLE(Table, function)                                                         \
  namespace th {                                                                              \
  namespace baseline {                                                                        \
  extern const Table function;                                                                \
  }                                                                                           \
  TH_IF_AVX2(namespace avx2 { extern const Table function; })                                 \
  TH_IF_AVX512(namespace avx512 { extern const Table function; })                             \
  const Table& function() {                                                                   \
    static const Table& chosen = TH_IF_AVX512(isa() >= Isa::avx512 ? avx512::function :)      \
        TH_IF_AVX2(isa() == Isa::avx2 ? avx2::function :) TH_BASELINE_TABLE(Table, function); \
    return chosen;                                                                            \
  }                                                                                           \
  }

#endif
