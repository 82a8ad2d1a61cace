#ifndef TH_BASE_THREAD_END_H
#define TH_BASE_THREAD_END_H

// Functions that run when a thread ends. A thread_local object with a destructor would do the same,
// but its first use ends the process if memory has run out.

#include "base/visibility.h"

namespace th TH_VISIBLE {

// One registration, in thread-local memory.
struct ThreadEnd {
  void (*run)();
  ThreadEnd* next = nullptr;
  bool registered = false;
};

// Runs end.run() when the calling thread ends, after its thread_local objects are destroyed and
// before what was registered earlier. Registers once; later calls do nothing. Returns false if
// memory has run out. The main thread runs nothing at the end of the process.
bool at_thread_end(ThreadEnd& end) noexcept;

}  // namespace TH_VISIBLE

#endif
