// + - * / % ^ and unary minus, between tensors and numbers in either order. They are signatures of
// rows of the op table and are called like its functions; messages name the symbol.

#include "bindings.h"

#include "base/error.h"
#include "overloads.h"

namespace bind {

namespace {

using th::Op;

// The signatures of an operator, in the notation of forms.h.
struct Operator : Overloads {
  explicit Operator(const char* symbol) { name = symbol; }
  Operator& add(Op row, const char* signature) {
    add_forms(this, static_cast<int>(row), signature);
    return *this;
  }
  // Adds a row with the parameters (t, number) for the arguments (number, t).
  Operator& add_exchanged(Op row) {
    add(row, "+T T x");
    Pattern& pattern = patterns.back();
    for (int k = 0; k < pattern.slots; ++k) {
      int8_t& arg = pattern.places[k].arg;
      if (arg >= 0) arg = static_cast<int8_t>(1 - arg);
    }
    pattern.codes = kNumber | kTensor << 4;
    pattern.type_arg = 1;
    static constexpr char shown[] = "+T x T";  // in messages
    forms.back() = new Form(parse_form(shown, shown + sizeof(shown) - 1));
    return *this;
  }
};

Operator product(Op row, const char* signature) {
  return Operator("*").add(row, signature).add(Op::mul, "+T T x").add_exchanged(Op::mul);
}

struct Operators {
  Operator sum =
      Operator("+").add(Op::cadd, "+T T <x=1> T").add(Op::add, "+T T x").add_exchanged(Op::add);
  Operator difference = Operator("-").add(Op::csub, "+T T <x=1> T").add(Op::sub, "+T T x");
  Operator negation = Operator("-").add(Op::neg, "+T T");
  Operator sum_in_place = Operator("-").add(Op::add, "*T T x");
  Operator of_vectors = product(Op::dot, "T T");
  Operator of_matrix_and_vector = product(Op::mv, "+T T T");
  Operator of_matrices = product(Op::mm, "+T T T");
  Operator quotient =
      Operator("/").add(Op::cdiv, "+T T T").add(Op::div, "+T T x").add(Op::tdiv, "+T x T");
  Operator remainder = Operator("%")
                           .add(Op::cremainder, "+T T T")
                           .add(Op::remainder, "+T T x")
                           .add(Op::tremainder, "+T x T");
  Operator power =
      Operator("^").add(Op::cpow, "+T T T").add(Op::pow, "+T T x").add(Op::tpow, "+T x T");
};

// Lives as long as the process.
const Operators& all() {
  static const Operators* const built = new Operators;
  return *built;
}

int call(lua_State* L, const Operator& op) { return call_overloads_of(L, state_of(L), op); }

int add(lua_State* L) { return call(L, all().sum); }

int subtract(lua_State* L) {
  State* state = state_of(L);
  if (lua_type(L, 1) != LUA_TNUMBER || !object_at(L, state, 2).is_tensor()) {
    return call(L, all().difference);
  }
  // number - t is computed as -t + number.
  const double number = lua_tonumber(L, 1);
  lua_remove(L, 1);
  call(L, all().negation);
  lua_replace(L, 1);
  lua_settop(L, 1);
  lua_pushvalue(L, 1);
  lua_pushnumber(L, number);
  return call(L, all().sum_in_place);
}

// Between tensors this is the product of linear algebra, as in Torch7.
int multiply(lua_State* L) {
  State* state = state_of(L);
  const Object a = object_at(L, state, 1), b = object_at(L, state, 2);
  if (!a.is_tensor() || !b.is_tensor()) return call(L, all().of_matrices);
  const int first = a.tensor()->nDimension, second = b.tensor()->nDimension;
  if (first == 1 && second == 1) return call(L, all().of_vectors);
  if (first == 2 && second == 1) return call(L, all().of_matrix_and_vector);
  if (first == 2 && second == 2) return call(L, all().of_matrices);
  protect(L, "*", [&] {
    th::fail(
        "there is no product of tensors of size %s and %s: use cmul for that of the elements, or "
        "bmm",
        th::shape_text(*a.tensor()).c_str(), th::shape_text(*b.tensor()).c_str());
  });
  return 0;
}

int divide(lua_State* L) { return call(L, all().quotient); }
int modulo(lua_State* L) { return call(L, all().remainder); }
int power(lua_State* L) { return call(L, all().power); }

int negate(lua_State* L) {
  lua_settop(L, 1);
  return call(L, all().negation);
}

// The metamethod of an operator. Calls the method of the class directly, unless Lua code has
// replaced it. Upvalues: the State, the metatable, the name of the method, and luaT's metamethod,
// which looks for the method.
template <int (*operation)(lua_State*)>
int operate(lua_State* L) {
  bool ours = lua_type(L, 1) == LUA_TNUMBER;
  if (!ours && lua_getmetatable(L, 1)) ours = lua_rawequal(L, -1, lua_upvalueindex(2));
  if (ours) {
    lua_pushvalue(L, lua_upvalueindex(3));
    lua_rawget(L, lua_upvalueindex(2));
    ours = lua_tocfunction(L, -1) == guarded<operation>.function();
  }
  lua_settop(L, 2);
  if (ours) return operation(L);
  lua_pushvalue(L, lua_upvalueindex(4));
  lua_insert(L, 1);
  lua_call(L, 2, 1);
  return 1;
}

const Method operators[] = {{"__add__", guarded<add>},      {"__sub__", guarded<subtract>},
                            {"__mul__", guarded<multiply>}, {"__div__", guarded<divide>},
                            {"__mod__", guarded<modulo>},   {"__pow__", guarded<power>},
                            {"__unm__", guarded<negate>}};

}  // namespace

void register_operators(lua_State* L, int table, int like) {
  set_functions(L, operators, table, like);
  const Method direct[] = {
      {"__add", guarded<operate<add>>},      {"__sub", guarded<operate<subtract>>},
      {"__mul", guarded<operate<multiply>>}, {"__div", guarded<operate<divide>>},
      {"__mod", guarded<operate<modulo>>},   {"__pow", guarded<operate<power>>}};
  for (const Method& method : direct) {
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushvalue(L, table);
    lua_pushfstring(L, "%s__", method.name);
    lua_getfield(L, table, method.name);
    push_closure(L, method.function, 4);
    lua_setfield(L, table, method.name);
  }
}

}  // namespace bind
