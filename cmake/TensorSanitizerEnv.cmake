# What tests need in their environment when built with a sanitizer:
# TENSOR_SANITIZER_C_ENV for programs of ours, TENSOR_SANITIZER_LUA_ENV for the interpreter, which
# is not instrumented, so that the sanitizer must be there before our libraries.

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
  # libstdc++ too: libasan looks for its exception functions when the process starts.
  tensor_compiler_file(libstdc++.so stdcxx)
  # Tests ask for more memory than there is and expect an error.
  set(common "UBSAN_OPTIONS=print_stacktrace=1")
  set(TENSOR_SANITIZER_C_ENV
      "ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1" ${common})
  # Without leaks: LuaJIT's own memory is in its arena, where pointers to ours are not seen.
  set(TENSOR_SANITIZER_LUA_ENV
      "ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1" ${common}
      "LD_PRELOAD=${asan} ${stdcxx}")
elseif("thread" IN_LIST TH_SANITIZE)
  # Archer tells the sanitizer how LLVM's OpenMP library synchronizes; OpenBLAS was built for
  # another one.
  get_filename_component(omp_dir "${OpenMP_omp_LIBRARY}" REALPATH)
  get_filename_component(omp_dir "${omp_dir}" DIRECTORY)
  find_library(TH_ARCHER_LIBRARY NAMES archer HINTS "${omp_dir}" REQUIRED)
  set(TENSOR_SANITIZER_C_ENV
      "TSAN_OPTIONS=ignore_noninstrumented_modules=1:halt_on_error=0:allocator_may_return_null=1"
      "OMP_TOOL_LIBRARIES=${TH_ARCHER_LIBRARY}" "OPENBLAS_NUM_THREADS=1")
endif()
