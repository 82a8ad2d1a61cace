/* A Lua module that links neither libTH nor libluaT, like several packages for Torch7. */
#include <TH.h>
#include <luaT.h>

DLL_EXPORT long rows_unlinked_sum(THLongStorage* storage) {
  long sum = 0;
  for (ptrdiff_t i = 0; i < THLongStorage_size(storage); ++i) sum += THLongStorage_get(storage, i);
  return sum;
}

static int sum(lua_State* L) {
  lua_pushnumber(L, rows_unlinked_sum(luaT_checkudata(L, 1, "torch.LongStorage")));
  return 1;
}

DLL_EXPORT int luaopen_librowsunlinked(lua_State* L) {
  lua_pushcfunction(L, sum);
  return 1;
}
