#ifndef TENSOR_GENERIC_OVERLOADS_H
#define TENSOR_GENERIC_OVERLOADS_H

// The rows of THOps.def by their Lua names.

#include <map>
#include <string>
#include <vector>

#include "rows.h"

namespace bind {

// All forms of one Lua name, as function or as method.
struct Overloads {
  const char* name = nullptr;
  std::vector<Pattern> patterns;
  std::vector<Form*> forms;
  bool element_wise = false;            // numbers alone are taken for tensors of one element
  bool random = false;                  // without a tensor it gives a number
  const Overloads* function = nullptr;  // of a method: what makes tensors of its class
  bool of_class = false;                // that is possible without a tensor given
  // What its functions hold: it, and the element type of their class, or one of these.
  static constexpr int kDefaultType = -1, kTypeOfFirst = th::kDTypes;
  struct Bound {
    const Overloads* overloads;
    int type;
  };
  Bound bound[th::kDTypes + 2];
};

struct Registry {
  std::map<std::string, Overloads> functions;
  std::map<std::string, Overloads> methods;
};

// Lives as long as the process, shared by all Lua states.
const Registry& registry();

// Pushes the message of a call that no form accepts: the codes of its arguments, and their number.
void push_mismatch(lua_State* L, State* state, const Overloads& overloads, uint64_t codes,
                   int count);

}  // namespace bind

#endif
