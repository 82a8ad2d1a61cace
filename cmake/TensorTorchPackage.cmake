# Installs find_package(Torch) for Torch7 packages.

set(TORCH_BINDIR "${CMAKE_INSTALL_BINDIR}")
set(TORCH_LIBDIR "${CMAKE_INSTALL_LIBDIR}")
set(TORCH_INCLUDEDIR "${CMAKE_INSTALL_INCLUDEDIR}")
set(TORCH_LUADIR "${TENSOR_LUADIR}")
set(TORCH_CPATHDIR "${TENSOR_LIBDIR}")
set(TORCH_CMAKE_DIR "${CMAKE_INSTALL_DATADIR}/cmake/torch")
set(config_dir "${TORCH_CMAKE_DIR}")

# A rock's folder is <tree>/lib/luarocks/rocks-5.1/tensor/<version>. LuaRocks moves programs,
# modules and the libraries beside them from there to the tree; other files stay.
if(TENSOR_ROCK)
  if(NOT CMAKE_INSTALL_PREFIX MATCHES "^(.+)/(lib[^/]*/luarocks/rocks[^/]*/.+)$")
    message(STATUS "find_package(Torch): not installed, as ${CMAKE_INSTALL_PREFIX} is in no tree")
    return()
  endif()
  set(tree "${CMAKE_MATCH_1}")
  set(rock "${CMAKE_MATCH_2}")
  set(TORCH_BINDIR bin)
  set(TORCH_LUADIR share/lua/${TH_LUA_VERSION})
  set(TORCH_CPATHDIR lib/lua/${TH_LUA_VERSION})
  set(TORCH_LIBDIR lib/lua/${TH_LUA_VERSION}/tensor)
  set(TORCH_INCLUDEDIR "${rock}/${CMAKE_INSTALL_INCLUDEDIR}")
  set(config_dir "${rock}/${TORCH_CMAKE_DIR}")
  # CMake searches for packages in the tree, not in rocks.
  file(RELATIVE_PATH TORCH_FROM_TREE "/${TORCH_CMAKE_DIR}" "/${config_dir}")
  configure_file(cmake/torch/TorchRock.cmake.in TorchRock.cmake @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/TorchRock.cmake" RENAME TorchConfig.cmake
          DESTINATION "${tree}/${TORCH_CMAKE_DIR}" COMPONENT dev)
endif()

file(RELATIVE_PATH TORCH_TO_PREFIX "/${config_dir}" "/")
configure_file(cmake/torch/TorchConfig.cmake.in TorchConfig.cmake @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/TorchConfig.cmake" cmake/torch/TorchExports.cmake
              cmake/torch/TorchPackage.cmake cmake/torch/TorchWrap.cmake
        DESTINATION "${TORCH_CMAKE_DIR}" COMPONENT dev)
