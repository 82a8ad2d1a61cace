# Installs documentation and other files beside the library and the modules, and configures the
# Debian packages of `make deb` (CPack), one per component.

if(TENSOR_ROCK)
  return()
endif()

set(doc "${CMAKE_INSTALL_DOCDIR}")
set(zsh "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
set(manual "${PROJECT_SOURCE_DIR}/packaging/tensor.1")
if(TENSOR_DEBIAN)
  set(zsh "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions")
  # gzip_copy(<from> <result>): compresses a file of the manual.
  function(gzip_copy from result)
    get_filename_component(name "${from}" NAME)
    set(to "${CMAKE_CURRENT_BINARY_DIR}/debian/${name}.gz")
    file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/debian")
    execute_process(COMMAND gzip -9nc "${from}" OUTPUT_FILE "${to}" COMMAND_ERROR_IS_FATAL ANY)
    set(${result} "${to}" PARENT_SCOPE)
  endfunction()
  gzip_copy("${manual}" manual)
endif()

install(FILES "${manual}" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT runtime)
install(FILES packaging/tensor.bash RENAME tensor COMPONENT runtime
        DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
install(FILES packaging/_tensor DESTINATION "${zsh}" COMPONENT runtime)
# In the same folder structure as in the sources, because the files link to each other.
install(FILES README.md CHANGELOG.md CONTRIBUTING.md DESTINATION "${doc}" COMPONENT runtime)
install(DIRECTORY doc/ DESTINATION "${doc}/doc" COMPONENT runtime
        FILES_MATCHING PATTERN "*.md" PATTERN "*.txt" PATTERN "*.svg")
if(NOT TENSOR_DEBIAN)
  install(FILES LICENSE DESTINATION "${doc}" COMPONENT runtime)
  return()
endif()

set(CPACK_COMPONENTS_ALL runtime dev)
if(TH_CUDA_FOUND)
  list(APPEND CPACK_COMPONENTS_ALL cuda)
endif()
if(TH_MPI_FOUND)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()
gzip_copy("${PROJECT_SOURCE_DIR}/CHANGELOG.md" changes)
set(CPACK_PACKAGE_CONTACT "The tensor authors <tensor@example.org>" CACHE STRING
    "Who is named as the maintainer of the packages")
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
set(debian "${CMAKE_CURRENT_BINARY_DIR}/debian")
file(WRITE "${debian}/changelog.Debian"
     "tensor (${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n"
     "  * What has changed is in changelog.gz.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
gzip_copy("${debian}/changelog.Debian" debian_changes)
set(names_runtime tensor)
set(names_dev tensor-dev)
set(names_cuda tensor-cuda)
set(names_mpi tensor-mpi)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  set(folder "${CMAKE_INSTALL_DATADIR}/doc/${names_${component}}")
  install(FILES LICENSE RENAME copyright DESTINATION "${folder}" COMPONENT ${component})
  install(FILES "${changes}" RENAME changelog.gz DESTINATION "${folder}" COMPONENT ${component})
  install(FILES "${debian_changes}" DESTINATION "${folder}" COMPONENT ${component})
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX "${CMAKE_INSTALL_PREFIX}")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME tensor)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION math)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
# CPack's own shlibs file has no trigger for ldconfig.
file(WRITE "${debian}/shlibs" "libTH 0 tensor (= ${PROJECT_VERSION}-1)\n"
                              "libluaT 0 tensor (= ${PROJECT_VERSION}-1)\n")
file(WRITE "${debian}/triggers" "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA "${debian}/shlibs;${debian}/triggers")
foreach(component IN ITEMS runtime dev)
  set(name "${names_${component}}")
  install(FILES packaging/${name}.lintian RENAME ${name} COMPONENT ${component}
          DESTINATION "${CMAKE_INSTALL_DATADIR}/lintian/overrides")
endforeach()
# nginx with its Lua module has the latter library, which excludes the package luajit.
set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS "luajit | libluajit2-5.1-2, libopenblas0 | liblapack3")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "libedit2, lua-filesystem, lua-cjson")
# These packages install the same files: libTH, libluaT, the module torch.
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONFLICTS "lua-torch-torch7, libtorch-th, libtorch-luat")
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "tensors of numbers for LuaJIT
Torch7's tensor core, built anew: n-dimensional arrays of nine element types,
arithmetic, reductions, sorting, indexing, linear algebra, convolutions and
random numbers, for Lua, C and C++, with the program tensor, a REPL.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME tensor-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS libluajit-5.1-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_CONFLICTS "libtorch-th-dev, libtorch-luat-dev")
set(CPACK_COMPONENT_DEV_DEPENDS runtime)
set(CPACK_COMPONENT_DEV_DESCRIPTION "tensors of numbers for LuaJIT - files for C programs
The headers of libTH and libluaT, for pkg-config, CMake and packages of Torch7.")

# CUDA may be installed without packages, so its libraries are not required dependencies.
set(CPACK_DEBIAN_CUDA_PACKAGE_NAME tensor-cuda)
set(CPACK_DEBIAN_CUDA_PACKAGE_SECTION contrib/math)
set(CPACK_DEBIAN_CUDA_PACKAGE_SHLIBDEPS OFF)
string(REGEX REPLACE "^([0-9]+)\\.([0-9]+).*" "libcublas-\\1-\\2" cublas "${CUDAToolkit_VERSION}")
set(CPACK_DEBIAN_CUDA_PACKAGE_DEPENDS "libc6, libstdc++6")
set(CPACK_DEBIAN_CUDA_PACKAGE_RECOMMENDS "${cublas}")
set(CPACK_COMPONENT_CUDA_DEPENDS runtime)
set(CPACK_COMPONENT_CUDA_DESCRIPTION "tensors of numbers for LuaJIT - plugin for NVIDIA GPUs
Lets tensors be on GPUs, and operations run there.")

set(CPACK_DEBIAN_MPI_PACKAGE_NAME tensor-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_SECTION math)
set(CPACK_DEBIAN_MPI_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_MPI_PACKAGE_RECOMMENDS "openmpi-bin | mpich")
set(CPACK_COMPONENT_MPI_DEPENDS runtime)
set(CPACK_COMPONENT_MPI_DESCRIPTION "tensors of numbers for LuaJIT - several processes with MPI
The transport of tensor.dist, which lets a program run in several processes, on
one machine or on a cluster.")
include(CPack)
