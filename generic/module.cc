// luaopen_tensor_core: everything of `require 'tensor'` that is written in C++.

#include <omp.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "TH.h"
#include "bindings.h"
#include "luaT.h"

namespace bind {

void set_functions(lua_State* L, const luaL_Reg* functions, int table) {
  for (; functions->name; ++functions) {
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushcclosure(L, functions->func, 1);
    lua_setfield(L, table, functions->name);
  }
}

namespace {

// Errors of C functions that packages call, through the FFI or from C, become Lua errors.
void raise_error_of_c(const char* message, void* data) {
  luaL_error(static_cast<lua_State*>(data), "%s", message);
}
void raise_argument_error_of_c(int argument, const char* message, void* data) {
  luaL_error(static_cast<lua_State*>(data), "bad argument #%d (%s)", argument, message);
}

int collect_garbage(lua_State* L) {
  lua_gc(L, LUA_GCCOLLECT, 0);
  return 0;
}
// Called in the middle of an operation: an error of a finalizer, which ends the collection, must
// not pass through it.
void collect(void* data) {
  lua_State* L = running ? running : static_cast<lua_State*>(data);
  for (int attempts = 0; attempts < 10 && lua_cpcall(L, collect_garbage, nullptr); ++attempts) {
    lua_pop(L, 1);
  }
}

// The Lua states of this thread that the module was loaded in, the one last told of at the end: its
// Lua thread is where errors of C functions are raised.
struct Handling {
  State* state;
  lua_State* thread;
};
thread_local std::vector<Handling> handling;

void install_handlers() {
  lua_State* L = handling.empty() ? nullptr : handling.back().thread;
  THSetErrorHandler(L ? raise_error_of_c : nullptr, L);
  THSetArgErrorHandler(L ? raise_argument_error_of_c : nullptr, L);
  THSetGCHandler(L ? collect : nullptr, L);
}

void forget(State* state) {
  auto is_it = [state](const Handling& h) { return h.state == state; };
  handling.erase(std::remove_if(handling.begin(), handling.end(), is_it), handling.end());
}

// Handlers belong to the thread; a coroutine's errors must unwind the coroutine, which is kept
// alive as long as it is the one.
int update_handlers(lua_State* L) {
  lua_getfield(L, LUA_REGISTRYINDEX, "tensor.state");
  auto* state = static_cast<State*>(lua_touserdata(L, -1));
  lua_pushthread(L);
  lua_setfield(L, LUA_REGISTRYINDEX, "tensor.thread");
  protect(L, "updateerrorhandlers", [&] {
    forget(state);
    handling.push_back({state, L});
    install_handlers();
  });
  return 0;
}

// The Lua state is closing: nobody may be told of errors in it any more.
int forget_state(lua_State* L) {
  forget(static_cast<State*>(lua_touserdata(L, 1)));
  install_handlers();
  return 0;
}

int set_threads(lua_State* L) {
  int64_t n = check_integer(L, 1);
  if (n < 1 || n > 4096) {
    return luaL_argerror(L, 1, "the number of threads must be from 1 to 4096");
  }
  THSetNumThreads(static_cast<int>(n));
  return 0;
}
int get_threads(lua_State* L) {
  lua_pushinteger(L, THGetNumThreads());
  return 1;
}
int get_cores(lua_State* L) {
  lua_pushinteger(L, THGetNumCores());
  return 1;
}

int info(lua_State* L) {
  const char* const keys[] = {"version", "compiler",   "build", "blas",     "openmp",
                              "isa",     "vectormath", "sort",  "protobuf", "random"};
  lua_newtable(L);
  for (const char* key : keys) {
    if (const char* value = THInfo(key)) {
      lua_pushstring(L, value);
      lua_setfield(L, -2, key);
    }
  }
  return 1;
}

int default_type(lua_State* L) {
  State* state = state_of(L);
  if (lua_gettop(L) == 0) {
    lua_pushstring(L, tensor_class(state->default_type));
    return 1;
  }
  const char* name = luaL_checkstring(L, 1);
  for (int k = 0; k < th::kDTypes; ++k) {
    if (!std::strcmp(name, tensor_class(static_cast<DType>(k)))) {
      state->default_type = static_cast<DType>(k);
      return 0;
    }
  }
  return luaL_argerror(L, 1, lua_pushfstring(L, "%s is no tensor class", name));
}

int is_tensor(lua_State* L) {
  lua_pushboolean(L, object_at(L, state_of(L), 1).is_tensor());
  return 1;
}
int is_storage(lua_State* L) {
  lua_pushboolean(L, object_at(L, state_of(L), 1).is_storage());
  return 1;
}

// Seconds on a clock that never goes back; toc gives those since a time that tic gave.
int tic(lua_State* L) {
  lua_pushnumber(L, omp_get_wtime());
  return 1;
}
int toc(lua_State* L) {
  lua_pushnumber(L, omp_get_wtime() - luaL_checknumber(L, 1));
  return 1;
}

// Tells where the module's Lua files are, so that errors are not blamed on them.
int set_own_source(lua_State* L) {
  State* state = state_of(L);
  std::snprintf(state->own_source, sizeof(state->own_source), "%s", luaL_checkstring(L, 1));
  return 0;
}

const luaL_Reg functions[] = {{"setnumthreads", set_threads},
                              {"getnumthreads", get_threads},
                              {"getnumcores", get_cores},
                              {"info", info},
                              {"_defaulttype", default_type},
                              {"_optable", op_table},
                              {"_ownsource", set_own_source},
                              {"tic", tic},
                              {"toc", toc},
                              {"isTensor", is_tensor},
                              {"isStorage", is_storage},
                              {"updateerrorhandlers", update_handlers},
                              {"updatethreadlocals", update_handlers},
                              {nullptr, nullptr}};

const luaL_Reg luaT_functions[] = {{"typename", luaT_lua_typename},
                                   {"factory", luaT_lua_factory},
                                   {"getconstructortable", luaT_lua_getconstructortable},
                                   {"newmetatable", luaT_lua_newmetatable},
                                   {"getmetatable", luaT_lua_getmetatable},
                                   {"setmetatable", luaT_lua_setmetatable},
                                   {"metatype", luaT_lua_metatype},
                                   {"isequal", luaT_lua_isequal},
                                   {"pointer", luaT_lua_pointer},
                                   {"pushudata", luaT_lua_pushudata},
                                   {"setenv", luaT_lua_setenv},
                                   {"getenv", luaT_lua_getenv},
                                   {"version", luaT_lua_version},
                                   {nullptr, nullptr}};

// Runs as a closure over the State, as all that registers does.
int open(lua_State* L) {
  State* state = state_of(L);
  lua_newtable(L);
  int module = lua_gettop(L);
  register_tensor_classes(L, state, module);
  register_storage_classes(L, state, module);
  register_generator_class(L, state, module);
  register_blob_classes(L, module);
  register_op_functions(L, module);
  register_random_functions(L, module);
  register_device_functions(L, module);
  register_apply_functions(L, module);
  set_functions(L, functions, module);
  set_functions(L, luaT_functions, module);
  return 1;
}

}  // namespace
}  // namespace bind

extern "C" __attribute__((visibility("default"))) int luaopen_tensor_core(lua_State* L) {
  // The classes of a Lua state are made once, however often the module is loaded.
  lua_getfield(L, LUA_REGISTRYINDEX, "tensor.module");
  if (lua_istable(L, -1)) return 1;
  auto* state = static_cast<bind::State*>(lua_newuserdata(L, sizeof(bind::State)));
  new (state) bind::State;
  lua_newtable(L);
  lua_pushcfunction(L, bind::forget_state);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  lua_pushvalue(L, -1);
  lua_setfield(L, LUA_REGISTRYINDEX, "tensor.state");
  bind::update_handlers(L);
  lua_pushcclosure(L, bind::open, 1);
  lua_call(L, 0, 1);
  lua_pushvalue(L, -1);
  lua_setfield(L, LUA_REGISTRYINDEX, "tensor.module");
  return 1;
}
