#ifndef TH_MEMORY_C_ERRORS_H
#define TH_MEMORY_C_ERRORS_H

// Errors that C functions of the program, such as an allocator's, raise by THError.

#include <cstddef>

#include "base/error.h"

namespace th {

// Calls body(data). Returns false, and stores the message, if it raised an error by THError. Until
// generic/ sets it, such errors leave the caller by the program's handler, which may be a longjmp.
extern bool (*catch_c_error)(void (*body)(void* data), void* data, char* message, size_t length);

// Calls an allocator of the program and returns its block. Its errors become exceptions, because a
// longjmp of the program's error handler would skip destructors: locks would stay held.
template <class F>
void* call_allocator(const F& f) {
  struct Call {
    const F& f;
    void* block;
  } call = {f, nullptr};
  char message[Error::kLength];
  auto body = [](void* data) {
    auto* c = static_cast<Call*>(data);
    c->block = c->f();
  };
  if (!catch_c_error(body, &call, message, sizeof(message))) fail("%s", message);
  return call.block;
}

}  // namespace th

#endif
