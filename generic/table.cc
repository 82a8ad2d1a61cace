// Tensors from nested tables, and back.

#include <algorithm>
#include <climits>
#include <cstring>

#include "bindings.h"
#include "grad/tape.h"
#include "ops/ops.h"

namespace bind {

namespace {

// Returns true if lua/core/lists.lua has loops for a list of n elements.
bool has_compiled_loop(lua_State* L, int64_t n) {
  constexpr int64_t kLongList = 64;
  return n >= kLongList && registered_state(L)->list_loops != LUA_NOREF;
}

// Runs such a loop for n elements of the list on top of the stack, after the first ones. Returns
// the number of elements that it has processed: 0 if LuaJIT's compiler is off. name: "write" from
// the list to the address, "read" in the other direction.
int64_t run_compiled(lua_State* L, const char* name, DType type, const void* address, int64_t first,
                     int64_t n) {
  luaL_checkstack(L, 7, "a list");
  const int list = lua_gettop(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, registered_state(L)->list_loops);
  lua_pushstring(L, name);
  lua_pushinteger(L, static_cast<int>(type) + 1);
  lua_pushvalue(L, list);
  push_integer(L, reinterpret_cast<uintptr_t>(address));
  push_integer(L, first);
  push_integer(L, n);
  lua_call(L, 6, 1);
  const auto done = static_cast<int64_t>(lua_tonumber(L, -1));
  lua_pop(L, 1);
  return done;
}

// Determines the shape from the first element of each level.
int shape_of(lua_State* L, int index, int64_t* size) {
  int ndim = 0;
  lua_pushvalue(L, index);
  while (lua_istable(L, -1) && !(th::tracing() && is_tracked_number(L, -1))) {
    if (ndim == th::kMaxDims) raise_error(L, "a table is nested more than %d deep", th::kMaxDims);
    size[ndim++] = static_cast<int64_t>(compat_rawlen(L, -1));
    luaL_checkstack(L, 2, "a table is nested too deep");
    lua_rawgeti(L, -1, 1);
    lua_remove(L, -2);
    if (size[ndim - 1] == 0) break;
  }
  lua_pop(L, 1);
  return ndim;
}

// Writes the numbers of a nested table to a new contiguous tensor. Tables are at the top of the
// stack.
class TableReader {
 public:
  TableReader(lua_State* state, Tensor* tensor)
      : L(state),
        t_(*tensor),
        item_(static_cast<int64_t>(th::item_size(t_.dtype))),
        integral_(th::is_integral(t_.dtype)),
        refuses_holes_(!registered_state(L)->is_torch7(Rule::tables)),
        refuses_names_(!registered_state(L)->is_torch7(Rule::arguments)) {}

  // Writes the elements of a table, which is dimension d of the tensor, at `data`. Returns the
  // address after them.
  char* fill(int d, char* data);
  // Checks the keys of a table of n elements: all keys of a small table, otherwise those after the
  // key n in Lua's order, which has all keys outside of the array part there.
  void check_keys(int64_t n);

 private:
  static constexpr int64_t kSmallTable = 32;

  void fill_innermost(int64_t n, char* data);
  void write(int64_t i, char* data);
  void check_key(int64_t n);
  void check_type(int d, int64_t i);

