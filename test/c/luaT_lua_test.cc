#include <gtest/gtest.h>

#include <string>

#include "luaT.h"

extern "C" {
#include <lualib.h>
}

// luaT as seen from Lua: metamethods that look up the user's, tables as objects, and the functions
// that a module registers.

namespace {

int thing(lua_State* L) {
  static int things[16];
  luaT_pushudata(L, &things[luaL_optinteger(L, 1, 0) & 15], "torch.Thing");
  return 1;
}

class FromLua : public ::testing::Test {
 protected:
  FromLua() : L(luaL_newstate()) {
    luaL_openlibs(L);
    lua_newtable(L);
    const luaL_Reg functions[] = {{"newmetatable", luaT_lua_newmetatable},
                                  {"getmetatable", luaT_lua_getmetatable},
                                  {"getconstructortable", luaT_lua_getconstructortable},
                                  {"factory", luaT_lua_factory},
                                  {"typename", luaT_lua_typename},
                                  {"isequal", luaT_lua_isequal},
                                  {"pointer", luaT_lua_pointer},
                                  {"setenv", luaT_lua_setenv},
                                  {"getenv", luaT_lua_getenv},
                                  {"metatype", luaT_lua_metatype},
                                  {"pushudata", luaT_lua_pushudata},
                                  {"setmetatable", luaT_lua_setmetatable},
                                  {"version", luaT_lua_version},
                                  {nullptr, nullptr}};
    luaT_setfuncs(L, functions, 0);
    lua_setglobal(L, "torch");
    luaT_newmetatable(L, "torch.Thing", nullptr, thing, nullptr, nullptr);
    lua_settop(L, 0);
    run("function class(name, parent) "
        "  torch.newmetatable(name, parent, function(...) "
        "    local self = torch.setmetatable({}, name) "
        "    if self.__init then self:__init(...) end return self end, nil, "
        "    function() return torch.setmetatable({}, name) end, torch) "
        "  return torch.getmetatable(name) end "
        "P = class('torch.P') C = class('torch.C', 'torch.P') "
        "p, c, t, u = torch.P(), torch.C(), torch.Thing(1), torch.Thing(2)");
  }
  ~FromLua() override { lua_close(L); }

  std::string run(const std::string& chunk) {
    std::string result;
    if (luaL_loadbuffer(L, chunk.data(), chunk.size(), "=user") || lua_pcall(L, 0, 1, 0)) {
      result = lua_tostring(L, -1);
    } else {
      lua_getglobal(L, "tostring");
      lua_insert(L, -2);
      lua_call(L, 1, 1);
      result = lua_tostring(L, -1);
    }
    EXPECT_EQ(lua_gettop(L), 1);
    lua_settop(L, 0);
    return result;
  }

