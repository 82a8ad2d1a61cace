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
# th is another name of the program, and so is its page.
set(th_manual "${CMAKE_CURRENT_BINARY_DIR}/debian/th.1")
file(WRITE "${th_manual}" ".so man1/tensor.1\n")
if(TENSOR_DEBIAN)
  gzip_copy("${th_manual}" th_manual)
endif()
install(FILES "${th_manual}" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT runtime)
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

# The packages for another Lua replace those for LuaJIT: both have the same programs and libraries.
set(tensor tensor)
# nginx with its Lua module has the latter library, which excludes the package luajit.
set(lua_depends "luajit | libluajit2-5.1-2")
set(lua_dev_depends libluajit-5.1-dev)
if(NOT TH_LUA STREQUAL "luajit")
  set(tensor tensor-${TH_LUA_PROGRAM})
  set(lua_depends ${TH_LUA_PROGRAM})
  set(lua_dev_depends lib${TH_LUA_PROGRAM}-dev)
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
     "${tensor} (${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n"
     "  * What has changed is in changelog.gz.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
gzip_copy("${debian}/changelog.Debian" debian_changes)
set(names_runtime ${tensor})
foreach(component IN ITEMS dev cuda mpi)
  set(names_${component} ${tensor}-${component})
endforeach()
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

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME ${tensor})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION math)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
# CPack's own shlibs file has no trigger for ldconfig.
file(WRITE "${debian}/shlibs" "libTH 0 ${tensor} (= ${PROJECT_VERSION}-1)\n"
                              "libluaT 0 ${tensor} (= ${PROJECT_VERSION}-1)\n")
file(WRITE "${debian}/triggers" "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA "${debian}/shlibs;${debian}/triggers")
set(overrides_runtime tensor)
set(overrides_dev tensor-dev)
set(overrides_mpi tensor-mpi)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  if(overrides_${component})
    install(FILES packaging/${overrides_${component}}.lintian RENAME ${names_${component}}
            COMPONENT ${component} DESTINATION "${CMAKE_INSTALL_DATADIR}/lintian/overrides")
  endif()
endforeach()
# OpenBLAS, libjpeg and libzip are loaded at run time. Distributions have different versions.
set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS
    "${lua_depends}, libopenblas0 | liblapack3, libjpeg62-turbo | libjpeg-turbo8, libzip4 | libzip5")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "libedit2, lua-filesystem")
# These packages install the same files: libTH, libluaT, the module torch.
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONFLICTS "lua-torch-torch7, libtorch-th, libtorch-luat")
if(NOT tensor STREQUAL "tensor")
  string(APPEND CPACK_DEBIAN_RUNTIME_PACKAGE_CONFLICTS ", tensor")
endif()
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "tensors of numbers for LuaJIT
Torch7's tensor core, built anew: n-dimensional arrays of nine element types,
arithmetic, reductions, sorting, indexing, linear algebra, convolutions and
random numbers, for Lua, C and C++, with the program tensor, a REPL.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME ${tensor}-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS ${lua_dev_depends})
set(CPACK_DEBIAN_DEV_PACKAGE_CONFLICTS "libtorch-th-dev, libtorch-luat-dev")
set(CPACK_COMPONENT_DEV_DEPENDS runtime)
set(CPACK_COMPONENT_DEV_DESCRIPTION "tensors of numbers for LuaJIT - files for C programs
The headers of libTH and libluaT, for pkg-config, CMake and packages of Torch7.")

# CUDA may be installed without packages, so its libraries are not required dependencies.
set(CPACK_DEBIAN_CUDA_PACKAGE_NAME ${tensor}-cuda)
set(CPACK_DEBIAN_CUDA_PACKAGE_SECTION contrib/math)
set(CPACK_DEBIAN_CUDA_PACKAGE_SHLIBDEPS OFF)
string(REGEX REPLACE "^([0-9]+)\\.([0-9]+).*" "\\1-\\2" cuda_version "${CUDAToolkit_VERSION}")
set(CPACK_DEBIAN_CUDA_PACKAGE_DEPENDS "libc6, libstdc++6")
string(CONCAT CPACK_DEBIAN_CUDA_PACKAGE_RECOMMENDS
       "libcublas-${cuda_version}, libcusolver-${cuda_version}, libcufft-${cuda_version}, "
       "libcudnn9-cuda-${CUDAToolkit_VERSION_MAJOR}")
set(CPACK_COMPONENT_CUDA_DEPENDS runtime)
set(CPACK_COMPONENT_CUDA_DESCRIPTION "tensors of numbers for LuaJIT - plugin for NVIDIA GPUs
Lets tensors be on GPUs, and operations run there.")

set(CPACK_DEBIAN_MPI_PACKAGE_NAME ${tensor}-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_SECTION math)
set(CPACK_DEBIAN_MPI_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_MPI_PACKAGE_RECOMMENDS openmpi-bin)
if(MPI_C_HEADER_DIR MATCHES "mpich")
  set(CPACK_DEBIAN_MPI_PACKAGE_RECOMMENDS mpich)
endif()
set(CPACK_COMPONENT_MPI_DEPENDS runtime)
set(CPACK_COMPONENT_MPI_DESCRIPTION "tensors of numbers for LuaJIT - several processes with MPI
The transport of tensor.dist, which lets a program run in several processes, on
one machine or on a cluster.")
include(CPack)
