#include "base/op.h"

namespace th {

const char* name(Op op) noexcept {
  static const char* const names[] = {
#define TH_OP(name, ...) #name,
#include "THOps.def"
      "copy",
  };
  return names[static_cast<int>(op)];
}

#define TH_LUA_NAME_lua(name, flags) name
#define TH_LUA_NAME_c_only ""

const char* lua_name(Op op) noexcept {
  static const char* const names[] = {
#define TH_OP(name, lua, ...) TH_LUA_NAME_##lua,
#include "THOps.def"
      "copy",
  };
  const char* lua = names[static_cast<int>(op)];
  return *lua ? lua : name(op);
}

}  // namespace th
