// Resumes coroutines inside functions of the module, as parts of the open scope of the caller.

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

// Identifies the open scope.
const void* scope_of(lua_State* L, const State* state) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, state->scope_objects);
  const void* objects = lua_topointer(L, -1);
  lua_pop(L, 1);
  return objects;
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

int resume(lua_State* thread, lua_State* L, int arguments, int* results) {
  State* state = state_of(L);
  luaL_checkstack(L, 1, "tensor.scope");  // before the Resumption: an error would leave it behind
  const Resumption resumption(thread, L, &state->resumption);
  if (state->scope_thread != L) return resume_plainly(thread, L, arguments, results);
  const void* scope = scope_of(L, state);
  state->scope_thread = thread;
  const int status = resume_plainly(thread, L, arguments, results);
  if (state->scope_thread == thread && scope_of(L, state) == scope) state->scope_thread = L;
  return status;
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

const Method functions[] = {{"_resume", guarded<resume_in_scope>}};

}  // namespace

void register_coroutine_functions(lua_State* L, int module) { set_functions(L, functions, module); }

}  // namespace bind
