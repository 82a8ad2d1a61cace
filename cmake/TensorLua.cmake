# The Lua version that the module is built for. Sets TH_LUA_VERSION, which determines the
# installation folders, and TH_LUA_PROGRAM, which runs it. Modules built for LuaJIT and for Lua 5.1
# are interchangeable.

set(TH_LUA luajit CACHE STRING "The Lua that the module is for: luajit, 5.1, 5.3 or 5.4")
set_property(CACHE TH_LUA PROPERTY STRINGS luajit 5.1 5.3 5.4)

if(TH_LUA STREQUAL "luajit")
  set(TH_LUA_VERSION 5.1)
  set(TH_LUA_PROGRAM luajit)
elseif(TH_LUA MATCHES "^5\\.[134]$")
  set(TH_LUA_VERSION ${TH_LUA})
  set(TH_LUA_PROGRAM lua${TH_LUA})
else()
  message(FATAL_ERROR "TH_LUA is luajit, 5.1, 5.3 or 5.4, not '${TH_LUA}'")
endif()
