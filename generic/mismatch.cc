// The error message of a call that matches no form: the argument types, the accepted forms and, if
// only an element type is wrong, how to convert it.

#include <cctype>
#include <cstring>
#include <string>
#include <vector>

#include "arguments.h"
#include "overloads.h"

namespace bind {

namespace {

std::string class_name(DType type) { return std::string(th::name(type)) + "Tensor"; }
std::string one_of_class(DType type) { return std::string(th::name_with_article(type)) + "Tensor"; }

// The name of the method that converts to a type.
std::string conversion(DType type) {
  std::string name = th::name(type);
  for (char& c : name) c = static_cast<char>(std::tolower(c));
  return name;
}

// Explains which element type is wrong if the kinds of the arguments match the pattern. Returns ""
// if the element types are not the problem.
std::string type_hint(lua_State* L, State* state, const Pattern& pattern) {
  auto given = [&](const ParameterSource& source) {
    return object_at(L, state, source.arg + 1).dtype();
  };
  auto is_given = [&](const ParameterSource& source) {
    return source.tensor && source.arg >= 0 && object_at(L, state, source.arg + 1).is_tensor();
  };
  for (const ParameterSource& source : pattern) {
    if (!is_given(source) || is_of_own_type(source) || source.kind == 'A') continue;
    const DType wanted = type_of(source.kind, DType::Byte);
    if (source.kind == 'M' || given(source) == wanted) continue;
    return one_of_class(wanted) + " is expected where " + one_of_class(given(source)) +
           " was given: convert it, as t:" + conversion(wanted) + "() does";
  }
  const ParameterSource* first = nullptr;
  for (const ParameterSource& source : pattern) {
    if (!first && is_given(source) && source.kind == 'T') first = &source;
  }
  const int listed = pattern.table_arg < 0 ? -1 : listed_type(L, state, pattern.table_arg + 1);
  if (first && listed >= 0 && listed != static_cast<int>(given(*first))) {
    return one_of_class(given(*first)) + " and a table of " +
           class_name(static_cast<DType>(listed)) + "s do not go together: convert one of them";
  }
  for (const ParameterSource& source : pattern) {
    if (!first || !is_given(source) || !is_of_own_type(source)) continue;
    if (type_fits(source.kind, given(source), given(*first))) continue;
    const bool is_before = &source < first;
    return one_of_class(given(is_before ? source : *first)) + " and " +
           one_of_class(given(is_before ? *first : source)) +
           " do not go together: convert one of them, as t:typeAs(other) does";
  }
  return "";
}

bool fits(const State* state, const std::vector<Pattern>& patterns, uint64_t codes, int count) {
  for (const Pattern& pattern : patterns) {
    if (!is_hidden(state, pattern) && pattern.matches(codes, count)) return true;
  }
  return false;
}

// Returns the first key of the table that is a string, or null. The table keeps the string alive.
const char* first_name(lua_State* L, int index) {
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING) continue;
    const char* name = lua_tostring(L, -2);
    lua_pop(L, 2);
    return name;
  }
  return nullptr;
}

// Explains an argument that is nil, or a table in place of a tensor or of named arguments; else "".
std::string argument_hint(lua_State* L, const State* state, const Overloads& overloads,
                          uint64_t codes, int count) {
  if (!lua_checkstack(L, 4)) return "";
  const std::string name = overloads.name;
  uint64_t converted = codes;
  int table = 0;
  for (int i = 0; i < count && i < Arguments::kMaxCodes; ++i) {
    const uint64_t code = codes >> (4 * i) & 15;
    // Users do not count the object of a method.
    const std::string number = "argument #" + std::to_string(i + (overloads.function ? 0 : 1));
    if (code == kNil) return number + " is nil";
    if (code != kTable) continue;
    if (i == 0 && is_module(L, 1)) {
      return "functions of the module are called with a dot: tensor." + name + "(...)";
    }
    if (const char* key = first_name(L, i + 1)) {
      return std::string("arguments have no names, but ") + number + " is a table with the key '" +
             key + "'";
    }
    if (!table) table = i + 1;
    converted ^= (kTable ^ kTensor) << (4 * i);
  }
  if (table && fits(state, overloads.patterns, converted, count)) {
    return "a table is not a tensor: tensor.Tensor{...} or tensor.LongTensor{...} makes one of it";
  }
  return "";
}

// Returns the name of the class whose constructor table, such as torch.FloatTensor, is at a stack
// position, or null. The class keeps the name alive.
const char* class_of_constructor(lua_State* L, int index) {
  const int top = lua_gettop(L);
  const char* name = nullptr;
  if (luaL_getmetafield(L, index, "__index") && lua_istable(L, -1)) {
    lua_pushliteral(L, "__typename");
    lua_rawget(L, -2);
    if (lua_type(L, -1) == LUA_TSTRING) name = lua_tostring(L, -1);
  }
  lua_settop(L, top);
  return name;
}

