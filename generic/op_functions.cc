// The Lua functions and methods of the op table. All of them are closures of one C function.

#include <cstring>

#include "arguments.h"
#include "overloads.h"

namespace bind {

namespace {

// Returns true if the first argument is a table that begins with a tensor.
bool is_list_of_tensors(lua_State* L, State* state) {
  if (lua_type(L, 1) != LUA_TTABLE) return false;
  lua_rawgeti(L, 1, 1);
  const bool is_tensor = object_at(L, state, lua_gettop(L)).is_tensor();
  lua_pop(L, 1);
  return is_tensor;
}

// The class of a result that the last argument names, as in Torch7: randperm(4,
// 'torch.LongTensor').
struct NamedClass {
  int type = -1;  // an element type; -1: none is named
  bool is_cuda = false;

  NamedClass(lua_State* L, State* state, int last) {
    // The class of the first tensor counts more. The name of an option has one letter.
    if (object_at(L, state, 1).is_tensor() || (last > 2 && object_at(L, state, 2).is_tensor()) ||
        is_list_of_tensors(L, state)) {
      return;
    }
    const char* name = lua_tostring(L, last);
    for (int k = 0; k < th::kDTypes; ++k) {
      if (!std::strcmp(name, tensor_class(static_cast<DType>(k)))) type = k;
    }
    if (type >= 0) return;
    type = cuda_class_named(state, name);
    is_cuda = type >= 0;
  }
};

int call_op(lua_State* L) {
  State* state = state_of(L);
  void* second = lua_touserdata(L, lua_upvalueindex(2));
  const auto& bound = *static_cast<const Overloads::Bound*>(second);
  const int last = lua_gettop(L);
  if (bound.type == Overloads::kDefaultType && last > 0 && lua_type(L, last) == LUA_TSTRING) {
    const NamedClass named(L, state, last);
    if (named.type >= 0) {
      lua_settop(L, last - 1);
      const int results =
          call_overloads_of(L, state, *bound.overloads, Arguments(L, state), named.type);
      if (named.is_cuda) move_to_cuda(L, state, bound.overloads->name, results);
      return results;
    }
  }
  return call_overloads_of(L, state, *bound.overloads, Arguments(L, state), bound.type);
}

void push_overloads(lua_State* L, const Overloads& overloads, int type) {
  lua_pushvalue(L, lua_upvalueindex(1));
  // A pointer, which the collector does not mark: there are thousands.
  lua_pushlightuserdata(L, const_cast<Overloads::Bound*>(overloads.bound + 1 + type));
  push_closure(L, guarded<call_op>, 2);
}

// Returns true if the function at a stack index is the one that push_overloads pushes.
bool is_overloads(lua_State* L, int index, const Overloads& overloads, int type) {
  if (lua_tocfunction(L, index) != guarded<call_op>.function()) return false;
  lua_getupvalue(L, index, 2);
  const bool same = lua_touserdata(L, -1) == overloads.bound + 1 + type;
  lua_pop(L, 1);
  return same;
}

// __index of the table of functions of a class: makes a function when a program reads it first.
int function_of_class(lua_State* L) {
  const auto& functions = registry().functions;
  const char* name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  auto found = functions.find(name);
  if (found == functions.end() || found->second.patterns.empty()) return 0;
  push_overloads(L, found->second, static_cast<int>(lua_tointeger(L, lua_upvalueindex(2))));
  lua_pushvalue(L, 2);
  lua_pushvalue(L, -2);
  lua_rawset(L, 1);
  return 1;
}

}  // namespace

void register_op_functions(lua_State* L, int table) {
  for (const auto& [name, overloads] : registry().functions) {
    if (overloads.patterns.empty()) continue;
    push_overloads(L, overloads, Overloads::kDefaultType);
    lua_setfield(L, table, name.c_str());
  }
}

void register_op_methods(lua_State* L, int table, DType type, int like) {
  for (const auto& [name, overloads] : registry().methods) {
    if (overloads.patterns.empty()) continue;
    if (overloads.of_class) {
      push_overloads(L, overloads, static_cast<int>(type));
    } else {
      lua_pushstring(L, name.c_str());
      if (like) lua_rawget(L, like);
      if (!like || !is_overloads(L, -1, overloads, Overloads::kTypeOfFirst)) {
        lua_pop(L, 1);
        push_overloads(L, overloads, Overloads::kTypeOfFirst);
      }
    }
    lua_setfield(L, table, name.c_str());
  }
  // The functions that make tensors of this class where they have no operand.
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushinteger(L, static_cast<int>(type));
  push_closure(L, guarded<function_of_class>, 2);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
  lua_setfield(L, table, "torch");
}

}  // namespace bind
