// Handlers that report errors of C functions, and short memory, to Lua. They belong to a thread of
// the process. The Lua code that runs registers its Lua thread with them.

#include <cxxabi.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

#include "TH.h"
#include "base/interrupt.h"
#include "base/thread_end.h"
#include "bindings.h"
#include "operands.h"

namespace bind {

__thread lua_State* running = nullptr;

namespace {

// A Lua state that has loaded the module in this thread, or continues in it.
struct Handling {
  // If it is not this thread, another one has closed the Lua state or continues it. Then the other
  // fields must not be used.
  std::shared_ptr<State::Owner> owner;
  State* state;
  lua_State* registered;  // the Lua thread that registered last; the registry keeps it alive
};
// The most recent state is the last one. Null until the thread loads the module.
using List = std::vector<Handling>;
thread_local List* handling = nullptr;
thread_local th::ThreadEnd handling_end = {[] { delete std::exchange(handling, nullptr); }};

List& open_handling() {
  if (!th::at_thread_end(handling_end)) throw std::bad_alloc();
  if (!handling) handling = new List;
  return *handling;
}

// Identifies the running thread. A later thread may get the same address, but then with an empty
// list.
const void* this_thread() { return &handling; }

bool is_others(const Handling& h) { return *h.owner != this_thread(); }

void forget_others() {
  if (!handling) return;
  handling->erase(std::remove_if(handling->begin(), handling->end(), is_others), handling->end());
}

// Only the running Lua thread can be unwound. In LuaJIT, a thread that has resumed another one is
// in coroutine.resume or in a function of coroutine.wrap, which are not C functions. Pushes nothing
// if compiled Lua code may be running, because then the top of the stack is unknown. The module
// resumes coroutines in C functions, too.
enum class Activity { none, waits, in_lua, in_c };
Activity activity_of(const State& state, lua_State* L, lua_CFunction* function) {
  lua_Debug frame;
  if (!L || lua_status(L) != 0 || !lua_getstack(L, 0, &frame)) return Activity::none;
  lua_getinfo(L, "S", &frame);
  if (*frame.what != 'C') return Activity::in_lua;
  lua_getinfo(L, "f", &frame);
  *function = lua_tocfunction(L, -1);
  lua_pop(L, 1);
  bool resumes = *function == state.resume[0] || *function == state.resume[1];
  for (const Resumption* r = state.resumption; r && !resumes; r = r->outer) {
    resumes = r->resumer == L;
  }
  return *function && !resumes ? Activity::in_c : Activity::waits;
}

struct RunningThread {
  lua_State* thread = nullptr;
  bool in_package = false;       // in a C function that Lua called, but not through the FFI
  bool waits = false;            // an unknown thread runs
  bool may_run = false;          // with LuaJIT, if the main thread is unknown: one may run
  lua_State* resumer = nullptr;  // without LuaJIT: the thread that resumed the unknown one
};

// Notes what a thread does. Returns true if it runs.
bool is_running(const Handling& h, lua_State* thread, RunningThread* found) {
  lua_CFunction function = nullptr;
  Activity activity = activity_of(*h.state, thread, &function);
  if (activity == Activity::waits) {
    found->waits = true;
    if (!h.state->in_luajit() && !found->resumer) found->resumer = thread;
  }
  if (activity != Activity::in_lua && activity != Activity::in_c) return false;
  found->thread = thread;
  found->in_package = activity == Activity::in_c && function != h.state->ffi_call;
  return true;
}

// The same for the threads that registered before, and the last one that pointers were passed to.
// Call it only if the registered thread does not run: otherwise the top of its stack is unknown.
bool is_other_running(const Handling& h, RunningThread* found) {
  lua_State* L = h.registered;
  if (!lua_checkstack(L, 4)) return false;
  const int top = lua_gettop(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, h.state->noted_thread);
  bool running = false;
  lua_pushnil(L);
  while (!running && lua_next(L, top + 1)) {
    const int thread = lua_isthread(L, -2) ? -2 : -1;
    running = is_running(h, lua_tothread(L, thread), found);
    lua_pop(L, 1);
  }
  lua_settop(L, top);
  return running;
}

RunningThread find_running() {
  forget_others();
  RunningThread found;
  if (!handling) return found;
  for (auto h = handling->rbegin(); h != handling->rend(); ++h) {
    found.may_run = found.may_run || (h->state->in_luajit() && !h->state->knows_main_thread);
    const Resumption* innermost = h->state->resumption;
    if (innermost && is_running(*h, innermost->thread, &found)) break;
    if (is_running(*h, h->registered, &found) || is_other_running(*h, &found)) break;
  }
  return found;
}

// The handlers that the thread had before those of Lua. If no Lua code runs, they get the errors.
struct HostHandlers {
  THErrorHandlerFunction error;
  THArgErrorHandlerFunction argument;
  void *error_data, *argument_data;
};
thread_local HostHandlers host = {};

// Errors of C functions that packages call, through the FFI or from C, become Lua errors. In a
// coroutine that the module has never seen, the error is a C++ exception, which LuaJIT reports
// without its text. A Lua written in C cannot pass exceptions on, so the thread that resumed the
// coroutine gets the error. If no known thread runs or waits, the host's handlers get it. Without
// them it is an exception, too, if the module was loaded in a coroutine.
using UnknownThread = std::runtime_error;
void raise_error_of_c(const char* message, void*) {
  RunningThread found = find_running();
  if (!found.thread) found.thread = found.resumer;
  if (found.thread) luaL_error(found.thread, "%s", message);
  if (found.waits || (found.may_run && !host.error)) throw UnknownThread(message);
  if (host.error) host.error(message, host.error_data);
}
// Messages of TH functions begin with their name, and count that function's arguments.
bool names_function(const char* message) {
  if (std::strncmp(message, "TH", 2) != 0) return false;
  while (std::isalnum(static_cast<unsigned char>(*message)) || *message == '_') ++message;
  return *message == ':';
}
// An argument that a package checks with THArgCheck is one of the function that Lua called.
void raise_argument_error_of_c(int argument, const char* message, void*) {
  RunningThread found = find_running();
  if (found.in_package && !names_function(message)) luaL_argerror(found.thread, argument, message);
  if (!found.thread) found.thread = found.resumer;
  if (found.thread) luaL_error(found.thread, "bad argument #%d (%s)", argument, message);
  if (found.waits || (found.may_run && !host.argument)) throw UnknownThread(message);
  if (host.argument) host.argument(argument, message, host.argument_data);
}

int collect_garbage(lua_State* L) {
  lua_gc(L, LUA_GCCOLLECT, 0);
  return 0;
}

// Collects garbage in the middle of an operation. Errors of finalizers, which end the collection,
// must not propagate into the operation, and finalizers must not free its operands. If an operation
// was called through the FFI, its operands cannot be found. It may also have been called by
// compiled code, in which the collector must not run. In that case nothing is collected.
void collect(void*) {
  lua_State* L = running;
  if (!L) {
    RunningThread found = find_running();
    if (!found.in_package) return;
    L = found.thread;
  }
  lua_State* before = std::exchange(running, nullptr);
  th::RulesScope rules(th::Rules{});
  try {
    OperandGuard operands(L, registered_state(L));
    for (int attempts = 0; attempts < 10 && compat_cpcall(L, collect_garbage); ++attempts) {
      lua_pop(L, 1);
    }
  } catch (const std::bad_alloc&) {
    // There is no memory for the list of operands: collect nothing.
  }
  running = before;
}

// Ctrl-C sets a debug hook, which Lua calls as soon as the operation has ended.
const void* hook() {
  return running ? reinterpret_cast<const void*>(lua_gethook(running)) : nullptr;
}

void install_handlers() {
  const bool any = handling && !handling->empty();
  void *error_data = nullptr, *argument_data = nullptr;
  const auto error = THGetErrorHandler(&error_data);
  const auto argument = THGetArgErrorHandler(&argument_data);
  if (any && error != raise_error_of_c) {
    host = {error, argument, error_data, argument_data};
    THSetErrorHandler(raise_error_of_c, nullptr);
    THSetArgErrorHandler(raise_argument_error_of_c, nullptr);
  } else if (!any && error == raise_error_of_c) {
    THSetErrorHandler(host.error, host.error_data);
    THSetArgErrorHandler(host.argument, host.argument_data);
    host = {};
  }
  THSetGCHandler(any ? collect : nullptr, nullptr);
  th::set_stop_sign(any ? hook : nullptr);
}

}  // namespace

State* registered_state(lua_State* L) {
  lua_getfield(L, LUA_REGISTRYINDEX, "tensor.state");
  auto* state = static_cast<State*>(lua_touserdata(L, -1));
  lua_pop(L, 1);
  return state;
}

void note_thread(lua_State* L, const State* state) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, state->noted_thread);
  lua_pushthread(L);
  lua_rawseti(L, -2, 1);
  lua_pop(L, 1);
  if (!handling || handling->empty() || handling->back().state == state) return;
  for (Handling& h : *handling) {
    if (h.state != state || is_others(h)) continue;
    std::rotate(&h, &h + 1, handling->data() + handling->size());
    return;
  }
}

