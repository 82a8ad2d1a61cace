// The open scopes of threads (lua/core/scope.lua), and coroutines that functions of the module
// resume as parts of the open scope of the caller.

#include "bindings.h"

namespace bind {

namespace {

int resume_plainly(lua_State* thread, [[maybe_unused]] lua_State* L, int arguments, int* results) {
#if LUA_VERSION_NUM >= 504
  return lua_resume(thread, L, arguments, results);
#else
#if LUA_VERSION_NUM >= 502
  const int status = lua_resume(thread, L, arguments);
#else
  const int status = lua_resume(thread, arguments);
#endif
  *results = lua_gettop(thread);
  return status;
#endif
}

// Pushes the open scope of this thread, or nil. A coroutine that the module has resumed has that of
// its resumer, unless it has opened one. Needs two slots.
void push_scope(lua_State* L, const State& state) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, state.scopes);
  for (lua_State* thread = L;;) {
    lua_pushthread(thread);
    lua_xmove(thread, L, 1);
    lua_rawget(L, -2);
    const Resumption* r = state.resumption;
    while (r && r->thread != thread) r = r->outer;
    if (!r || !lua_isnil(L, -1)) break;
    lua_pop(L, 1);
    thread = r->resumer;
  }
  lua_remove(L, -2);
}

// exchange(scopes, scope, expected): makes a scope, or nil, the one of this thread, and returns the
// previous one. If `expected` is not nil, only a scope that this thread itself has opened counts.
// If that is another one, it stays. scopes: the scopes by thread, the same table in each call.
int exchange_scope(lua_State* L) {
  State* state = state_of(L);
  check_kind(L, 1, LUA_TTABLE);
  lua_settop(L, 3);
  if (state->scopes == LUA_NOREF) {
    lua_pushvalue(L, 1);
    state->scopes = luaL_ref(L, LUA_REGISTRYINDEX);
  }
  if (lua_isnil(L, 3)) {
    push_scope(L, *state);
  } else {
    lua_pushthread(L);
    lua_rawget(L, 1);
    if (!lua_rawequal(L, 3, 4)) return 1;
  }
  lua_pushthread(L);
  lua_pushvalue(L, 2);
  lua_rawset(L, 1);
  lua_pushnil(L);
  state->has_scopes = lua_next(L, 1) != 0;
  lua_settop(L, 4);
  return 1;
}

bool is_suspended(lua_State* thread) {
  lua_Debug frame;
  if (lua_status(thread) != 0) return lua_status(thread) == LUA_YIELD;
  return lua_gettop(thread) > 0 && !lua_getstack(thread, 0, &frame);
}

lua_State* refuse(lua_State* L, const char* message) {
  lua_settop(L, 0);
  lua_pushliteral(L, "error");
  lua_pushstring(L, message);
  return nullptr;
}

}  // namespace

void record_in_scope(lua_State* L, const State& state) {
  luaL_checkstack(L, 4, "tensor.scope");
  push_scope(L, state);
  if (lua_istable(L, -1)) {
    lua_rawgeti(L, -1, 1);  // the set of its objects
    lua_pushvalue(L, -3);
    lua_pushboolean(L, true);
    lua_rawset(L, -3);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

int resume(lua_State* thread, lua_State* L, int arguments, int* results) {
  State* state = state_of(L);
  // For push_scope. Before the Resumption: an error would leave it behind.
  luaL_checkstack(L, 1, "tensor.scope");
  const Resumption resumption(thread, L, &state->resumption);
  return resume_plainly(thread, L, arguments, results);
}

lua_State* take_coroutine(lua_State* L, int index, int* arguments) {
  lua_State* thread = lua_tothread(L, index);
  *arguments = lua_gettop(L) - index;
  if (!thread || !is_suspended(thread)) {
    return refuse(L, "cannot resume a coroutine that is not suspended");
  }
  if (!lua_checkstack(thread, *arguments)) return refuse(L, "too many arguments to resume");
  lua_xmove(L, thread, *arguments);
  return thread;
}

int push_resumed(lua_State* L, lua_State* thread, int status, int results) {
  if (status != 0 && status != LUA_YIELD) results = 1;
  if (!lua_checkstack(L, results + 1)) {
    lua_pop(thread, results);
    refuse(L, "too many results to resume");
    return 2;
  }
  lua_pushstring(L, status == LUA_YIELD ? "suspended" : status ? "error" : "dead");
  lua_xmove(thread, L, results);
  return results + 1;
}

namespace {

// resume(thread, ...): resumes a suspended coroutine. Returns the same as push_resumed.
int resume_in_scope(lua_State* L) {
  int arguments = 0, results = 0;
  lua_State* thread = take_coroutine(L, 1, &arguments);
  if (!thread) return 2;
  const int status = resume(thread, L, arguments, &results);
  return push_resumed(L, thread, status, results);
}

const Method functions[] = {{"_resume", guarded<resume_in_scope>},
                            {"_exchangeScope", guarded<exchange_scope>}};

}  // namespace

void register_coroutine_functions(lua_State* L, int module) { set_functions(L, functions, module); }

}  // namespace bind
