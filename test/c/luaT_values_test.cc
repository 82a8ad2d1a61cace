#include <gtest/gtest.h>

#include <climits>
#include <cstdint>
#include <limits>
#include <string>

#include "luaT.h"

extern "C" {
#include <lualib.h>
}

// The functions for plain arguments, fields and memory: their results, and their messages for
// arguments that they reject.

namespace {

class Values : public ::testing::Test {
 protected:
  Values() : L(luaL_newstate()) { luaL_openlibs(L); }
  ~Values() override { lua_close(L); }

  // Calls f with the value of a Lua expression as its argument. Gives "" or the error.
  std::string call(lua_CFunction f, const std::string& expression) {
    const std::string chunk = "local f = ... local ok = f(" + expression + ") return ok";
    std::string message;
    EXPECT_EQ(luaL_loadstring(L, chunk.c_str()), 0);
    lua_pushcfunction(L, f);
    if (lua_pcall(L, 1, 1, 0)) {
      message = lua_tostring(L, -1);
      message = message.substr(message.find("bad"));
    } else {
      EXPECT_TRUE(lua_toboolean(L, -1)) << expression;
    }
    lua_settop(L, 0);
    return message;
  }

  lua_State* L;
};

int expect(lua_State* L, bool condition) {
  lua_pushboolean(L, condition);
  return 1;
}

int check_long(lua_State* L) { return expect(L, luaT_checklong(L, 1) == -3); }
int check_integer(lua_State* L) { return expect(L, luaT_checkinteger(L, 1) == -3); }
int check_boolean(lua_State* L) { return expect(L, luaT_checkboolean(L, 1) == 1); }
int opt_boolean(lua_State* L) { return expect(L, luaT_optboolean(L, 1, 1) == 1); }
int number_field(lua_State* L) { return expect(L, luaT_getfieldchecknumber(L, 1, "x") == 1.5); }
int int_field(lua_State* L) { return expect(L, luaT_getfieldcheckint(L, 1, "x") == 1); }
int string_field(lua_State* L) {
  return expect(L, std::string(luaT_getfieldcheckstring(L, 1, "x")) == "s");
}
int boolean_field(lua_State* L) { return expect(L, luaT_getfieldcheckboolean(L, 1, "x") == 0); }
int table_field(lua_State* L) {
  luaT_getfieldchecktable(L, -1, "x");
  return expect(L, lua_gettop(L) == 2 && lua_istable(L, -1));
}
int udata_field(lua_State* L) {
  return expect(L, luaT_getfieldcheckudata(L, 1, "x", "torch.Thing") == L);
}
int light_field(lua_State* L) {
  return expect(L, luaT_getfieldchecklightudata(L, 1, "x") == nullptr);
}

TEST_F(Values, Arguments) {
  const char* number_expected = "bad argument #1 to 'f' (number expected, got table)";
  const char* out_of_range = "bad argument #1 to 'f' (number out of range)";
  for (lua_CFunction f : {check_long, check_integer}) {
    EXPECT_EQ(call(f, "-3"), "");
    EXPECT_EQ(call(f, "-3.9"), "");
    EXPECT_EQ(call(f, "'-3'"), "");
    EXPECT_EQ(call(f, "{}"), number_expected);
    EXPECT_EQ(call(f, "0/0"), out_of_range);
    EXPECT_EQ(call(f, "2^63"), out_of_range);
    EXPECT_EQ(call(f, "-1/0"), out_of_range);
  }
  EXPECT_EQ(call(check_boolean, "true"), "");
  EXPECT_EQ(call(check_boolean, "1"), "bad argument #1 to 'f' (boolean expected, got number)");
  EXPECT_EQ(call(check_boolean, ""), "bad argument #1 to 'f' (boolean expected, got no value)");
  EXPECT_EQ(call(opt_boolean, ""), "");
  EXPECT_EQ(call(opt_boolean, "nil"), "");
  EXPECT_EQ(call(opt_boolean, "true"), "");
  EXPECT_EQ(call(opt_boolean, "'x'"), "bad argument #1 to 'f' (boolean expected, got string)");
}

TEST_F(Values, NumbersWithoutErrors) {
  luaT_pushlong(L, 1L << 52);
  luaT_pushinteger(L, -(static_cast<ptrdiff_t>(1) << 52));
  lua_pushnumber(L, std::numeric_limits<double>::quiet_NaN());
  lua_pushliteral(L, "text");
  EXPECT_EQ(luaT_tolong(L, 1), 1L << 52);
  EXPECT_EQ(luaT_tolong(L, 2), -(1L << 52));
  EXPECT_EQ(luaT_tolong(L, 3), 0);
  EXPECT_EQ(luaT_tolong(L, 4), 0);
  EXPECT_EQ(luaT_tolong(L, 5), 0);
  EXPECT_EQ(lua_gettop(L), 4);
}

TEST_F(Values, Fields) {
  EXPECT_EQ(call(number_field, "{x = 1.5}"), "");
  EXPECT_EQ(call(number_field, "{}"), "bad argument #1 to 'f' (field x does not exist)");
  EXPECT_EQ(call(number_field, "{x = {}}"), "bad argument #1 to 'f' (field x is not a number)");
  EXPECT_EQ(call(number_field, "nil"), "bad argument #1 to 'f' (table expected, got nil)");
  EXPECT_EQ(call(number_field, ""), "bad argument #1 to 'f' (table expected, got no value)");
  EXPECT_EQ(call(number_field, "5"), "bad argument #1 to 'f' (table expected, got number)");
  EXPECT_EQ(call(number_field, "setmetatable({}, {__index = {x = 1.5}})"), "");
  EXPECT_EQ(call(int_field, "{x = 1.5}"), "");
  EXPECT_EQ(call(int_field, "{x = 2^40}"), "bad argument #1 to 'f' (field x is out of range)");
  EXPECT_EQ(call(int_field, "{x = 's'}"), "bad argument #1 to 'f' (field x is not a number)");
  EXPECT_EQ(call(string_field, "{x = 's'}"), "");
  EXPECT_EQ(call(string_field, "{x = {}}"), "bad argument #1 to 'f' (field x is not a string)");
  EXPECT_EQ(call(boolean_field, "{x = false}"), "");
  EXPECT_EQ(call(boolean_field, "{x = 0}"), "bad argument #1 to 'f' (field x is not a boolean)");
  EXPECT_EQ(call(table_field, "{x = {}}"), "");
  EXPECT_EQ(call(table_field, "{x = 0}"), "bad argument #1 to 'f' (field x is not a table)");

  luaT_newmetatable(L, "torch.Thing", nullptr, nullptr, nullptr, nullptr);
  luaT_pushudata(L, L, "torch.Thing");
  lua_setglobal(L, "thing");
  EXPECT_EQ(call(udata_field, "{x = thing}"), "");
  EXPECT_EQ(call(udata_field, "{x = 0}"), "bad argument #1 to 'f' (field x is not a torch.Thing)");
  EXPECT_EQ(call(light_field, "{x = thing}"),
            "bad argument #1 to 'f' (field x is not a light userdata)");
  lua_pushlightuserdata(L, nullptr);
  lua_setglobal(L, "light");
  EXPECT_EQ(call(light_field, "{x = light}"), "");
}

TEST_F(Values, Memory) {
  EXPECT_EQ(luaT_alloc(L, 0), nullptr);
  EXPECT_EQ(luaT_realloc(L, nullptr, 0), nullptr);
  auto* bytes = static_cast<unsigned char*>(luaT_alloc(L, 16));
  ASSERT_NE(bytes, nullptr);
  bytes[15] = 7;
  bytes = static_cast<unsigned char*>(luaT_realloc(L, bytes, 100000));
  EXPECT_EQ(bytes[15], 7);
  EXPECT_EQ(luaT_realloc(L, bytes, 0), nullptr);
  luaT_free(L, luaT_realloc(L, nullptr, 8));
  luaT_free(L, nullptr);

  const auto error_of = [this](lua_CFunction f) {
    lua_pushcfunction(L, f);
    const std::string message = lua_pcall(L, 0, 0, 0) ? lua_tostring(L, -1) : "";
    lua_settop(L, 0);
    return message;
  };
  EXPECT_EQ(error_of([](lua_State* state) {
              luaT_alloc(state, -1);
              return 0;
            }),
            "invalid memory size, maybe an overflow");
  EXPECT_EQ(error_of([](lua_State* state) {
              luaT_realloc(state, nullptr, -1);
              return 0;
            }),
            "invalid memory size, maybe an overflow");
  EXPECT_EQ(error_of([](lua_State* state) {
              luaT_free(state, luaT_alloc(state, PTRDIFF_MAX / 4));
              return 0;
            }),
            "not enough memory: you tried to allocate 2147483647 MB");
}

TEST_F(Values, StackDump) {
  luaT_newmetatable(L, "torch.Thing", nullptr, nullptr, nullptr, nullptr);
  lua_settop(L, 0);
  luaT_pushudata(L, L, "torch.Thing");
  lua_pushliteral(L, "text");
  lua_pushnumber(L, 1.5);
  lua_pushboolean(L, 0);
  lua_pushnil(L);
  testing::internal::CaptureStdout();
  luaT_stackdump(L);
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "  1: torch.Thing\n  2: string \"text\"\n  3: number 1.5\n  4: boolean false\n"
            "  5: nil\n");
  EXPECT_EQ(lua_gettop(L), 5);
}

}  // namespace
