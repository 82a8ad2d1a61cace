#ifndef TH_GENERIC_DEFERRED_H
#define TH_GENERIC_DEFERRED_H

// Errors in threads of an OpenMP region of the program. The error handler belongs to code outside
// of the region, and a longjmp out of the region would leave the other threads waiting. So the
// first error is stored, and raised by the next TH call outside of any region.

#include <atomic>
#include <cstdint>

#include "base/error.h"

namespace th TH_VISIBLE {

// Number of the stored error; 0: none.
extern std::atomic<uint64_t> deferred_error;

// Returns the nesting depth of OpenMP regions of the calling thread.
int region_level() noexcept;

// Stores an error unless one is stored already. Marks the calling thread as failed.
void defer_error(int argument, const char* message) noexcept;
// Returns true if the calling thread has failed and the error is still stored.
bool thread_has_failed() noexcept;

// Outside of any region: removes the stored error and returns true if there is one.
bool take_deferred(int* argument, char* message, size_t length) noexcept;
void throw_deferred();
inline void raise_deferred() {
  if (deferred_error.load(std::memory_order_relaxed) != 0) throw_deferred();
}

}  // namespace TH_VISIBLE

#endif
