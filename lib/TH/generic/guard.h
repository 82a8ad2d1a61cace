#ifndef TH_GENERIC_GUARD_H
#define TH_GENERIC_GUARD_H

// The C boundary: no exception leaves a TH function. The error is stored in plain memory until all
// C++ frames are unwound; then the error handler of the thread is called, which does not return.
// Messages name the C function, which is the caller of guard. They count from 0.

#include <type_traits>

#include "base/error.h"

namespace th {

// Calls body(context). function and frame: the name and the frame address of the C function. After
// an error it returns only in an OpenMP region (see deferred.h); otherwise the error handler does
// not return.
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
