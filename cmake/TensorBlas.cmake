# BLAS and LAPACK are loaded at run time (lib/TH/cpu/blas_library.h), so they are not needed to
# build. Sets TH_BUILD_LIBRARY_FOLDER, the folder of the distribution's libraries,
# TH_OPENBLAS_LIBRARY, and TH_BLAS_HERE for the summary.

set(TH_BUILD_LIBRARY_FOLDER "/usr/lib/")
if(CMAKE_LIBRARY_ARCHITECTURE)
  set(TH_BUILD_LIBRARY_FOLDER "/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/")
endif()

# Prefer the OpenMP variant: it shares the thread pool of our loops.
find_library(TH_OPENBLAS_LIBRARY NAMES libopenblas.so.0 libopenblaso.so.0
             PATHS "${TH_BUILD_LIBRARY_FOLDER}openblas-openmp")
mark_as_advanced(TH_OPENBLAS_LIBRARY)
if(TH_OPENBLAS_LIBRARY)
  file(REAL_PATH "${TH_OPENBLAS_LIBRARY}" TH_BLAS_HERE)
else()
  set(TH_BLAS_HERE "there is no OpenBLAS: scripts/install-deps")
endif()
