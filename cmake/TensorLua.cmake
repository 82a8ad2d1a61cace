# The Lua version that the module is built for. Sets TH_LUA_VERSION, which determines the
# installation folders, TH_LUA_PROGRAM, Debian's name of the program that runs it, and TH_LUA_NAMES,
# the names of the program and of the pkg-config module. Modules built for LuaJIT and for Lua 5.1 are
# interchangeable.

set(TH_LUA luajit CACHE STRING "The Lua that the module is for: luajit, 5.1, 5.3 or 5.4")
set_property(CACHE TH_LUA PROPERTY STRINGS luajit 5.1 5.3 5.4)
set(TH_LUA_INCLUDE_DIR "" CACHE STRING "The folder of Lua's headers. Empty: that of pkg-config")
set(TH_LUA_EXECUTABLE "" CACHE STRING
    "The path of the Lua that bin/tensor starts. Empty: the one on the PATH")

if(TH_LUA STREQUAL "luajit")
  set(TH_LUA_VERSION 5.1)
  set(TH_LUA_PROGRAM luajit)
  set(TH_LUA_NAMES luajit)
elseif(TH_LUA MATCHES "^5\\.[134]$")
  set(TH_LUA_VERSION ${TH_LUA})
  set(TH_LUA_PROGRAM lua${TH_LUA})
  string(REPLACE "." "" digits "${TH_LUA}")
  set(TH_LUA_NAMES ${TH_LUA_PROGRAM} lua-${TH_LUA} lua${digits} lua)
else()
  message(FATAL_ERROR "TH_LUA is luajit, 5.1, 5.3 or 5.4, not '${TH_LUA}'")
endif()
