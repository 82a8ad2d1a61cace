#ifndef TH_GENERIC_DEFERRED_H
#define TH_GENERIC_DEFERRED_H

// Errors in threads of an OpenMP region of the program. Whoever is told of errors is outside of the
// region, and a jump out of it would leave the other threads waiting: the first error is kept, and
// told by the next call outside of any region.

#include <atomic>
#include <cstdint>

#include "memory/error.h"

namespace th TH_VISIBLE {

// The number of the error that is kept; 0: none.
extern std::atomic<uint64_t> deferred_error;

// How many OpenMP regions the calling thread is in.
int region_level() noexcept;

// Keeps an error, unless one is kept. From then on the calling thread has failed.
void defer_error(int argument, const char* message) noexcept;
// Whether the calling thread has failed, and the error is still kept.
bool thread_has_failed() noexcept;

// Outside of any region: takes the error that is kept, if any.
bool take_deferred(int* argument, char* message, size_t length) noexcept;
void throw_deferred();
inline void raise_deferred() {
  if (deferred_error.load(std::memory_order_relaxed) != 0) throw_deferred();
}

}  // namespace TH_VISIBLE

#endif
