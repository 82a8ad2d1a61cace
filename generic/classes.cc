// The classes of tensors and storages. A class gets its methods when a program first uses it:
// programs use few of the element types, and the garbage collector visits each method.

#include "bindings.h"
#include "luaT.h"

namespace bind {

namespace {

bool is_storage_kind(int kind) { return kind >= th::kDTypes; }
DType type_of_kind(int kind) { return static_cast<DType>(kind % th::kDTypes); }

void push_class(lua_State* L, const State* state, int kind) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, state->reference[kind]);
}

// The __index and __newindex of the metatable of a class that has no methods yet. Programs can call
// them with any arguments.
void prepare_own(lua_State* L, int arguments) {
  check_kind(L, 1, LUA_TTABLE);
  lua_settop(L, arguments);
  State* state = state_of(L);
  prepare_class(L, state, state->kind_of(lua_topointer(L, 1)));
}
int index_unprepared(lua_State* L) {
  prepare_own(L, 2);
  lua_rawget(L, 1);
  return 1;
}
int set_unprepared(lua_State* L) {
  prepare_own(L, 3);
  lua_rawset(L, 1);
  return 0;
}

// Called by luaT with the metatable of a class on top of the stack.
void prepare_requested(lua_State* L, const char*) {
  State* state = registered_state(L);
  prepare_class(L, state, state->kind_of(lua_topointer(L, -1)));
}

// Adds the methods of C++, and calls the function of lua/core/classes.lua. The argument is the kind
// of the class.
int add_methods(lua_State* L) {
  State* state = state_of(L);
  const auto kind = static_cast<int>(lua_tointeger(L, 1));
  int& first = state->first_prepared[is_storage_kind(kind)];
  push_class(L, state, kind);
  const int metatable = lua_gettop(L);
  int like = 0;
  if (first >= 0) {
    push_class(L, state, first);
    like = lua_gettop(L);
  }
  const auto add = is_storage_kind(kind) ? add_storage_methods : add_tensor_methods;
  add(L, metatable, type_of_kind(kind), like);
  if (state->class_extension != LUA_NOREF) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, state->class_extension);
    lua_pushvalue(L, metatable);
    lua_pushstring(L, is_storage_kind(kind) ? "Storage" : "Tensor");
    lua_pushstring(L, th::name(type_of_kind(kind)));
    lua_call(L, 3, 0);
  }
  if (first < 0) first = kind;
  return 0;
}

// _extendclasses(f): f(class, 'Tensor' or 'Storage', name of the element type) is called for each
// class that gets its methods.
int extend_classes(lua_State* L) {
  check_kind(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  state_of(L)->class_extension = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

}  // namespace

void prepare_unprepared(lua_State* L, State* state, int kind) {
  luaL_checkstack(L, 6, "a class");
  state->unprepared &= ~(1u << kind);
  push_class(L, state, kind);
  lua_getmetatable(L, -1);
  lua_pushnil(L);
  lua_setmetatable(L, -3);
  lua_getfield(L, LUA_REGISTRYINDEX, "tensor.state");
  push_closure(L, guarded<add_methods>, 1);
  lua_pushinteger(L, kind);
  if (lua_pcall(L, 1, 0, 0)) {
    // Memory is short: the next use tries again.
    state->unprepared |= 1u << kind;
    lua_insert(L, -2);
    lua_setmetatable(L, -3);
    lua_error(L);
  }
  lua_pop(L, 2);
}

void register_classes(lua_State* L, State* state, int module, const ClassFunctions& functions) {
  lua_newtable(L);
  set_functions(L,
                {{"__index", guarded<index_unprepared>}, {"__newindex", guarded<set_unprepared>}},
                lua_gettop(L));
  const int unprepared = lua_gettop(L);
  for (int k = 0; k < th::kDTypes; ++k) {
    const int kind = functions.first_kind + k;
    const char* name = is_storage_kind(kind) ? storage_class(type_of_kind(kind))
                                             : tensor_class(type_of_kind(kind));
    luaT_newlocalmetatable(L, name, nullptr, functions.constructors[k],
                           functions.destroy.function(), functions.factories[k], module);
    luaT_sethandover(L, name, functions.hand_over);
    luaT_setprepare(L, name, prepare_requested);
    state->add_class(lua_topointer(L, -1), kind);
    state->unprepared |= 1u << kind;
    lua_pushvalue(L, lua_upvalueindex(1));
    push_closure(L, functions.destroy, 1);  // directly: objects come and go often
    lua_setfield(L, -2, "__gc");
    lua_pushvalue(L, unprepared);
    lua_setmetatable(L, -2);
    state->reference[kind] = luaL_ref(L, LUA_REGISTRYINDEX);
  }
  lua_pop(L, 1);
}

int element_size(lua_State* L) {
  const int kind = state_of(L)->kind_of(lua_topointer(L, lua_upvalueindex(2)));
  lua_pushinteger(L, static_cast<lua_Integer>(th::item_size(type_of_kind(kind))));
  return 1;
}

void register_class_functions(lua_State* L, int module) {
  set_functions(L, {{"_extendclasses", guarded<extend_classes>}}, module);
}

}  // namespace bind
