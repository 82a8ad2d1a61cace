#ifndef TH_BACKEND_OP_H
#define TH_BACKEND_OP_H

#include <cstdint>

#include "memory/visibility.h"

namespace th TH_VISIBLE {

// Every operation: the rows of THOps.def, and what has no row.
enum class Op : uint16_t {
#define TH_OP(name, ...) name,
#include "THOps.def"
  copy,
};

// The C name.
const char* name(Op op) noexcept;
// The name in Lua; the C name where Lua has none.
const char* lua_name(Op op) noexcept;
// A message without the operation that it begins with: the function that was called is named, and
// no other one that it is made of.
const char* past_operation(const char* message) noexcept;

}  // namespace TH_VISIBLE

#endif
