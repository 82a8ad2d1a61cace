# Where cuDNN's headers are searched for. Run by cmake -P with FOLDER and ROOT.

cmake_minimum_required(VERSION 3.21)

list(APPEND CMAKE_MODULE_PATH "${ROOT}/cmake")
include(TensorCudnn)

# Only the folders of the test, not those of the system.
set(CMAKE_FIND_USE_CMAKE_SYSTEM_PATH FALSE)
set(CMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH FALSE)
set(CMAKE_FIND_USE_CMAKE_ENVIRONMENT_PATH FALSE)
file(REMOVE_RECURSE "${FOLDER}")
foreach(version 8 9 10)
  file(WRITE "${FOLDER}/${version}/cudnn_version.h" "#define CUDNN_MAJOR ${version}\n")
endforeach()

function(expect hint expected)
  unset(TH_CUDNN_INCLUDE_DIR CACHE)
  tensor_find_cudnn("${FOLDER}/${hint}")
  if(NOT "${TH_CUDNN_INCLUDE_DIR}" STREQUAL "${expected}")
    message(SEND_ERROR "cuDNN: ${TH_CUDNN_INCLUDE_DIR}, expected ${expected}")
  endif()
endfunction()

set(ENV{CUDNN_INCLUDE_DIR})
expect(nowhere TH_CUDNN_INCLUDE_DIR-NOTFOUND)
expect(9 "${FOLDER}/9")
expect(8 "")
set(ENV{CUDNN_INCLUDE_DIR} "${FOLDER}/10")
expect(9 "${FOLDER}/10")
set(CUDNN_INCLUDE_DIR "${FOLDER}/9")
expect(10 "${FOLDER}/9")
