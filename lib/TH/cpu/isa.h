#ifndef TH_CPU_ISA_H
#define TH_CPU_ISA_H

// Kernels are compiled once per instruction set. The one to use is chosen once, according to the
// CPU.

namespace th {

enum class Isa { baseline, avx2, avx512 };

// Returns the best instruction set that the build and the CPU support, or a lower one if the
// environment variable TENSOR_ISA (baseline, avx2 or avx512) requests it.
Isa isa() noexcept;
const char* isa_name() noexcept;

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

#define TH_ISA_TABLE(Table, function)                                                    \
  namespace th {                                                                         \
  namespace baseline {                                                                   \
  extern const Table function;                                                           \
  }                                                                                      \
  TH_IF_AVX2(namespace avx2 { extern const Table function; })                            \
  TH_IF_AVX512(namespace avx512 { extern const Table function; })                        \
  const Table& function() {                                                              \
    static const Table& chosen = TH_IF_AVX512(isa() == Isa::avx512 ? avx512::function :) \
        TH_IF_AVX2(isa() == Isa::avx2 ? avx2::function :) baseline::function;            \
    return chosen;                                                                       \
  }                                                                                      \
  }

#endif
