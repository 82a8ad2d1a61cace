# Imported targets for the libraries, with the names that packages link to.

foreach(Torch_library IN ITEMS TH luaT)
  if(NOT TARGET ${Torch_library})
    add_library(${Torch_library} SHARED IMPORTED)
    set_target_properties(${Torch_library} PROPERTIES
      IMPORTED_LOCATION "${Torch_LIB_DIR}/lib${Torch_library}.so.0"
      IMPORTED_SONAME "lib${Torch_library}.so.0"
      INTERFACE_INCLUDE_DIRECTORIES
        "${Torch_HEADER_DIR};${Torch_HEADER_DIR}/TH;${Torch_LUA_INCLUDE_DIR}")
  endif()
endforeach()
set(TH_LIBRARIES TH)
set(luaT_LIBRARIES luaT)
set(TH_INCLUDE_DIR "${Torch_HEADER_DIR}/TH")
set(luaT_INCLUDE_DIR "${Torch_HEADER_DIR}")
