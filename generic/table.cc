// Tensors from nested tables.

#include <climits>

#include "bindings.h"

namespace bind {

namespace {

// Determines the shape from the first element of each level.
int shape_of(lua_State* L, int index, int64_t* size) {
  int ndim = 0;
  lua_pushvalue(L, index);
  while (lua_istable(L, -1)) {
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

char* fill(lua_State* L, const Tensor* t, int d, char* data, int64_t item) {
  int64_t n = static_cast<int64_t>(compat_rawlen(L, -1));
  if (n != t->size[d]) {
    raise_error(L, "%s: a ragged table: %d elements where %d are expected in dimension %d",
                tensor_class(t->dtype), static_cast<int>(n), static_cast<int>(t->size[d]), d + 1);
  }
  luaL_checkstack(L, 2, "a table is nested too deep");
  const bool integral = th::is_integral(t->dtype);
  for (int64_t i = 1; i <= n; ++i) {
    lua_rawgeti(L, -1, static_cast<int>(i));
    bool innermost = d == t->nDimension - 1;
    if (innermost ? !lua_isnumber(L, -1) : !lua_istable(L, -1)) {
      raise_error(L, "%s: %s is expected at position %d of dimension %d of the table, got %s",
                  tensor_class(t->dtype), innermost ? "a number" : "a table", static_cast<int>(i),
                  d + 1, shown_type(L, lua_gettop(L)));
    }
    if (innermost) {
      const double number = lua_tonumber(L, -1);
      if (integral) check_listed_element(L, number, t->dtype, tensor_class(t->dtype));
      write_element(t->dtype, data, number);
      data += item;
    } else {
      data = fill(L, t, d + 1, data, item);
    }
    lua_pop(L, 1);
  }
  return data;
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
  if (ndim == 0) return;
  lua_pushvalue(L, index);
  fill(L, t, 0, data, static_cast<int64_t>(th::item_size(t->dtype)));
  lua_pop(L, 1);
}

}  // namespace bind
