# BLAS and LAPACK are loaded at run time (lib/TH/cpu/blas_library.h): nothing of them is needed here.
# Sets TH_BUILD_LIBRARY_FOLDER, where libraries of the distribution lie, TH_OPENBLAS_LIBRARY, and
# TH_BLAS_HERE for the summary.

set(TH_BUILD_LIBRARY_FOLDER "/usr/lib/")
if(CMAKE_LIBRARY_ARCHITECTURE)
  set(TH_BUILD_LIBRARY_FOLDER "/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/")
endif()

# The flavour that shares the threads of our loops comes first.
find_library(TH_OPENBLAS_LIBRARY NAMES libopenblas.so.0 libopenblaso.so.0
             PATHS "${TH_BUILD_LIBRARY_FOLDER}openblas-openmp")
mark_as_advanced(TH_OPENBLAS_LIBRARY)
if(TH_OPENBLAS_LIBRARY)
  file(REAL_PATH "${TH_OPENBLAS_LIBRARY}" TH_BLAS_HERE)
else()
  set(TH_BLAS_HERE "there is no OpenBLAS: scripts/install-deps")
endif()
