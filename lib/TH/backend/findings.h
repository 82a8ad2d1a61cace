#ifndef TH_BACKEND_FINDINGS_H
#define TH_BACKEND_FINDINGS_H

// What kernels may find wrong with values, by numbers: the texts stay on the host.

#include <cstdint>
#include <string>

namespace th {

// The number of a check; the same text gets the same number. A "%lld" in the text stands for the
// value found. argument: as in th::fail_argument.
uint32_t number_of_check(int argument, const char* text);

// Throw th::Error: a check, by its text or by its number, found the value.
[[noreturn]] void fail_finding(int argument, const std::string& text, int64_t value);
[[noreturn]] void fail_check(uint32_t check, int64_t value);

}  // namespace th

#endif
