#include "base/interrupt.h"

namespace th {

static thread_local StopSign the_sign = nullptr;

void set_stop_sign(StopSign sign) noexcept { the_sign = sign; }
const void* stop_sign() noexcept { return the_sign ? the_sign() : nullptr; }

}  // namespace th
