#ifndef TH_CPU_BLAS_LIBRARY_H
#define TH_CPU_BLAS_LIBRARY_H

// The BLAS and LAPACK libraries. libTH is not linked with any: the first operation that needs one
// loads it. TENSOR_BLAS selects it.

#include <atomic>
#include <string>

#include "cpu/lapack.h"

namespace th::blas {

using Routine = void (*)();

// Fortran routines: s for float, d for double. The LAPACK routines are listed in
// TH_LAPACK_ROUTINES.
#define TH_BLAS_ROUTINES(X) X(gemm) X(gemv)

#define TH_ROUTINE_MEMBERS(name, ...) Routine s##name = nullptr, d##name = nullptr;
struct BlasRoutines {
  TH_BLAS_ROUTINES(TH_ROUTINE_MEMBERS)
};
struct LapackRoutines {
  TH_LAPACK_ROUTINES(TH_ROUTINE_MEMBERS, )
};
#undef TH_ROUTINE_MEMBERS

struct Library {
  void* handle = nullptr;
  std::string name;  // with version and kernels
  std::string path;
  // OpenBLAS only; null in other libraries.
  int (*get_threads)() = nullptr;
  void (*set_threads)(int) = nullptr;
  void* (*make_buffer)(int) = nullptr;
  void (*free_buffer)(void*) = nullptr;
  // The number of buffers that exist, and of those used by running products.
  std::atomic<int> buffers_made{0}, buffers_claimed{0};
};

// Load the library on first use. Throw th::Error, which lists what was tried.
Library& blas_library();
Library& lapack_library();
// Describe the library: name, version, kernels and path, or why none could be loaded.
const char* blas_description();
const char* lapack_description();
// The library must have been loaded.
const BlasRoutines& blas_routines() noexcept;
const LapackRoutines& lapack_routines() noexcept;

// The loaded libraries. There are at most as many as candidates for BLAS and LAPACK together.
constexpr int kMostLibraries = 8;
Library* loaded_library(int k) noexcept;  // null: no more

// Returns true if that many bytes of address space are free.
bool has_address_space(size_t bytes) noexcept;

}  // namespace th::blas

#endif
