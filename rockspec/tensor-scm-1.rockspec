rockspec_format = '3.0'
package = 'tensor'
version = 'scm-1'

source = {
  url = 'git+file://.',
}

description = {
  summary = 'Tensors for LuaJIT, in the manner of Torch7',
  detailed = [[
    The tensor core of Torch7 built anew: a C library, libTH, and a Lua module on top of it.
    Needs LuaJIT 2.1, Highway, protozero, Random123 and zlib with their headers, libzip for .npz
    files, libpng and libjpeg for pictures, CMake and a C++17 compiler; and where it runs OpenBLAS,
    or another BLAS with LAPACK. The modules paths and sys, for programs written for Torch7, look at
    files with LuaFileSystem, the rock luafilesystem, and .safetensors files are read with lua-cjson;
    nothing else needs these.
  ]],
  license = 'MIT',
}

supported_platforms = { 'linux' }

dependencies = {
  'lua == 5.1',
}

build = {
  type = 'cmake',
  variables = {
    CMAKE_INSTALL_PREFIX = '$(PREFIX)',
    TENSOR_ROCK = 'ON',
    TENSOR_LUADIR = '$(LUADIR)',
    TENSOR_LIBDIR = '$(LIBDIR)',
    TENSOR_BINDIR = '$(BINDIR)',
    TH_BUILD_TESTS = 'OFF',
  },
}

-- bin/tensor finds LuaJIT itself; a wrapper would start the interpreter LuaRocks runs in.
deploy = {
  wrap_bin_scripts = false,
}
