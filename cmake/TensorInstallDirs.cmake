# Installation folders. In a LuaRocks tree the C libraries are installed next to core.so, since
# LuaRocks copies only the Lua and C module folders to the folders they are loaded from.

set(TENSOR_LUADIR "" CACHE PATH "Folder of Lua modules (default: share/lua/<version of Lua>)")
set(TENSOR_LIBDIR "" CACHE PATH "Folder of C modules for Lua (default: <libdir>/lua/<version>)")
set(TENSOR_BINDIR "" CACHE PATH "Folder of programs (default: bin)")

if(TENSOR_ROCK)
  if(NOT TENSOR_LUADIR OR NOT TENSOR_LIBDIR OR NOT TENSOR_BINDIR)
    message(FATAL_ERROR "TENSOR_ROCK needs TENSOR_LUADIR, TENSOR_LIBDIR and TENSOR_BINDIR")
  endif()
  set(CMAKE_INSTALL_LIBDIR "${TENSOR_LIBDIR}/tensor")
  set(CMAKE_INSTALL_BINDIR "${TENSOR_BINDIR}")
endif()
include(GNUInstallDirs)

if(NOT TENSOR_LUADIR)
  set(TENSOR_LUADIR "${CMAKE_INSTALL_DATADIR}/lua/${TH_LUA_VERSION}")
endif()
if(NOT TENSOR_LIBDIR)
  set(TENSOR_LIBDIR "${CMAKE_INSTALL_LIBDIR}/lua/${TH_LUA_VERSION}")
endif()
if(NOT TENSOR_BINDIR)
  set(TENSOR_BINDIR "${CMAKE_INSTALL_BINDIR}")
endif()

# Installed libraries find each other relative to their own location, so a prefix may be moved.
set(CMAKE_INSTALL_RPATH "$ORIGIN")
# Debian's folders are in the loader's search path.
if(TENSOR_DEBIAN)
  set(CMAKE_SKIP_INSTALL_RPATH ON)
endif()
