# Environment variables of tests in sanitizer builds: TENSOR_SANITIZER_C_ENV for our programs,
# TENSOR_SANITIZER_LUA_ENV for the Lua interpreter. The interpreter is not instrumented, so the
# sanitizer's library must be preloaded.

set(TENSOR_SANITIZER_C_ENV "")
set(TENSOR_SANITIZER_LUA_ENV "")

function(tensor_compiler_file name result)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${name}
                  OUTPUT_VARIABLE path OUTPUT_STRIP_TRAILING_WHITESPACE)
  file(REAL_PATH "${path}" path)
  if(NOT EXISTS "${path}")
    message(FATAL_ERROR "${CMAKE_CXX_COMPILER} has no ${name}")
  endif()
  set(${result} "${path}" PARENT_SCOPE)
endfunction()

if("address" IN_LIST TH_SANITIZE)
  tensor_compiler_file(libasan.so asan)
  # Also preload libstdc++: libasan looks up its exception functions at process start.
  tensor_compiler_file(libstdc++.so stdcxx)
  # Tests request more memory than available and expect an error.
  set(common "UBSAN_OPTIONS=print_stacktrace=1")
  set(TENSOR_SANITIZER_C_ENV
      "ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1" ${common})
  # Without leak detection: LuaJIT's own allocator hides pointers to our memory.
  set(TENSOR_SANITIZER_LUA_ENV
      "ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1" ${common}
      "LD_PRELOAD=${asan} ${stdcxx}")
elseif("thread" IN_LIST TH_SANITIZE)
  # Archer reports the synchronization of LLVM's OpenMP library to the sanitizer. OpenBLAS uses
  # another OpenMP library.
  get_filename_component(omp_dir "${OpenMP_omp_LIBRARY}" REALPATH)
  get_filename_component(omp_dir "${omp_dir}" DIRECTORY)
  find_library(TH_ARCHER_LIBRARY NAMES archer HINTS "${omp_dir}" REQUIRED)
  set(TENSOR_SANITIZER_C_ENV
      "TSAN_OPTIONS=ignore_noninstrumented_modules=1:halt_on_error=0:allocator_may_return_null=1"
      "OMP_TOOL_LIBRARIES=${TH_ARCHER_LIBRARY}" "OPENBLAS_NUM_THREADS=1")
endif()
