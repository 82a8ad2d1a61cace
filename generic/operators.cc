// + - * / % ^ and unary minus, between tensors and numbers in either order.

#include "bindings.h"

#include "base/op_scope.h"
#include "ops/ops.h"

namespace bind {

namespace {

using th::Scalar;

struct Operands {
  Object a, b;
  double x = 0, y = 0;
  DType type = DType::Double;
  Tensor* result = nullptr;
};

// Reads both operands and pushes the result's tensor. At least one operand is a tensor, or Lua
// would not have called us; the other is a tensor or a number.
Operands read(lua_State* L, const char* symbol) {
  State* state = state_of(L);
  Operands o = {object_at(L, state, 1), object_at(L, state, 2)};
  bool fits_a = o.a.is_tensor() || lua_type(L, 1) == LUA_TNUMBER;
  bool fits_b = o.b.is_tensor() || lua_type(L, 2) == LUA_TNUMBER;
  if (!fits_a || !fits_b || !(o.a.is_tensor() || o.b.is_tensor())) {
    raise_error(L, "%s: tensors and numbers are expected, got %s", symbol,
                shown_type(L, fits_a ? 2 : 1));
  }
  o.type = o.a.is_tensor() ? o.a.dtype() : o.b.dtype();
  if (!o.a.is_tensor()) o.x = check_element(L, 1, o.type, symbol);
  if (!o.b.is_tensor()) o.y = check_element(L, 2, o.type, symbol);
  o.result = push_new_tensor(L, state, o.type);
  if (o.a.is_tensor()) o.a.payload = payload(L, o.a, 1);
  if (o.b.is_tensor()) o.b.payload = payload(L, o.b, 2);
  return o;
}

// both, right_number and left_number compute the result for the three kinds of operands.
template <class Both, class Right, class Left>
int compute(lua_State* L, const char* symbol, Both both, Right right_number, Left left_number) {
  Operands o = read(L, symbol);
  protect(L, symbol, [&] {
    th::OpScope scope(symbol);
    th::RulesScope rules(state_of(L)->rules);
    if (o.a.is_tensor() && o.b.is_tensor()) {
      both(o.result, o.a.tensor(), o.b.tensor());
    } else if (o.a.is_tensor()) {
      right_number(o.result, o.a.tensor(), Scalar(o.y));
    } else {
      left_number(o.result, Scalar(o.x), o.b.tensor());
    }
  });
  return 1;
}

int add(lua_State* L) {
  return compute(
      L, "+", [](Tensor* r, Tensor* a, Tensor* b) { th::ops::cadd(r, a, 1, b); }, th::ops::add,
      [](Tensor* r, Scalar x, Tensor* b) { th::ops::add(r, b, x); });
}

int subtract(lua_State* L) {
  return compute(
      L, "-", [](Tensor* r, Tensor* a, Tensor* b) { th::ops::csub(r, a, 1, b); }, th::ops::sub,
      [](Tensor* r, Scalar x, Tensor* b) {
        th::ops::neg(r, b);
        th::ops::add(r, r, x);
      });
}

// Between tensors this is the product of linear algebra, as Torch7 has it.
int multiply(lua_State* L) {
  State* state = state_of(L);
  Object a = object_at(L, state, 1), b = object_at(L, state, 2);
  if (a.is_tensor() && b.is_tensor() && a.tensor()->nDimension == 1 &&
      b.tensor()->nDimension == 1) {
    th::Scalar product;
    protect(L, "*", [&] {
      th::OpScope scope("*");
      th::RulesScope rules(state->rules);
      product = th::ops::dot(a.tensor(), b.tensor());
    });
    push_scalar(L, product);
    return 1;
  }
  return compute(
      L, "*",
      [](Tensor* r, Tensor* a, Tensor* b) {
        if (a->nDimension == 2 && b->nDimension == 1) {
          th::ops::mv(r, a, b);
        } else if (a->nDimension == 2 && b->nDimension == 2) {
          th::ops::mm(r, a, b);
        } else {
          th::fail(
              "there is no product of tensors of size %s and %s: use cmul for that of the "
              "elements, or bmm",
              th::shape_text(*a).c_str(), th::shape_text(*b).c_str());
        }
      },
      th::ops::mul, [](Tensor* r, Scalar x, Tensor* b) { th::ops::mul(r, b, x); });
}

int divide(lua_State* L) { return compute(L, "/", th::ops::cdiv, th::ops::div, th::ops::tdiv); }

int modulo(lua_State* L) {
  return compute(L, "%", th::ops::cremainder, th::ops::remainder, th::ops::tremainder);
}

int power(lua_State* L) { return compute(L, "^", th::ops::cpow, th::ops::pow, th::ops::tpow); }

int negate(lua_State* L) {
  Tensor* t = nullptr;
  Tensor* result = push_new_like(L, state_of(L), 1, &t);
  protect(L, "-", [&] { th::ops::neg(result, t); });
  return 1;
}

// What Lua calls for an operator of a class's objects, with the State, the metatable, the name of
// the method, and the function of luaT that looks for it: the method itself, unless Lua code has
// given the class another.
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
