// Arguments that fit no signature as they are: operands of different element types, and numbers in
// place of operands of element-wise operations or of lists of integers; and arguments that Torch7
// ignores.

#include <algorithm>
#include <cstring>

#include "arguments.h"

#include "ops/ops.h"
#include "overloads.h"

namespace bind {

DType common_type(DType a, DType b) {
  if (a == b) return a;
  const bool integral = th::is_integral(a);
  if (integral != th::is_integral(b)) return integral ? b : a;
  const size_t size_a = th::item_size(a), size_b = th::item_size(b);
  if (size_a == size_b) return integral ? DType::Short : DType::Float;
  return size_a > size_b ? a : b;
}

int listed_type(lua_State* L, State* state, int index) {
  const int n = state->is_torch7(Rule::types) ? 1 : static_cast<int>(compat_rawlen(L, index));
  int type = -1;
  for (int i = 1; i <= n; ++i) {
    lua_rawgeti(L, index, i);
    const Object object = object_at(L, state, lua_gettop(L));
    lua_pop(L, 1);
    if (!object.is_tensor()) break;
    type = type < 0 ? object.kind
                    : static_cast<int>(common_type(static_cast<DType>(type), object.dtype()));
  }
  return type;
}

Tensor* push_converted(lua_State* L, State* state, const char* name, int index, DType type) {
  Tensor* converted = push_new_tensor(L, state, type);
  auto* t = static_cast<Tensor*>(payload(L, object_at(L, state, index), index));
  protect(L, name, [&] {
    t->check_storage();
    th::resize_as(converted, *t);
    th::trace_allocation(*converted);
    th::ops::copy(converted, t);
  });
  return converted;
}

// ByteTensors are not converted, because they may be meant as masks.
static bool is_narrow_index_type(DType type) { return type == DType::Int || type == DType::Short; }

Object convert_index(lua_State* L, State* state, int index) {
  const Object object = object_at(L, state, index);
  const bool converts = object.is_tensor() && is_narrow_index_type(object.dtype());
  if (!converts || state->is_torch7(Rule::types)) return object;
  push_converted(L, state, "indexing", index, DType::Long);
  lua_replace(L, index);
  return object_at(L, state, index);
}

void read_list(lua_State* L, State* state, int index, DType type, bool converts, const char* name,
               OpArguments* call) {
  int n = static_cast<int>(compat_rawlen(L, index));
  check_list(L, index);
  if (n == 0) raise_error(L, "%s: the table of tensors is empty", name);
  lua_createtable(L, n, 0);
  int kept = lua_gettop(L);
  call->list = static_cast<Tensor**>(lua_newuserdata(L, n * sizeof(Tensor*)));
  call->list_count = n;
  bool converted = false;
  for (int i = 0; i < n; ++i) {
    lua_rawgeti(L, index, i + 1);
    Object object = object_at(L, state, lua_gettop(L));
    if (converts && object.is_tensor() && object.dtype() != type) {
      push_converted(L, state, name, lua_gettop(L), type);
      lua_remove(L, -2);
      object = object_at(L, state, lua_gettop(L));
      converted = true;
    }
    if (object.box && !object.payload) {
      raise_error(
          L, "%s: a finalizer or tensor.scope has freed the tensor at position %d of the table",
          name, i + 1);
    }
    if (!object.is_tensor() || object.dtype() != type) {
      const char* hint = object.is_tensor() ? ": convert one of them" : "";
      if (is_tracked_number(L, lua_gettop(L))) {
        hint =
            ": tensor.Tensor{n, m} is a tensor of numbers that depend on the arguments of a "
            "gradient";
      }
      raise_error(L, "%s: %sTensor is expected at position %d of the table, got %s%s", name,
                  th::name_with_article(type), i + 1, shown_type(L, lua_gettop(L)), hint);
    }
    call->list[i] = object.tensor();
    lua_rawseti(L, kept, i + 1);
  }
  // Conversions may run finalizers, which may free tensors that were read before.
  for (int i = 0; converted && i < n; ++i, lua_pop(L, 1)) {
    lua_rawgeti(L, kept, i + 1);
    call->list[i] = static_cast<Tensor*>(payload(L, object_at(L, state, -1), index));
  }
}

namespace {

bool is_own(const ParameterSource& source) { return source.tensor && is_of_own_type(source); }

bool is_narrow_index(const Pattern& pattern, const ParameterSource& source, const Arguments& args) {
  if (argument_of(source, args) < 0 || source.kind != 'L' || source.result) return false;
  // In cov(x, y), y may be meant as variables.
  const th::Parameter& parameter = pattern.row->op->parameters[&source - pattern.sources];
  return std::strcmp(parameter.name, "weights") != 0 &&
         is_narrow_index_type(args.objects[source.arg].dtype());
}

}  // namespace

void refuse_pair(lua_State* L, const State* state, const Overloads& overloads,
                 const Pattern& pattern, const Arguments& args, bool converts) {
  if (!ends_with_pair(L, state, overloads, args.count) || state->is_torch7(Rule::types)) return;
  bool overwrites = false, takes_values = false, takes_indices = false;
  for (const ParameterSource& source : pattern) {
    if (argument_of(source, args) < 0 || !source.tensor) continue;
    if (source.result) {
      const void* result = lua_touserdata(L, source.arg + 1);
      overwrites |= converts || !is_own(source) || result == state->last_pair[0] ||
                    result == state->last_operand;
    }
    takes_values |= (source.result || is_own(source)) && source.arg == args.count - 2;
    takes_indices |= !source.result && is_own(source) && source.arg == args.count - 1;
  }
  // multinomialAlias(r, multinomialAliasSetup(p)) takes a pair.
  if (overwrites && takes_values && takes_indices) {
    raise_error(L, "%s: %s", overloads.name, kPairAdvice);
  }
}

namespace {

// Returns the type to which the operands of a call are converted if it shall match the pattern: the
// common type of the operands or, if results are arguments, the type of the results, to which the
// common type must convert. Returns -1 if other arguments do not fit.
int type_of_operands(lua_State* L, State* state, const Pattern& pattern, const Arguments& args) {
  int result = -1;
  int operands = pattern.table_arg < 0 ? -1 : listed_type(L, state, pattern.table_arg + 1);
  bool has_indices = false;
  for (const ParameterSource& source : pattern) {
    has_indices |= is_narrow_index(pattern, source, args);
    if (argument_of(source, args) < 0 || !is_own(source)) continue;
    const DType type = args.objects[source.arg].dtype();
    int& common = source.result ? result : operands;
    if (source.result && result >= 0 && result != static_cast<int>(type)) return -1;
    common = static_cast<int>(common < 0 ? type : common_type(static_cast<DType>(common), type));
  }
  if (operands < 0 && has_indices) {
    operands = result < 0 ? static_cast<int>(state->default_type) : result;
  }
  if (operands < 0) return -1;
  const auto type = static_cast<DType>(result < 0 ? operands : result);
  if (common_type(static_cast<DType>(operands), type) != type) return -1;
  if (!is_defined(pattern, type)) return -1;
  for (const ParameterSource& source : pattern) {
    const bool of_other_type = source.tensor && !is_of_own_type(source) && source.kind != 'A';
    if (argument_of(source, args) < 0 || !of_other_type || is_narrow_index(pattern, source, args))
      continue;
    if (!type_fits(source.kind, args.objects[source.arg].dtype(), type)) return -1;
  }
  return static_cast<int>(type);
}

// Raises an error for the function or method of a result and a LongTensor if others of its
// signatures have a list of dimensions there: t:flip(tensor.LongTensor{1, 2}) would overwrite t.
void refuse_dimensions(lua_State* L, const Overloads& overloads, const Arguments& args) {
  if (args.code(0) != kTensor || args.objects[1].dtype() != DType::Long) return;
  for (const Pattern& pattern : overloads.patterns) {
    for (const ParameterSource& source : pattern) {
      const bool is_view = !std::strcmp(pattern.row->op->family, "views");
      const bool is_dim = source.kind == 'i' && is_view;
      if (source.arg != 1 || !(is_dim || source.kind == 'p' || source.kind == 'r')) continue;
      raise_error(L, "%s: dimensions are numbers, a table or a LongStorage, got a LongTensor",
                  overloads.name);
    }
  }
}

bool convert_operands(lua_State* L, State* state, const Overloads& overloads, const Arguments& args,
                      bool with_nil) {
  for (const Pattern& pattern : overloads.patterns) {
    const bool fits = with_nil ? pattern.matches_with_nil(args.codes, args.count)
                               : pattern.matches(args.codes, args.count);
    if (!fits || is_hidden(state, pattern)) continue;
    const int type = type_of_operands(L, state, pattern, args);
    if (type < 0) continue;
    refuse_pair(L, state, overloads, pattern, args, true);
    bool converted = false;
    for (const ParameterSource& source : pattern) {
      if (argument_of(source, args) < 0 || !source.tensor || source.result) continue;
      const bool indices = is_narrow_index(pattern, source, args);
      if (!indices && (!is_own(source) || args.objects[source.arg].kind == type)) continue;
      if (source.arg == 1 && args.count == 2) refuse_dimensions(L, overloads, args);
      push_converted(L, state, overloads.name, source.arg + 1,
                     indices ? DType::Long : static_cast<DType>(type));
      lua_replace(L, source.arg + 1);
      converted = true;
    }
    if (converted) return true;
  }
  return false;
}

// Returns the arguments that are numbers where the pattern has operands of its own type, as bits.
// Returns 0 if the others do not match, or if no operand is a tensor.
uint32_t numbers_for_operands(const Pattern& pattern, const Arguments& args) {
  if (pattern.sizes || pattern.args != args.count) return 0;
  uint32_t numbers = 0;
  bool has_tensor = false;
  uint64_t codes = args.codes;
  for (const ParameterSource& source : pattern) {
    if (!source.tensor || source.result) continue;
    if (source.arg < 0) {
      has_tensor = true;  // a method's own tensor
    } else if (source.kind == 'T' && args.code(source.arg) == kNumber) {
      numbers |= uint32_t{1} << source.arg;
      codes ^= (kNumber ^ kTensor) << (4 * source.arg);
    } else {
      has_tensor = true;
    }
  }
  return has_tensor && codes == pattern.codes ? numbers : 0;
}

// Replaces as few numbers as possible: `addcmul(t, 2, src, 3)` has a factor and one number.
bool replace_numbers(lua_State* L, State* state, const Overloads& overloads,
                     const Arguments& args) {
  int fewest = 0;
  for (const Pattern& pattern : overloads.patterns) {
    const int count = __builtin_popcount(numbers_for_operands(pattern, args));
    if (count && (!fewest || count < fewest)) fewest = count;
  }
  for (const Pattern& pattern : overloads.patterns) {
    const uint32_t numbers = numbers_for_operands(pattern, args);
    if (!numbers || __builtin_popcount(numbers) > fewest) continue;
    // The type of the first operand that is a tensor, else of the result.
    DType type = state->default_type;
    bool of_operand = false;
    for (const ParameterSource& source : pattern) {
      if (argument_of(source, args) < 0 || !is_own(source) || of_operand) continue;
      if (numbers >> source.arg & 1) continue;
      type = args.objects[source.arg].dtype();
      of_operand = !source.result;
    }
    if (!is_defined(pattern, type)) continue;
    for (int i = 0; i < args.count; ++i) {
      if (!(numbers >> i & 1)) continue;
      const th::Scalar value = check_element(L, i + 1, type, overloads.name);
      Tensor* t = push_new_tensor(L, state, type);
      protect(L, overloads.name, [&] {
        const int64_t one = 1;
        th::resize(t, 1, &one);
        th::trace_allocation(*t);
        t->storage->set_current_device(nullptr);
        th::ops::fill(t, value);
      });
      lua_replace(L, i + 1);
    }
    return true;
  }
  return false;
}

// Replaces numbers where a pattern has lists of integers by tables of one number.
bool replace_integers(lua_State* L, const State* state, const Overloads& overloads,
                      const Arguments& args) {
  for (const Pattern& pattern : overloads.patterns) {
    uint32_t numbers = 0;
    uint64_t codes = args.codes;
    for (const ParameterSource& source : pattern) {
      if (source.kind != 'v' || source.arg < 0 || source.arg >= args.count) continue;
      if (args.code(source.arg) != kNumber) continue;
      numbers |= uint32_t{1} << source.arg;
      codes ^= (kNumber ^ kTable) << (4 * source.arg);
    }
    if (!numbers || is_hidden(state, pattern) || !pattern.matches(codes, args.count)) continue;
    for (int i = 0; i < args.count; ++i) {
      if (!(numbers >> i & 1)) continue;
      lua_createtable(L, 1, 0);
      lua_pushvalue(L, i + 1);
      lua_rawseti(L, -2, 1);
      lua_replace(L, i + 1);
    }
    return true;
  }
  return false;
}

}  // namespace

bool adapt_arguments(lua_State* L, State* state, const Overloads& overloads,
                     const Arguments& args) {
  if (args.count > Arguments::kMaxCodes) return false;
  for (bool with_nil : {false, true}) {
    if (state->is_torch7(Rule::types)) break;
    if (convert_operands(L, state, overloads, args, with_nil)) return true;
  }
  if (replace_integers(L, state, overloads, args)) return true;
  const bool element_wise =
      overloads.element_wise || (overloads.function && overloads.function->element_wise);
  return element_wise && replace_numbers(L, state, overloads, args);
}

bool has_long_integer(lua_State* L, int count) {
  for (int i = 1; i <= count; ++i) {
    if (read_scalar(L, i, DType::Long).integral) return true;
  }
  return false;
}

namespace {

// Returns true if all arguments are integers of Lua 5.3 or later, and a double would round one.
bool has_only_long_integers([[maybe_unused]] lua_State* L) {
#if LUA_VERSION_NUM >= 503
  const int count = lua_gettop(L);
  for (int i = 1; i <= count; ++i) {
    if (!lua_isinteger(L, i)) return false;
  }
  return has_long_integer(L, count);
#else
  return false;
#endif
}

}  // namespace

DType type_for_numbers(lua_State* L, const Overloads& overloads) {
  constexpr uint32_t kFractions =
      th::row_flag::divides | th::row_flag::raises | th::row_flag::simple_power;
  bool takes_doubles = false, gives_integers = true;
  for (const Pattern& pattern : overloads.patterns) {
    takes_doubles |= is_defined(pattern, DType::Double);
    gives_integers &= is_defined(pattern, DType::Long) && !(pattern.row->op->flags & kFractions);
  }
  if (!takes_doubles) return DType::Long;
  return gives_integers && has_only_long_integers(L) ? DType::Long : DType::Double;
}

void free_replaced(lua_State* L, State* state, const Arguments& before, const Arguments& args) {
  if (th::tracing()) return;  // tracers may refer to operands
  for (int i = 0; i < args.count; ++i) {
    if (args.code(i) != kTensor || before.code(i) != kTensor) continue;
    Tensor* t = args.objects[i].tensor();
    // The call may have moved its arguments on the stack.
    if (t == before.objects[i].payload || t != object_at(L, state, i + 1).payload) continue;
    if (__atomic_load_n(&t->refcount, __ATOMIC_ACQUIRE) > 1) continue;
    th::set_storage(t, nullptr, 0, 0, nullptr, nullptr);
  }
}

int count_of_used(lua_State* L, const State* state, const Overloads& overloads, int count) {
  if (!state->is_torch7(Rule::arguments)) return count;
  uint32_t flags = 0;
  int most = 0;
  for (const Pattern& pattern : overloads.patterns) {
    flags |= pattern.row->flags;
    most = std::max(most, pattern.args);
  }
  int used = flags & lua_flag::ignores_rest ? std::min(count, most) : count;
  if (flags & (lua_flag::ignores_rest | lua_flag::ignores_nil)) {
    while (used > 0 && lua_isnil(L, used)) --used;
  }
  return used;
}

}  // namespace bind
