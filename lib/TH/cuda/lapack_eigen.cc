// Eigenvalues and singular values by cuSOLVER.

#include <vector>

#include "cuda/lapack_batch.h"
#include "simt/device_lapack.h"
#include "simt/device_matrices.h"

namespace th::device_lapack {

namespace {

// Functions that compute all matrices of a batch together support matrices up to this side.
constexpr int kMostJacobi = 32;
// cusolverDnXsyevBatched rejects some tens of thousands of matrices. Its workspace may take 300 KiB
// for each matrix, even of side 16.
constexpr int64_t kMostSymmetric = 8192;
constexpr size_t kMostWorkspace = size_t{256} << 20;

cudaDataType type_of(DType dtype) { return dtype == DType::Float ? CUDA_R_32F : CUDA_R_64F; }
cusolverEigMode_t mode_of(bool vectors) {
  return vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
}

// The workspaces of a function on the device and on the host. size(size_t* device, size_t* host)
// returns a status.
class Workspaces {
 public:
  template <class Size>
  Workspaces(Queue& queue, const char* function, const Size& size)
      : Workspaces(queue, sizes_of(function, size)) {}
  void* device() const { return device_.as<void>(); }
  size_t device_bytes() const { return sizes_.device; }
  void* host() { return host_.data(); }
  size_t host_bytes() const { return sizes_.host; }

 private:
  struct Sizes {
    size_t device = 0, host = 0;
  };
  template <class Size>
  static Sizes sizes_of(const char* function, const Size& size) {
    Sizes sizes;
    check_size(size(&sizes.device, &sizes.host), function);
    return sizes;
  }
  Workspaces(Queue& queue, const Sizes& sizes)
      : sizes_(sizes), device_(queue, sizes.device), host_(sizes.host) {
    work_queued() = true;
  }

