#include "cuda/solver.h"

namespace th {

SolverFunctions::SolverFunctions() : library(TH_LIBRARY_FILE("cusolver", CUSOLVER_VER_MAJOR)) {
  TH_SOLVER_FUNCTIONS(TH_DYNAMIC_FIND)
}

const SolverFunctions& solver_functions() {
  static const SolverFunctions functions;
  functions.library.require();
  return functions;
}

void check_solver(cusolverStatus_t status, const char* function) {
  if (status == CUSOLVER_STATUS_SUCCESS) return;
  const bool no_memory = status == CUSOLVER_STATUS_ALLOC_FAILED;
  fail(no_memory ? status_without_memory() : kDeviceFailed, "cuSOLVER: %s: status %d%s", function,
       static_cast<int>(status), no_memory ? " (out of memory)" : "");
}

void check_size(cusolverStatus_t status, const char* function) {
  const bool is_rejected =
      status == CUSOLVER_STATUS_INVALID_VALUE || status == CUSOLVER_STATUS_NOT_SUPPORTED;
  if (is_rejected && !work_queued()) {
    fail_unsupported("cuSOLVER does not support matrices of this size");
  }
  check_solver(status, function);
}

SolverState::SolverState(CudaDevice& device) {
  const SolverFunctions& call = solver_functions();
  // A failed creation may leave a value that is not a handle.
  cusolverStatus_t status = call.cusolverDnCreate(&handle);
  if (status == CUSOLVER_STATUS_NOT_INITIALIZED || status == CUSOLVER_STATUS_INTERNAL_ERROR) {
    fail(device.status_of_failed_start(), "cuSOLVER: cusolverDnCreate: status %d",
         static_cast<int>(status));
  }
  check_solver(status, "cusolverDnCreate");
  try {
    check_solver(call.cusolverDnSetStream(handle, device.stream()), "cusolverDnSetStream");
    check_solver(call.cusolverDnSetDeterministicMode(handle, CUSOLVER_DETERMINISTIC_RESULTS),
                 "cusolverDnSetDeterministicMode");
    status = call.cusolverDnCreateParams(&params);
    if (status != CUSOLVER_STATUS_SUCCESS) params = nullptr;
    check_solver(status, "cusolverDnCreateParams");
    check_solver(call.cusolverDnCreateGesvdjInfo(&gesvdj), "cusolverDnCreateGesvdjInfo");
  } catch (...) {
    if (params) call.cusolverDnDestroyParams(params);
    call.cusolverDnDestroy(handle);
    throw;
  }
}

StateOfDevice<SolverState>& solver_states() {
  static auto* states = new StateOfDevice<SolverState>;
  return *states;
}

}  // namespace th
