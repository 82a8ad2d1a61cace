#ifndef TH_GENERIC_GUARD_H
#define TH_GENERIC_GUARD_H

// The C boundary: no exception leaves a TH function. What was thrown is kept in plain memory until
// every C++ frame is gone; only then is the thread's error handler told, which does not return.
// Messages name the C function, which is the caller of guard, and count from 0.

#include <type_traits>

#include "memory/error.h"

namespace th {

// Calls body(context). frame: of the C function, whose name is given. It comes back without having
// done anything, or all, only in an OpenMP region: deferred.h.
void run_guarded(void (*body)(void* context), void* context, const char* function, void* frame);

template <class F>
__attribute__((always_inline)) inline auto guard(F&& body,
                                                 const char* function = __builtin_FUNCTION())
    -> decltype(body()) {
  using Result = decltype(body());
  using Body = std::remove_reference_t<F>;
  if constexpr (std::is_void_v<Result>) {
    run_guarded([](void* context) { (*static_cast<Body*>(context))(); }, &body, function,
                __builtin_frame_address(0));
  } else {
    struct {
      Body* body;
      Result result;
    } call = {&body, {}};
    run_guarded(
        [](void* context) {
          auto* made = static_cast<decltype(call)*>(context);
          made->result = (*made->body)();
        },
        &call, function, __builtin_frame_address(0));
    return call.result;
  }
}

}  // namespace th

#endif
