# Finds all libraries and tools. Reports all missing ones at once, with their Debian packages.

find_package(PkgConfig)
set(missing "")

# tensor_require(<what> <package> <condition...>): records <what> as missing if the condition is
# false.
macro(tensor_require what package)
  if(NOT (${ARGN}))
    string(APPEND missing "  ${what}: package ${package}\n")
  endif()
endmacro()

# tensor_pkg(<name> <modules> <what> <package>): finds a pkg-config module as target
# PkgConfig::<name>.
macro(tensor_pkg name modules what package)
  if(PKG_CONFIG_FOUND)
    pkg_check_modules(${name} QUIET IMPORTED_TARGET ${modules})
  endif()
  tensor_require("${what}" "${package}" ${name}_FOUND)
endmacro()

tensor_require("pkg-config" pkgconf PKG_CONFIG_FOUND)
# LUA_MODULE_NAME and LUA_CFLAGS_OF_PC are for luaT.pc.
if(TH_LUA_INCLUDE_DIR)
  set(LUA_INCLUDE_DIRS "${TH_LUA_INCLUDE_DIR}")
  set(LUA_VERSION "headers in ${TH_LUA_INCLUDE_DIR}")
  set(LUA_CFLAGS_OF_PC "-I\"${TH_LUA_INCLUDE_DIR}\"")
  tensor_require("lua.h in TH_LUA_INCLUDE_DIR" liblua${TH_LUA_VERSION}-dev
                 EXISTS "${TH_LUA_INCLUDE_DIR}/lua.h")
elseif(TH_LUA STREQUAL "luajit")
  tensor_pkg(LUA "luajit>=2.1" "LuaJIT 2.1 (headers)" libluajit-5.1-dev)
  set(LUA_MODULE_NAME luajit)
else()
  if(PKG_CONFIG_FOUND)
    pkg_search_module(LUA QUIET IMPORTED_TARGET ${TH_LUA_NAMES})
  endif()
  tensor_require("Lua ${TH_LUA} (headers)" liblua${TH_LUA}-dev
                 LUA_FOUND AND LUA_VERSION MATCHES "^${TH_LUA}")
endif()
if(TH_LUA_EXECUTABLE)
  set(LUA_EXECUTABLE "${TH_LUA_EXECUTABLE}")
else()
  find_program(LUA_EXECUTABLE NAMES ${TH_LUA_NAMES})
endif()
set(lua_version "")
if(LUA_EXECUTABLE)
  execute_process(COMMAND "${LUA_EXECUTABLE}" -e "io.write(_VERSION)"
                  OUTPUT_VARIABLE lua_version ERROR_QUIET)
endif()
tensor_require("${TH_LUA_PROGRAM} (interpreter)" ${TH_LUA_PROGRAM}
               lua_version STREQUAL "Lua ${TH_LUA_VERSION}")
tensor_pkg(HWY "libhwy>=1.0;libhwy-contrib>=1.0" "Highway 1.0" libhwy-dev)

# protozero is header-only and has no pkg-config file; its version is in a header.
find_path(PROTOZERO_INCLUDE_DIR protozero/version.hpp)
mark_as_advanced(PROTOZERO_INCLUDE_DIR)
set(PROTOZERO_VERSION "")
if(PROTOZERO_INCLUDE_DIR)
  file(STRINGS "${PROTOZERO_INCLUDE_DIR}/protozero/version.hpp" PROTOZERO_VERSION
       REGEX "PROTOZERO_VERSION_STRING")
  string(REGEX REPLACE ".*\"(.*)\".*" "\\1" PROTOZERO_VERSION "${PROTOZERO_VERSION}")
endif()
tensor_require("protozero 1.7" libprotozero-dev PROTOZERO_VERSION VERSION_GREATER_EQUAL 1.7)
find_path(RANDOM123_INCLUDE_DIR Random123/philox.h)
tensor_require("Random123" librandom123-dev RANDOM123_INCLUDE_DIR)

find_package(ZLIB QUIET)
tensor_require("zlib" zlib1g-dev ZLIB_FOUND)
# Optional: required to read and write .npz files.
if(PKG_CONFIG_FOUND)
  pkg_check_modules(LIBZIP QUIET IMPORTED_TARGET libzip>=1.5)
endif()
# Optional: required to read and write .safetensors files. Header-only.
find_path(JSON_INCLUDE_DIR nlohmann/json.hpp)
mark_as_advanced(JSON_INCLUDE_DIR)
# Optional: required to read and write .png and .jpeg files.
find_package(PNG QUIET)
find_package(JPEG QUIET)
if(JPEG_FOUND)
  # The interfaces that io/jpeg_codec.h is compiled for are those of libjpeg-turbo.
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_INCLUDES "${JPEG_INCLUDE_DIR}")
  check_cxx_source_compiles("
    #include <jconfig.h>
    int main() { return LIBJPEG_TURBO_VERSION_NUMBER < 1005000; }" TH_JPEG_IS_TURBO)
  unset(CMAKE_REQUIRED_INCLUDES)
  set(JPEG_FOUND ${TH_JPEG_IS_TURBO})
endif()
find_package(Threads QUIET)
find_package(OpenMP QUIET COMPONENTS CXX)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  tensor_require("OpenMP" libomp-dev OpenMP_CXX_FOUND)
else()
  tensor_require("OpenMP" g++ OpenMP_CXX_FOUND)
endif()

include(TensorBlas)

include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_LIBRARIES mvec m)
check_cxx_source_compiles("
  extern \"C\" void _ZGVbN4v_tanhf(); extern \"C\" void _ZGVdN8v_tanhf();
  extern \"C\" void _ZGVeN16v_tanhf(); extern \"C\" void _ZGVeN8vv_pow();
  int main(int argc, char**) {
    void (*f[])() = {_ZGVbN4v_tanhf, _ZGVdN8v_tanhf, _ZGVeN16v_tanhf};
    return f[argc % 3] == _ZGVeN8vv_pow;
  }" TH_HAVE_LIBMVEC)
unset(CMAKE_REQUIRED_LIBRARIES)

if(TH_BUILD_TESTS)
  tensor_require("OpenBLAS with LAPACK" libopenblas0-openmp TH_OPENBLAS_LIBRARY)
  find_package(GTest QUIET)
  tensor_require("GoogleTest" libgtest-dev GTest_FOUND)
  if(LUA_EXECUTABLE)
    execute_process(COMMAND ${LUA_EXECUTABLE} -e "require 'busted.runner'"
                    RESULT_VARIABLE busted_status OUTPUT_QUIET ERROR_QUIET)
    tensor_require("busted" lua-busted busted_status EQUAL 0)
  endif()
  find_program(LUACHECK_EXECUTABLE NAMES luacheck)
  tensor_require("luacheck" lua-check LUACHECK_EXECUTABLE)
  find_program(CLANG_FORMAT_EXECUTABLE NAMES clang-format)
  tensor_require("clang-format" clang-format CLANG_FORMAT_EXECUTABLE)
  find_program(LUAROCKS_EXECUTABLE NAMES luarocks)
  tensor_require("LuaRocks" luarocks LUAROCKS_EXECUTABLE)
endif()

if(TH_BUILD_BENCH)
  find_package(benchmark QUIET)
  tensor_require("Google Benchmark" libbenchmark-dev benchmark_FOUND)
endif()

if(missing)
  message(FATAL_ERROR "tensor needs what was not found here:\n${missing}"
          "On Debian, scripts/install-deps installs all of it. "
          "TH_BUILD_TESTS=OFF does without the tools for testing.")
endif()
