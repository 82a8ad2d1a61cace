#ifndef TH_BACKEND_DEVICE_ASSERTIONS_H
#define TH_BACKEND_DEVICE_ASSERTIONS_H

// Checks of values in kernels, identified by numbers; the messages stay on the host. A failed check
// is an error in the thread that queued the operation, whichever thread synchronizes first.

#include <cstdint>

#include "backend/table.h"

namespace th {

// The number of failed checks that a device stores. A check is stored in the slot given by its
// number modulo kAssertions. Each thread that queues operations uses the numbers of one slot.
constexpr uint32_t kAssertions = 32;

// The message of a check of values. In the format, "%v" is replaced by the invalid value, "%1" and
// "%2" by numbers, and "%s" by the word. The format and the word live as long as the process. Calls
// on devices make such texts all the time, and few of them are read.
struct CheckText {
  int argument;  // as in th::fail_argument
  const char* format;
  int64_t first = 0, second = 0;
  const char* word = "";
};

// Returns the number of a check of the calling thread. Equal checks of an operation have equal
// numbers.
uint32_t number_of_check(const CheckText& text);

// Throws the message of a failed check for this value.
[[noreturn]] void fail_check(const CheckText& text, int64_t value);

// Collects the failed checks of the table's device, which must be synchronized. Throws th::Error if
// a check of the calling thread, or of a thread that has ended, has failed. The message names the
// operation of the check unless it is the running one, which the caller names. Failures of other
// threads are kept for them, the first of each thread. names_argument: true if the running
// operation is the one that failed, so that the error names its argument.
void raise_assertions(const DeviceTable& table, void* device, bool names_argument);

}  // namespace th

#endif
