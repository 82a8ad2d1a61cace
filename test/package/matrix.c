#include <TH.h>
#include <luaT.h>

/* rows.Matrix: a class derived from a tensor's, whose objects are tensors. */

static int matrix_new(lua_State* L) {
  long rows = luaL_checklong(L, 1), columns = luaL_checklong(L, 2);
  luaT_pushudata(L, THFloatTensor_newWithSize2d(rows, columns), "rows.Matrix");
  return 1;
}

/* The sum of the diagonal: a method that torch.FloatTensor has, too, is this class's own here. */
static int matrix_trace(lua_State* L) {
  THFloatTensor* t = luaT_checkudata(L, 1, "rows.Matrix");
  double sum = 0;
  long i;
  for (i = 0; i < t->size[0] && i < t->size[1]; i++) sum += THFloatTensor_get2d(t, i, i);
  lua_pushnumber(L, sum);
  lua_pushliteral(L, "rows.Matrix");
  return 2;
}

/* Any FloatTensor, of that class or of this one, or none: its number of elements, or nil. */
static int count(lua_State* L) {
  THFloatTensor* t = luaT_toudata(L, 1, "torch.FloatTensor");
  if (t)
    lua_pushnumber(L, (lua_Number)THFloatTensor_nElement(t));
  else
    lua_pushnil(L);
  return 1;
}

static const luaL_Reg methods[] = {{"trace", matrix_trace}, {NULL, NULL}};
static const luaL_Reg functions[] = {{"count", count}, {NULL, NULL}};

void rows_matrix_init(lua_State* L) {
  luaT_newmetatable(L, "rows.Matrix", "torch.FloatTensor", matrix_new, NULL, NULL);
  luaT_setfuncs(L, methods, 0);
  luaT_registeratname(L, functions, "rows");
  lua_pop(L, 1);
}
