// The functions that set and return the rules of a Lua state, and the rule of sizes.

#include "rules.h"

#include <cstring>
#include <utility>

#include "bindings.h"
#include "luaT.h"

namespace bind {

namespace {

struct RuleText {
  const char *name, *tensor, *torch7;
};
constexpr RuleText rules[] = {
#define TENSOR_RULE(name, tensor, torch7) {#name, tensor, torch7},
    TENSOR_RULES(TENSOR_RULE)
#undef TENSOR_RULE
};
constexpr int kRules = sizeof(rules) / sizeof(*rules);
static_assert(kRules <= 32, "State::torch7_rules has a bit for each rule");

// Reads the name of a rule at stack index 1.
Rule check_rule(lua_State* L, const char* function) {
  luaL_checkany(L, 1);
  const char* name = lua_type(L, 1) == LUA_TSTRING ? lua_tostring(L, 1) : "";
  for (int k = 0; k < kRules; ++k) {
    if (!std::strcmp(name, rules[k].name)) return static_cast<Rule>(k);
  }
  lua_pushstring(L, rules[0].name);
  for (int k = 1; k < kRules; ++k) {
    lua_pushfstring(L, "%s, %s", lua_tostring(L, -1), rules[k].name);
  }
  raise_error(L, "%s: a rule is expected (%s), got %s", function, lua_tostring(L, -1),
              *name ? name : shown_type(L, 1));
  __builtin_unreachable();
}

const char* const modes[] = {"tensor", "torch7"};

// Returns true for 'torch7' at a stack index, false for 'tensor'.
bool check_mode(lua_State* L, int index, const char* function) {
  const char* mode = lua_type(L, index) == LUA_TSTRING ? lua_tostring(L, index) : "";
  for (int k = 0; k < 2; ++k) {
    if (!std::strcmp(mode, modes[k])) return k == 1;
  }
  raise_error(L, "%s: 'tensor' or 'torch7' is expected, got %s", function,
              *mode ? mode : shown_type(L, index));
  __builtin_unreachable();
}

int push_mode(lua_State* L, const State* state, Rule rule) {
  lua_pushstring(L, modes[state->is_torch7(rule)]);
  return 1;
}

int get_rule(lua_State* L) { return push_mode(L, state_of(L), check_rule(L, "getRule")); }

// Returns the mode before the call.
int set_rule(lua_State* L) {
  State* state = state_of(L);
  const Rule rule = check_rule(L, "setRule");
  const bool torch7 = check_mode(L, 2, "setRule");
  push_mode(L, state, rule);
  state->set_rule(rule, torch7);
  return 1;
}

int set_rules(lua_State* L) {
  const bool torch7 = check_mode(L, 1, "setRules");
  for (int k = 0; k < kRules; ++k) state_of(L)->set_rule(static_cast<Rule>(k), torch7);
  return 0;
}

// Returns a list of tables with the name of a rule, its mode, and the behaviour in both modes.
int list_rules(lua_State* L) {
  lua_createtable(L, kRules, 0);
  for (int k = 0; k < kRules; ++k) {
    lua_createtable(L, 0, 4);
    const std::pair<const char*, const char*> fields[] = {
        {"name", rules[k].name},
        {"mode", modes[state_of(L)->is_torch7(static_cast<Rule>(k))]},
        {"tensor", rules[k].tensor},
        {"torch7", rules[k].torch7}};
    for (const auto& field : fields) {
      lua_pushstring(L, field.second);
      lua_setfield(L, -2, field.first);
    }
    lua_rawseti(L, -2, k + 1);
  }
  return 1;
}

// Compares the elements of two LongStorages, as sizes; other objects by their addresses.
int equal_sizes(lua_State* L) {
  State* state = state_of(L);
  const Object a = object_at(L, state, 1), b = object_at(L, state, 2);
  const bool are_sizes =
      a.is_storage() && b.is_storage() && a.dtype() == DType::Long && b.dtype() == DType::Long;
  if (!are_sizes || state->is_torch7(Rule::sizes)) return luaT_lua_isequal(L);
  const Storage &s = *a.storage(), &other = *b.storage();
  bool equal = s.size == other.size;
  if (equal && s.size > 0 && &s != &other) {
    protect(L, "==", [&] {
      const size_t bytes = static_cast<size_t>(s.size) * th::item_size(DType::Long);
      equal = !std::memcmp(a.storage()->cpu(th::Access::read), b.storage()->cpu(th::Access::read),
                           bytes);
    });
  }
  lua_pushboolean(L, equal);
  return 1;
}

const Method functions[] = {{"getRule", guarded<get_rule, 1>},
                            {"setRule", guarded<set_rule, 2>},
                            {"setRules", guarded<set_rules, 1>},
                            {"rules", guarded<list_rules, 0>}};

}  // namespace

void State::set_rule(Rule rule, bool torch7) {
  const uint32_t bit = uint32_t{1} << static_cast<int>(rule);
  torch7_rules = torch7 ? torch7_rules | bit : torch7_rules & ~bit;
  if (rule == Rule::arithmetic) rules.torch7 = torch7;
  if (rule == Rule::broadcast) {
    set_pairing(torch7 ? th::Pairing::torch7 : th::Pairing::numpy);
  }
}

void State::set_pairing(th::Pairing pairing) {
  const uint32_t bit = uint32_t{1} << static_cast<int>(Rule::broadcast);
  const bool torch7 = pairing == th::Pairing::torch7;
  torch7_rules = torch7 ? torch7_rules | bit : torch7_rules & ~bit;
  rules.pairing = pairing;
  if (pairing != th::Pairing::strict) not_strict = pairing;
}

void register_size_equality(lua_State* L, int metatable) {
  const Method equality[] = {{"__eq__", guarded<equal_sizes>}};
  set_functions(L, equality, metatable);
}

void register_rule_functions(lua_State* L, int module) { set_functions(L, functions, module); }

}  // namespace bind
