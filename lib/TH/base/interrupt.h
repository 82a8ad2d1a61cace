#ifndef TH_BASE_INTERRUPT_H
#define TH_BASE_INTERRUPT_H

#include "base/visibility.h"

namespace th TH_VISIBLE {

// A function by which the calling thread notices that the user wants to stop it (Ctrl-C): its value
// changes then. Null: none.
using StopSign = const void* (*)();
void set_stop_sign(StopSign sign) noexcept;
// Returns the current value; null if there is no function.
const void* stop_sign() noexcept;

}  // namespace TH_VISIBLE

#endif
