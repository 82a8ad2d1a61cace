// C functions of tensor.profile (lua/core/profile.lua).

#include "bindings.h"

#include <string>
#include <vector>

#include "native.h"
#include "ops/profile.h"

namespace bind {

using Profile = std::vector<th::OpProfile>;

template <>
const char* Native<Profile>::key() {
  return "tensor.profile";
}

namespace {

int start(lua_State* L) {
  protect(L, "profile", [] { th::start_profile(); });
  return 0;
}

void set_number(lua_State* L, const char* key, double value) {
  lua_pushnumber(L, value);
  lua_setfield(L, -2, key);
}

template <class T>
void set_integer(lua_State* L, const char* key, T value) {
  push_integer(L, value);
  lua_setfield(L, -2, key);
}

void set_string(lua_State* L, const char* key, const std::string& value) {
  lua_pushlstring(L, value.data(), value.size());
  lua_setfield(L, -2, key);
}

int stop(lua_State* L) {
  // Stored in a userdata first: calling Lua may raise an error, which would skip the C++
  // destructor.
  auto** box = Native<Profile>::push(L);
  protect(L, "profile", [&] { *box = new Profile(th::stop_profile()); });
  lua_newtable(L);
  int row = 0;
  for (const th::OpProfile& op : **box) {
    lua_createtable(L, 0, 6);
    set_string(L, "op", op.op);
    set_string(L, "device", op.device);
    set_integer(L, "calls", op.calls);
    set_number(L, "seconds", static_cast<double>(op.nanoseconds) * 1e-9);
    set_integer(L, "bytes", op.bytes);
    set_integer(L, "fallbacks", op.fallbacks);
    lua_rawseti(L, -2, ++row);
  }
  return 1;
}

const Method functions[] = {{"_startprofile", guarded<start>}, {"_stopprofile", guarded<stop>}};

}  // namespace

void register_profile_functions(lua_State* L, int module) { set_functions(L, functions, module); }

}  // namespace bind
