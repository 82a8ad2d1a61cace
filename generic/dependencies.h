#ifndef TENSOR_GENERIC_DEPENDENCIES_H
#define TENSOR_GENERIC_DEPENDENCIES_H

// The values that a compiled function can read besides its arguments: upvalues, globals and fields
// of tables, as lua/core/dependencies.lua lists them, and the tensors among them.

#include <string>
#include <vector>

#include "state.h"

namespace bind {

// Tensors on the Lua stack, which keeps them alive.
struct TensorsOnStack {
  std::vector<Tensor*> tensors;
  std::vector<int> positions;
  void add(Tensor* t, int position) {
    tensors.push_back(t);
    positions.push_back(position);
  }
  void resize(size_t count) {
    tensors.resize(count);
    positions.resize(count);
  }
  // Appends the types, devices, sizes and strides of the tensors, and their relative positions if
  // they share a storage. Storage offsets are left out: a view of the next batch has the same key.
  void append_key(std::vector<int64_t>* key) const;
  // Returns true if the same tensors are at their stack positions: finalizers have freed none.
  bool unchanged(lua_State* L, State* state) const;
};

class Dependencies {
 public:
  Dependencies() = default;
  // rows: the stack index of the list of holders, keys and values, to which every call refers.
  // kinds: two letters per row, one for the kind of what is read and one for its value.
  Dependencies(lua_State* L, int rows, const std::string& kinds);

  bool empty() const { return rows_.empty(); }
  // Returns true if the tensors before and after a recording fit on Lua's stack, which has at most
  // 8000 slots in LuaJIT.
  bool fits_stack(lua_State* L) const;
  // Compares all values with those in the list. A tensor only has to be a tensor again. Returns
  // the number of the first row that differs, or 0 if the stack is too small. Returns -1 if none
  // differs; then the tensors are at the top of the stack. The function is at stack index 2.
  // Allocates no Lua objects.
  int first_change(lua_State* L, State* state, int rows, TensorsOnStack* found) const;
  // Describes a row, as in "'loader.position'" or "the table 'state'".
  std::string row_text(lua_State* L, int rows, int row) const;

 private:
  struct Row {
    char kind;   // see the list in lua/core/dependencies.lua
    char value;  // 't': a tensor, '-': nil, 'n': a number, 'v': any other value
    bool integer = false;
    int key = 0;  // the index of an upvalue; the number of fields
    int64_t bits = 0;
  };
  bool same_value(lua_State* L, State* state, int rows, int row, TensorsOnStack* found) const;
  bool same_fields_by_name(lua_State* L, State* state, int rows, int* row,
                           TensorsOnStack* found) const;
  bool same_fields(lua_State* L, State* state, int rows, int* row, int* changed,
                   TensorsOnStack* found) const;

  // Returns the path of a row, as in "loader.position", or "" if it has none.
  std::string path_of(lua_State* L, int rows, int row) const;

  std::vector<Row> rows_;
  int tensors_ = 0;  // among the values
};

bool is_integer(lua_State* L, int index);
// Returns the bits of the number at index.
int64_t number_bits(lua_State* L, int index);

}  // namespace bind

#endif