  lua_State* const L;
  const Tensor& t_;
  const int64_t item_;
  const bool integral_, refuses_holes_, refuses_names_;
};

char* TableReader::fill(int d, char* data) {
  const auto n = static_cast<int64_t>(compat_rawlen(L, -1));
  if (n != t_.size[d]) {
    raise_error(L, "%s: a ragged table: %d elements where %d are expected in dimension %d",
                tensor_class(t_.dtype), static_cast<int>(n), static_cast<int>(t_.size[d]), d + 1);
  }
  luaL_checkstack(L, 4, "a table is nested too deep");
  if (d == t_.nDimension - 1) {
    fill_innermost(n, data);
    return data + n * item_;
  }
  check_keys(n);
  for (int64_t i = 1; i <= n; ++i) {
    lua_rawgeti(L, -1, static_cast<int>(i));
    if (!lua_istable(L, -1)) check_type(d, i);
    data = fill(d + 1, data);
    lua_pop(L, 1);
  }
  return data;
}

void TableReader::fill_innermost(int64_t n, char* data) {
  int64_t i = 1;
  if (n <= kSmallTable && (refuses_holes_ || refuses_names_)) {
    // One pass in Lua's order, which usually begins with 1, 2, ..., also sees all other keys.
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
      if (i <= n && lua_type(L, -2) == LUA_TNUMBER &&
          lua_tonumber(L, -2) == static_cast<double>(i)) {
        write(i++, data);
        data += item_;
      } else {
        check_key(n);
      }
    }
  } else {
    check_keys(n);
    if (has_compiled_loop(L, n)) {
      const int64_t done = run_compiled(L, "write", t_.dtype, data, 0, n);
      i += done;
      data += done * item_;
    }
  }
  for (; i <= n; ++i, data += item_) {
    lua_rawgeti(L, -1, static_cast<int>(i));
    write(i, data);
    lua_pop(L, 1);
  }
}

// Writes the number at the top of the stack, which is at position i of an innermost table.
inline void TableReader::write(int64_t i, char* data) {
  if (lua_type(L, -1) != LUA_TNUMBER) {
    if (th::tracing() && is_tracked_number(L, -1)) {
      return write_element(t_.dtype, data, 0);  // tensor_from_table assigns it
    }
    check_type(t_.nDimension - 1, i);
  }
  if (integral_) {
    write_element(t_.dtype, data, check_listed_element(L, -1, t_.dtype, tensor_class(t_.dtype)));
  } else {
    write_element(t_.dtype, data, lua_tonumber(L, -1));
  }
}

void TableReader::check_keys(int64_t n) {
  if (!refuses_holes_ && !refuses_names_) return;
  if (n > kSmallTable) {
    lua_pushinteger(L, static_cast<lua_Integer>(n));
  } else {
    lua_pushnil(L);
  }
  for (; lua_next(L, -2); lua_pop(L, 1)) check_key(n);
}

// Checks the key below the value at the top of the stack. Numbers after the first n, as in
// {1, nil, 3}, are errors. So are strings in a table without elements, except n, which table.pack
// sets.
void TableReader::check_key(int64_t n) {
  if (n == 0 && refuses_names_ && lua_type(L, -2) == LUA_TSTRING &&
      std::strcmp(lua_tostring(L, -2), "n") != 0) {
    raise_error(L, "%s: arguments have no names: a list is expected, got a table with the key '%s'",
                tensor_class(t_.dtype), lua_tostring(L, -2));
  }
  if (lua_type(L, -2) != LUA_TNUMBER || !refuses_holes_) return;
  const double key = lua_tonumber(L, -2);
  if (key > static_cast<double>(n)) {
    raise_error(L, "%s: position %d of the table is nil, but position %.14g is not",
                tensor_class(t_.dtype), static_cast<int>(n + 1), key);
  }
}

// Raises an error if the value at the top of the stack has the wrong type for an element i of
// dimension d.
void TableReader::check_type(int d, int64_t i) {
  const bool innermost = d == t_.nDimension - 1;
  if (innermost ? lua_isnumber(L, -1) : lua_istable(L, -1)) return;
  const bool is_tensor = object_at(L, registered_state(L), lua_gettop(L)).is_tensor();
  raise_error(L, "%s: %s is expected at position %d of dimension %d of the table, got %s%s",
              tensor_class(t_.dtype), innermost ? "a number" : "a table", static_cast<int>(i),
              d + 1, shown_type(L, lua_gettop(L)),
              is_tensor ? ": tensor.stack makes a tensor of several" : "");
}

// Sets the list on top of the stack to the first elements of a row of the view, from an offset on.
// Returns the number of elements that it has set. Finalizers may run in the compiled loop, and may
// resize the storage, so the loop reads copies of parts.
int64_t read_compiled(lua_State* L, const Tensor& view, int64_t offset) {
  constexpr int64_t kPart = 1024;
  const int64_t n = view.size[view.nDimension - 1], step = view.stride[view.nDimension - 1];
  if (!has_compiled_loop(L, n)) return 0;
  alignas(8) char copy[8 * kPart];
  int64_t done = 0, read = kPart;
  for (int64_t count; read == kPart && done < n; done += read) {
    count = std::min(kPart, n - done);
    th::dispatch(view.dtype, [&](auto zero) {
      using T = decltype(zero);
      const char* from = nullptr;
      protect(L, "totable", [&] { from = view.data(th::Access::read); });
      const T* elements = reinterpret_cast<const T*>(from) + offset + done * step;
      for (int64_t i = 0; i < count; ++i) {
        std::memcpy(copy + i * sizeof(T), elements + i * step, sizeof(T));
      }
    });
    read = run_compiled(L, "read", view.dtype, copy, done, count);
  }
  return done;
}

// Pushes the table for dimension d of the view, at an offset in elements. Creating a table may run
// finalizers, which may resize the storage, so the address is read afterwards.
void push_nested(lua_State* L, const Tensor& view, int d, int64_t offset) {
  luaL_checkstack(L, 3, "too many dimensions");
  int64_t n = view.size[d], step = view.stride[d];
  lua_createtable(L, static_cast<int>(n), 0);
  bool innermost = d == view.nDimension - 1;
  const char* data = nullptr;
  auto item = static_cast<int64_t>(th::item_size(view.dtype));
  int64_t i = innermost ? read_compiled(L, view, offset) : 0;
  if (innermost) protect(L, "totable", [&] { data = view.data(th::Access::read) + offset * item; });
  for (; i < n; ++i) {
    if (innermost) {
      push_element(L, view.dtype, data + i * step * item);
    } else {
      push_nested(L, view, d + 1, offset + i * step);
    }
    lua_rawseti(L, -2, static_cast<int>(i + 1));
  }
}

[[noreturn]] void refuse_entries(lua_State* L, double n) {
  raise_error(L, "totable: %.0f entries are too many", n);
  __builtin_unreachable();
}

// Also rejects shapes without elements that would need too many tables.
void check_table_sizes(lua_State* L, const Tensor& t) {
  double entries = 1;
  for (int d = 0; d < t.nDimension && entries > 0; ++d) {
    check_entries(L, static_cast<double>(t.size[d]));
    entries *= static_cast<double>(t.size[d]);
    if (entries > INT32_MAX) refuse_entries(L, entries);
  }
}

// Assigns the tracked numbers of the table on top of the stack to elements of t, by operations that
// gradient tapes record.
void assign_tracked_numbers(lua_State* L, const Tensor& t, int d, ptrdiff_t position) {
  for (int64_t i = 0; i < t.size[d]; ++i, position += t.stride[d]) {
    lua_rawgeti(L, -1, static_cast<int>(i + 1));
    if (d < t.nDimension - 1) {
      assign_tracked_numbers(L, t, d + 1, position);
    } else if (is_tracked_number(L, -1)) {
      read_tracked_number(L, lua_gettop(L));
      Tensor* number = check_tensor(L, state_of(L), -1);
      protect(L, tensor_class(t.dtype),
              [&] { th::ops::copy(th::vector_of(t.storage, position, 1).get(), number); });
    }
    lua_pop(L, 1);
  }
}

// _listloops(f): f copies elements of long lists (lua/core/lists.lua).
int set_list_loops(lua_State* L) {
  check_kind(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  registered_state(L)->list_loops = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

}  // namespace

void register_table_functions(lua_State* L, int module) {
  set_functions(L, {{"_listloops", guarded<set_list_loops>}}, module);
}

void check_entries(lua_State* L, double n) {
  // A table of LuaJIT has at most 2^27 entries.
  constexpr double kMost = LUA_VERSION_NUM == 501 ? 0x1p27 : INT32_MAX;
  if (n > kMost) refuse_entries(L, n);
}

void tensor_from_table(lua_State* L, Tensor* t, int index) {
  int64_t size[th::kMaxDims];
  int ndim = shape_of(L, index, size);
  if (ndim == 1 && size[0] == 0) ndim = 0;  // {} is Torch7's empty tensor
  char* data = nullptr;
  protect(L, tensor_class(t->dtype), [&] {
    th::set_storage(t, nullptr, 0, ndim, size, nullptr);
    data = t->data(th::Access::overwrite);
  });
  TableReader reader(L, t);
  lua_pushvalue(L, index);
  if (ndim == 0) {
    reader.check_keys(0);
    lua_pop(L, 1);
    return;
  }
  reader.fill(0, data);
  if (th::tracing() && !th::grad::recording_tapes().empty()) {
    assign_tracked_numbers(L, *t, 0, t->storageOffset);
  }
  lua_pop(L, 1);
}

int tensor_to_table(lua_State* L) {
  th::trace_access(kElementAccess);
  State* state = state_of(L);
  if (check_tensor(L, state, 1)->nDimension == 0) {
    lua_newtable(L);
    return 1;
  }
  Tensor* t = nullptr;
  Tensor* view = push_new_like(L, state, 1, &t);
  protect(L, "totable", [&] {
    t->check_storage();
    th::set_view(view, *t);
  });
  check_table_sizes(L, *view);
  push_nested(L, *view, 0, 0);
  return 1;
}

void check_index_list(lua_State* L, const char* function, int table, int count, int last) {
  bool is_list = true;
  for (int i = count + 2; i <= last && is_list; ++i) {
    lua_rawgeti(L, table, i);
    is_list = lua_isnil(L, -1);
    lua_pop(L, 1);
  }
  if (count) {
    lua_pushinteger(L, count);
  } else {
    lua_pushnil(L);
  }
  if (lua_next(L, table)) {
    lua_pop(L, 2);
    is_list = false;
  }
  if (!is_list) check_list(L, table, function);
}

}  // namespace bind
