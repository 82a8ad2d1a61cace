// The class torch.Generator, and the functions that read and set a generator's state.

#include <cstring>

#include "bindings.h"

#include "THRandom.h"
#include "luaT.h"
#include "random/generator.h"
#include "random/generator_state.h"

namespace bind {

namespace {

// Returns the generator algorithm named at stack position index, or def if it is absent.
const char* check_kind(lua_State* L, int index, const char* def) {
  const char* kind = optional_string(L, index, def);
  for (const char* known : {"mt19937", "philox"}) {
    if (kind && !std::strcmp(kind, known)) return known;
  }
  argument_error(L, index, "'mt19937' or 'philox' is expected");
  return nullptr;
}

int construct(lua_State* L) {
  const char* kind = check_kind(L, 1, "mt19937");
  State* state = registered_state(L);
  void** box = push_box(L, state, 2 * th::kDTypes);
  *box = THGenerator_newOfKind(kind);
  return 1;
}

// File readers create the object first and then read its state from the file.
int make_empty(lua_State* L) {
  lua_settop(L, 0);
  return construct(L);
}

// Also callable from Lua code, with any argument.
int destroy(lua_State* L) {
  State* state = state_of(L);
  Object object = object_at(L, state, 1);
  if (!object.is_generator() || is_held(state, object.box)) return 0;
  if (object.box == state->generator_userdata) return 0;
  THGenerator_free(static_cast<THGenerator*>(object.payload));
  *object.box = nullptr;
  return 0;
}

// Returns the generator at stack position 1, or the default generator. *next: position of the next
// argument. At most `others` arguments may follow.
THGenerator* take_generator(lua_State* L, State* state, int* next, int others) {
  Object object = object_at(L, state, 1);
  *next = object.is_generator() ? 2 : 1;
  if (lua_gettop(L) >= *next + others) refuse_extra(L, *next + others - 1);
  if (!object.is_generator()) return reinterpret_cast<THGenerator*>(default_generator(L, state));
  return static_cast<THGenerator*>(object.payload);
}

int manual_seed(lua_State* L) {
  int next = 1;
  THGenerator* generator = take_generator(L, state_of(L), &next, 1);
  const double number = check_number(L, next);
  check_whole(L, number, "manualSeed: the seed");
  if (!(number >= -0x1p63 && number < 0x1p64)) {
    return argument_error(L, next, "a seed is an integer of at most 64 bits");
  }
  const th::Scalar seed = read_scalar(L, next, DType::Long);
  const bool is_signed = seed.integral || number < 0;
  const auto integer = seed.integral ? seed.i : is_signed ? static_cast<int64_t>(number) : 0;
  THRandom_manualSeed(generator, is_signed ? static_cast<unsigned long>(integer)
                                           : static_cast<unsigned long>(number));
  return 0;
}

int set_generator(lua_State* L) {
  int next = 1;
  take_generator(L, state_of(L), &next, 1);
  const char* kind = check_kind(L, next, nullptr);
  // Read the generator again: converting a number to a string may have run finalizers.
  THGenerator_setKind(take_generator(L, state_of(L), &next, 1), kind);
  return 0;
}

int get_generator(lua_State* L) {
  int next = 1;
  lua_pushstring(L, THGenerator_kind(take_generator(L, state_of(L), &next, 0)));
  return 1;
}

void push_seed(lua_State* L, unsigned long seed) {
  // Torch7 shows seeds as signed numbers.
  push_integer(L, static_cast<long>(seed));
}

int initial_seed(lua_State* L) {
  int next = 1;
  push_seed(L, THRandom_initialSeed(take_generator(L, state_of(L), &next, 0)));
  return 1;
}

int seed(lua_State* L) {
  int next = 1;
  push_seed(L, THRandom_seed(take_generator(L, state_of(L), &next, 0)));
  return 1;
}

int get_state(lua_State* L) {
  State* state = state_of(L);
  int next = 1;
  take_generator(L, state, &next, 1);
  lua_settop(L, next);
  Object object = object_at(L, state, next);
  if (lua_isnil(L, next)) {
    push_new_tensor(L, state, DType::Byte);
    lua_replace(L, next);
  } else if (!object.is_tensor() || object.dtype() != DType::Byte) {
    luaT_typerror(L, next, "torch.ByteTensor");
  }
  auto* generator = reinterpret_cast<th::Generator*>(take_generator(L, state, &next, 1));
  Tensor* t = object_at(L, state, next).tensor();
  protect(L, "getRNGState", [&] { th::generator_state(*generator, t); });
  return 1;
}

int set_state(lua_State* L) {
  State* state = state_of(L);
  int next = 1;
  auto* generator = reinterpret_cast<th::Generator*>(take_generator(L, state, &next, 1));
  Object object = object_at(L, state, next);
  if (!object.is_tensor() || object.dtype() != DType::Byte) {
    luaT_typerror(L, next, "torch.ByteTensor");
  }
  protect(L, "setRNGState", [&] { th::set_generator_state(*generator, object.tensor()); });
  lua_pushvalue(L, next);  // as in Torch7
  return 1;
}

const Method functions[] = {{"manualSeed", guarded<manual_seed>},
                            {"initialSeed", guarded<initial_seed>},
                            {"seed", guarded<seed>},
                            {"getRNGState", guarded<get_state>},
                            {"setRNGState", guarded<set_state>},
                            {"setGenerator", guarded<set_generator>},
                            {"getGenerator", guarded<get_generator>}};

}  // namespace

void register_generator_class(lua_State* L, State* state, int module) {
  luaT_newlocalmetatable(L, "torch.Generator", nullptr, guarded<construct, 1>.function(),
                         guarded<destroy>.function(), guarded<make_empty>.function(), module);
  lua_pushvalue(L, lua_upvalueindex(1));
  push_closure(L, guarded<destroy>, 1);
  lua_setfield(L, -2, "__gc");
  int kind = 2 * th::kDTypes;
  state->add_class(lua_topointer(L, -1), kind);
  state->reference[kind] = luaL_ref(L, LUA_REGISTRYINDEX);
  push_closure(L, guarded<construct, 1>, 0);
  lua_call(L, 0, 1);
  // The extra registry reference keeps the default generator alive even if _gen is overwritten.
  auto** box = static_cast<th::Generator**>(lua_touserdata(L, -1));
  state->generator = *box;
  state->generator_userdata = box;
  lua_pushvalue(L, -1);
  luaL_ref(L, LUA_REGISTRYINDEX);
  lua_setfield(L, module, "_gen");
}

void register_random_functions(lua_State* L, int module) { set_functions(L, functions, module); }

}  // namespace bind
