#ifndef TENSOR_GENERIC_ARGUMENTS_H
#define TENSOR_GENERIC_ARGUMENTS_H

// The arguments of a Lua call of an operation: on the stack, and as a struct of the core.

#include "bindings.h"
#include "forms.h"
#include "ops/rows.h"
#include "rows.h"

namespace bind {

struct Overloads;  // overloads.h

inline uint64_t code_at(lua_State* L, State* state, int index, Object* object) {
  switch (lua_type(L, index)) {
    case LUA_TNUMBER:
      return kNumber;
    case LUA_TUSERDATA:
      new (object) Object(object_at(L, state, index));  // constructed in place
      if (object->is_tensor()) return kTensor;
      if (object->is_generator()) return kGenerator;
      if (object->is_storage() && object->dtype() == DType::Long) return kLongStorage;
      return kOther;
    case LUA_TBOOLEAN:
      return kBoolean;
    case LUA_TSTRING:
      return is_number(L, *state, index) ? kNumber : kString;
    case LUA_TTABLE:
      return kTable;
    case LUA_TNIL:
      return kNil;
    default:
      return kOther;
  }
}

// The arguments of the operation, and the memory that they refer to.
struct OpArguments {
  alignas(16) char arguments[th::kMostArgumentBytes];  // the struct of th::args
  int64_t sizes[th::kMaxLists][th::kMaxDims];          // the lists of numbers
  int lists = 0;
  Tensor** list = nullptr;  // the tensors of the table argument; a row has at most one
  int list_count = 0;

  template <class T>
  T& at(const th::OpRow& row, int k) {
    return th::argument<T>(arguments, row.parameters[k]);
  }
  Tensor*& tensor(const th::OpRow& row, int k) { return at<Tensor*>(row, k); }
};

struct Arguments {
  static constexpr int kMaxCodes = 16;  // that fit in `codes`
  int count;
  uint64_t codes = 0;
  bool one_type = true;  // all tensors have the same type
  union {
    Object objects[kMaxCodes];  // of userdata; a union, so that the others are not even cleared
  };
  const char* strings[kMaxCodes];

  Arguments(lua_State* L, State* state) : count(lua_gettop(L)) {
    int type = -1;  // of the last tensor
    for (int i = 0; i < count && i < kMaxCodes; ++i) {
      uint64_t code = code_at(L, state, i + 1, &objects[i]);
      codes |= code << (4 * i);
      if (code == kTensor) {
        one_type = one_type && (type < 0 || objects[i].kind == type);
        type = objects[i].kind;
      }
      if (code == kString) strings[i] = lua_tostring(L, i + 1);
    }
  }
  uint64_t code(int i) const { return codes >> (4 * i) & 15; }
};

// The position of the argument; -1 if it is omitted or nil.
inline int argument_of(const ParameterSource& source, const Arguments& args) {
  return source.arg >= 0 && args.code(source.arg) == kNil ? -1 : source.arg;
}

// The type that a letter stands for, where T stands for `type`.
inline DType type_of(char kind, DType type) {
  switch (kind) {
    case 'L':
      return DType::Long;
    case 'I':
      return DType::Int;
    case 'M':
    case 'B':
      return DType::Byte;
    case 'C':
      return DType::Char;
    case 'F':
      return DType::Float;
    case 'D':
      return DType::Double;
    default:
      return type;
  }
}

inline bool type_fits(char kind, DType given, DType type) {
  return given == type_of(kind, type) || (kind == 'M' && given == type) ||
         (kind == 'W' && th::fits_wide(given, type));
}

inline bool is_defined(const Pattern& pattern, DType type) {
  return pattern.row->op->type_bits >> static_cast<int>(type) & 1;
}

// Returns true if a pattern does not exist by the rules of the Lua state.
inline bool is_hidden(const State* state, const Pattern& pattern) {
  const Row& row = *pattern.row;
  if (row.flags & lua_flag::number_of_all) return state->is_torch7(Rule::medians);
  // clamp(t, lower, 5) has two bounds. `t` is not the result of clamp(lower, 5).
  return row.op->op == th::Op::clampMin && pattern.args == 3 && !state->is_torch7(Rule::arguments);
}

// Raises an error if the last operands are the values and the indices of the last call, and the
// result is an argument: x:eq(x:max(2)) would write to x. Operands that need no conversion may be
// meant, as in r:add(values, indices), unless the result is a mask or part of that call.
void refuse_pair(lua_State* L, const State* state, const Overloads& overloads,
                 const Pattern& pattern, const Arguments& args, bool converts);

// Raises an error for the functions bernoulli of one tensor and normal of a tensor and a number: in
// other libraries, the tensor has the probabilities or the means. Here it would be overwritten.
inline void refuse_parameters(lua_State* L, const State* state, const Pattern& pattern,
                              const Arguments& args) {
  if (state->is_torch7(Rule::arguments)) return;
  const th::Op op = pattern.row->op->op;
  if (op == th::Op::bernoulli && args.count == 1) {
    raise_error(L,
                "bernoulli: t:bernoulli() fills t; "
                "tensor.emptyLike(p):bernoulli(p) draws with the probabilities p");
  }
  if (op == th::Op::normal && args.count == 2 && args.codes == (kTensor | kNumber << 4)) {
    raise_error(L,
                "normal: t:normal(mean) fills t; "
                "tensor.emptyLike(means):normal(means, stdv) draws with the means");
  }
}

// Replaces arguments on the stack so that a call that fits no signature fits one: operands of
// different element types by their common type, or numbers by tensors or lists of one element.
// Returns false if that is impossible.
bool adapt_arguments(lua_State* L, State* state, const Overloads& overloads, const Arguments& args);
// Returns true if an argument is an integer that a double would round.
bool has_long_integer(lua_State* L, int count);
// Returns the type of the tensors of one element that replace the arguments, if all are numbers.
// Double, or Long for functions of integers only and, if all arguments are integers of Lua and a
// double would round one, for functions whose results are integers.
DType type_for_numbers(lua_State* L, const Overloads& overloads);
// Frees the memory of the operands of a call that has run, if they replaced those of `before` and
// only the stack refers to them. The collector would find them later.
void free_replaced(lua_State* L, State* state, const Arguments& before, const Arguments& args);
// By Torch7's rule some functions ignore arguments without effect, or nil at the end. Returns the
// number of the others.
int count_of_used(lua_State* L, const State* state, const Overloads& overloads, int count);
// Pushes a copy of the tensor at a stack index in another element type.
Tensor* push_converted(lua_State* L, State* state, const char* name, int index, DType type);
// Replaces an IntTensor or a ShortTensor at a stack index, a key, by a LongTensor, unless the rule
// `types` is Torch7's. Returns the object there.
Object convert_index(lua_State* L, State* state, int index);
// Reads the tensors of a table into memory that Lua owns. A table of our own keeps them, whatever
// becomes of the other one; both are left on the stack. converts: tensors of other types are
// converted.
void read_list(lua_State* L, State* state, int index, DType type, bool converts, const char* name,
               OpArguments* call);
// Returns the common type of the tensors of a table, or that of the first one if types do not mix;
// -1 if the first value is not a tensor.
int listed_type(lua_State* L, State* state, int index);
// The element type to which operands of two types are converted.
DType common_type(DType a, DType b);

}  // namespace bind

#endif
