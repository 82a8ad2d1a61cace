# The architectures that `native` selects, with programs that answer as nvidia-smi. Run by cmake -P
# with FOLDER and ROOT.

cmake_minimum_required(VERSION 3.21)

list(APPEND CMAKE_MODULE_PATH "${ROOT}/cmake")
include(TensorCudaArchitectures)

function(expect given output status expected)
  file(WRITE "${FOLDER}/nvidia-smi" "#!/bin/sh\nprintf '${output}'\nexit ${status}\n")
  file(CHMOD "${FOLDER}/nvidia-smi" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  set(TH_NVIDIA_SMI "${FOLDER}/nvidia-smi")
  tensor_cuda_architectures("${given}" got)
  if(NOT got STREQUAL expected)
    message(SEND_ERROR "${given}, nvidia-smi prints '${output}': ${got}, expected ${expected}")
  endif()
endfunction()

expect(native "9.0\\n" 0 "90")
expect(native "9.0\\n9.0\\n12.0\\n" 0 "90;120")
expect(native "" 0 "75-virtual")
expect(native "No devices were found" 6 "75-virtual")
expect("80-real;90" "9.0\\n" 0 "80-real;90")
