#include "base/op.h"

#include <cstring>

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

const char* past_operation(const char* message) noexcept {
  constexpr int kCount = static_cast<int>(Op::copy) + 1;
  for (;;) {
    const char* colon = std::strchr(message, ':');
    if (!colon || colon[1] != ' ') return message;
    auto length = static_cast<size_t>(colon - message);
    auto begins = [&](const char* op) {
      return std::strlen(op) == length && !std::strncmp(op, message, length);
    };
    int k = 0;
    while (k < kCount && !begins(name(static_cast<Op>(k))) &&
           !begins(lua_name(static_cast<Op>(k)))) {
      ++k;
    }
    if (k == kCount) return message;
    message = colon + 2;
  }
}

}  // namespace th
