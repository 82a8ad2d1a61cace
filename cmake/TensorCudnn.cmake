# tensor_find_cudnn(hints...): searches for cuDNN's headers, in CUDNN_INCLUDE_DIR if that is set in
# CMake or in the environment, then in the hints and in the system's folders. Sets
# TH_CUDNN_INCLUDE_DIR, which is false without version 9 or later.
function(tensor_find_cudnn)
  find_path(TH_CUDNN_INCLUDE_DIR cudnn_version.h
            PATHS "${CUDNN_INCLUDE_DIR}" ENV CUDNN_INCLUDE_DIR NO_DEFAULT_PATH)
  find_path(TH_CUDNN_INCLUDE_DIR cudnn_version.h HINTS ${ARGN})
  mark_as_advanced(TH_CUDNN_INCLUDE_DIR)
  if(TH_CUDNN_INCLUDE_DIR)
    file(STRINGS "${TH_CUDNN_INCLUDE_DIR}/cudnn_version.h" version REGEX "define CUDNN_MAJOR ")
    string(REGEX REPLACE "[^0-9]" "" version "${version}")
    if(version LESS 9)
      message(STATUS "cuDNN ${version} in ${TH_CUDNN_INCLUDE_DIR} is too old, so it is not used")
      set(TH_CUDNN_INCLUDE_DIR "")
    endif()
  endif()
  set(TH_CUDNN_INCLUDE_DIR "${TH_CUDNN_INCLUDE_DIR}" PARENT_SCOPE)
endfunction()
