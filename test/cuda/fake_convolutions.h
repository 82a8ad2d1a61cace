#ifndef TEST_CUDA_FAKE_CONVOLUTIONS_H
#define TEST_CUDA_FAKE_CONVOLUTIONS_H

#include <cstddef>

// The state of the fake cuDNN. A test finds it in the library.
struct FakeConvolutions {
  // Settings.
  int search_status = 0;     // that a search for algorithms returns; 0: success
  int status = 0;            // that convolutions return
  int refusals = 0;          // the number of next convolutions that are not supported
  size_t workspace[2] = {};  // of the fastest permitted algorithm, and of the second one
  // Counts of calls, and the arguments of the last convolution.
  int searches = 0, convolutions = 0;
  int descriptors = 0;  // that exist
  int dims = 0, math = 0;
  bool is_fastest = false;
};
// The type of fake_convolutions().
using GetFakeConvolutions = FakeConvolutions* (*)();

#endif
