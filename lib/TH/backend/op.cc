#include "backend/op.h"

namespace th {

const char* name(Op op) noexcept {
  static const char* const names[] = {
#define TH_OP(name, ...) #name,
#include "THOps.def"
      "copy",
  };
  return names[static_cast<int>(op)];
}

const char* lua_name(Op op) noexcept {
  static const char* const names[] = {
#define TH_OP(name, lua, ...) lua,
#include "THOps.def"
      "copy",
  };
  const char* lua = names[static_cast<int>(op)];
  return *lua ? lua : name(op);
}

}  // namespace th
