#ifndef TEST_CUDA_FAKE_CONVOLUTIONS_H
#define TEST_CUDA_FAKE_CONVOLUTIONS_H

#include <cstddef>

// The state of the fake cuDNN. A test finds it in the library.
struct FakeConvolutions {
  // The status of a new handle, of a search for algorithms, and of a convolution; 0: success.
  int handle_status = 0;
  int search_status = 0;
  int status = 0;
  // This number of convolutions is not supported.
  int refusals = 0;
  // Bytes for the fastest permitted algorithm, and for the second one.
  size_t workspace[2] = {};

  // Counts of calls, and of descriptors that exist.
  int searches = 0, convolutions = 0;
  int descriptors = 0;
  // Arguments of the last convolution.
  int dims = 0, math = 0;
  bool is_fastest = false;
};
// The type of fake_convolutions().
using GetFakeConvolutions = FakeConvolutions* (*)();

#endif
