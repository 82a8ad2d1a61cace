# Language levels and compiler flags of every target.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Kind of build" FORCE)
endif()

# What was compiled before comes from the cache, where there is one.
find_program(CCACHE_EXECUTABLE NAMES ccache)
mark_as_advanced(CCACHE_EXECUTABLE)
if(CCACHE_EXECUTABLE)
  foreach(language IN ITEMS C CXX CUDA)
    if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
      # Without this files with a precompiled header are not cached.
      set(CMAKE_${language}_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
          CCACHE_SLOPPINESS=pch_defines,time_macros "${CCACHE_EXECUTABLE}")
    endif()
  endforeach()
endif()

# Compiles headers that most of a target's files include once. ThreadSanitizer's build does without,
# and shows where an include is missing.
function(tensor_precompile target)
  if("thread" IN_LIST TH_SANITIZE)
    return()
  endif()
  list(TRANSFORM ARGN PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/" REGEX "^[^<]"
       OUTPUT_VARIABLE headers)
  target_precompile_headers(${target} PRIVATE ${headers})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fpch-preprocess)  # for ccache
  endif()
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
  # What a namespace says of visibility Clang does not take to definitions outside of its block.
  set(CMAKE_CXX_VISIBILITY_PRESET default)
endif()
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

# Only the kernels gain from -O3; the many instances of everything else compile faster without.
string(REPLACE "-O3" "-O2" CMAKE_C_FLAGS_RELEASE "${CMAKE_C_FLAGS_RELEASE}")
string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")

# -ffp-contract=off: results are the same whether or not an instruction set has fused multiply-add.
# -fno-strict-aliasing: the typed C structs are seen as the one type-erased struct of the core.
# -fno-operator-names: operations are called bitand and bitor.
# nvcc has flags of its own: lib/TH/cuda/CMakeLists.txt.
function(tensor_add_compile_options)
  foreach(option IN LISTS ARGN)
    add_compile_options($<$<COMPILE_LANGUAGE:C,CXX>:${option}>)
  endforeach()
endfunction()
tensor_add_compile_options(-Wall -Wextra -fno-math-errno -ffp-contract=off -fno-strict-aliasing)
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fno-operator-names>)

if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # How GCC is told to vectorise; Clang goes without.
  tensor_add_compile_options(-Wno-unknown-pragmas -Wno-unknown-attributes -Wno-ignored-pragmas)
endif()

if(TH_WERROR)
  tensor_add_compile_options(-Werror)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # These depend on what the optimizer inlined and are often wrong.
    tensor_add_compile_options(-Wno-error=maybe-uninitialized -Wno-error=array-bounds
                               -Wno-error=stringop-overflow -Wno-error=stringop-overread
                               -Wno-error=restrict)
  endif()
endif()

set(TH_KERNEL_OPTIMIZATION -O3)
if(TH_SANITIZE)
  string(REPLACE ";" "," sanitizers "${TH_SANITIZE}")
  # Reports name functions; with CXXFLAGS=-g1 they have lines, and the build takes a tenth longer.
  set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O1")
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1")
  # Kernels take several times as long to compile with -O1, and tests run them on small tensors.
  set(TH_KERNEL_OPTIMIZATION -O0)
  add_compile_options(-fsanitize=${sanitizers} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${sanitizers})
  # As GCC says of itself.
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    foreach(sanitizer IN ITEMS address thread)
      if(sanitizer IN_LIST TH_SANITIZE)
        string(TOUPPER "__SANITIZE_${sanitizer}__" macro)
        add_compile_definitions(${macro}=1)
      endif()
    endforeach()
  endif()
  if("undefined" IN_LIST TH_SANITIZE)
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
elseif(CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(TH_KERNEL_OPTIMIZATION -O0)
endif()
