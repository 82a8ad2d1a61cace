#include <stdio.h>
#include <stdlib.h>

#include "class.h"

/* Memory allocation for C packages, and a stack dump for debugging. */

static void* check_memory(lua_State* L, void* ptr, ptrdiff_t size) {
  if (!ptr)
    luaL_error(L, "not enough memory: you tried to allocate %d MB",
               (int)(size / 1048576 < INT32_MAX ? size / 1048576 : INT32_MAX));
  return ptr;
}

static void* negative_size(lua_State* L) {
  luaL_error(L, "invalid memory size, maybe an overflow");
  return NULL;
}

void* luaT_alloc(lua_State* L, ptrdiff_t size) {
  if (size < 0) return negative_size(L);
  return size == 0 ? NULL : check_memory(L, malloc((size_t)size), size);
}

void* luaT_realloc(lua_State* L, void* ptr, ptrdiff_t size) {
  if (size < 0) return negative_size(L);
  if (size == 0) {
    free(ptr);
    return NULL;
  }
  return check_memory(L, realloc(ptr, (size_t)size), size);
}

void luaT_free(lua_State* L, void* ptr) {
  (void)L;
  free(ptr);
}

void luaT_stackdump(lua_State* L) {
  const int top = lua_gettop(L);
  int i;
  for (i = 1; i <= top; i++) {
    const char* name = luaT_typename(L, i);
    printf("%3d: ", i);
    if (name) {
      printf("%s\n", name);
      continue;
    }
    switch (lua_type(L, i)) {
      case LUA_TNUMBER:
        printf("number %.14g\n", (double)lua_tonumber(L, i));
        break;
      case LUA_TSTRING:
        printf("string \"%s\"\n", lua_tostring(L, i));
        break;
      case LUA_TBOOLEAN:
        printf("boolean %s\n", lua_toboolean(L, i) ? "true" : "false");
        break;
      default:
        printf("%s\n", luaL_typename(L, i));
    }
  }
  fflush(stdout);
}
