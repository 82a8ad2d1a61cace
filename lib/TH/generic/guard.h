#ifndef TH_GENERIC_GUARD_H
#define TH_GENERIC_GUARD_H

// The C boundary: no exception leaves a TH function. What was thrown is kept in plain memory until
// every C++ frame is gone; only then is the thread's error handler told, which does not return.
// Messages name the C function, which is the caller of guard, and count from 0.

#include <new>
#include <type_traits>

#include "memory/error.h"

namespace th {

struct PendingError {
  const char* function;
  int argument = 0;
  char text[Error::kLength];
  void set(const Error& error) noexcept;
  void set(const char* message) noexcept;
};

// frame: of the C function that fails.
[[noreturn]] void raise(const PendingError& error, void* frame);

template <class F>
auto guard(F&& body, const char* function = __builtin_FUNCTION()) -> decltype(body()) {
  PendingError pending;
  pending.function = function;
  try {
    CountFromZero counting;
    return body();
  } catch (const Error& error) {
    pending.set(error);
  } catch (const std::bad_alloc&) {
    pending.set("out of memory");
  } catch (const std::exception& error) {
    pending.set(error.what());
  }
  raise(pending, __builtin_frame_address(0));
}

}  // namespace th

#endif
