#include "overloads.h"

#include <cstring>
#include <utility>

#include "functors/rows.h"

namespace bind {

namespace {

using namespace th::row_flag;

uint32_t type_bits(const Row& row) {
  uint32_t bits = 0;
  for (int k = 0; k < th::kDTypes; ++k) bits |= row.defined(static_cast<DType>(k)) ? 1u << k : 0;
  return bits;
}

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
      overloads->patterns[first].types = type_bits(rows[row]);
    }
    text = end ? end + 3 : stop;
  }
}

// Torch7's older names of the same operations: {alias, name}.
const std::pair<const char*, const char*> aliases[] = {{"mod", "fmod"}, {"cmod", "cfmod"}};

void add_row(Registry* r, int i, const char* name) {
  const Row& row = rows[i];
  const char* method = std::strcmp(row.method, "=") ? row.method : row.function;
  Overloads& function = r->functions[name];
  function.name = name;
  add_forms(&function, i, row.function);
  function.element_wise =
      function.element_wise || (row.flags & (element_wise | predicate)) == element_wise;
  function.random = function.random || row.flags & random_number;
  Overloads& overloads = r->methods[name];
  overloads.name = name;
  add_forms(&overloads, i, method);
  overloads.function = &function;
}

}  // namespace

const Registry& registry() {
  static const Registry* const built = [] {
    auto* r = new Registry;
    for (int i = 0; i < row_count; ++i) {
      const char* name = rows[i].lua;
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
