#ifndef TH_MEMORY_INTERRUPT_H
#define TH_MEMORY_INTERRUPT_H

#include "memory/visibility.h"

namespace th TH_VISIBLE {

// Where the calling thread can look whether its user wants it to stop (Ctrl-C): a function whose
// value changes then. Null: nowhere.
using StopSign = const void* (*)();
void set_stop_sign(StopSign sign) noexcept;
// Its value now.
const void* stop_sign() noexcept;

}  // namespace TH_VISIBLE

#endif
