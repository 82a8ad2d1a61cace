#ifndef TENSOR_TEST_BLOB_PLACES_H
#define TENSOR_TEST_BLOB_PLACES_H

// Where the memory of a test is.

#include <vector>

#include "tensor/storage.h"

namespace th {

struct Place {
  const char* name;
  // Has the storage's bytes at the place, and operations on it run there.
  void (*bring)(Storage*);
};

inline std::vector<Place> places() {
  return {{"Cpu", [](Storage* s) { s->cpu(Access::read); }}};
}

}  // namespace th

#endif
