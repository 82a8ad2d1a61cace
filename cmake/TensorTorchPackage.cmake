# find_package(Torch) for packages of Torch7.

set(TORCH_CMAKE_DIR "${CMAKE_INSTALL_DATADIR}/cmake/torch")
file(RELATIVE_PATH TORCH_TO_PREFIX "/${TORCH_CMAKE_DIR}" "/")
configure_file(cmake/torch/TorchConfig.cmake.in TorchConfig.cmake @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/TorchConfig.cmake" cmake/torch/TorchExports.cmake
              cmake/torch/TorchPackage.cmake cmake/torch/TorchWrap.cmake
        DESTINATION "${TORCH_CMAKE_DIR}")
