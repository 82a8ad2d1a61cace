# Where things are installed. A LuaRocks tree takes the C libraries next to core.so, since it
# copies only its Lua and C module folders to where they are loaded from.

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

# Installed libraries find each other by their own place, so a prefix may be moved.
set(CMAKE_INSTALL_RPATH "$ORIGIN")
# In Debian's folders the loader finds them.
if(TENSOR_DEBIAN)
  set(CMAKE_SKIP_INSTALL_RPATH ON)
endif()