  lua_State* L;
};

TEST_F(FromLua, OperatorsAreFoundWhenUsed) {
  const char* const operators[][4] = {
      {"add", "+", "addition", ""},       {"sub", "-", "subtraction", ""},
      {"mul", "*", "multiplication", ""}, {"div", "/", "division", ""},
      {"mod", "%", "modulo", ""},         {"pow", "^", "power", ""},
      {"concat", "..", "concat", ""}};
  for (const auto& op : operators) {
    const std::string name = op[0], sign = op[1], message = op[2];
    EXPECT_EQ(run("return t " + sign + " 2"),
              "user:1: both torch.Thing and number have no " + message + " operator");
    EXPECT_EQ(run("return c " + sign + " t"),
              "user:1: both torch.C and torch.Thing have no " + message + " operator");
    run("function P.__" + name +
        "__(a, b, ...) assert(select('#', ...) == 0) "
        "return '" +
        name + "' .. (rawequal(a, c) and 1 or 2) end");
    EXPECT_EQ(run("return c " + sign + " 2"), name + "1");
    EXPECT_EQ(run("return 2 " + sign + " c"), name + "2");
    EXPECT_EQ(run("return t " + sign + " c"), name + "2");
    run("function C.__" + name + "__() return 'nearer' end");
    EXPECT_EQ(run("return c " + sign + " 2"), "nearer");
    run("C.__" + name + "__ = nil");
    EXPECT_EQ(run("return c " + sign + " 2"), name + "1");
  }
}

TEST_F(FromLua, ComparisonsAndUnaryOperators) {
  EXPECT_EQ(run("return t < u"),
            "user:1: both torch.Thing and torch.Thing have no less than operator");
  EXPECT_EQ(run("return t >= u"),
            "user:1: both torch.Thing and torch.Thing have no less or equal operator");
  EXPECT_EQ(run("return -t"), "user:1: torch.Thing has no negation operator");
  EXPECT_EQ(run("return #t"), "user:1: torch.Thing has no length operator");
  EXPECT_EQ(run("local r = t(1)"), "user:1: torch.Thing has no call operator");
  EXPECT_EQ(run("local T = torch.Thing T.__lt__ = function() return true end "
                "T.__le__ = function() return false end T.__unm__ = function(...) "
                "return select('#', ...) end T.__len__ = function(...) return 10 end "
                "T.__call__ = function(self, a, b) return a, b, self end "
                "local a, b, self = t(3, 4) "
                "return table.concat({tostring(t < u), tostring(t <= u), -t, #t, a, b, "
                "tostring(self == t)}, ' ')"),
            "true false 1 10 3 4 true");
  EXPECT_EQ(run("c[1], c[2] = 5, 6 return #c"), "2");
}

TEST_F(FromLua, EqualityIsThatOfPointers) {
  EXPECT_EQ(run("return t == torch.Thing(1) and t ~= u and not rawequal(t, torch.Thing(1))"),
            "true");
  EXPECT_EQ(run("return p == torch.P()"), "false");
  EXPECT_EQ(run("P.__eq__ = function() return true end return p == torch.P()"), "true");
  EXPECT_EQ(run("return torch.isequal(t, torch.Thing(1)) and not torch.isequal(t, u) and "
                "not torch.isequal(t, 1) and torch.isequal(p, p) and not torch.isequal(1, 1) and "
                "not torch.isequal({}, {})"),
            "true");
  EXPECT_EQ(run("torch.isequal(1)"), "user:1: bad argument #2 to 'isequal' (value expected)");
}

TEST_F(FromLua, Strings) {
  EXPECT_EQ(run("return tostring(t) .. ' ' .. tostring(c)"), "torch.Thing torch.C");
  EXPECT_EQ(run("P.__tostring__ = function() return 'mine' end return tostring(c)"), "mine");
  EXPECT_EQ(run("P.__tostring__ = 'fixed' return tostring(c)"), "fixed");
}

TEST_F(FromLua, IndexingAsksTheUserFirst) {
  EXPECT_EQ(run("return t.unknown"), "nil");
  run("local T = torch.Thing T.method = 'found' "
      "T.__index__ = function(self, k) if type(k) == 'number' then return k * 2, true end "
      "return false end");
  EXPECT_EQ(run("return t[21] .. t.method .. tostring(t.unknown)"), "42foundnil");
  EXPECT_EQ(run("t.x = 1"), "user:1: the class torch.Thing cannot be indexed");
  run("torch.Thing.__newindex__ = function(self, k, v) if k == 'x' then got = v return true end "
      "return false end");
  EXPECT_EQ(run("t.x = 9 return got"), "9");
  EXPECT_EQ(run("t.y = 1"), "user:1: the class torch.Thing cannot be indexed");

  // Tables hold their own fields; inheritance is followed at the time of the call.
  EXPECT_EQ(run("c.field = 1 P.later = 2 return rawget(c, 'field') + c.later"), "3");
  EXPECT_EQ(run("P.__newindex__ = function(self, k, v) rawset(self, k .. '_', v) return true end "
                "c.name = 4 return c.name_"),
            "4");
  // A class is not an object of its parent.
  EXPECT_EQ(run("P.__index__ = function(self, k) return 'caught ' .. k, true end "
                "C.own = 5 return rawget(C, 'own') .. tostring(C.none) .. c.some"),
            "5nilcaught some");
  EXPECT_EQ(run("c[nil] = 1").find("user:1: "), 0U);
}

TEST_F(FromLua, MetamethodsCalledWrongly) {
  for (const char* event :
       {"index", "newindex", "add", "unm", "concat", "len", "eq", "lt", "call", "tostring"}) {
    for (const char* arguments : {"", "nil", "1, 2", "{}, nil, 3", "io.stdout, 'x', 1"}) {
      const std::string chunk = "return type(pcall(torch.getmetatable('torch.Thing').__" +
                                std::string(event) + (*arguments ? ", " : "") + arguments + "))";
      EXPECT_EQ(run(chunk), "boolean") << chunk;
    }
  }
  // Metatables that are each other's end the search.
  EXPECT_EQ(run("local T = torch.getmetatable('torch.Thing') setmetatable(T, T) return t.unknown"),
            "nil");
}

TEST_F(FromLua, TablesAsObjects) {
  EXPECT_EQ(run("function P:__init(x) self.x = x end function P:get() return self.x end "
                "return torch.C(8):get() .. torch.typename(torch.C(1))"),
            "8torch.C");
  EXPECT_EQ(run("local o = torch.factory('torch.C')() return torch.typename(o)"), "torch.C");
  EXPECT_EQ(run("return torch.factory('torch.Nothing')"), "nil");
  EXPECT_EQ(run("return torch.getmetatable('torch.Nothing')"), "nil");
  EXPECT_EQ(run("return torch.getmetatable('_LOADED')"), "nil");
  EXPECT_EQ(run("return torch.getconstructortable('torch.Nothing')"), "nil");
  EXPECT_EQ(run("torch.setmetatable({}, 'torch.Nothing')"),
            "user:1: bad argument #2 to 'setmetatable' (unknown class torch.Nothing)");
  EXPECT_EQ(run("torch.setmetatable(t, 'torch.P')"),
            "user:1: bad argument #1 to 'setmetatable' (table expected, got torch.Thing)");
  EXPECT_EQ(run("P.__version = 3 return torch.version(p) .. torch.version(t) .. "
                "tostring(torch.version({}))"),
            "31nil");
  EXPECT_EQ(run("return getmetatable(C) == P and getmetatable(P) == nil"), "true");
}

TEST_F(FromLua, TypenameOfOtherValues) {
  for (const char* v : {"nil", "1", "'s'", "{}", "print", "io.stdout", "true",
                        "coroutine.create(print)", "1LL", "torch.Thing", "setmetatable({}, {})"}) {
    EXPECT_EQ(run("return torch.typename(" + std::string(v) + ")"), "nil") << v;
  }
  EXPECT_EQ(run("torch.typename()"), "user:1: bad argument #1 to 'typename' (value expected)");
}

TEST_F(FromLua, Pointers) {
  EXPECT_EQ(run("return torch.pointer(t) == torch.pointer(torch.Thing(1)) and "
                "torch.pointer(u) - torch.pointer(t) == 4"),
            "true");
  EXPECT_EQ(run("for _, v in ipairs{{}, print, 'text', io.stdout, coroutine.create(print)} do "
                "assert(torch.pointer(v) > 0 and torch.pointer(v) == torch.pointer(v)) end "
                "return 'fine'"),
            "fine");
  EXPECT_EQ(run("local ffi = require 'ffi' local a = ffi.new('int[4]') "
                "local p = ffi.cast('int *', a) return torch.pointer(p + 2) - torch.pointer(p) + "
                "torch.pointer(a) - torch.pointer(p) + torch.pointer(ffi.new('void *'))"),
            "8");
  EXPECT_EQ(run("torch.pointer(require('ffi').new('double', 1))"),
            "user:1: bad argument #1 to 'pointer' (cdata that holds a pointer expected)");
  EXPECT_EQ(run("torch.pointer(1)"),
            "user:1: bad argument #1 to 'pointer' (Torch object, table, thread, function, string "
            "or cdata expected, got number)");

  EXPECT_EQ(run("local v = torch.pushudata(torch.pointer(t), 'torch.Thing') "
                "return tostring(v == t) .. torch.typename(v)"),
            "truetorch.Thing");
  EXPECT_EQ(run("return torch.pushudata(require('ffi').cast('void *', torch.pointer(u)), "
                "'torch.Thing') == u"),
            "true");
  EXPECT_EQ(run("return torch.pushudata(0, 'torch.Thing')"), "nil");
  for (const char* bad : {"-1", "1.5", "0/0", "1/0", "2^70"}) {
    EXPECT_EQ(run("torch.pushudata(" + std::string(bad) + ", 'torch.Thing')"),
              "user:1: bad argument #1 to 'pushudata' (this number is not a valid pointer)");
  }
  EXPECT_EQ(run("torch.pushudata('1', 'torch.Thing')"),
            "user:1: bad argument #1 to 'pushudata' (number or cdata expected, got string)");
  EXPECT_EQ(run("torch.pushudata(1, 'torch.Nothing')"),
            "user:1: bad argument #2 to 'pushudata' (unknown class torch.Nothing)");
}

TEST_F(FromLua, Environments) {
  EXPECT_EQ(run("torch.setenv(t, {x = 1}) return torch.getenv(t).x"), "1");
  EXPECT_EQ(run("local f = function() return y end torch.setenv(f, {y = 2}) "
                "return f() + torch.getenv(f).y"),
            "4");
  EXPECT_EQ(run("torch.setenv({}, {})"),
            "user:1: bad argument #1 to 'setenv' (function or userdata expected, got table)");
  EXPECT_EQ(run("torch.setenv(t, 1)"),
            "user:1: bad argument #2 to 'setenv' (table expected, got number)");
  EXPECT_EQ(run("torch.getenv(nil)"),
            "user:1: bad argument #1 to 'getenv' (function or userdata expected, got nil)");
}

TEST_F(FromLua, Metatypes) {
  EXPECT_EQ(run("local ffi = require 'ffi' ffi.cdef 'typedef struct {int n;} luat_hash;' "
                "hash = {__factory = print, __version = 7} ffi.metatype('luat_hash', hash) "
                "h = ffi.new('luat_hash[1]') return torch.metatype('tds.Hash', hash, "
                "'luat_hash&') == hash"),
            "true");
  EXPECT_EQ(run("return torch.typename(h[0]) .. torch.version(h[0])"), "tds.Hash7");
  EXPECT_EQ(run("return torch.typename(h)"), "nil");
  EXPECT_EQ(run("return torch.getmetatable('tds.Hash') == hash and "
                "torch.factory('tds.Hash') == print"),
            "true");
  EXPECT_EQ(run("mt = {} torch.metatype('Vector', mt) return torch.typename(setmetatable({}, mt))"),
            "Vector");
  EXPECT_EQ(run("torch.metatype('torch.Thing', {})"),
            "user:1: bad argument #1 to 'metatype' (a class has this name already)");
  EXPECT_EQ(run("torch.metatype('Other', torch.getmetatable('torch.Thing'))"),
            "user:1: bad argument #2 to 'metatype' (this is the metatable of a class)");
  EXPECT_EQ(run("torch.metatype('Other', {}, 5)"),
            "user:1: bad argument #3 to 'metatype' (FFI type expected)");
  EXPECT_NE(run("torch.metatype('Other', {}, 'no such type')").find("luat"), 0U);
  EXPECT_EQ(run("return torch.getmetatable('Other')"), "nil");
  EXPECT_EQ(run("torch.pushudata(1, 'tds.Hash')"),
            "user:1: bad argument #2 to 'pushudata' (unknown class tds.Hash)");
  EXPECT_EQ(run("torch.newmetatable('tds.Hash')"),
            "user:1: the class name tds.Hash is taken by something else");
  // Userdata are never taken for objects by such a metatable.
  EXPECT_EQ(run("torch.metatype('File', getmetatable(io.stdout)) return torch.typename(io.stdout)"),
            "nil");
}

TEST(States, AreIndependent) {
  lua_State* first = luaL_newstate();
  lua_State* second = luaL_newstate();
  EXPECT_EQ(luaT_typenameid(first, "torch.Thing"), nullptr);
  luaT_newmetatable(first, "torch.Thing", nullptr, nullptr, nullptr, nullptr);
  EXPECT_STREQ(luaT_typenameid(first, "torch.Thing"), "torch.Thing");
  EXPECT_EQ(luaT_typenameid(second, "torch.Thing"), nullptr);
  lua_pushinteger(second, 1);
  EXPECT_EQ(luaT_typename(second, 1), nullptr);
  lua_newtable(second);
  EXPECT_EQ(luaT_typename(second, 2), nullptr);
  lua_close(first);
  lua_close(second);
}

}  // namespace
