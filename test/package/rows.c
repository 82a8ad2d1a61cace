#include <TH.h>
#include <luaT.h>

#define torch_(NAME) TH_CONCAT_3(torch_, Real, NAME)
#define torch_Tensor TH_CONCAT_STRING_3(torch., Real, Tensor)
#define rows_(NAME) TH_CONCAT_3(rows_, Real, NAME)

#include "generic/rows.c"
#include "THGenerateFloatTypes.h"

void rows_matrix_init(lua_State* L);
void rows_worker_init(lua_State* L);

DLL_EXPORT int luaopen_librows(lua_State* L) {
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_setglobal(L, "rows");
  rows_matrix_init(L);
  rows_worker_init(L);
  rows_FloatInit(L);
  rows_DoubleInit(L);
  return 1;
}
