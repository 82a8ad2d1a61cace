# TH_ISAS: the instruction sets that kernels are compiled for. A list contains baseline. `all`, for
# releases, is every set. `native`, for tests, is the sets that this machine's CPU supports. `host`
# is only the best of these: it builds fastest, and the library works on CPUs with that set only.
# In a native build with tests, isa_optimization_<isa> is the optimization of the sets below the best
# one: baseline takes 110 CPU s to compile with -O3 and 25 with -O0, avx2 takes 90 with -O3 and 45
# with -O1. Kernels give the same results with any optimization.

set(TH_ISAS all CACHE STRING
    "Instruction sets of kernels: all, native, host, or a list with baseline")

set(isas baseline)
# Sanitizer builds need only one instruction set.
if(NOT TH_SANITIZE AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(isas baseline avx2 avx512)
endif()

# The same choice as in cpu/isa.cc.
if(TH_ISAS MATCHES "^(native|host)$" AND "avx2" IN_LIST isas AND EXISTS /proc/cpuinfo)
  file(STRINGS /proc/cpuinfo flags REGEX "^flags" LIMIT_COUNT 1)
  string(REGEX MATCHALL "[a-z0-9_]+" flags "${flags}")
  set(isas baseline)
  foreach(isa_needs IN ITEMS "avx2 fma bmi2 f16c" "avx512f avx512bw avx512cd avx512dq avx512vl")
    string(REPLACE " " ";" needs "${isa_needs}")
    set(missing ${needs})
    list(REMOVE_ITEM missing ${flags})
    if(missing)
      break()
    endif()
    string(REGEX REPLACE "f? .*" "" isa "${isa_needs}")
    list(APPEND isas ${isa})
  endforeach()
  if(TH_ISAS STREQUAL "host" AND isa)
    set(isas ${isa})
  elseif(TH_BUILD_TESTS)
    set(isa_optimization_baseline -O0)
    set(isa_optimization_avx2 -O1)
    list(GET isas -1 isa)
    unset(isa_optimization_${isa})
  endif()
endif()
if(TH_ISAS MATCHES "^(all|native|host)$")
  set(TH_ISAS ${isas})
endif()

# TH_BFLOAT16_ISAS: further instruction sets, for which only the products of BFloat16 matrices are
# compiled. They belong to avx512, if the compiler and the assembler support them.
set(isa_flags_avx512 -march=x86-64-v4 -mprefer-vector-width=512)
set(isa_flags_avx512bf16 ${isa_flags_avx512} -mavx512bf16)
set(isa_flags_amx ${isa_flags_avx512bf16} -mamx-tile -mamx-bf16)
set(TH_BFLOAT16_ISAS "")
if("avx512" IN_LIST TH_ISAS)
  include(CheckCXXSourceCompiles)
  string(REPLACE ";" " " CMAKE_REQUIRED_FLAGS "${isa_flags_avx512bf16}")
  check_cxx_source_compiles("
    #include <immintrin.h>
    __m512 f(__m512 sum, __m512bh a) { return _mm512_dpbf16_ps(sum, a, a); }
    int main() {}" TH_HAVE_AVX512BF16)
  string(REPLACE ";" " " CMAKE_REQUIRED_FLAGS "${isa_flags_amx}")
  check_cxx_source_compiles("
    #include <immintrin.h>
    void f() { _tile_dpbf16ps(0, 1, 2); }
    int main() {}" TH_HAVE_AMX)
  unset(CMAKE_REQUIRED_FLAGS)
  if(TH_HAVE_AVX512BF16)
    list(APPEND TH_BFLOAT16_ISAS avx512bf16)
    if(TH_HAVE_AMX AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
      list(APPEND TH_BFLOAT16_ISAS amx)
    endif()
  endif()
endif()
