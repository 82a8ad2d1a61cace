#ifndef TH_BACKEND_DEVICE_ASSERTIONS_H
#define TH_BACKEND_DEVICE_ASSERTIONS_H

// What kernels may find wrong with values, by numbers: the texts stay on the host. An assertion
// that fails is an error of the thread that queued the operation, whichever thread waits first.

#include <cstdint>
#include <string>

#include "backend/table.h"

namespace th {

// A device keeps so many that have failed, and a check reports to that of its number modulo this:
// the threads that queue operations have numbers for one of them each.
constexpr uint32_t kAssertions = 32;

// The number of the calling thread's check; the same text gets the same number. The operation's
// name is put before a text that has none. A "%lld" in the text stands for the value found.
// argument: as in th::fail_argument.
uint32_t number_of_check(int argument, const char* text);

// Throws th::Error: the check of that text found the value.
[[noreturn]] void fail_assertion(int argument, const std::string& text, int64_t value);

// Takes what was found from the table's device, which has done its work. Throws th::Error where
// that, or something taken before, is for the calling thread, or for one that has ended; what is
// for others is kept until they ask, of each thread the first. names_argument: whether the
// operation that is running is the one that has failed.
void raise_assertions(const DeviceTable& table, void* device, bool names_argument);

}  // namespace th

#endif
