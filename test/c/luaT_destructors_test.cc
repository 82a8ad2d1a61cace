#include <gtest/gtest.h>

#include <string>

#include "luaT.h"

extern "C" {
#include <lualib.h>
}

// When the destructors of luaT's classes run: once for each object, also if they fail or call each
// other, and for subclasses, whichever is made first.

namespace {

int live = 0;

int destroy(lua_State* L) {
  delete static_cast<int*>(luaT_checkudata(L, 1, "Base"));
  --live;
  return 0;
}

// Calls __gc of the class `name` with the object at stack index 1.
void call_gc(lua_State* L, const char* name) {
  luaT_pushmetatable(L, name);
  lua_getfield(L, -1, "__gc");
  lua_pushvalue(L, 1);
  lua_call(L, 1, 0);
}

int destroy_again(lua_State* L) {
  destroy(L);
  call_gc(L, "Failing");
  return luaL_error(L, "the destructor fails");
}

int destroy_as_base(lua_State* L) {
  call_gc(L, "Base");
  return 0;
}

class Destructors : public ::testing::Test {
 protected:
  Destructors() : L(luaL_newstate()) {
    live = 0;
    luaL_openlibs(L);
    lua_register(L, "class", luaT_lua_newmetatable);
    luaT_newmetatable(L, "Base", nullptr, nullptr, destroy, nullptr);
  }
  ~Destructors() override {
    lua_close(L);
    EXPECT_EQ(live, 0);
  }

  void push(const char* name) {
    luaT_pushudata(L, new int(1), name);
    ++live;
  }
  // Pops all values, and runs the garbage collector.
  void collect() {
    lua_settop(L, 0);
    lua_gc(L, LUA_GCCOLLECT, 0);
    lua_gc(L, LUA_GCCOLLECT, 0);
  }
  // Returns the text that the chunk returns, or its error message.
  std::string run(const char* chunk) {
    if (!luaL_loadstring(L, chunk)) lua_pcall(L, 0, 1, 0);
    const char* text = lua_tostring(L, -1);
    return text ? text : "";
  }

  lua_State* L;
};

TEST_F(Destructors, ThatFailRunOnce) {
  luaT_newmetatable(L, "Failing", "Base", nullptr, destroy_again, nullptr);
  push("Failing");
  lua_setglobal(L, "object");
  EXPECT_EQ(run("local gc = getmetatable(object).__gc "
                "local _, message = pcall(gc, object) gc(object) return message"),
            "the destructor fails");
  EXPECT_EQ(live, 0);
  lua_getglobal(L, "object");
  EXPECT_EQ(luaT_rawudata(L, -1, "Base"), nullptr);
}

TEST_F(Destructors, MayCallThatOfTheParent) {
  luaT_newmetatable(L, "Chained", "Base", nullptr, destroy_as_base, nullptr);
  push("Chained");
  collect();
  EXPECT_EQ(live, 0);
}

TEST_F(Destructors, MayRunTheGarbageCollector) {
  EXPECT_EQ(run("class('Collecting', nil, nil, function() runs = (runs or 0) + 1 held = nil "
                "  collectgarbage() end)"),
            "");
  push("Base");
  lua_setglobal(L, "held");
  static int object;
  for (int k = 0; k < 3; ++k) luaT_pushudata(L, &object, "Collecting");
  collect();
  EXPECT_EQ(live, 0);
  EXPECT_EQ(run("return runs"), "3");
}

TEST_F(Destructors, SetLaterAreInherited) {
  // For a class that has subclasses; as the parent of one that has; and not where Lua code has set
  // __gc itself.
  EXPECT_EQ(
      run("local function count(name) return function() _G[name] = (_G[name] or 0) + 1 end end "
          "class 'A' class('B', 'A') class('C', 'B') "
          "class('Own', 'B', nil, count 'own') class('UnderOwn', 'Own') "
          "class('A', nil, nil, count 'inherited') "
          "class 'D' class('E', 'D') class('D', 'A') "
          "class 'F' class('G', 'F') local H = class('H', 'F') "
          "rawset(H, '__gc', count 'raw') class('F', 'A')"),
      "");
  static int object;
  for (const char* name : {"A", "B", "C", "D", "E", "F", "G", "Own", "UnderOwn", "H"}) {
    luaT_pushudata(L, &object, name);
  }
  collect();
  EXPECT_EQ(run("return inherited .. ' ' .. own .. ' ' .. raw"), "7 2 1");
}

}  // namespace
