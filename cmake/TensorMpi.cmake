# Decides whether the MPI transport is built. Sets TH_MPI_FOUND, and TH_MPI_LIBRARY_NAME or, if it
# is false, TH_MPI_REASON.

set(mpi_default AUTO)
if(TENSOR_ROCK OR "thread" IN_LIST TH_SANITIZE OR "fuzzer-no-link" IN_LIST TH_SANITIZE)
  set(mpi_default OFF)
endif()
set(TH_MPI ${mpi_default} CACHE STRING "The MPI transport: AUTO (where an MPI is found), ON or OFF")
set_property(CACHE TH_MPI PROPERTY STRINGS AUTO ON OFF)

set(TH_MPI_FOUND FALSE)
set(TH_MPI_REASON "TH_MPI is OFF")
if(TH_MPI)
  find_package(MPI QUIET COMPONENTS C)
  if(MPI_C_FOUND)
    set(TH_MPI_FOUND TRUE)
    # Another MPI for the tests, beside the one that mpicc belongs to.
    if(TH_BUILD_TESTS AND PKG_CONFIG_FOUND AND NOT MPI_C_HEADER_DIR MATCHES "mpich")
      pkg_check_modules(MPICH QUIET IMPORTED_TARGET mpich)
      # The result is cached, also if MPICH is removed later.
      set(TH_MPICH_FOUND ${MPICH_FOUND})
      foreach(folder IN LISTS MPICH_INCLUDE_DIRS)
        if(NOT EXISTS "${folder}")
          set(TH_MPICH_FOUND FALSE)
        endif()
      endforeach()
    endif()
  else()
    set(TH_MPI_REASON "there is no mpicc: Debian's packages are libopenmpi-dev and openmpi-bin")
    if(NOT TH_MPI STREQUAL "AUTO")
      message(FATAL_ERROR "TH_MPI is ON, but ${TH_MPI_REASON}")
    endif()
  endif()
endif()
