#include <TH.h>
#include <luaT.h>

#define torch_(NAME) TH_CONCAT_3(torch_, Real, NAME)
#define torch_Tensor TH_CONCAT_STRING_3(torch., Real, Tensor)
#define rows_(NAME) TH_CONCAT_3(rows_, Real, NAME)

#include "generic/rows.c"
#include "THGenerateFloatTypes.h"

DLL_EXPORT int luaopen_librows(lua_State* L) {
  lua_newtable(L);
  rows_FloatInit(L);
  rows_DoubleInit(L);
  return 1;
}
