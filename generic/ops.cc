// The calls of Lua functions and methods of the op table: finds the form that a call has, reads its
// arguments, and calls the core.

#include <cmath>

#include "arguments.h"

#include "base/op_scope.h"
#include "luaT.h"
#include "ops/ops.h"
#include "ops/rules.h"
#include "overloads.h"

namespace bind {

namespace {

// The element type if the arguments do not determine one.
DType type_by_default(const State* state, const Pattern& pattern, const Arguments& args,
                      int bound) {
  if (bound == Overloads::kTypeOfFirst && args.count > 0 && args.code(0) == kTensor) {
    return args.objects[0].dtype();
  }
  const bool of_class = bound >= 0 && bound < th::kDTypes;
  if (!of_class && pattern.row->flags & lua_flag::gives_indices &&
      !state->is_torch7(Rule::indices)) {
    return DType::Long;
  }
  return of_class ? static_cast<DType>(bound) : state->default_type;
}

// The element type that T stands for: that of the operands, else of the result, else the default.
// The tensors of a table are converted to the type of the other tensors, if that is a wider one.
DType element_type(const Pattern& pattern, const Arguments& args, State* state, lua_State* L,
                   int bound) {
  if (pattern.table_arg >= 0) {
    const int listed = listed_type(L, state, pattern.table_arg + 1);
    if (listed >= 0) {
      const auto type = static_cast<DType>(listed);
      if (pattern.type_arg < 0 || state->is_torch7(Rule::types)) return type;
      const DType other = args.objects[pattern.type_arg].dtype();
      return common_type(type, other) == other ? other : type;
    }
  }
  if (pattern.type_arg >= 0) return args.objects[pattern.type_arg].dtype();
  return type_by_default(state, pattern, args, bound);
}

bool each_type_fits(const Pattern& pattern, const Arguments& args, DType type) {
  for (const ParameterSource& source : pattern) {
    if (argument_of(source, args) < 0) continue;
    if (source.tensor && source.kind != 'A') {
      DType given = args.objects[source.arg].dtype();
      if (source.kind == 'T' ? given != type : !type_fits(source.kind, given, type)) return false;
    } else if (source.kind == 'o') {
      const Slot& slot = pattern.form->slots[&source - pattern.sources];
      if (!slot.accepts(args.strings[source.arg])) return false;
    }
  }
  return true;
}

bool types_fit(const Pattern& pattern, const Arguments& args, DType type) {
  return (pattern.one_type && args.one_type) || each_type_fits(pattern, args, type);
}

// The default generator; after require 'cutorch' that of the device which is going to draw.
th::Generator* generator_for(lua_State* L, const State* state, const Arguments& args) {
  if (state->cuda_generators == LUA_NOREF) return default_generator(L, state);
  const th::Device* device = state->cuda_default;
  for (int i = 0; i < args.count && i < kMaxArgs; ++i) {
    if (args.code(i) != kTensor) continue;
    device = cuda_device_of(state, args.objects[i]);
    break;
  }
  return generator_of(L, state, device);
}

// Reads an argument that is neither a tensor nor a list of tensors.
void read_argument(lua_State* L, State* state, const Slot& slot, const th::Parameter& parameter,
                   int arg, const Arguments& args, DType type, const char* name,
                   OpArguments* call) {
  using th::ParameterKind;
  const int index = arg + 1;
  auto set = [&](const auto& value) {
    th::argument<std::decay_t<decltype(value)>>(call->arguments, parameter) = value;
  };
  switch (parameter.kind) {
    case ParameterKind::element:
      return set(arg < 0 ? th::Scalar(slot.value) : check_element(L, index, type, name));
    case ParameterKind::number:
      return set(arg < 0 ? th::Scalar(slot.value) : read_scalar(L, index, type));
    case ParameterKind::float64:
      return set(arg < 0 ? slot.value : lua_tonumber(L, index));
    case ParameterKind::accumulator: {
      const th::Scalar value = arg < 0 ? th::Scalar(slot.value) : read_scalar(L, index, type);
      const bool truncates = th::is_integral(type) && state->is_torch7(Rule::numbers);
      return set(truncates && !value.integral ? th::Scalar(std::trunc(value.d)) : value);
    }
    case ParameterKind::int64:
    case ParameterKind::int32:
      return set(arg < 0 ? static_cast<int64_t>(slot.value)
                         : check_integer(L, index, name, parameter.name));
    case ParameterKind::dim:
    case ParameterKind::index: {
      const char* what = parameter.kind == ParameterKind::dim ? "dimension" : "index";
      const auto by_default = static_cast<int64_t>(slot.value);
      return set(arg >= 0 ? check_index(L, index, what, name) : by_default - (by_default > 0));
    }
    case ParameterKind::flag:
      return set(arg < 0 ? slot.value != 0 : lua_toboolean(L, index) != 0);
    case ParameterKind::option:
      return set(arg < 0 ? static_cast<char>(slot.value) : *args.strings[arg]);
    case ParameterKind::text:
      return set(arg < 0 ? parameter.by_default : check_text(L, index, name));
    case ParameterKind::generator:
      return set(arg < 0 ? generator_for(L, state, args)
                         : static_cast<th::Generator*>(payload(L, args.objects[arg], index)));
    case ParameterKind::sizes:
    case ParameterKind::dims:
    case ParameterKind::int_list:
    case ParameterKind::dim_list: {
      const bool one_argument =
          parameter.kind == ParameterKind::int_list || parameter.kind == ParameterKind::dim_list;
      const bool of_dims =
          parameter.kind == ParameterKind::dims || parameter.kind == ParameterKind::dim_list;
      int64_t* list = call->sizes[call->lists++];
      int count = read_sizes(L, state, index, one_argument ? index : args.count, list, name,
                             of_dims ? "a dimension" : parameter.name);
      for (int i = 0; i < count && of_dims; ++i) {
        if (list[i] == 0) {
          raise_error(L, "%s: dimension 0 is out of range: numbers count from 1, or back from -1",
                      name);
        }
        if (list[i] > 0) --list[i];
      }
      return set(th::Sizes{count, list});
    }
    case ParameterKind::each: {
      int64_t* list = call->sizes[call->lists++];
      int count = 1;
      if (arg < 0) {
        list[0] = static_cast<int64_t>(slot.value);
      } else {
        count = read_sizes(L, state, index, index, list, name, parameter.name);
      }
      return set(th::Sizes{count, list});
    }
    default:
      break;  // tensors
  }
}

void run_row(lua_State* L, const State* state, const char* name, const th::OpRow& row,
             OpArguments* call) {
  protect(L, name, [&] {
    th::OpScope scope(name);
    th::RulesScope rules(state->rules);
    th::call(row.op, call->arguments);
  });
}

void set_device(lua_State* L, const char* name, Tensor* t, th::Device* device) {
  protect(L, name, [&] {
    th::ensure_storage(t);
    t->storage->set_current_device(device);
  });
}
// Numbers are computed on the CPU, whatever the default device.
void keep_on_cpu(lua_State* L, const char* name, Tensor* t) { set_device(L, name, t, nullptr); }

// Returns true if results that are not arguments are returned as numbers.
bool gives_numbers(const Row& row, const Pattern& pattern, OpArguments* call) {
  if (!(row.flags & lua_flag::number_of_matrix)) return false;
  int k = 0;
  while (pattern.sources[k].result) ++k;
  return call->tensor(*row.op, k)->nDimension == 2;
}

// select of a vector.
int push_selected(lua_State* L, const char* name, OpArguments* call) {
  const auto& select = *reinterpret_cast<th::args::select*>(call->arguments);
  const Tensor* t = select.src;
  int64_t position = 0;
  const bool any_dimension = registered_state(L)->is_torch7(Rule::arguments);
  protect(L, name, [&] {
    if (!any_dimension) th::wrap_dim(*t, select.dimension, 3);
    t->check_storage();
    position = th::wrap_index(select.sliceIndex, t->size[0], 4);
  });
  push_element_of(L, t->storage, t->position(&position));
  return 1;
}

// The type of a new result whose letter is `kind`.
DType result_type(const State* state, char kind, DType type) {
  const bool wide = kind == 'W' && th::is_integral(type) && !state->is_torch7(Rule::sums);
  return wide ? DType::Long : type_of(kind, type);
}

// Pushes the new results and the lists of tensors. new_results: their stack indices.
void push_objects(lua_State* L, State* state, const char* name, const Pattern& pattern, DType type,
                  bool of_numbers, OpArguments* made, int* new_results) {
  const th::OpRow& op = *pattern.row->op;
  OpArguments& call = *made;
  for (int k = 0; k < pattern.slots; ++k) {
    const ParameterSource& source = pattern.sources[k];
    // Hidden results are for tracers: derivatives need them.
    if (source.hidden && !th::tracing()) {
      call.tensor(op, k) = nullptr;
    } else if (source.result && source.arg < 0) {
      Tensor* result = call.tensor(op, k) =
          push_new_tensor(L, state, result_type(state, source.kind, type));
      new_results[k] = lua_gettop(L);
      if (of_numbers) {
        keep_on_cpu(L, name, result);
      } else if (state->cuda_default && pattern.type_arg < 0 && pattern.table_arg < 0) {
        set_device(L, name, result, state->cuda_default);
      }
    } else if (source.kind == '{') {
      const char letter = pattern.form->slots[k].letter[0];
      const bool converts = letter == 'T' && !state->is_torch7(Rule::types);
      read_list(L, state, source.arg + 1, type_of(letter, type), converts, name, &call);
      call.at<th::TensorList>(op, k) = th::TensorList(call.list, call.list_count);
    }
  }
}

int run_pattern(lua_State* L, State* state, const char* name, const Pattern& pattern,
                const Arguments& args, DType type, bool of_numbers = false) {
  const Row& row = *pattern.row;
  const th::OpRow& op = *row.op;
  if (!is_defined(pattern, type)) return raise_undefined_type(L, name, pattern, type);
  OpArguments call;
  int new_results[kMaxArgs];
  state->last_pair[1] = nullptr;
  const bool one_new_result = pattern.one_new_result && !of_numbers;
  // First everything that Lua allocates, because finalizers may run then and free arguments.
  if (one_new_result) {
    call.tensor(op, 0) =
        push_new_tensor(L, state, result_type(state, pattern.sources[0].kind, type));
  } else if (pattern.allocates) {
    push_objects(L, state, name, pattern, type, of_numbers, &call, new_results);
  }
  for (int k = 0; k < pattern.slots; ++k) {
    const ParameterSource& source = pattern.sources[k];
    const int arg = argument_of(source, args);
    if (source.tensor && arg >= 0) {
      void* t = payload(L, args.objects[arg], arg + 1);
      call.tensor(op, k) = static_cast<Tensor*>(t);
      if (op.parameters[k].is_result()) refuse_held(L, state, name, call.tensor(op, k)->storage);
    } else if (source.may_be_nil) {
      call.tensor(op, k) = nullptr;
    } else if (source.tensor) {
      if (!source.result) call.tensor(op, k) = call.tensor(op, 0);  // a method's own tensor
    } else if (source.kind != '{') {
      read_argument(L, state, pattern.form->slots[k], op.parameters[k], arg, args, type, name,
                    &call);
    }
  }
  const bool may_be_number = row.flags & (lua_flag::element_of_vector | lua_flag::number_of_one);
  const int source_dims = may_be_number ? call.tensor(op, 1)->nDimension : 0;
  if (row.flags & lua_flag::element_of_vector && source_dims == 1)
    return push_selected(L, name, &call);
  run_row(L, state, name, op, &call);
  if (one_new_result) return 1;
  if (may_be_number && row.flags & lua_flag::number_of_one) {
    const Tensor* result = call.tensor(op, 0);
    bool of_dimension = pattern.slots > 2;
    if (result->nDimension == 1 && result->size[0] == 1 && (source_dims == 1 || !of_dimension)) {
      push_element_of(L, result->storage, result->storageOffset);
      return 1;
    }
  }
  if (op.returned != th::Returned::nothing) {
    const char* returned = call.arguments + op.returned_offset;
    if (op.returned == th::Returned::boolean) {
      lua_pushboolean(L, *reinterpret_cast<const bool*>(returned));
    } else if (!th::tracing() || !push_returned_number(L, state)) {
      push_scalar(L, *reinterpret_cast<const th::Scalar*>(returned));
    }
    return 1;
  }
  bool numbers = gives_numbers(row, pattern, &call);
  int results = 0;
  for (int k = 0; k < pattern.slots; ++k) {
    const ParameterSource& source = pattern.sources[k];
    if (!source.result || source.hidden) continue;
    ++results;
    if (numbers && source.arg < 0) {
      const Tensor* result = call.tensor(op, k);
      push_element_of(L, result->storage, result->storageOffset);
    } else {
      lua_pushvalue(L, source.arg < 0 ? new_results[k] : source.arg + 1);
    }
  }
  if (results == 2 && !numbers && pattern.sources[1].kind == 'L') {
    state->last_pair[0] = lua_touserdata(L, -2);
    state->last_pair[1] = lua_touserdata(L, -1);
    state->last_operand = lua_touserdata(L, pattern.sources[2].arg + 1);
  }
  return results;
}

// A tensor of one element, on the CPU.
Tensor* push_number_tensor(lua_State* L, State* state, const char* name,
                           DType type = DType::Double) {
  th::trace_access("uses a number that an operation returns");
  Tensor* t = push_new_tensor(L, state, type);
  keep_on_cpu(L, name, t);
  int64_t one = 1;
  protect(L, name, [&] { th::resize(t, 1, &one); });
  return t;
}

// Replaces the first numbers by tensors of one element, so that exp(1) is a number.
int call_with_numbers(lua_State* L, State* state, const Overloads& overloads) {
  int count = lua_gettop(L);
  const DType type = type_for_numbers(L, overloads);
  const th::Scalar given[] = {read_scalar(L, 1, DType::Long), read_scalar(L, 2, DType::Long)};
  for (int tensors = 1; tensors <= count && tensors <= 2; ++tensors) {
    for (int i = 1; i <= tensors; ++i) {
      if (!is_number(L, *state, i)) continue;
      const th::Scalar value = check_listed_element(L, i, type, overloads.name);
      Tensor* t = push_number_tensor(L, state, overloads.name, type);
      protect(L, overloads.name, [&] { th::ops::fill(t, value); });
      lua_replace(L, i);
    }
    Arguments args(L, state);
    for (const Pattern& pattern : overloads.patterns) {
      if (!pattern.matches(args.codes, args.count)) continue;
      if (pattern.sources[0].result && pattern.sources[0].arg >= 0) continue;
      run_pattern(L, state, overloads.name, pattern, args, type, true);
      Tensor* result = object_at(L, state, lua_gettop(L)).tensor();
      push_element_of(L, result->storage, result->storageOffset);
      return 1;
    }
  }
  for (int i = 1; i <= count && i <= 2; ++i) {
    push_scalar(L, given[i - 1]);
    lua_replace(L, i);
  }
  return 0;
}

int random_number(lua_State* L, State* state, const Overloads& overloads,
                  DType type = DType::Double) {
  Tensor* t = push_number_tensor(L, state, overloads.name, type);
  lua_insert(L, 1);
  Arguments args(L, state);
  for (const Pattern& pattern : overloads.patterns) {
    // nil stands for a default value.
    const bool fits =
        pattern.matches(args.codes, args.count) || pattern.matches_with_nil(args.codes, args.count);
    if (!fits || !types_fit(pattern, args, type)) continue;
    // Only distributions of integers are defined for integral types.
    const bool of_integers = is_defined(pattern, DType::Long);
    if (of_integers && type == DType::Double && has_long_integer(L, args.count)) {
      lua_remove(L, 1);
      return random_number(L, state, overloads, DType::Long);
    }
    run_pattern(L, state, overloads.name, pattern, args, type);
    push_element_of(L, t->storage, t->storageOffset);
    if (of_integers && type == DType::Double) replace_by_integer(L);
    return 1;
  }
  lua_remove(L, 1);
  return 0;
}

bool only_numbers(const Arguments& args) {
  for (int i = 0; i < args.count; ++i) {
    if (i >= 16 || args.code(i) != kNumber) return false;
  }
  return args.count > 0;
}

bool has_nil(const Arguments& args) {
  for (int i = 0; i < args.count && i < kMaxArgs; ++i) {
    if (args.code(i) == kNil) return true;
  }
  return false;
}

// Returns true if the dimension of a reduction is nil, as in t:median(dim) with an undefined
// variable, although without a dimension the result is the number for all elements.
bool has_nil_dimension(const State* state, const Overloads& overloads, const Pattern& pattern,
                       const Arguments& args) {
  if (!overloads.number_of_all || state->is_torch7(Rule::medians)) return false;
  for (const ParameterSource& source : pattern) {
    if (source.kind == 'i' && source.arg >= 0) return args.code(source.arg) == kNil;
  }
  return false;
}

// Returns the number of results; -1 if no form matches, with a message on the stack.
int call_overloads(lua_State* L, State* state, const Overloads& overloads, const Arguments& args,
                   int bound) {
  DType refused_type{};
  const Pattern* refused = nullptr;
  bool is_mixed = false;  // a form for the type of the operand does not fit the other types
  for (bool with_nil : {false, true}) {
    if (with_nil && !has_nil(args)) break;
    for (const Pattern& pattern : overloads.patterns) {
      const bool fits = with_nil ? pattern.matches_with_nil(args.codes, args.count)
                                 : pattern.matches(args.codes, args.count);
      if (!fits || is_hidden(state, pattern)) continue;
      if (has_nil_dimension(state, overloads, pattern, args)) continue;
      DType type = element_type(pattern, args, state, L, bound);
      if (!types_fit(pattern, args, type)) {
        is_mixed |= is_defined(pattern, type);
        continue;
      }
      if (is_defined(pattern, type)) {
        if (!overloads.function) refuse_parameters(L, state, pattern, args);
        refuse_pair(L, state, overloads, pattern, args, false);
        return run_pattern(L, state, overloads.name, pattern, args, type);
      }
      if (refused) continue;
      refused = &pattern;
      refused_type = type;
    }
  }
  if (refused && !is_mixed) {
    return raise_undefined(L, overloads.name, *refused, refused_type);
  }
  const int used = count_of_used(L, state, overloads, args.count);
  if (used < args.count) {
    lua_settop(L, used);
    return call_overloads(L, state, overloads, Arguments(L, state), bound);
  }
  bool has_tensor = args.count > 0 && args.code(0) == kTensor;
  int results = 0;
  if (overloads.element_wise && only_numbers(args)) {
    results = call_with_numbers(L, state, overloads);
  } else if (overloads.random && !has_tensor) {
    results = random_number(L, state, overloads);
  }
  if (results) return results;
  if (adapt_arguments(L, state, overloads, args)) {
    lua_settop(L, args.count);
    const Arguments adapted(L, state);
    results = call_overloads(L, state, overloads, adapted, bound);
    free_replaced(L, state, args, adapted);
    return results;
  }
  if (overloads.function && !has_tensor) {
    results = call_overloads(L, state, *overloads.function, args, bound);
    if (results >= 0) return results;
  }
  push_mismatch(L, state, overloads, args.codes, args.count);
  return -1;
}

}  // namespace

int call_overloads_of(lua_State* L, State* state, const Overloads& overloads, const Arguments& args,
                      int type) {
  int results = call_overloads(L, state, overloads, args, type);
  if (results >= 0) return results;
  if (th::tracing()) {
    const auto& methods = registry().methods;
    const auto found = methods.find(overloads.name);
    const bool is_method = found != methods.end() && &found->second == &overloads;
    if (call_with_tracked_numbers(L, overloads.name, args.count, is_method)) return 1;
  }
  return raise_error(L, "%s", lua_tostring(L, -1));
}

}  // namespace bind
