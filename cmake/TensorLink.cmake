# Tests and benchmarks are linked according to the headers they include. A source that includes a
# header of a layer of libTH needs libTH's object files, whose symbols the shared library hides, and
# the software device. All others are linked like client programs.

# tensor_kind(<source> <result>): sets <result> to core (internal headers), luaT or clients.
function(tensor_kind source result)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
  string(JOIN "|" layers base memory tensor functors random backend cpu simt soft cuda ops fuse grad
         blob io dist generic)
  file(STRINGS "${source}" of_layers REGEX "^ *# *include +[\"<](TH/)?(${layers})/.*[\">]")
  file(STRINGS "${source}" of_luat REGEX "^ *# *include +[\"<](luaT/)?luaT\\.h")
  if(of_layers)
    set(${result} core PARENT_SCOPE)
  elseif(of_luat)
    set(${result} luaT PARENT_SCOPE)
  else()
    set(${result} clients PARENT_SCOPE)
  endif()
endfunction()

# tensor_link(<program> <kind>)
function(tensor_link program kind)
  if(kind STREQUAL "core")
    target_link_libraries(${program} PRIVATE th_internal)
    if(TARGET THsoft)
      target_link_libraries(${program} PRIVATE THsoft)
    endif()
  else()
    target_link_libraries(${program} PRIVATE TH Threads::Threads)
    if(kind STREQUAL "luaT")
      if(NOT TARGET PkgConfig::LUA)
        message(FATAL_ERROR "Tests and benchmarks link to the Lua that pkg-config finds: leave "
                            "TH_LUA_INCLUDE_DIR empty")
      endif()
      target_link_libraries(${program} PRIVATE luaT PkgConfig::LUA)
    endif()
  endif()
  target_include_directories(${program} PRIVATE "${TH_GENERATED_DIR}")
endfunction()