// Explains a last argument that should be the name of a tensor class, as in ones(2, 'float') and
// ones(2, tensor.FloatTensor); else "".
std::string class_hint(lua_State* L, const State* state, const Overloads& overloads, uint64_t codes,
                       int count) {
  const uint64_t first = codes & 15;
  const bool is_size = first == kNumber || first == kLongStorage || first == kTable;
  if (count < 2 || count > kMaxArgs || !is_size) return "";
  const int last = 4 * (count - 1);
  const uint64_t code = codes >> last & 15;
  if (!fits(state, overloads.patterns, codes ^ code << last, count - 1)) return "";
  const char* name = code == kTable ? class_of_constructor(L, count) : nullptr;
  if (name) return std::string("a class is given by its name: '") + name + "'";
  if (code != kString) return "";
  return std::string(lua_tostring(L, count)) + " is not a tensor class, as 'torch.FloatTensor' is";
}

// Returns advice about an element type for which no form is defined. Returns "" if other forms have
// the kinds of the arguments.
std::string undefined_hint(const std::vector<Pattern>& patterns, uint64_t codes, int count) {
  for (const Pattern& pattern : patterns) {
    if (!pattern.matches(codes, count) || !is_defined(pattern, DType::Double)) continue;
    return std::string("it is defined for ") + pattern.row->op->types +
           ": convert the tensor, as t:double() does";
  }
  return "";
}

const char* push_undefined_type(lua_State* L, const char* name, const Pattern& pattern,
                                DType type) {
  const DType other = type == DType::Double ? DType::Long : DType::Double;
  const char* of = tensor_class(type);
  if (!is_defined(pattern, other)) return lua_pushfstring(L, "%s is not defined for %s", name, of);
  return lua_pushfstring(L, "%s is not defined for %s: convert it, as t:%s() does", name, of,
                         other == DType::Long ? "long" : "double");
}

// Returns true if an argument has the element type of a mask or of indices, and the place of one.
bool is_mask_or_index(const Overloads& overloads, int argument, DType type) {
  for (const Pattern& pattern : overloads.patterns) {
    for (const ParameterSource& source : pattern) {
      if (!source.tensor || source.result || source.arg != argument) continue;
      if (is_of_own_type(source) || source.kind == 'A') continue;
      if (type_of(source.kind, DType::Byte) == type) return true;
    }
  }
  return false;
}

bool are_numbers(uint64_t codes, int count) {
  for (int i = 0; i < count && i < Arguments::kMaxCodes; ++i) {
    if ((codes >> (4 * i) & 15) != kNumber) return false;
  }
  return true;
}

// Returns advice about the function that was probably meant, or "". second: the second argument.
std::string other_function(const char* name, uint64_t codes, int count, const Object& second) {
  if (!std::strcmp(name, "norm") && count == 2 && codes == (kTensor | kString << 4)) {
    return "t:norm() is the Frobenius norm; matrixNorm and nuclearNorm compute others";
  }
  if (!std::strcmp(name, "where") && count == 1 && codes == kTensor) {
    return "tensor.nonzero(mask) returns the positions of the elements other than 0";
  }
  if (count == 2 && codes == (kNumber | kTensor << 4)) {
    for (const char* comparison : {"lt", "le", "gt", "ge", "eq", "ne"}) {
      if (!std::strcmp(name, comparison)) return "the tensor comes first: 5 < t is t:gt(5)";
    }
  }
  // NumPy's functions take a size last.
  const bool has_shape =
      count >= 2 && count <= Arguments::kMaxCodes && (codes >> (4 * (count - 1)) & 15) == kTable;
  for (const char* random : {"normal", "uniform", "exponential", "cauchy", "logNormal", "geometric",
                             "bernoulli", "poisson", "gamma", "binomial", "beta", "chi2"}) {
    if (count >= 2 && are_numbers(codes, count - has_shape) && !std::strcmp(name, random)) {
      return std::string("tensor.Tensor(3):") + random + "(...) fills a tensor of size 3";
    }
  }
  const bool two_tensors = count == 2 && codes == (kTensor | kTensor << 4);
  // A second tensor of integers may be meant as the counts of observations.
  const bool is_cov = !std::strcmp(name, "cov") && two_tensors && !th::is_integral(second.dtype());
  if (is_cov || (two_tensors && !std::strcmp(name, "corrcoef"))) {
    return std::string("variables are the rows of a matrix: ") + name +
           "(tensor.vstack{x, y}), of two vectors";
  }
  constexpr uint64_t kTensorAndNumbers = kTensor | kNumber << 4 | kNumber << 8;
  const bool several_numbers = count >= 3 && (codes & 0xfff) == kTensorAndNumbers;
  constexpr uint64_t kThreeTensors = kTensor | kTensor << 4 | kTensor << 8;
  if (two_tensors || (count == 3 && codes == kThreeTensors)) {
    for (const char* other : {"mul", "div", "pow", "remainder", "fmod", "max", "min"}) {
      if (!std::strcmp(name, other)) {
        return std::string("c") + name + " takes two tensors, element by element";
      }
    }
  }
  for (const char* reduction : {"sum", "prod", "mean", "var", "std", "max", "min", "all", "any"}) {
    if (several_numbers && !std::strcmp(name, reduction)) {
      return std::string("several dimensions are a table: t:") + reduction + "{1, 2}";
    }
  }
  return "";
}

}  // namespace

