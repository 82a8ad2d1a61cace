# The libraries, under the names that packages link.

foreach(Torch_library IN ITEMS TH luaT)
  if(NOT TARGET ${Torch_library})
    add_library(${Torch_library} SHARED IMPORTED)
    set_target_properties(${Torch_library} PROPERTIES
      IMPORTED_LOCATION "${Torch_INSTALL_LIB}/lib${Torch_library}.so.0"
      IMPORTED_SONAME "lib${Torch_library}.so.0"
      INTERFACE_INCLUDE_DIRECTORIES
        "${Torch_INSTALL_INCLUDE};${Torch_INSTALL_INCLUDE}/TH;${Torch_LUA_INCLUDE_DIR}")
  endif()
endforeach()
set(TH_LIBRARIES TH)
set(luaT_LIBRARIES luaT)
set(TH_INCLUDE_DIR "${Torch_INSTALL_INCLUDE}/TH")
set(luaT_INCLUDE_DIR "${Torch_INSTALL_INCLUDE}")
