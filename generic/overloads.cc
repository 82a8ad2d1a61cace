#include "overloads.h"

#include <cstring>
#include <utility>

namespace bind {

namespace {

bool has_one_new_result(const Pattern& pattern) {
  const Row& row = *pattern.row;
  constexpr uint32_t kNumbers =
      lua_flag::number_of_matrix | lua_flag::element_of_vector | lua_flag::number_of_one;
  if (row.flags & kNumbers || row.op->returned != th::Returned::nothing) return false;
  int results = 0;
  for (const ParameterSource& source : pattern) {
    if (source.kind == '{' || (source.result && source.arg >= 0)) return false;
    results += source.result;
  }
  return results == 1 && pattern.sources[0].result && pattern.type_arg >= 0;
}

}  // namespace

void add_forms(Overloads* overloads, const Row& row, const char* text) {
  if (!std::strcmp(text, "-")) return;
  while (*text) {
    const char* end = std::strstr(text, " | ");
    const char* stop = end ? end : text + std::strlen(text);
    auto* form = new Form(parse_form(text, stop));
    overloads->forms.push_back(form);
    size_t first = overloads->patterns.size();
    add_patterns(form, &row, &overloads->patterns);
    for (; first < overloads->patterns.size(); ++first) {
      Pattern& pattern = overloads->patterns[first];
      pattern.one_new_result = has_one_new_result(pattern);
    }
    text = end ? end + 3 : stop;
  }
}

namespace {

// Torch7's older names of the same operations: {alias, name}.
const std::pair<const char*, const char*> aliases[] = {{"mod", "fmod"}, {"cmod", "cfmod"}};

void add_row(Registry* r, const Row& row, const char* name) {
  constexpr uint32_t kKinds = th::row_flag::element_wise | th::row_flag::predicate;
  Overloads& function = r->functions[name];
  function.name = name;
  add_forms(&function, row, row.function.c_str());
  function.element_wise =
      function.element_wise || (row.op->flags & kKinds) == th::row_flag::element_wise;
  function.random = function.random || row.flags & lua_flag::random_number;
  Overloads& overloads = r->methods[name];
  overloads.name = name;
  if (row.flags & lua_flag::number_of_all) {
    function.number_of_all = overloads.number_of_all = true;
  }
  add_forms(&overloads, row, row.method == "=" ? row.function.c_str() : row.method.c_str());
  overloads.function = &function;
}

}  // namespace

const Registry& registry() {
  static const Registry* const built = [] {
    auto* r = new Registry;
    for (int i = 0; i < kRows; ++i) {
      const Row& row = row_at(i);
      if (!*row.lua) continue;
      add_row(r, row, row.lua);
      for (const auto& alias : aliases) {
        if (!std::strcmp(row.lua, alias.second)) add_row(r, row, alias.first);
      }
    }
    for (auto* all : {&r->functions, &r->methods}) {
      for (auto& [name, overloads] : *all) {
        for (int k = 0; k <= th::kDTypes + 1; ++k) overloads.bound[k] = {&overloads, k - 1};
        if (!overloads.function) continue;
        for (const Pattern& pattern : overloads.function->patterns) {
          overloads.of_class |= (pattern.codes & 15) != kTensor;
        }
      }
    }
    return r;
  }();
  return *built;
}

}  // namespace bind
