#ifndef TENSOR_GENERIC_ROWS_H
#define TENSOR_GENERIC_ROWS_H

// The rows of THOps.def with their Lua columns.

#include <string>

#include "bindings.h"
#include "forms.h"
#include "ops/rows.h"

namespace bind {

// The Lua flags of THOps.def.
namespace lua_flag {
enum : uint32_t {
  none = 0,
  in_place = 1 << 0,
  into_self = 1 << 1,
  accumulates = 1 << 2,
  no_method = 1 << 3,
  random_number = 1 << 4,
  number_of_matrix = 1 << 5,
  element_of_vector = 1 << 6,
  number_of_one = 1 << 7,
  flag_by_default = 1 << 8,
  number_of_all = 1 << 9,
  gives_indices = 1 << 10,
  ignores_rest = 1 << 11,
  ignores_nil = 1 << 12,
};
}  // namespace lua_flag

struct Row {
  const th::OpRow* op;
  const char* lua;  // the Lua name; "": the row exists only in C
  uint32_t flags;   // lua_flag
  // The signatures of the function and of the method in the notation of forms.h. "-": there is
  // none; "=": the same as the function's.
  std::string function, method;
};

// One for each operation, by Op.
const Row& lua_row(th::Op op);
inline const Row& row_at(int k) { return lua_row(static_cast<th::Op>(k)); }
constexpr int kRows = static_cast<int>(th::Op::copy);

}  // namespace bind

#endif