int raise_undefined_type(lua_State* L, const char* name, const Pattern& pattern, DType type) {
  return raise_error(L, "%s", push_undefined_type(L, name, pattern, type));
}

int raise_undefined(lua_State* L, const char* name, const Pattern& pattern, DType type) {
  bool is_later = false;
  for (int k = 0; k < pattern.slots; ++k) {
    const ParameterSource& source = pattern.sources[k];
    if (!source.tensor || source.result || source.arg < 0) continue;
    if (source.kind == 'T' && source.arg != pattern.type_arg) break;
    if (is_later && source.arg == pattern.type_arg) {
      const th::OpRow& op = *pattern.row->op;
      return raise_error(L, "%s is not defined for %s of %s, but for %s", name,
                         op.parameters[k].name, tensor_class(type), op.types);
    }
    is_later = true;
  }
  return raise_undefined_type(L, name, pattern, type);
}

void push_mismatch(lua_State* L, State* state, const Overloads& overloads, uint64_t codes,
                   int count) {
  std::string got, accepted, hint;
  DType type = state->default_type;
  int first_tensor = -1;  // that is not a mask or indices, if there is one
  bool is_mask = false;
  for (int i = 0; i < count; ++i) {
    if (i) got += ", ";
    Object object = object_at(L, state, i + 1);
    if (object.is_tensor() && (first_tensor < 0 || is_mask)) {
      type = object.dtype();
      is_mask = is_mask_or_index(overloads, i, type);
      first_tensor = i;
    }
    if (object.box && !object.payload) got += "freed ";
    got += shown_type(L, i + 1);
  }
  const Form* last = nullptr;
  for (const Pattern& pattern : overloads.patterns) {
    // Rows of other element types would repeat the forms.
    if (pattern.form == last || is_hidden(state, pattern) || !is_defined(pattern, type)) continue;
    last = pattern.form;
    const std::string form = last->text(class_name(type).c_str());
    if ((" | " + accepted + " | ").find(" | " + form + " | ") != std::string::npos) continue;
    if (!accepted.empty()) accepted += " | ";
    accepted += form;
  }
  const bool undefined = accepted.empty();
  for (const Pattern& pattern : overloads.patterns) {
    if (!undefined || first_tensor < 0) break;
    for (const ParameterSource& source : pattern) {
      if (source.kind != 'T' || source.arg != first_tensor) continue;
      push_undefined_type(L, overloads.name, pattern, type);
      return;
    }
  }
  if (ends_with_pair(L, state, overloads, count)) hint = kPairAdvice;
  if (undefined) accepted = "none for elements of type " + std::string(th::name(type));
  if (hint.empty() && undefined) hint = undefined_hint(overloads.patterns, codes, count);
  if (hint.empty()) hint = other_function(overloads.name, codes, count, object_at(L, state, 2));
  for (const Pattern& pattern : overloads.patterns) {
    if (hint.empty() && pattern.matches(codes, count)) hint = type_hint(L, state, pattern);
  }
  if (hint.empty()) hint = class_hint(L, state, overloads, codes, count);
  if (hint.empty()) hint = argument_hint(L, state, overloads, codes, count);
  if (hint.empty() && overloads.function && (codes & 15) == kTensor &&
      fits(state, overloads.function->patterns, codes, count)) {
    const std::string name = overloads.name;
    hint = "t:" + name + "(...) writes to t: tensor." + name + "(t, ...) returns a new tensor";
  }
  if (hint.empty() && overloads.function && (count == 0 || (codes & 15) != kTensor)) {
    hint = std::string("a method is called with a colon: t:") + overloads.name + "(...)";
  }
  if (accepted.find('*') != std::string::npos) {
    hint +=
        std::string(hint.empty() ? "" : "\n") + "(*...* takes the result; [...] may be left out)";
  }
  lua_pushfstring(L, "%s: invalid arguments: (%s)\nexpected arguments: %s%s%s", overloads.name,
                  got.c_str(), accepted.c_str(), hint.empty() ? "" : "\n", hint.c_str());
}

}  // namespace bind
