rockspec_format = '3.0'
package = 'tensor'
version = 'scm-1'

source = {
  url = 'git+file://.',
}

description = {
  summary = 'Tensors for LuaJIT and Lua, in the manner of Torch7',
  detailed = [[
    The tensor core of Torch7 built anew: a C library, libTH, and a Lua module on top of it.
    Needs LuaJIT 2.1 or Lua 5.3 or 5.4, Highway, protozero, Random123 and zlib with their headers,
    libzip for .npz files, nlohmann/json for .safetensors files, libpng and libjpeg-turbo for
    pictures, CMake and a C++17 compiler; and where it runs OpenBLAS, or another BLAS with LAPACK.
    The modules paths and sys, for programs written for Torch7, look at files with LuaFileSystem,
    the rock luafilesystem; nothing else needs it.
  ]],
  license = 'MIT',
}

supported_platforms = { 'linux' }

dependencies = {
  'lua >= 5.1, < 5.5',
}

build = {
  -- Not LuaRocks' own way with CMake, which compiles one file at a time. The kernels are those for
  -- the best instruction set of this machine, as each set takes a quarter of the time;
  -- TENSOR_ROCK_OPTIONS=-DTH_ISAS=all in the environment makes a rock for all. The module for
  -- Lua 5.1 is that for LuaJIT.
  type = 'command',
  build_command = [[
    version=`"$(LUA)" -e 'print(jit and "luajit" or _VERSION:sub(5))'` &&
    case $version in
      5.1) set -- -DTH_LUA=luajit ;;
      *) set -- -DTH_LUA="$version" -DTH_LUA_EXECUTABLE="$(LUA)" \
           -DTH_LUA_INCLUDE_DIR="$(LUA_INCDIR)" ;;
    esac &&
    cmake -S . -B build.luarocks "$@" -DTENSOR_ROCK=ON \
      -DCMAKE_INSTALL_PREFIX="$(PREFIX)" -DTENSOR_LUADIR="$(LUADIR)" \
      -DTENSOR_LIBDIR="$(LIBDIR)" -DTENSOR_BINDIR="$(BINDIR)" -DTH_BUILD_TESTS=OFF \
      -DTH_ISAS=host $TENSOR_ROCK_OPTIONS &&
    cmake --build build.luarocks --parallel "${CMAKE_BUILD_PARALLEL_LEVEL:-`nproc`}"
  ]],
  install_command = 'cmake --install build.luarocks',
}

-- bin/tensor finds LuaJIT itself; a wrapper would start the interpreter LuaRocks runs in.
deploy = {
  wrap_bin_scripts = false,
}
