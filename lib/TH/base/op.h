#ifndef TH_BASE_OP_H
#define TH_BASE_OP_H

#include <cstdint>

#include "base/visibility.h"

namespace th TH_VISIBLE {

// All operations: the rows of THOps.def, and copy, which has no row.
enum class Op : uint16_t {
#define TH_OP(name, ...) name,
#include "THOps.def"
  copy,
};

const char* name(Op op) noexcept;
// Returns the name in Lua, or the C name if there is none.
const char* lua_name(Op op) noexcept;

}  // namespace TH_VISIBLE

#endif
