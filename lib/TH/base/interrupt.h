#ifndef TH_BASE_INTERRUPT_H
#define TH_BASE_INTERRUPT_H

#include "base/visibility.h"

namespace th TH_VISIBLE {

// A function whose result changes when the user wants to stop the calling thread (Ctrl-C). Null:
// none.
using StopSign = const void* (*)();
void set_stop_sign(StopSign sign) noexcept;
// Returns the current result of the function, or null without a function.
const void* stop_sign() noexcept;

}  // namespace TH_VISIBLE

#endif
