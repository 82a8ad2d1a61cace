// The names that luaT had once.

#include <gtest/gtest.h>

#include <string>

#define LUAT_DEPRECATED
#include "luaT.h"

extern "C" {
#include <lualib.h>
}

namespace {

class Deprecated : public ::testing::Test {
 protected:
  Deprecated() : L(luaL_newstate()) {
    luaL_openlibs(L);
    luaT_newmetatable(L, "demo.Thing", nullptr, nullptr, nullptr, nullptr);
    lua_pop(L, 1);
  }
  ~Deprecated() override { lua_close(L); }
  lua_State* L;
};

int answer(lua_State* L) {
  lua_pushnumber(L, 42);
  return 1;
}

int check_unknown(lua_State* L) {
  luaT_checktypename2id(L, "demo.Nothing");
  return 0;
}

TEST_F(Deprecated, ClassesAreToldByTheirNames) {
  int object = 0;
  luaT_pushudata(L, &object, "demo.Thing");
  EXPECT_STREQ(luaT_id(L, -1), "demo.Thing");
  EXPECT_STREQ(luaT_id2typename(L, "demo.Thing"), "demo.Thing");
  EXPECT_STREQ(luaT_typename2id(L, "demo.Thing"), "demo.Thing");
  EXPECT_EQ(luaT_typename2id(L, "demo.Nothing"), nullptr);
  EXPECT_STREQ(luaT_checktypename2id(L, "demo.Thing"), "demo.Thing");
  ASSERT_EQ(luaT_getmetaclass(L, -1), 1);
  ASSERT_EQ(luaT_pushmetaclass(L, "demo.Thing"), 1);
  EXPECT_TRUE(lua_rawequal(L, -1, -2));
  EXPECT_EQ(luaT_pushmetaclass(L, "demo.Nothing"), 0);
  ASSERT_EQ(lua_cpcall(L, check_unknown, nullptr), LUA_ERRRUN);
  EXPECT_NE(std::string(lua_tostring(L, -1)).find("unknown class demo.Nothing"), std::string::npos);
}

TEST_F(Deprecated, FunctionsAreRegisteredInAField) {
  const luaL_Reg functions[] = {{"answer", answer}, {nullptr, nullptr}};
  luaT_pushmetaclass(L, "demo.Thing");
  luaT_registeratid(L, functions, "extra");
  lua_getfield(L, -1, "extra");
  lua_getfield(L, -1, "answer");
  lua_call(L, 0, 1);
  EXPECT_EQ(lua_tonumber(L, -1), 42);
}

TEST_F(Deprecated, PartsOfNames) {
  char part[LUAT_MODULENAME_SIZE];
  EXPECT_EQ(luaT_fullparentname("a.b.Class", part), 1);
  EXPECT_STREQ(part, "a.b");
  EXPECT_EQ(luaT_outerparentname("a.b.Class", part), 1);
  EXPECT_STREQ(part, "a");
  EXPECT_EQ(luaT_innerparentname("a.b.Class", part), 1);
  EXPECT_STREQ(part, "b");
  EXPECT_EQ(luaT_innerparentname("a.Class", part), 1);
  EXPECT_STREQ(part, "a");
  for (auto f : {luaT_fullparentname, luaT_outerparentname, luaT_innerparentname}) {
    EXPECT_EQ(f("Class", part), 0);
    EXPECT_STREQ(part, "");
  }
  ASSERT_EQ(luaL_dostring(L, "a = {b = {here = true}}"), 0);
  luaT_getinnerparent(L, "a.b.Class");
  lua_getfield(L, -1, "here");
  EXPECT_TRUE(lua_toboolean(L, -1));
  luaT_getinnerparent(L, "a.c.d.Class");
  EXPECT_TRUE(lua_isnil(L, -1));
}

}  // namespace
