# add_torch_package(<name> "<C sources>" "<Lua files>" [description]): installs a module
# lib<name>.so for require 'lib<name>', and Lua files for require '<name>'. Either list may be
# empty.
macro(ADD_TORCH_PACKAGE package src luasrc)
  include_directories("${CMAKE_CURRENT_SOURCE_DIR}")
  if(NOT "${src}" STREQUAL "")
    add_library(${package} MODULE ${src})
    set_target_properties(${package} PROPERTIES PREFIX "lib")
    install(TARGETS ${package}
            RUNTIME DESTINATION "${Torch_INSTALL_LUA_CPATH_SUBDIR}"
            LIBRARY DESTINATION "${Torch_INSTALL_LUA_CPATH_SUBDIR}")
  endif()
  if(NOT "${luasrc}" STREQUAL "")
    install(FILES ${luasrc} DESTINATION "${Torch_INSTALL_LUA_PATH_SUBDIR}/${package}")
  endif()
endmacro()

# add_torch_library(<name> <SHARED, STATIC or MODULE> "<C sources>")
macro(ADD_TORCH_LIBRARY package type src)
  if(NOT "${src}" STREQUAL "")
    add_library(${package} ${type} ${src})
    install(TARGETS ${package}
            RUNTIME DESTINATION "${Torch_INSTALL_BIN_SUBDIR}"
            LIBRARY DESTINATION "${Torch_INSTALL_LIB_SUBDIR}"
            ARCHIVE DESTINATION "${Torch_INSTALL_LIB_SUBDIR}")
  endif()
endmacro()

# Documentation in an obsolete format: accepted and ignored.
macro(ADD_TORCH_DOK)
endmacro()
