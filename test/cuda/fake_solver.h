#ifndef TEST_CUDA_FAKE_SOLVER_H
#define TEST_CUDA_FAKE_SOLVER_H

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>

// The state of the fake cuSOLVER, or of the fake cuFFT. A test finds it in the library.
struct FakeSolver {
  int calls = 0;
  int failure = 0;  // status that the next calls return; 0: success
  // The status of making a handle or a plan, of making its parameters, and of the last step of
  // setting it up.
  int creation = 0, parameters = 0, setup = 0;
  int handles = 0;
  // The queries of workspaces for symmetric matrices. They reject larger batches and sides, with
  // this status.
  int64_t most_matrices = INT64_MAX, largest_side = INT64_MAX;
  int rejection = 0;
  size_t batch_bytes = 1;     // of the workspace for each matrix of a batch
  int64_t largest_batch = 0;  // of the calls
};
// The name of the function that returns it: fake_solver or fake_transforms.
using GetFakeSolver = FakeSolver* (*)();

// Returns the state of a library that the test has loaded or will load.
inline FakeSolver& fake(const char* file, const char* function) {
  void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  return *reinterpret_cast<GetFakeSolver>(dlsym(library, function))();
}

#endif
