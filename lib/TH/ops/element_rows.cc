#include "ops/element_rows.h"

#include <tuple>
#include <vector>

#include "backend/grain.h"
#include "functors/functors.h"
#include "ops/ops.h"

namespace th {

namespace {

using namespace row_flag;

// Calls an operation with its tensors and numbers taken from two lists.
template <auto operation>
struct CallOf;
template <class... P, void (*operation)(Tensor*, P...)>
struct CallOf<operation> {
  static void run(Tensor* r, Tensor* const* tensors, const Scalar* numbers) {
    // Braces guarantee evaluation from left to right.
    std::tuple<P...> arguments{take<P>(&tensors, &numbers)...};
    std::apply([&](P... p) { operation(r, p...); }, arguments);
  }

 private:
  template <class T>
  static T take(Tensor* const** tensors, const Scalar** numbers) {
    if constexpr (std::is_same_v<T, Tensor*>) {
      return *(*tensors)++;
    } else if constexpr (std::is_same_v<T, double>) {
      return (*numbers)++->to_double();
    } else {
      return *(*numbers)++;
    }
  }
};

// The pattern of the parameters after the result. kinds: as in make_element_row.
std::string pattern_of(const std::string& kinds) {
  std::string pattern;
  size_t colon = kinds.find(':');
  while ((colon = kinds.find(':', colon + 1)) != std::string::npos) {
    const char type = kinds[colon + 1];
    pattern += type == 'N' ? 'N' : type == 'B' ? 'B' : 'T';
  }
  return pattern;
}

// Returns true if number k is an `element`. kinds: as in make_element_row.
bool takes_element(const std::string& kinds, int k) {
  size_t type = kinds.find(":None ");
  for (; k > 0 && type != std::string::npos; --k) type = kinds.find(":None ", type + 1);
  if (type == std::string::npos) return false;
  const size_t kind = kinds.rfind(' ', type) + 1;
  return kinds.compare(kind, type - kind, "element") == 0;
}

const std::vector<ElementFunction>& functions() {
  // Never destroyed: threads may use it while the process ends.
  static const auto& all = *new std::vector<ElementFunction>{
#define TH_ELEMENT(name, lua, types, parameters, Functor, grain, flags, ...)         \
  {Op::name,                                                                         \
   #name,                                                                            \
   lua_name(Op::name),                                                               \
   TH_ELEMENT_ROW(parameters, Functor, flags),                                       \
   pattern_of(TH_KINDS(parameters)),                                                 \
   {takes_element(TH_KINDS(parameters), 0), takes_element(TH_KINDS(parameters), 1)}, \
   &type_set::types::contains,                                                       \
   Grain::grain,                                                                     \
   &CallOf<&ops::name>::run},
#include "THOps/elementwise.def"
  };
  return all;
}

// Returns 2 for an exact match, 1 if numbers replace tensors or the factor is omitted, 0 for no
// match.
int fit(const std::string& pattern, const std::string& arguments) {
  if (pattern.size() == arguments.size()) {
    int result = 2;
    for (size_t k = 0; k < pattern.size(); ++k) {
      if ((pattern[k] == 'N') == (arguments[k] == 'N')) continue;
      if (pattern[k] == 'N') return 0;
      result = 1;
    }
    return result;
  }
  bool factor = pattern.size() == arguments.size() + 1 && pattern.size() > 2 && pattern[1] == 'N';
  return factor && arguments.find('N') == std::string::npos ? 1 : 0;
}

}  // namespace

const ElementFunction& element_function(Op op) {
  static const std::vector<const ElementFunction*> by_op = [] {
    std::vector<const ElementFunction*> all(static_cast<size_t>(Op::copy));
    for (const ElementFunction& function : functions()) {
      all[static_cast<size_t>(function.op)] = &function;
    }
    return all;
  }();
  return *by_op[static_cast<size_t>(op)];
}

const ElementFunction* find_element_function(const std::string& name, const std::string& arguments,
                                             bool* known) {
  const ElementFunction* found = nullptr;
  int best = 0;
  *known = false;
  for (const ElementFunction& function : functions()) {
    if (name != function.lua && name != function.name) continue;
    *known = true;
    int fits = fit(function.pattern, arguments);
    if (fits > best) {
      best = fits;
      found = &function;
    }
  }
  return found;
}

}  // namespace th
