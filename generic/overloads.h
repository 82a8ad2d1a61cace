#ifndef TENSOR_GENERIC_OVERLOADS_H
#define TENSOR_GENERIC_OVERLOADS_H

// The rows of THOps.def by their Lua names.

#include <map>
#include <string>
#include <vector>

#include "rows.h"

namespace bind {

struct Arguments;  // arguments.h

// All forms of one Lua name, as function or as method.
struct Overloads {
  const char* name = nullptr;
  std::vector<Pattern> patterns;
  std::vector<Form*> forms;
  bool element_wise = false;  // accepts numbers only: as tensors of 1 element
  bool random = false;        // returns a number if no argument is a tensor
  // By the rule `medians`, a form without a dimension reduces all elements.
  bool number_of_all = false;
  const Overloads* function = nullptr;  // the function of the same name as a method
  // True for a method whose function has a form that does not start with a tensor. The function
  // then also exists in each tensor class and creates tensors of that class.
  bool of_class = false;
  // The upvalue of a Lua closure: the overloads and an element type, or one of these two constants.
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

// Adds the signatures of a row, in the notation of forms.h, separated by " | ".
void add_forms(Overloads* overloads, const Row& row, const char* signatures);

// Calls the row whose signature matches the arguments. Pushes the results and returns their number;
// raises an error if no signature matches.
int call_overloads_of(lua_State* L, State* state, const Overloads& overloads, const Arguments& args,
                      int type = Overloads::kTypeOfFirst);

// Lives as long as the process, shared by all Lua states.
const Registry& registry();

// Raises the error of a call that matches a form, which is not defined for the element type.
int raise_undefined_type(lua_State* L, const char* name, const Pattern& pattern, DType type);
// The same. If operands of fixed types precede the operand that determines the type, the message
// names it.
int raise_undefined(lua_State* L, const char* name, const Pattern& pattern, DType type);
// Returns true if the last two of n arguments are the values and the indices that the last
// operation returned, as in exp(t:max(1)). The object of a method is not meant, as in v:cmul(i).
inline bool ends_with_pair(lua_State* L, const State* state, const Overloads& overloads, int n) {
  const int least = overloads.function ? 3 : 2;
  return n >= least && state->last_pair[1] && lua_touserdata(L, n) == state->last_pair[1] &&
         lua_touserdata(L, n - 1) == state->last_pair[0];
}
constexpr char kPairAdvice[] =
    "the last arguments are the values and the indices of another call; in parentheses, as in "
    "abs((t:max(1))), it gives only the values";
// Pushes the error message of a call that matches no form. codes, count: the arguments of the call.
void push_mismatch(lua_State* L, State* state, const Overloads& overloads, uint64_t codes,
                   int count);

}  // namespace bind

#endif
