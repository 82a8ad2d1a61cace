# tensor_pkg_config(<library>): installs <library>.pc. Its prefix is relative to the file, as in the
# CMake package.

function(tensor_pkg_config library)
  if(TENSOR_ROCK)
    return()
  endif()
  set(folder "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
  file(RELATIVE_PATH PC_TO_PREFIX "/${folder}" "/")
  string(REGEX REPLACE "/$" "" PC_TO_PREFIX "${PC_TO_PREFIX}")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/${library}.pc.in"
                 "${CMAKE_CURRENT_BINARY_DIR}/${library}.pc" @ONLY)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/${library}.pc" DESTINATION "${folder}" COMPONENT dev)
endfunction()
