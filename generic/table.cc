// Tensors from nested tables, and back.

#include <climits>

#include "bindings.h"
#include "grad/tape.h"
#include "ops/ops.h"

namespace bind {

namespace {

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

// Raises an error if the key below the value on top of the stack is a number after the first n, as
// in {1, nil, 3}.
void check_key(lua_State* L, const Tensor* t, int64_t n) {
  if (lua_type(L, -2) != LUA_TNUMBER) return;
  const double key = lua_tonumber(L, -2);
  if (key > static_cast<double>(n) && !registered_state(L)->is_torch7(Rule::tables)) {
    raise_error(L, "%s: position %d of the table is nil, but position %.14g is not",
                tensor_class(t->dtype), static_cast<int>(n + 1), key);
  }
}

constexpr int64_t kSmallTable = 32;

// Checks the keys of the table at the top of the stack: all of a small table, otherwise those after
// the key n in Lua's order, which has all keys outside of the array part there.
void check_keys(lua_State* L, const Tensor* t, int64_t n) {
  if (n > kSmallTable) {
    lua_pushinteger(L, static_cast<lua_Integer>(n));
  } else {
    lua_pushnil(L);
  }
  for (; lua_next(L, -2); lua_pop(L, 1)) check_key(L, t, n);
}

// Raises an error if the value on top of the stack has the wrong type for an element i of dimension
// d.
void check_listed(lua_State* L, const Tensor* t, int d, int64_t i) {
  const bool innermost = d == t->nDimension - 1;
  if (innermost ? lua_isnumber(L, -1) : lua_istable(L, -1)) return;
  raise_error(L, "%s: %s is expected at position %d of dimension %d of the table, got %s",
              tensor_class(t->dtype), innermost ? "a number" : "a table", static_cast<int>(i),
              d + 1, shown_type(L, lua_gettop(L)));
}

// Writes the number on top of the stack, which is at position i of an innermost table.
void write_listed(lua_State* L, const Tensor* t, int64_t i, char* data) {
  if (th::tracing() && is_tracked_number(L, -1)) {
    return write_element(t->dtype, data, 0);  // tensor_from_table assigns it
  }
  check_listed(L, t, t->nDimension - 1, i);
  const double number = lua_tonumber(L, -1);
  if (th::is_integral(t->dtype)) {
    check_listed_element(L, number, t->dtype, tensor_class(t->dtype));
  }
  write_element(t->dtype, data, number);
}

// Writes the n numbers of the innermost table at the top of the stack.
void fill_innermost(lua_State* L, const Tensor* t, int64_t n, char* data, int64_t item) {
  int64_t i = 1;
  if (n <= kSmallTable) {
    // One pass in Lua's order, which usually begins with 1, 2, ..., also sees all other keys.
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
      if (i <= n && lua_type(L, -2) == LUA_TNUMBER &&
          lua_tonumber(L, -2) == static_cast<double>(i)) {
        write_listed(L, t, i, data + (i - 1) * item);
        ++i;
      } else {
        check_key(L, t, n);
      }
    }
  } else {
    check_keys(L, t, n);
  }
  for (; i <= n; ++i) {
    lua_rawgeti(L, -1, static_cast<int>(i));
    write_listed(L, t, i, data + (i - 1) * item);
    lua_pop(L, 1);
  }
}

// Writes the elements of the table at the top of the stack, which is dimension d of t, at data.
// Returns the address after them.
char* fill(lua_State* L, const Tensor* t, int d, char* data, int64_t item) {
  int64_t n = static_cast<int64_t>(compat_rawlen(L, -1));
  if (n != t->size[d]) {
    raise_error(L, "%s: a ragged table: %d elements where %d are expected in dimension %d",
                tensor_class(t->dtype), static_cast<int>(n), static_cast<int>(t->size[d]), d + 1);
  }
  luaL_checkstack(L, 4, "a table is nested too deep");
  if (d == t->nDimension - 1) {
    fill_innermost(L, t, n, data, item);
    return data + n * item;
  }
  check_keys(L, t, n);
  for (int64_t i = 1; i <= n; ++i) {
    lua_rawgeti(L, -1, static_cast<int>(i));
    check_listed(L, t, d, i);
    data = fill(L, t, d + 1, data, item);
    lua_pop(L, 1);
  }
  return data;
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
  if (innermost) protect(L, "totable", [&] { data = view.data(th::Access::read) + offset * item; });
  for (int64_t i = 0; i < n; ++i) {
    if (innermost) {
      push_element(L, view.dtype, data + i * step * item);
    } else {
      push_nested(L, view, d + 1, offset + i * step);
    }
    lua_rawseti(L, -2, static_cast<int>(i + 1));
  }
}

// Rejects shapes without elements that would need too many tables.
void check_table_sizes(lua_State* L, const Tensor& t) {
  double entries = 1;
  for (int d = 0; d < t.nDimension && entries > 0; ++d) {
    entries *= static_cast<double>(t.size[d]);
    if (entries > INT32_MAX) raise_error(L, "totable: %.0f entries are too many", entries);
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

}  // namespace

void tensor_from_table(lua_State* L, Tensor* t, int index) {
  int64_t size[th::kMaxDims];
  int ndim = shape_of(L, index, size);
  if (ndim == 1 && size[0] == 0) ndim = 0;  // {} is Torch7's empty tensor
  char* data = nullptr;
  protect(L, tensor_class(t->dtype), [&] {
    th::set_storage(t, nullptr, 0, ndim, size, nullptr);
    data = t->data(th::Access::overwrite);
  });
  if (ndim == 0) {
    lua_pushvalue(L, index);
    check_keys(L, t, 0);
    lua_pop(L, 1);
    return;
  }
  lua_pushvalue(L, index);
  fill(L, t, 0, data, static_cast<int64_t>(th::item_size(t->dtype)));
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

}  // namespace bind