  Sizes sizes_;
  Scratch device_;
  std::vector<char> host_;
};

// The number of matrices per call of a function whose workspace size(matrices, size_t* device,
// size_t* host) returns.
template <class Size>
int64_t batch_for(int64_t count, const Size& size) {
  int64_t matrices = std::min(count, kMostSymmetric);
  size_t device = 0, host = 0;
  while (matrices > 1 &&
         (size(matrices, &device, &host) != CUSOLVER_STATUS_SUCCESS || device > kMostWorkspace)) {
    matrices /= 2;
  }
  return matrices;
}

char* list(const Matrices& a, char* values, int64_t k, int n) {
  return values + k * n * static_cast<int64_t>(item_size(a.dtype));
}
char* at(const Matrices& a, int64_t k) {
  return a.data ? a.data + k * a.step * static_cast<int64_t>(item_size(a.dtype)) : nullptr;
}

// `count` matrices from number k on.
Matrices part_of(Matrices a, int64_t k, int64_t count) {
  a.data = at(a, k);
  a.count = count;
  return a;
}

}  // namespace

void syevd(Queue& queue, const Matrices& a, Part part, bool vectors, char* values, int* info) {
  const SolverFunctions& call = solver_functions();
  const cudaDataType type = type_of(a.dtype);
  const cusolverEigMode_t mode = mode_of(vectors);
  const cublasFillMode_t fill = fill_mode(part);
  const int64_t n = a.rows;
  with_solver(queue, [&](const SolverState& solver) {
    const auto size_of_batch = [&](int64_t matrices, size_t* device, size_t* host) {
      return call.cusolverDnXsyevBatched_bufferSize(solver.handle, solver.params, mode, fill, n,
                                                    type, a.data, a.ld, type, values, type, device,
                                                    host, matrices);
    };
    const int64_t most = is_small_batch(a) && is_packed(a) ? batch_for(a.count, size_of_batch) : 1;
    const auto find_batch = [&](int64_t k, int matrices) {
      Workspaces work(
          queue, "cusolverDnXsyevBatched_bufferSize",
          [&](size_t* device, size_t* host) { return size_of_batch(matrices, device, host); });
      check_solver(call.cusolverDnXsyevBatched(solver.handle, solver.params, mode, fill, n, type,
                                               at(a, k), a.ld, type, list(a, values, k, a.rows),
                                               type, work.device(), work.device_bytes(),
                                               work.host(), work.host_bytes(), info + k, matrices),
                   "cusolverDnXsyevBatched");
    };
    if (most > 1) return for_parts(a.count, find_batch, most);
    Workspaces work(queue, "cusolverDnXsyevd_bufferSize", [&](size_t* device, size_t* host) {
      return call.cusolverDnXsyevd_bufferSize(solver.handle, solver.params, mode, fill, n, type,
                                              a.data, a.ld, type, values, type, device, host);
    });
    for (int64_t k = 0; k < a.count; ++k) {
      check_solver(
          call.cusolverDnXsyevd(solver.handle, solver.params, mode, fill, n, type, at(a, k), a.ld,
                                type, list(a, values, k, a.rows), type, work.device(),
                                work.device_bytes(), work.host(), work.host_bytes(), info + k),
          "cusolverDnXsyevd");
    }
  });
}

void geev(Queue& queue, const Matrices& a, char* values, const Matrices& v, int* info) {
  const SolverFunctions& call = solver_functions();
  const cudaDataType type = type_of(a.dtype);
  const int64_t n = a.rows, ld = v.data ? v.ld : n;
  const cusolverEigMode_t left = CUSOLVER_EIG_MODE_NOVECTOR, right = mode_of(v.data != nullptr);
  with_solver(queue, [&](const SolverState& solver) {
    Workspaces work(queue, "cusolverDnXgeev_bufferSize", [&](size_t* device, size_t* host) {
      return call.cusolverDnXgeev_bufferSize(solver.handle, solver.params, left, right, n, type,
                                             a.data, a.ld, type, values, type, nullptr, n, type,
                                             v.data, ld, type, device, host);
    });
    for (int64_t k = 0; k < a.count; ++k) {
      // With real types, the values are all real parts, then all imaginary parts.
      check_solver(
          call.cusolverDnXgeev(solver.handle, solver.params, left, right, n, type, at(a, k), a.ld,
                               type, list(a, values, k, 2 * a.rows), type, nullptr, n, type,
                               at(v, k), ld, type, work.device(), work.device_bytes(), work.host(),
                               work.host_bytes(), info + k),
          "cusolverDnXgeev");
    }
  });
}

namespace {

// By Jacobi's method, which computes all matrices of a batch together. cuSOLVER writes singular
// vectors also when none are requested.
void decompose_batch(Queue& queue, const Matrices& a, const Matrices& u, char* values,
                     const Matrices& vt, int* info) {
  const bool vectors = u.data != nullptr;
  const int m = a.rows, n = a.cols;
  const device_matrices::TemporaryMatrices left(queue, a.dtype, a.count, m, m);
  const device_matrices::TemporaryMatrices right(queue, a.dtype, a.count, n, n);
  with_solver(queue, [&](const SolverState& solver) {
    for_solver_type(a.dtype, [&](auto zero) {
      using T = decltype(zero);
      T *to = matrix<T>(a, 0), *list = reinterpret_cast<T*>(values);
      T *left_data = matrix<T>(left.get(), 0), *right_data = matrix<T>(right.get(), 0);
      const int matrices = static_cast<int>(a.count);
      int size = 0;
      check_size(TH_SOLVER(gesvdjBatched_bufferSize)(solver.handle, mode_of(vectors), m, n, to,
                                                     a.ld, list, left_data, m, right_data, n, &size,
                                                     solver.gesvdj, matrices),
                 "gesvdjBatched_bufferSize");
      const Scratch work(queue, static_cast<size_t>(size) * sizeof(T));
      work_queued() = true;
      check_solver(TH_SOLVER(gesvdjBatched)(solver.handle, mode_of(vectors), m, n, to, a.ld, list,
                                            left_data, m, right_data, n, work.template as<T>(),
                                            size, info, solver.gesvdj, matrices),
                   "gesvdjBatched");
    });
  });
  if (!vectors) return;
  device_matrices::copy(queue, u, left.get());
  device_matrices::copy(queue, vt, right.get(), true);
}

}  // namespace

void gesvd(Queue& queue, const Matrices& a, bool all, const Matrices& u, char* values,
           const Matrices& vt, int* info) {
  if (a.count > 1 && a.rows <= kMostJacobi && is_packed(a)) {
    return for_parts(a.count, [&](int64_t k, int matrices) {
      decompose_batch(queue, part_of(a, k, matrices), part_of(u, k, matrices),
                      list(a, values, k, a.cols), part_of(vt, k, matrices), info + k);
    });
  }
  const SolverFunctions& call = solver_functions();
  const cudaDataType type = type_of(a.dtype);
  const int64_t m = a.rows, n = a.cols, u_ld = u.data ? u.ld : m, vt_ld = vt.data ? vt.ld : n;
  const signed char job = !u.data ? 'N' : all ? 'A' : 'S';
  with_solver(queue, [&](const SolverState& solver) {
    Workspaces work(queue, "cusolverDnXgesvd_bufferSize", [&](size_t* device, size_t* host) {
      return call.cusolverDnXgesvd_bufferSize(solver.handle, solver.params, job, job, m, n, type,
                                              a.data, a.ld, type, values, type, u.data, u_ld, type,
                                              vt.data, vt_ld, type, device, host);
    });
    for (int64_t k = 0; k < a.count; ++k) {
      check_solver(
          call.cusolverDnXgesvd(solver.handle, solver.params, job, job, m, n, type, at(a, k), a.ld,
                                type, list(a, values, k, a.cols), type, at(u, k), u_ld, type,
                                at(vt, k), vt_ld, type, work.device(), work.device_bytes(),
                                work.host(), work.host_bytes(), info + k),
          "cusolverDnXgesvd");
    }
  });
}

}  // namespace th::device_lapack
