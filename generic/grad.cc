// The native part of lua/core/grad.lua: tapes, and numbers that tapes track.

#include "grad/tape.h"

#include "bindings.h"
#include "luaT.h"
#include "lua_compat.h"

namespace bind {

namespace {

constexpr const char* kClass = "tensor.tape";
// The key in the registry of the Lua function that makes a tracked number of a DoubleTensor with one
// element, of the function that calls an operation with tracked numbers,
// and their metatable.
const char kMakeNumber = 0, kCallWithNumbers = 0, kMetatable = 0;

void push_value(lua_State* L, const char* key) {
  lua_pushlightuserdata(L, const_cast<char*>(key));
  lua_rawget(L, LUA_REGISTRYINDEX);
}

using th::grad::Tape;

Tape& tape_at(lua_State* L, int index) {
  auto** box = static_cast<Tape**>(luaL_checkudata(L, index, kClass));
  if (!*box) luaL_argerror(L, index, "the tape is closed");
  return **box;
}

int delete_tape(lua_State* L) {
  auto** box = static_cast<Tape**>(luaL_checkudata(L, 1, kClass));
  delete *box;
  *box = nullptr;
  return 0;
}

// tape(): a new tape.
int make(lua_State* L) {
  auto** box = static_cast<Tape**>(lua_newuserdata(L, sizeof(void*)));
  *box = nullptr;
  if (luaL_newmetatable(L, kClass)) {
    push_closure(L, guarded<delete_tape>, 0);
    lua_setfield(L, -2, "__gc");
    lua_pushboolean(L, 0);  // hides the finalizer
    lua_setfield(L, -2, "__metatable");
  }
  lua_setmetatable(L, -2);
  *box = new Tape;
  return 1;
}

// start(tape), stop(tape)
int start(lua_State* L) {
  tape_at(L, 1).start();
  return 0;
}
int stop(lua_State* L) {
  tape_at(L, 1).stop();
  return 0;
}

// track(tape, t)
int track(lua_State* L) {
  Tape& tape = tape_at(L, 1);
  Tensor* t = check_tensor(L, state_of(L), 2);
  protect(L, "grad", [&] { tape.track(t); });
  return 0;
}

// tracks(tape, t): true if t depends on tracked tensors.
int tracks(lua_State* L) {
  lua_pushboolean(L, tape_at(L, 1).tracks(*check_tensor(L, state_of(L), 2)));
  return 1;
}
// tracked(t): the same for all tapes that record.
int tracked(lua_State* L) {
  lua_pushboolean(L, th::grad::is_tracked(check_tensor(L, state_of(L), 1)->storage));
  return 1;
}
// can_track(t): true if track accepts the tensor itself, instead of a copy.
int can_track(lua_State* L) {
  const Tensor* t = check_tensor(L, state_of(L), 1);
  lua_pushboolean(L, !th::has_shared_elements(*t) && !th::grad::is_tracked(t->storage));
  return 1;
}

// add_gradient(tape, t, gradient)
int add_gradient(lua_State* L) {
  Tape& tape = tape_at(L, 1);
  Tensor* t = check_tensor(L, state_of(L), 2);
  Tensor* gradient = check_tensor(L, state_of(L), 3);
  protect(L, "grad", [&] { tape.add_gradient(t, gradient); });
  return 0;
}

// run(tape): nil at the end, else the number of a custom rule and a table with the gradients of its
// results (false: 0).
int run(lua_State* L) {
  Tape& tape = tape_at(L, 1);
  int64_t custom = 0;
  protect(L, "grad", [&] { custom = tape.run(); });
  if (!custom) return 0;
  lua_pushinteger(L, static_cast<lua_Integer>(custom));
  lua_newtable(L);
  int count = 0;
  for (const th::grad::Operand& o : tape.custom_entry().operands) {
    if (!o.result) continue;
    if (Tensor* g = o.gradient.get()) {
      th::tensor_retain(g);
      push_tensor(L, state_of(L), g);
    } else {
      lua_pushboolean(L, 0);
    }
    lua_rawseti(L, -2, ++count);
  }
  return 2;
}

// give(tape, number of the operand, gradient)
int give(lua_State* L) {
  Tape& tape = tape_at(L, 1);
  const auto operand = static_cast<size_t>(luaL_checkinteger(L, 2) - 1);
  Tensor* gradient = check_tensor(L, state_of(L), 3);
  protect(L, "grad", [&] { tape.give(operand, gradient); });
  return 0;
}

// gradient(tape, t): a new tensor.
int gradient(lua_State* L) {
  Tape& tape = tape_at(L, 1);
  Tensor* t = check_tensor(L, state_of(L), 2);
  th::TensorRef result;
  protect(L, "grad", [&] { result = tape.gradient(*t); });
  push_tensor(L, state_of(L), result.release());
  return 1;
}

// Pushes the tensors of the table at stack index `list` and returns their number.
int push_list(lua_State* L, State* state, int list) {
  check_kind(L, list, LUA_TTABLE);
  const int count = static_cast<int>(compat_rawlen(L, list));
  luaL_checkstack(L, count, "too many tensors");
  for (int k = 1; k <= count; ++k) {
    lua_rawgeti(L, list, k);
    check_tensor(L, state, -1);
  }
  return count;
}

// record(number, {operands}, {results}): records a custom rule in each tape of this thread.
int record(lua_State* L) {
  const auto custom = static_cast<int64_t>(luaL_checkinteger(L, 1));
  State* state = state_of(L);
  lua_settop(L, 3);
  const int operands = push_list(L, state, 2), results = push_list(L, state, 3);
  protect(L, "grad", [&] {
    std::vector<Tensor*> lists[2];
    for (int k = 0; k < operands + results; ++k) {
      lists[k >= operands].push_back(object_at(L, state, 4 + k).tensor());
    }
    for (Tape* tape : th::grad::recording_tapes()) tape->record(lists[0], lists[1], custom);
  });
  return 0;
}

// detached(t): a copy that depends on nothing.
int detached(lua_State* L) {
  Tensor* t = nullptr;
  Tensor* copy = push_new_like(L, state_of(L), 1, &t);
  protect(L, "stopGradient", [&] {
    th::grad::Pause pause;
    th::resize_as(copy, *t);
    th::ops::copy(copy, t);
  });
  return 1;
}

// pause(on): stops all tapes of this thread from recording, or lets them go on.
int pause(lua_State* L) {
  th::grad::pause(lua_toboolean(L, 1));
  return 0;
}

// statistics(tape): the number of recorded operations, and the bytes that were copied because
// operations overwrote elements that are still needed.
int statistics(lua_State* L) {
  const Tape& tape = tape_at(L, 1);
  lua_pushinteger(L, static_cast<lua_Integer>(tape.size()));
  lua_pushnumber(L, static_cast<double>(tape.copied_bytes()));
  return 2;
}

// numbers(make, call, metatable): sets the values of the keys above.
int numbers(lua_State* L) {
  const char* const keys[] = {&kMakeNumber, &kCallWithNumbers, &kMetatable};
  for (int k = 0; k < 3; ++k) {
    lua_pushlightuserdata(L, const_cast<char*>(keys[k]));
    lua_pushvalue(L, k + 1);
    lua_rawset(L, LUA_REGISTRYINDEX);
  }
  return 0;
}

const Method functions[] = {{"tape", guarded<make>},
                            {"start", guarded<start>},
                            {"stop", guarded<stop>},
                            {"close", guarded<delete_tape>},
                            {"track", guarded<track>},
                            {"tracks", guarded<tracks>},
                            {"tracked", guarded<tracked>},
                            {"can_track", guarded<can_track>},
                            {"add_gradient", guarded<add_gradient>},
                            {"run", guarded<run>},
                            {"give", guarded<give>},
                            {"gradient", guarded<gradient>},
                            {"record", guarded<record>},
                            {"detached", guarded<detached>},
                            {"pause", guarded<pause>},
                            {"statistics", guarded<statistics>},
                            {"numbers", guarded<numbers>}};

}  // namespace

bool push_tracked_number(lua_State* L, State* state, Storage* storage, ptrdiff_t index) {
  if (!th::grad::is_tracked(storage)) return false;
  push_value(L, &kMakeNumber);
  push_tensor(L, state, th::vector_of(storage, index, 1).release());
  lua_call(L, 1, 1);
  return true;
}

void read_tracked_number(lua_State* L, int index) {
  if (!lua_getmetatable(L, index)) return;
  push_value(L, &kMetatable);
  const bool is_number = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  if (!is_number) return;
  lua_getfield(L, index, "tensor");
  lua_replace(L, index);
}

bool push_returned_number(lua_State* L, State* state) {
  Tensor* number = th::grad::tracked_number();
  if (!number || !th::grad::is_tracked(number->storage)) return false;
  return push_tracked_number(L, state, number->storage, 0);
}

bool call_with_tracked_numbers(lua_State* L, const char* name) {
  const int count = lua_gettop(L) - 1;  // below the message
  push_value(L, &kCallWithNumbers);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    return false;
  }
  lua_pushstring(L, name);
  for (int k = 1; k <= count; ++k) lua_pushvalue(L, k);
  lua_call(L, count + 1, 1);
  if (!lua_isnil(L, -1)) return true;
  lua_pop(L, 1);
  return false;
}

void register_grad_functions(lua_State* L, int module) {
  lua_newtable(L);
  set_functions(L, functions, lua_gettop(L));
  lua_setfield(L, module, "_grad");
}

}  // namespace bind
