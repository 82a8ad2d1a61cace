#ifndef TH_CUDA_SOLVER_H
#define TH_CUDA_SOLVER_H

// cuSOLVER, loaded on first use.

#include <cusolverDn.h>

#include <type_traits>

#include "backend/linalg_call.h"
#include "cuda/dynamic_library.h"
#include "tensor/type_sets.h"

namespace th {

// Functions for float (S) and double (D).
#define TH_SOLVER_TYPED(X, name) X(cusolverDnS##name) X(cusolverDnD##name)
#define TH_SOLVER_FUNCTIONS(X)                 \
  X(cusolverDnCreate)                          \
  X(cusolverDnDestroy)                         \
  X(cusolverDnSetStream)                       \
  X(cusolverDnSetDeterministicMode)            \
  X(cusolverDnCreateParams)                    \
  X(cusolverDnDestroyParams)                   \
  X(cusolverDnCreateGesvdjInfo)                \
  TH_SOLVER_TYPED(X, getrf_bufferSize)         \
  TH_SOLVER_TYPED(X, getrf)                    \
  TH_SOLVER_TYPED(X, getrs)                    \
  TH_SOLVER_TYPED(X, potrf_bufferSize)         \
  TH_SOLVER_TYPED(X, potrf)                    \
  TH_SOLVER_TYPED(X, potrfBatched)             \
  TH_SOLVER_TYPED(X, geqrf_bufferSize)         \
  TH_SOLVER_TYPED(X, geqrf)                    \
  TH_SOLVER_TYPED(X, orgqr_bufferSize)         \
  TH_SOLVER_TYPED(X, orgqr)                    \
  TH_SOLVER_TYPED(X, ormqr_bufferSize)         \
  TH_SOLVER_TYPED(X, ormqr)                    \
  TH_SOLVER_TYPED(X, gesvdjBatched_bufferSize) \
  TH_SOLVER_TYPED(X, gesvdjBatched)            \
  X(cusolverDnXsyevd_bufferSize)               \
  X(cusolverDnXsyevd)                          \
  X(cusolverDnXsyevBatched_bufferSize)         \
  X(cusolverDnXsyevBatched)                    \
  X(cusolverDnXgeev_bufferSize)                \
  X(cusolverDnXgeev)                           \
  X(cusolverDnXgesvd_bufferSize)               \
  X(cusolverDnXgesvd)

struct SolverFunctions {
  DynamicLibrary library;
  TH_SOLVER_FUNCTIONS(TH_DYNAMIC_MEMBER)
  SolverFunctions();
};

// Loads the library. Throws kDeviceUnsupported if that is impossible.
const SolverFunctions& solver_functions();

// The handle of a device.
struct SolverState {
  cusolverDnHandle_t handle = nullptr;
  cusolverDnParams_t params = nullptr;
  gesvdjInfo_t gesvdj = nullptr;
  explicit SolverState(CudaDevice& device);
};

// Throws unless the status is success. function: the name of the one that returned it.
void check_solver(cusolverStatus_t status, const char* function);
// The same for a function that returns the size of a workspace. Throws kDeviceUnsupported if it
// rejects the sizes of the matrices and the operation has not queued work.
void check_size(cusolverStatus_t status, const char* function);

StateOfDevice<SolverState>& solver_states();
// Calls f(const SolverState&), one thread at a time.
template <class F>
void with_solver(Queue& queue, const F& f) {
  solver_states().use(cuda_device(queue), f);
}

// ---- types

template <class T, class S, class D>
auto typed(S of_float, D of_double) {
  if constexpr (std::is_same_v<T, float>) {
    return of_float;
  } else {
    return of_double;
  }
}
// The function cusolverDnS<name> or cusolverDnD<name> for type T.
#define TH_SOLVER(name) \
  typed<T>(solver_functions().cusolverDnS##name, solver_functions().cusolverDnD##name)
#define TH_CUBLAS(name) typed<T>(cublasS##name, cublasD##name)

template <class F>
void for_solver_type(DType dtype, const F& f) {
  dispatch_types<BlasTypes>(dtype, f);
}

template <class T>
T* matrix(const Matrices& a, int64_t k) {
  return reinterpret_cast<T*>(a.data) + k * a.step;
}

// Batches are contiguous for the functions that have no stride between matrices.
inline bool is_packed(const Matrices& a) { return a.step == int64_t{a.ld} * a.cols; }

inline cublasFillMode_t fill_mode(Part part) {
  return part == Part::upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
}
inline cublasOperation_t operation(char trans) { return trans == 'N' ? CUBLAS_OP_N : CUBLAS_OP_T; }

}  // namespace th

#endif
