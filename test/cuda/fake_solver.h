#ifndef TEST_CUDA_FAKE_SOLVER_H
#define TEST_CUDA_FAKE_SOLVER_H

// The state of the fake cuSOLVER, or of the fake cuFFT. A test finds it in the library.
struct FakeSolver {
  int calls = 0;
  int failure = 0;  // status that the next calls return; 0: success
};
// The name of the function that returns it: fake_solver or fake_transforms.
using GetFakeSolver = FakeSolver* (*)();

#endif
