# OpenBLAS with LAPACK as target th_blas; sets TH_BLAS_FOUND, TH_BLAS_VERSION, TH_BLAS_FLAVOUR and,
# where the library is in a folder of its own, TH_BLAS_RPATH.
#
# The OpenMP flavour is taken by its own path, whatever Debian's alternatives point at: it shares
# the threads of our loops, where the pthread flavour would start a second pool.

set(TH_BLAS_FOUND FALSE)
set(TH_BLAS_RPATH "")

find_library(TH_OPENBLAS_OPENMP_LIBRARY NAMES openblas PATH_SUFFIXES openblas-openmp
             PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} /usr/lib NO_DEFAULT_PATH)
find_path(TH_OPENBLAS_OPENMP_INCLUDE NAMES cblas.h PATH_SUFFIXES openblas-openmp
          PATHS /usr/include/${CMAKE_LIBRARY_ARCHITECTURE} /usr/include NO_DEFAULT_PATH)
mark_as_advanced(TH_OPENBLAS_OPENMP_LIBRARY TH_OPENBLAS_OPENMP_INCLUDE)

if(TH_OPENBLAS_OPENMP_LIBRARY MATCHES "/openblas-openmp/" AND TH_OPENBLAS_OPENMP_INCLUDE)
  get_filename_component(TH_BLAS_RPATH "${TH_OPENBLAS_OPENMP_LIBRARY}" DIRECTORY)
  set(TH_BLAS_FOUND TRUE)
  set(TH_BLAS_FLAVOUR "OpenMP")
  set(TH_BLAS_VERSION "")
  if(EXISTS "${TH_BLAS_RPATH}/pkgconfig/openblas.pc")
    file(STRINGS "${TH_BLAS_RPATH}/pkgconfig/openblas.pc" line REGEX "^version=")
    string(REGEX REPLACE "^version=" "" TH_BLAS_VERSION "${line}")
  endif()
  set(blas_library "${TH_OPENBLAS_OPENMP_LIBRARY}")
  set(blas_include "${TH_OPENBLAS_OPENMP_INCLUDE}")
elseif(PKG_CONFIG_FOUND)
  pkg_check_modules(TH_OPENBLAS QUIET openblas)
  if(TH_OPENBLAS_FOUND)
    set(TH_BLAS_FOUND TRUE)
    set(TH_BLAS_VERSION "${TH_OPENBLAS_VERSION}")
    pkg_get_variable(blas_config openblas openblas_config)
    if(blas_config MATCHES "USE_OPENMP=1")
      set(TH_BLAS_FLAVOUR "OpenMP")
    else()
      set(TH_BLAS_FLAVOUR "own threads")
    endif()
    set(blas_library "${TH_OPENBLAS_LINK_LIBRARIES}")
    set(blas_include "${TH_OPENBLAS_INCLUDE_DIRS}")
  endif()
endif()

if(TH_BLAS_FOUND)
  # A build of OpenBLAS may leave LAPACK out; that would otherwise show only when linking.
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_LIBRARIES "${blas_library}")
  check_cxx_source_compiles("
    extern \"C\" void dgesv_(); extern \"C\" void cblas_dgemm();
    extern \"C\" void openblas_set_num_threads(int);
    int main() { dgesv_(); cblas_dgemm(); openblas_set_num_threads(1); }" TH_BLAS_HAS_LAPACK)
  unset(CMAKE_REQUIRED_LIBRARIES)
  set(TH_BLAS_FOUND ${TH_BLAS_HAS_LAPACK})
  add_library(th_blas INTERFACE)
  target_link_libraries(th_blas INTERFACE ${blas_library})
  target_include_directories(th_blas SYSTEM INTERFACE ${blas_include})
endif()
