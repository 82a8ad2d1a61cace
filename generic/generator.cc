// torch.Generator, and the functions on a generator's state.

#include <cstring>

#include "bindings.h"

#include "THRandom.h"
#include "luaT.h"
#include "ops/generator.h"

namespace bind {

namespace {

State* registered_state(lua_State* L) {
  lua_getfield(L, LUA_REGISTRYINDEX, "tensor.state");
  auto* state = static_cast<State*>(lua_touserdata(L, -1));
  lua_pop(L, 1);
  return state;
}

// The name of a kind of generator at stack position index; def where there is none.
const char* check_kind(lua_State* L, int index, const char* def) {
  const char* kind = luaL_optstring(L, index, def);
  for (const char* known : {"mt19937", "philox"}) {
    if (kind && !std::strcmp(kind, known)) return known;
  }
  luaL_argerror(L, index, "a kind of generator is expected: 'mt19937' or 'philox'");
  return nullptr;
}

int construct(lua_State* L) {
  const char* kind = check_kind(L, 1, "mt19937");
  State* state = registered_state(L);
  auto** box = static_cast<void**>(lua_newuserdata(L, sizeof(void*)));
  *box = nullptr;
  lua_rawgeti(L, LUA_REGISTRYINDEX, state->reference[2 * th::kDTypes]);
  lua_setmetatable(L, -2);
  *box = THGenerator_newOfKind(kind);
  return 1;
}

int destroy(lua_State* L) {
  auto** box = static_cast<void**>(lua_touserdata(L, 1));
  if (box && *box) {
    THGenerator_free(static_cast<THGenerator*>(*box));
    *box = nullptr;
  }
  return 0;
}

// The generator at stack position 1, which is then removed, or the default one.
THGenerator* take_generator(lua_State* L, State* state) {
  Object object = object_at(L, state, 1);
  if (!object.is_generator()) return reinterpret_cast<THGenerator*>(state->generator);
  lua_remove(L, 1);
  return static_cast<THGenerator*>(object.payload);
}

int manual_seed(lua_State* L) {
  THGenerator* generator = take_generator(L, state_of(L));
  double seed = luaL_checknumber(L, 1);
  if (!(seed >= -9223372036854775808.0 && seed < 18446744073709551616.0)) {
    return luaL_argerror(L, 1, "a seed is an integer of at most 64 bits");
  }
  THRandom_manualSeed(generator, seed < 0 ? static_cast<unsigned long>(static_cast<long>(seed))
                                          : static_cast<unsigned long>(seed));
  return 0;
}

int set_generator(lua_State* L) {
  THGenerator* generator = take_generator(L, state_of(L));
  THGenerator_setKind(generator, check_kind(L, 1, nullptr));
  return 0;
}

int get_generator(lua_State* L) {
  lua_pushstring(L, THGenerator_kind(take_generator(L, state_of(L))));
  return 1;
}

void push_seed(lua_State* L, unsigned long seed) {
  // As Torch7 shows it: a signed number.
  lua_pushnumber(L, static_cast<lua_Number>(static_cast<long>(seed)));
}

int initial_seed(lua_State* L) {
  push_seed(L, THRandom_initialSeed(take_generator(L, state_of(L))));
  return 1;
}

int seed(lua_State* L) {
  push_seed(L, THRandom_seed(take_generator(L, state_of(L))));
  return 1;
}

int get_state(lua_State* L) {
  State* state = state_of(L);
  auto* generator = reinterpret_cast<th::Generator*>(take_generator(L, state));
  Object given = object_at(L, state, 1);
  lua_settop(L, 1);
  if (lua_isnil(L, 1)) {
    push_new_tensor(L, state, DType::Byte);
    lua_replace(L, 1);
  } else if (!given.is_tensor() || given.dtype() != DType::Byte) {
    luaT_typerror(L, 1, "torch.ByteTensor");
  }
  Tensor* t = object_at(L, state, 1).tensor();
  protect(L, "getRNGState", [&] { th::generator_state(*generator, t); });
  return 1;
}

int set_state(lua_State* L) {
  State* state = state_of(L);
  auto* generator = reinterpret_cast<th::Generator*>(take_generator(L, state));
  Object given = object_at(L, state, 1);
  if (!given.is_tensor() || given.dtype() != DType::Byte) {
    luaT_typerror(L, 1, "torch.ByteTensor");
  }
  protect(L, "setRNGState", [&] { th::set_generator_state(*generator, given.tensor()); });
  return 0;
}

const luaL_Reg functions[] = {{"manualSeed", manual_seed},
                              {"initialSeed", initial_seed},
                              {"seed", seed},
                              {"getRNGState", get_state},
                              {"setRNGState", set_state},
                              {"setGenerator", set_generator},
                              {"getGenerator", get_generator},
                              {nullptr, nullptr}};

}  // namespace

void register_generator_class(lua_State* L, State* state, int module) {
  luaT_newlocalmetatable(L, "torch.Generator", nullptr, construct, destroy, construct, module);
  int kind = 2 * th::kDTypes;
  state->metatable[kind] = lua_topointer(L, -1);
  state->reference[kind] = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_pushcfunction(L, construct);
  lua_call(L, 0, 1);
  state->generator = *static_cast<th::Generator**>(lua_touserdata(L, -1));
  lua_setfield(L, module, "_gen");
  // The State's default generator lives as long as the registry, whatever becomes of _gen.
  lua_getfield(L, module, "_gen");
  luaL_ref(L, LUA_REGISTRYINDEX);
}

void register_random_functions(lua_State* L, int module) { set_functions(L, functions, module); }

}  // namespace bind
