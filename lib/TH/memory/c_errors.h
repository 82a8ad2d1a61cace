#ifndef TH_MEMORY_C_ERRORS_H
#define TH_MEMORY_C_ERRORS_H

// Errors that C functions of the program, such as an allocator's, raise by THError.

#include <cstddef>

namespace th {

// Calls body(data). Returns false, and stores the message, if it raised an error by THError. Until
// generic/ sets it, such errors leave the caller by the program's handler, which may be a longjmp.
extern bool (*catch_c_error)(void (*body)(void* data), void* data, char* message, size_t length);

}  // namespace th

#endif
