#ifndef TH_CPU_BLAS_CANDIDATES_H
#define TH_CPU_BLAS_CANDIDATES_H

// The BLAS and LAPACK libraries that cpu/blas_library.cc looks for: their file names and
// requirements.

#include <cstddef>

#include "TH_build_info.h"

namespace th::blas {

// OpenMP builds come first: others start threads when they are loaded, which libTH does not use.
constexpr const char* kOpenBlasFiles[] = {TH_BUILD_LIBRARY_FOLDER
                                          "openblas-openmp/libopenblas.so.0",
                                          "libopenblaso.so.0", "libopenblas.so.0"};
constexpr const char* kBlisFiles[] = {TH_BUILD_LIBRARY_FOLDER "blis-openmp/libblis.so.4",
                                      "libblis.so.4", "libblis-mt.so"};
constexpr const char* kMklFiles[] = {"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so",
                                     "/opt/intel/oneapi/mkl/latest/lib/libmkl_rt.so"};
constexpr const char* kOneDnnFiles[] = {"libdnnl.so.3", "libdnnl.so.2", "libdnnl.so"};
constexpr const char* kBlasFiles[] = {"libblas.so.3"};
constexpr const char* kLapackFiles[] = {"liblapack.so.3"};

struct Files {
  const char* const* names;
  int count;
};
template <int n>
constexpr Files files_of(const char* const (&names)[n]) {
  return {names, n};
}

struct Choice {
  const char* name;  // value of TENSOR_BLAS
  Files files;
};
constexpr Choice kChoices[] = {{"openblas", files_of(kOpenBlasFiles)},
                               {"blis", files_of(kBlisFiles)},
                               {"mkl", files_of(kMklFiles)},
                               {"onednn", files_of(kOneDnnFiles)}};

// The free address space that a library needs. With less it ends the process or never returns from
// loading: OpenBLAS has 40 MiB of code and allocates two buffers of 128 MiB; MKL consists of
// several libraries.
struct Need {
  const char* part_of_name;
  size_t mebibytes;
};
constexpr Need kNeeds[] = {{"blis", 64}, {"dnnl", 128}, {"mkl", 640}, {"", 320}};

}  // namespace th::blas

#endif
