#include "overloads.h"

#include <cstring>
#include <utility>

namespace bind {

void add_forms(Overloads* overloads, int row, const char* text) {
  if (!std::strcmp(text, "-")) return;
  while (*text) {
    const char* end = std::strstr(text, " | ");
    const char* stop = end ? end : text + std::strlen(text);
    auto* form = new Form(parse_form(text, stop));
    overloads->forms.push_back(form);
    size_t first = overloads->patterns.size();
    add_patterns(form, row, &overloads->patterns);
    for (; first < overloads->patterns.size(); ++first) {
      overloads->patterns[first].types = row_at(row).op->type_bits;
    }
    text = end ? end + 3 : stop;
  }
}

namespace {

// Torch7's older names of the same operations: {alias, name}.
const std::pair<const char*, const char*> aliases[] = {{"mod", "fmod"}, {"cmod", "cfmod"}};

void add_row(Registry* r, int i, const char* name) {
  const Row& row = row_at(i);
  constexpr uint32_t kKinds = th::row_flag::element_wise | th::row_flag::predicate;
  Overloads& function = r->functions[name];
  function.name = name;
  add_forms(&function, i, row.function.c_str());
  function.element_wise =
      function.element_wise || (row.op->flags & kKinds) == th::row_flag::element_wise;
  function.random = function.random || row.flags & lua_flag::random_number;
  Overloads& overloads = r->methods[name];
  overloads.name = name;
  add_forms(&overloads, i, row.method == "=" ? row.function.c_str() : row.method.c_str());
  overloads.function = &function;
}

}  // namespace

const Registry& registry() {
  static const Registry* const built = [] {
    auto* r = new Registry;
    for (int i = 0; i < kRows; ++i) {
      const char* name = row_at(i).lua;
      if (!*name) continue;
      add_row(r, i, name);
      for (const auto& alias : aliases) {
        if (!std::strcmp(name, alias.second)) add_row(r, i, alias.first);
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
