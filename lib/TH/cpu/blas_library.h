#ifndef TH_CPU_BLAS_LIBRARY_H
#define TH_CPU_BLAS_LIBRARY_H

// The libraries that BLAS and LAPACK come from. None is linked: the first operation that needs one
// loads it, as TENSOR_BLAS says.

#include <atomic>
#include <string>

#include "cpu/lapack.h"

namespace th::blas {

using Routine = void (*)();

// As Fortran calls them: s for float, d for double. LAPACK's are those of TH_LAPACK_ROUTINES.
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
  std::string name;  // with its version, and the kernels in use
  std::string path;
  // OpenBLAS's own; null in others.
  int (*get_threads)() = nullptr;
  void (*set_threads)(int) = nullptr;
  void* (*make_buffer)(int) = nullptr;
  void (*free_buffer)(void*) = nullptr;
  // Buffers for products that are under way.
  std::atomic<int> buffers_made{0}, buffers_claimed{0};
};

// Loaded where they are not yet; th::Error says what was tried.
Library& blas_library();
Library& lapack_library();
// What they are, with versions, kernels and paths; where none could be loaded, why.
const char* blas_description();
const char* lapack_description();
// Of a library that is there.
const BlasRoutines& blas_routines() noexcept;
const LapackRoutines& lapack_routines() noexcept;

// Each library that is there, at most as many as those of BLAS and of LAPACK together.
constexpr int kMostLibraries = 8;
Library* loaded_library(int k) noexcept;  // null: no more

// There is address space for that many bytes more.
bool has_room(size_t bytes) noexcept;

}  // namespace th::blas

#endif
