// + - * / % ^ and unary minus, between tensors and numbers in either order. They are signatures of
// rows of the op table and are called like its functions; messages name the symbol.

#include "arguments.h"

#include "base/error.h"
#include "base/op_scope.h"
#include "ops/ops.h"
#include "overloads.h"

namespace bind {

namespace {

using th::Op;

// The signatures of an operator, in the notation of forms.h.
struct Operator : Overloads {
  explicit Operator(const char* symbol) { name = symbol; }
  Operator& add(Op row, const char* signature) {
    add_forms(this, lua_row(row), signature);
    return *this;
  }
  // Adds a row with the parameters (t, number) for the arguments (number, t).
  Operator& add_exchanged(Op row) {
    add(row, "+T T x");
    Pattern& pattern = patterns.back();
    for (int k = 0; k < pattern.slots; ++k) {
      int8_t& arg = pattern.sources[k].arg;
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
  Operator of_vectors = product(Op::dot, "T T");
  Operator of_matrix_and_vector = product(Op::mv, "+T T T");
  Operator of_vector_and_matrix = product(Op::matmul, "+T T T");
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

// Computes an operator for the arguments on the stack. Pushes the result and returns 1.
using Operation = int (*)(lua_State* L, State* state, const Arguments& args);

template <Operator Operators::*op>
int call(lua_State* L, State* state, const Arguments& args) {
  return call_overloads_of(L, state, all().*op, args);
}

int subtract(lua_State* L, State* state, const Arguments& args) {
  if (args.codes != (kNumber | kTensor << 4)) {
    return call<&Operators::difference>(L, state, args);
  }
  // number - t is computed as -t + number.
  const Object& t = args.objects[1];
  const th::Scalar number = check_element(L, 1, t.dtype(), "-");
  Tensor* result = push_new_tensor(L, state, t.dtype());
  auto* operand = static_cast<Tensor*>(payload(L, t, 2));
  protect(L, "-", [&] {
    th::OpScope scope("-");
    th::ops::neg(result, operand);
    th::ops::add(result, result, number);
  });
  return 1;
}

// Returns true if the argument is a tensor of integers.
bool is_integral(const Arguments& args, int i) {
  return args.code(i) == kTensor && th::is_integral(args.objects[i].dtype());
}

// Quotients of integers are fractions, unless Torch7's rule holds.
int divide(lua_State* L, State* state, const Arguments& args) {
  auto fits = [&](int i) { return is_integral(args, i) || args.code(i) == kNumber; };
  const bool integers = fits(0) && fits(1) && (is_integral(args, 0) || is_integral(args, 1));
  if (!integers || state->is_torch7(Rule::division)) {
    return call<&Operators::quotient>(L, state, args);
  }
  const DType type = th::is_integral(state->default_type) ? DType::Double : state->default_type;
  for (int i = 0; i < 2; ++i) {
    if (args.code(i) != kTensor) continue;
    push_converted(L, state, "/", i + 1, type);
    lua_replace(L, i + 1);
  }
  lua_settop(L, 2);
  const Arguments converted(L, state);
  const int results = call<&Operators::quotient>(L, state, converted);
  free_replaced(L, state, args, converted);
  return results;
}

// Between tensors this is the product of linear algebra, as in Torch7.
int multiply(lua_State* L, State* state, const Arguments& args) {
  if (args.codes != (kTensor | kTensor << 4)) return call<&Operators::of_matrices>(L, state, args);
  if ((args.objects[0].dtype() == DType::Byte || args.objects[1].dtype() == DType::Byte) &&
      !state->is_torch7(Rule::products)) {
    return raise_error(L,
                       "*: a product of linear algebra with a ByteTensor: use cmul for the product "
                       "of the elements, cbitand for two masks, or convert the tensor");
  }
  const Tensor &a = *args.objects[0].tensor(), &b = *args.objects[1].tensor();
  const int first = a.nDimension, second = b.nDimension;
  const bool are_vectors = first == 1 && second == 1;
  if (are_vectors && a.size[0] == b.size[0]) {
    return call<&Operators::of_vectors>(L, state, args);
  }
  if (first == 2 && second == 1 && a.size[1] == b.size[0]) {
    return call<&Operators::of_matrix_and_vector>(L, state, args);
  }
  if (first == 1 && second == 2 && a.size[0] == b.size[0]) {
    return call<&Operators::of_vector_and_matrix>(L, state, args);
  }
  const bool are_matrices = first == 2 && second == 2;
  if (are_matrices && a.size[1] == b.size[0]) {
    return call<&Operators::of_matrices>(L, state, args);
  }
  protect(L, "*", [&] {
    th::fail("tensors of size %s and %s have no product of %s: use cmul for that of the elements%s",
             th::shape_text(a).c_str(), th::shape_text(b).c_str(),
             are_vectors ? "vectors" : "matrices", first <= 2 && second <= 2 ? "" : ", or matmul");
  });
  return 0;
}

// The method of a class.
template <Operation operation>
int method(lua_State* L) {
  State* state = state_of(L);
  return operation(L, state, Arguments(L, state));
}

int negate(lua_State* L) {
  lua_settop(L, 1);
  return method<call<&Operators::negation>>(L);
}

// The metamethod of an operator. Calls the method of the class directly, unless Lua code has
// replaced it. Upvalues: the State, the metatable, the name of the method, and luaT's metamethod,
// which looks for the method.
template <Operation operation>
int operate(lua_State* L) {
  State* state = state_of(L);
  const Arguments args(L, state);
  if (args.code(0) == kTensor || args.code(0) == kNumber) {
    lua_pushvalue(L, lua_upvalueindex(3));
    lua_rawget(L, lua_upvalueindex(2));
    if (lua_tocfunction(L, -1) == guarded<method<operation>>.function()) {
      return operation(L, state, args);
    }
  }
  lua_settop(L, 2);
  lua_pushvalue(L, lua_upvalueindex(4));
  lua_insert(L, 1);
  lua_call(L, 2, 1);
  return 1;
}

constexpr Operation add = call<&Operators::sum>, modulo = call<&Operators::remainder>,
                    power = call<&Operators::power>;

const Method operators[] = {{"__add__", guarded<method<add>>},
                            {"__sub__", guarded<method<subtract>>},
                            {"__mul__", guarded<method<multiply>>},
                            {"__div__", guarded<method<divide>>},
                            {"__mod__", guarded<method<modulo>>},
                            {"__pow__", guarded<method<power>>},
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
