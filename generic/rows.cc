#include "rows.h"

#include "functors/rows.h"

namespace bind {

using namespace th::row_flag;

#define TH_OP(name, lua, types, result, parameters, names, function, method, flags, doc) \
  {#name,                                                                                \
   lua,                                                                                  \
   #types,                                                                               \
   th::type_set::types::words,                                                           \
   &th::type_set::types::contains,                                                       \
   #parameters,                                                                          \
   function,                                                                             \
   method,                                                                               \
   flags,                                                                                \
   doc,                                                                                  \
   &Invoke<&th::ops::name>::run,                                                         \
   Invoke<&th::ops::name>::gives_number,                                                 \
   Invoke<&th::ops::name>::gives_boolean},
const Row rows[] = {
#include "THOps.def"
};
const int row_count = sizeof(rows) / sizeof(rows[0]);

int op_table(lua_State* L) {
  lua_createtable(L, row_count, 0);
  for (int i = 0; i < row_count; ++i) {
    const Row& row = rows[i];
    lua_createtable(L, 0, 8);
    const struct {
      const char* key;
      const char* value;
    } fields[] = {{"name", row.name},
                  {"lua", row.lua},
                  {"types", row.types},
                  {"typenames", row.typenames},
                  {"parameters", row.parameters},
                  {"function", row.function},
                  {"method", row.method},
                  {"doc", row.doc}};
    for (const auto& field : fields) {
      lua_pushstring(L, field.value);
      lua_setfield(L, -2, field.key);
    }
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

}  // namespace bind