int update_handlers(lua_State* L) {
  // If the C++ library was loaded together with this module, its thread-local variables are
  // allocated when a thread first throws, and the process ends if that fails. This allocates them
  // now.
  [[maybe_unused]] const void* volatile exceptions = abi::__cxa_get_globals();
  State* state = registered_state(L);
  if (!state->owner) return 0;  // called by a finalizer while the Lua state closes
  if (state->noted_thread == LUA_NOREF) {
    lua_createtable(L, 1, 0);
    lua_createtable(L, 0, 1);
    lua_pushliteral(L, "kv");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
    state->noted_thread = luaL_ref(L, LUA_REGISTRYINDEX);
  }
  // First what may fail: until then another thread serves the Lua state.
  protect(L, "updateerrorhandlers", [] {
    List& list = open_handling();
    list.reserve(list.size() + 1);
  });
  // Another thread must not use the Lua thread that the registry keeps alive now.
  *state->owner = this_thread();
  lua_pushthread(L);
  lua_setfield(L, LUA_REGISTRYINDEX, "tensor.thread");
  lua_rawgeti(L, LUA_REGISTRYINDEX, state->noted_thread);
  if (lua_pushthread(L)) state->knows_main_thread = true;
  lua_pushboolean(L, 1);
  lua_rawset(L, -3);
  lua_pop(L, 1);
  protect(L, "updateerrorhandlers", [&] {
    List& list = open_handling();
    forget_others();
    auto same = [state](const Handling& h) { return h.state == state; };
    list.erase(std::remove_if(list.begin(), list.end(), same), list.end());
    list.push_back({state->owner, state, L});
    install_handlers();
  });
  return 0;
}

int forget_state(lua_State* L) {
  auto* state = static_cast<State*>(lua_touserdata(L, 1));
  if (!state->owner) return 0;
  *state->owner = nullptr;
  state->owner.reset();  // Lua frees the State without its destructor
  // The generator's object is freed with all others. Finalizers that run later may still use the
  // object, so empty it.
  if (state->generator) {
    *static_cast<void**>(const_cast<void*>(state->generator_userdata)) = nullptr;
    THGenerator_free(reinterpret_cast<THGenerator*>(state->generator));
    state->generator = nullptr;
  }
  forget_others();
  install_handlers();
  return 0;
}

}  // namespace bind
