# Language levels and compiler flags of every target.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Kind of build" FORCE)
endif()

# Use ccache if it is installed.
find_program(CCACHE_EXECUTABLE NAMES ccache)
mark_as_advanced(CCACHE_EXECUTABLE)
if(CCACHE_EXECUTABLE)
  foreach(language IN ITEMS C CXX CUDA)
    if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER "${CCACHE_EXECUTABLE}")
    endif()
  endforeach()
endif()

# The ThreadSanitizer build has no precompiled headers, so that it detects missing includes. Nor has
# a build with ccache: after a change of a header, ccache restores the old precompiled header,
# because GCC reads it when it preprocesses its source.
if("thread" IN_LIST TH_SANITIZE OR CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache")
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()

# Precompiles headers that most files of a target include.
function(tensor_precompile target)
  list(TRANSFORM ARGN PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/" REGEX "^[^<]"
       OUTPUT_VARIABLE headers)
  target_precompile_headers(${target} PRIVATE ${headers})
endfunction()

set(CMAKE_C_STANDARD 99)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # Clang does not apply the visibility of a namespace to definitions outside its block.
  set(CMAKE_CXX_VISIBILITY_PRESET default)
endif()
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

# Only the kernels gain from -O3; -O2 compiles the many other template instances faster.
string(REPLACE "-O3" "-O2" CMAKE_C_FLAGS_RELEASE "${CMAKE_C_FLAGS_RELEASE}")
string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")

# -Wformat-security: the default of Clang and of Ubuntu's GCC.
set(TH_WARNING_OPTIONS -Wall -Wextra -Wformat-security)
# These pragmas and attributes control vectorization in GCC; Clang does not know them. It warns of
# each loop with `omp simd` that it does not vectorize.
set(TH_CLANG_OPTIONS -Wno-unknown-pragmas -Wno-unknown-attributes -Wno-ignored-pragmas
    -Wno-pass-failed)

# -ffp-contract=off: results do not depend on whether the instruction set has fused multiply-add.
# -fno-strict-aliasing: the core accesses the typed C structs through one untyped struct.
# -fno-operator-names: operations are named bitand and bitor.
# nvcc has its own flags: lib/TH/cuda/CMakeLists.txt.
function(tensor_add_compile_options)
  foreach(option IN LISTS ARGN)
    add_compile_options($<$<COMPILE_LANGUAGE:C,CXX>:${option}>)
  endforeach()
endfunction()
tensor_add_compile_options(${TH_WARNING_OPTIONS} -fno-math-errno -ffp-contract=off
                           -fno-strict-aliasing)
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fno-operator-names>)

if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  tensor_add_compile_options(${TH_CLANG_OPTIONS})
endif()

if(TH_WERROR)
  tensor_add_compile_options(-Werror)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # These warnings depend on inlining and are often false.
    tensor_add_compile_options(-Wno-error=maybe-uninitialized -Wno-error=array-bounds
                               -Wno-error=stringop-overflow -Wno-error=stringop-overread
                               -Wno-error=restrict)
  endif()
endif()

set(TH_KERNEL_OPTIMIZATION -O3)
set(TH_KERNEL_SANITIZE_OPTIONS "")
if(TH_SANITIZE)
  string(REPLACE ";" "," sanitizers "${TH_SANITIZE}")
  # Sanitizer reports name functions. CXXFLAGS=-g1 adds line numbers; the build then takes 10 %
  # longer.
  set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O1")
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1")
  # Compiling kernels with -O1 takes several times as long, and tests run them on small tensors
  # only.
  set(TH_KERNEL_OPTIMIZATION -O0)
  add_compile_options(-fsanitize=${sanitizers} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${sanitizers})
  # Defined by GCC itself, but not by Clang.
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    foreach(sanitizer IN ITEMS address thread)
      if(sanitizer IN_LIST TH_SANITIZE)
        string(TOUPPER "__SANITIZE_${sanitizer}__" macro)
        add_compile_definitions(${macro}=1)
      endif()
    endforeach()
  endif()
  if("undefined" IN_LIST TH_SANITIZE)
    # AddressSanitizer reports null pointers, too. Without these checks, and with calls instead of
    # inline code for each access, files compile in 0.8 of the time.
    add_compile_options(-fno-sanitize-recover=undefined -fno-sanitize=null,vptr,object-size)
    # Pointers have more checks than kernels have arithmetic: compiling takes 0.5 of the time without.
    set(TH_KERNEL_SANITIZE_OPTIONS -fno-sanitize=pointer-overflow,alignment)
  endif()
  if("address" IN_LIST TH_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options("SHELL:--param asan-instrumentation-with-call-threshold=0")
  endif()
elseif(CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(TH_KERNEL_OPTIMIZATION -O0)
endif()
