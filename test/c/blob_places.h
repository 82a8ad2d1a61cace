#ifndef TENSOR_TEST_BLOB_PLACES_H
#define TENSOR_TEST_BLOB_PLACES_H

// Where the memory of a test is: at the CPU, at home on the software device, or brought there by
// hand, with its home at the CPU still.

#include <ostream>
#include <vector>

#include "cuda/soft/soft_device.h"
#include "device/device_list.h"
#include "tensor/storage.h"

namespace th {

struct Place {
  const char* name;
  void (*bring)(Storage*);
  // Where the head is once an operation wrote there.
  Head head;
  SoftMode mode;
  ThreadOrder order;
};

inline void PrintTo(const Place& place, std::ostream* out) { *out << place.name; }

inline Device& soft() { return *find_device("soft"); }

inline std::vector<Place> places() {
  auto stay = [](Storage* s) { s->cpu(Access::read); };
  auto go = [](Storage* s) { storage_to(s, &soft()); };
  auto push = [](Storage* s) { s->memory.device(Access::write, soft()); };
  auto copy = [](Storage* s) { s->memory.device(Access::read, soft()); };
  constexpr auto eager = SoftMode::eager, lazy = SoftMode::lazy;
  constexpr auto up = ThreadOrder::ascending, down = ThreadOrder::descending;
  return {{"Cpu", stay, Head::cpu, eager, up},
          {"SoftEager", go, Head::device, eager, up},
          {"SoftLazy", go, Head::device, lazy, down},
          {"Pushed", push, Head::device, lazy, up},
          {"Synced", copy, Head::device, lazy, down}};
}

}  // namespace th

#endif
