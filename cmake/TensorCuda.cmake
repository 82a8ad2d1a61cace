# Decides whether the CUDA plugin is built, and with which compiler. Sets TH_CUDA_FOUND and, if it
# is false, TH_CUDA_REASON. TH_GPU_FOUND: this machine has a GPU.

set(cuda_default AUTO)
if(TH_SANITIZE OR TENSOR_ROCK)
  set(cuda_default OFF)
endif()
# Not option(), which would convert AUTO to a boolean.
set(TH_CUDA ${cuda_default} CACHE STRING
    "The CUDA plugin: AUTO (where there are a GPU and nvcc), ON or OFF")
set_property(CACHE TH_CUDA PROPERTY STRINGS AUTO ON OFF)
include(TensorCudaArchitectures)
include(TensorCudnn)
set(TH_CUDA_ARCHITECTURES "75-real;80-real;90-real;100-real;100-virtual" CACHE STRING
    "CUDA architectures that the plugin has kernels for; native: those of this machine's GPUs")

# Options for kernels. Products and sums are rounded one by one, as on the CPU. Warning 186,
# comparison of an unsigned number with 0, occurs in templates for all integer types.
set(TH_CUDA_OPTIONS --fmad=false --expt-relaxed-constexpr --diag-suppress=186
    -Xcudafe --no_alternative_tokens)
find_program(TH_NVCC_EXECUTABLE NAMES nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH
             PATHS /usr/local/cuda PATH_SUFFIXES bin)
mark_as_advanced(TH_NVCC_EXECUTABLE)

set(TH_CUDA_FOUND FALSE)
set(TH_CUDA_REASON "TH_CUDA is OFF")
if(NOT TH_CUDA STREQUAL "AUTO" AND NOT TH_CUDA MATCHES "^(ON|OFF|TRUE|FALSE|YES|NO|1|0)$")
  message(FATAL_ERROR "TH_CUDA is AUTO, ON or OFF, not '${TH_CUDA}'")
endif()

# Do not compile the kernels, which is slow, if no GPU can run them.
set(TH_GPU_FOUND FALSE)
foreach(file IN ITEMS /dev/nvidia0 /dev/nvidiactl /dev/dxg)
  if(EXISTS "${file}")
    set(TH_GPU_FOUND TRUE)
  endif()
endforeach()

if(TH_CUDA STREQUAL "AUTO" AND NOT TH_GPU_FOUND)
  set(TH_CUDA_REASON "there is no NVIDIA GPU here")
elseif(TH_CUDA)
  tensor_cuda_architectures("${TH_CUDA_ARCHITECTURES}" TH_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES "${TH_CUDA_ARCHITECTURES}")
  if(NOT CMAKE_CUDA_COMPILER AND (TH_NVCC_EXECUTABLE OR DEFINED ENV{CUDACXX}))
    # Search again: a compiler that was missing or broken in an earlier run may work now.
    unset(CMAKE_CUDA_COMPILER CACHE)
    if(NOT DEFINED ENV{CUDACXX})
      set(ENV{CUDACXX} "${TH_NVCC_EXECUTABLE}")
    endif()
    if(NOT DEFINED ENV{CUDAHOSTCXX})
      set(ENV{CUDAHOSTCXX} "${CMAKE_CXX_COMPILER}")
    endif()
    include(CheckLanguage)
    check_language(CUDA)
    set(TH_CUDA_REASON "$ENV{CUDACXX} compiles nothing with $ENV{CUDAHOSTCXX}")
  else()
    set(TH_CUDA_REASON "nvcc was not found")
  endif()
  if(CMAKE_CUDA_COMPILER)
    find_package(CUDAToolkit QUIET)
    # The libraries are loaded at run time.
    find_path(TH_CUSOLVER_INCLUDE_DIR cusolverDn.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
    find_path(TH_CUFFT_INCLUDE_DIR cufft.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
    mark_as_advanced(TH_CUSOLVER_INCLUDE_DIR TH_CUFFT_INCLUDE_DIR)
    if(CUDAToolkit_VERSION VERSION_LESS 13)
      set(TH_CUDA_REASON "CUDA 13 or later is needed, and '${CUDAToolkit_VERSION}' was found")
    elseif(NOT TARGET CUDA::cublas OR NOT TARGET CUDA::cudart_static)
      set(TH_CUDA_REASON "the runtime or cuBLAS was not found beside nvcc")
    elseif(NOT TH_CUSOLVER_INCLUDE_DIR OR NOT TH_CUFFT_INCLUDE_DIR)
      set(TH_CUDA_REASON "the headers of cuSOLVER or cuFFT were not found beside nvcc")
    else()
      enable_language(CUDA)
      set(TH_CUDA_FOUND TRUE)
      # Optional: convolutions by cuDNN, which is loaded at run time.
      tensor_find_cudnn(${CUDAToolkit_INCLUDE_DIRS})
      # Optional: the transport of tensor.dist between GPUs.
      find_path(TH_NCCL_INCLUDE_DIR nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
      find_library(TH_NCCL_LIBRARY nccl HINTS "${CUDAToolkit_LIBRARY_DIR}")
      mark_as_advanced(TH_NCCL_INCLUDE_DIR TH_NCCL_LIBRARY)
    endif()
  endif()
  if(NOT TH_CUDA_FOUND AND NOT TH_CUDA STREQUAL "AUTO")
    message(FATAL_ERROR "TH_CUDA is ON, but ${TH_CUDA_REASON}: install the CUDA toolkit, or name "
                        "nvcc by -DCMAKE_CUDA_COMPILER=")
  endif()
endif()
