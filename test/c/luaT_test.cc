#include <gtest/gtest.h>

#include <climits>
#include <cstdint>
#include <string>
#include <vector>

#include "luaT.h"

extern "C" {
#include <lualib.h>
}

// luaT as C packages and Lua code see it: two classes of C objects, Base and its subclass Derived.

namespace {

struct Object {
  int value;
};

int live_objects = 0;
std::vector<int> handed_over;

int make(lua_State* L, const char* name) {
  auto* object = new Object{static_cast<int>(luaL_optinteger(L, 1, 0))};
  live_objects++;
  luaT_pushudata(L, object, name);
  return 1;
}
int make_base(lua_State* L) { return make(L, "torch.Base"); }
int make_derived(lua_State* L) { return make(L, "torch.Derived"); }

int destroy(lua_State* L) {
  delete static_cast<Object*>(luaT_rawudata(L, 1, "torch.Base"));
  live_objects--;
  return 0;
}

int value(lua_State* L) {
  lua_pushinteger(L, static_cast<Object*>(luaT_checkudata(L, 1, "torch.Base"))->value);
  return 1;
}

void remember(lua_State*, void* object) {
  handed_over.push_back(static_cast<Object*>(object)->value);
}
void remember_negative(lua_State*, void* object) {
  handed_over.push_back(-static_cast<Object*>(object)->value);
}

const luaL_Reg lua_functions[] = {
    {"newmetatable", luaT_lua_newmetatable},
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
    {nullptr, nullptr},
};

class LuaT : public ::testing::Test {
 protected:
  LuaT() : L(luaL_newstate()) {
    live_objects = 0;
    handed_over.clear();
    luaL_openlibs(L);
    lua_newtable(L);
    luaT_setfuncs(L, lua_functions, 0);
    lua_setglobal(L, "torch");
    luaT_newmetatable(L, "torch.Base", nullptr, make_base, destroy, make_base);
    const luaL_Reg methods[] = {{"value", value}, {nullptr, nullptr}};
    luaT_setfuncs(L, methods, 0);
    luaT_newmetatable(L, "torch.Derived", "torch.Base", make_derived, destroy, nullptr);
    lua_settop(L, 0);
  }
  ~LuaT() override {
    if (L) lua_close(L);
    EXPECT_EQ(live_objects, 0);
  }

  // Returns the chunk's result, as by tostring, or its error message.
  std::string run(const std::string& chunk) {
    const int top = lua_gettop(L);
    std::string result;
    if (luaL_loadbuffer(L, chunk.data(), chunk.size(), "=user") || lua_pcall(L, 0, 1, 0)) {
      result = lua_tostring(L, -1);
    } else {
      lua_getglobal(L, "tostring");
      lua_insert(L, -2);
      lua_call(L, 1, 1);
      result = lua_tostring(L, -1);
    }
    lua_settop(L, top);
    return result;
  }

  // The error of calling f with the values that were on the stack, which are popped.
  std::string error_of(lua_CFunction f) {
    lua_pushcfunction(L, f);
    lua_insert(L, 1);
    std::string message;
    if (lua_pcall(L, lua_gettop(L) - 1, 0, 0)) message = lua_tostring(L, -1);
    lua_settop(L, 0);
    return message;
  }

  lua_State* L;
};

TEST_F(LuaT, ClassesAreInTheRegistry) {
  lua_getfield(L, LUA_REGISTRYINDEX, "torch.Base");
  ASSERT_TRUE(lua_istable(L, -1));
  ASSERT_EQ(luaT_pushmetatable(L, "torch.Base"), 1);
  EXPECT_TRUE(lua_rawequal(L, -1, -2));
  lua_rawget(L, LUA_REGISTRYINDEX);
  EXPECT_STREQ(lua_tostring(L, -1), "torch.Base");
  lua_settop(L, 0);

  ASSERT_EQ(luaT_pushmetatable(L, "torch.Derived"), 1);
  ASSERT_TRUE(lua_getmetatable(L, -1));
  ASSERT_EQ(luaT_pushmetatable(L, "torch.Base"), 1);
  EXPECT_TRUE(lua_rawequal(L, -1, -2));
  lua_settop(L, 0);

  EXPECT_EQ(luaT_pushmetatable(L, "torch.Nothing"), 0);
  EXPECT_EQ(luaT_pushmetatable(L, "_LOADED"), 0);
  EXPECT_EQ(luaT_pushmetatable(L, "luaT.classes"), 0);
  EXPECT_STREQ(luaT_typenameid(L, "torch.Base"), "torch.Base");
  EXPECT_EQ(luaT_typenameid(L, "torch.Nothing"), nullptr);
  EXPECT_EQ(lua_gettop(L), 0);
}

TEST_F(LuaT, MetatableHasTheKeysOfTorch7) {
  EXPECT_EQ(run("local keys = {} for k in pairs(torch.getmetatable('torch.Base')) do "
                "keys[#keys + 1] = k end table.sort(keys) return table.concat(keys, ' ')"),
            "__add __call __concat __constructor __div __eq __factory __gc __index __le __len __lt "
            "__metatable __mod __mul __newindex __pow __sub __tostring __typename __unm __version "
            "new value");
  EXPECT_EQ(run("local mt = torch.getmetatable('torch.Base') return mt.__metatable == mt and "
                "mt.__version == 1 and mt.__typename == 'torch.Base' and "
                "mt.__constructor == torch.Base"),
            "true");
}

TEST_F(LuaT, PointersGoInAndOut) {
  Object object{5};
  luaT_newmetatable(L, "torch.Lent", nullptr, nullptr, nullptr, nullptr);
  lua_settop(L, 0);
  luaT_pushudata(L, &object, "torch.Lent");
  luaT_pushudata(L, nullptr, "torch.Lent");
  EXPECT_TRUE(lua_isnil(L, 2));
  EXPECT_EQ(lua_type(L, 1), LUA_TUSERDATA);
  EXPECT_EQ(lua_objlen(L, 1), sizeof(void*));
  EXPECT_EQ(*static_cast<void**>(lua_touserdata(L, 1)), &object);
  EXPECT_EQ(luaT_toudata(L, 1, "torch.Lent"), &object);
  EXPECT_EQ(luaT_toudata(L, -2, "torch.Lent"), &object);
  EXPECT_EQ(luaT_rawudata(L, 1, "torch.Lent"), &object);
  EXPECT_EQ(luaT_checkudata(L, 1, "torch.Lent"), &object);
  EXPECT_EQ(luaT_toudata(L, 1, "torch.Base"), nullptr);
  EXPECT_EQ(luaT_toudata(L, 1, "torch.Nothing"), nullptr);
  EXPECT_EQ(luaT_toudata(L, 2, "torch.Lent"), nullptr);
  EXPECT_EQ(luaT_toudata(L, 9, "torch.Lent"), nullptr);
  EXPECT_EQ(luaT_isudata(L, 1, "torch.Lent"), 1);
  EXPECT_EQ(luaT_isudata(L, 1, "torch.Base"), 0);
  EXPECT_STREQ(luaT_typename(L, 1), "torch.Lent");
  EXPECT_EQ(luaT_typename(L, 2), nullptr);
  EXPECT_EQ(luaT_typename(L, 9), nullptr);
  EXPECT_EQ(lua_gettop(L), 2);
  lua_settop(L, 0);
  EXPECT_EQ(error_of([](lua_State* state) {
              luaT_pushudata(state, state, "torch.Nothing");
              return 0;
            }),
            "unknown class torch.Nothing");
}

TEST_F(LuaT, SubclassesAreAccepted) {
  EXPECT_EQ(run("return torch.Derived(7):value()"), "7");
  run("base, derived = torch.Base(1), torch.Derived(2)");
  lua_getglobal(L, "base");
  lua_getglobal(L, "derived");
  EXPECT_EQ(luaT_toudata(L, 1, "torch.Derived"), nullptr);
  EXPECT_NE(luaT_toudata(L, 2, "torch.Base"), nullptr);
  EXPECT_EQ(luaT_isudata(L, 2, "torch.Derived"), 1);
}

TEST_F(LuaT, WrongArgumentsAreNamed) {
  EXPECT_EQ(run("torch.Base(1).value(nil)"),
            "user:1: bad argument #1 to 'value' (torch.Base expected, got nil)");
  EXPECT_EQ(run("torch.Base(1).value()"),
            "user:1: bad argument #1 to 'value' (torch.Base expected, got no value)");
  EXPECT_EQ(run("local b = torch.getmetatable('torch.Base') b.value(io.stdout)"),
            "user:1: bad argument #1 to 'value' (torch.Base expected, got userdata)");
  EXPECT_EQ(run("torch.newmetatable('torch.Other') "
                "torch.Base(1).value(torch.setmetatable({}, 'torch.Other'))"),
            "user:1: bad argument #1 to 'value' (torch.Base expected, got torch.Other)");
  EXPECT_EQ(run("torch.Base(1).value(torch.setmetatable({}, 'torch.Base'))"),
            "user:1: bad argument #1 to 'value' (torch.Base expected, got table)");
  EXPECT_EQ(run("local o = torch.Derived(1) o.__index = nil"),
            "user:1: the class torch.Derived cannot be indexed");
}

TEST_F(LuaT, LuaCannotPassOffOtherThingsAsObjects) {
  const std::string expected = "torch.Base expected, got userdata";
  EXPECT_NE(run("local b = torch.getmetatable('torch.Base') "
                "setmetatable(getmetatable(io.stdout), b) b.value(io.stdout)")
                .find(expected),
            std::string::npos);
  EXPECT_NE(run("local b, p = torch.getmetatable('torch.Base'), newproxy(true) "
                "setmetatable(getmetatable(p), b) b.value(p)")
                .find(expected),
            std::string::npos);
  luaT_newmetatable(L, "torch.Stranger", nullptr, nullptr, nullptr, nullptr);
  lua_settop(L, 0);
  static int anything;
  luaT_pushudata(L, &anything, "torch.Stranger");
  lua_setglobal(L, "stranger");
  EXPECT_EQ(run("torch.newmetatable('torch.Stranger', 'torch.Base')"),
            "user:1: class torch.Stranger must be given its parent class when it is made");
  EXPECT_EQ(run("local b = torch.getmetatable('torch.Base') "
                "setmetatable(torch.getmetatable('torch.Stranger'), b) b.value(stranger)"),
            "user:1: bad argument #1 to 'value' (torch.Base expected, got torch.Stranger)");
}

// Metatables of other libraries are in the registry, too.
TEST_F(LuaT, UserdataOfOthersAreNotObjects) {
  lua_getglobal(L, "io");
  lua_getfield(L, -1, "stdout");
  for (const char* name : {LUA_FILEHANDLE, "torch.Base"}) {
    EXPECT_EQ(luaT_isudata(L, -1, name), 0) << name;
    EXPECT_EQ(luaT_rawudata(L, -1, name), nullptr) << name;
    EXPECT_EQ(luaT_toudata(L, -1, name), nullptr) << name;
  }
  lua_settop(L, 0);
}

TEST_F(LuaT, DestructorsRunOnce) {
  EXPECT_EQ(run("local b = torch.Base(1) local gc = getmetatable(b).__gc gc(b) gc(b) gc(io.stdout) "
                "gc(torch) gc() b.value(b)"),
            "user:1: bad argument #1 to 'value' (torch.Base expected, got a freed object)");
  EXPECT_EQ(live_objects, 0);
  run("for i = 1, 10 do torch.Base(i) torch.Derived(i) end");
  lua_gc(L, LUA_GCCOLLECT, 0);
  lua_gc(L, LUA_GCCOLLECT, 0);
  EXPECT_EQ(live_objects, 0);
  // A subclass without a destructor has its parent's.
  luaT_newmetatable(L, "torch.Heir", "torch.Base", nullptr, nullptr, nullptr);
  luaT_pushudata(L, new Object{1}, "torch.Heir");
  live_objects++;
  lua_settop(L, 0);
  lua_gc(L, LUA_GCCOLLECT, 0);
  EXPECT_EQ(live_objects, 0);
  run("kept = torch.Base(1)");
  EXPECT_EQ(live_objects, 1);
  lua_close(L);
  L = nullptr;
  EXPECT_EQ(live_objects, 0);
}

TEST_F(LuaT, HandOver) {
  lua_pushinteger(L, 3);
  make_base(L);
  make_derived(L);  // its value is the first argument's: 3
  luaT_toudata(L, 2, "torch.Base");
  EXPECT_TRUE(handed_over.empty());
  luaT_sethandover(L, "torch.Base", remember);
  EXPECT_EQ(lua_gettop(L), 3);
  luaT_toudata(L, 2, "torch.Base");
  luaT_checkudata(L, 3, "torch.Derived");
  EXPECT_EQ(handed_over, (std::vector<int>{3, 3}));
  luaT_sethandover(L, "torch.Derived", remember_negative);
  luaT_toudata(L, 3, "torch.Base");
  EXPECT_EQ(handed_over.back(), -3);
  lua_newtable(L);
  lua_pushvalue(L, 2);
  lua_setfield(L, 4, "weight");
  luaT_getfieldcheckudata(L, 4, "weight", "torch.Base");
  EXPECT_EQ(handed_over, (std::vector<int>{3, 3, -3, 3}));
  luaT_rawudata(L, 2, "torch.Base");
  luaT_isudata(L, 2, "torch.Base");
  luaT_toudata(L, 2, "torch.Derived");
  luaT_toudata(L, 1, "torch.Base");
  lua_settop(L, 3);
  lua_setglobal(L, "derived");
  lua_setglobal(L, "base");
  EXPECT_EQ(run("return base == base and torch.isequal(base, base) and torch.pointer(base) > 0 and "
                "not torch.isequal(base, derived)"),
            "true");
  EXPECT_EQ(handed_over.size(), 4U);
  luaT_sethandover(L, "torch.Base", nullptr);
  EXPECT_EQ(run("return base:value()"), "3");
  EXPECT_EQ(handed_over.size(), 4U);
  lua_settop(L, 0);
  EXPECT_EQ(error_of([](lua_State* state) {
              luaT_sethandover(state, "torch.Nothing", remember);
              return 0;
            }),
            "unknown class torch.Nothing");
}

// Sets a method in the class on top of the stack.
void prepare(lua_State* state, const char* tname) {
  lua_pushstring(state, tname);
  lua_setfield(state, -2, "prepared");
}

TEST_F(LuaT, Prepare) {
  make_base(L);
  luaT_setprepare(L, "torch.Base", prepare);
  EXPECT_EQ(lua_gettop(L), 1);
  EXPECT_EQ(run("return torch.Base.prepared"), "nil");
  EXPECT_TRUE(luaT_pushmetatable(L, "torch.Base"));
  lua_getfield(L, -1, "prepared");
  EXPECT_STREQ(lua_tostring(L, -1), "torch.Base");
  lua_settop(L, 0);
  run("torch.Base.prepared = nil");
  EXPECT_EQ(run("return torch.getmetatable('torch.Base').prepared"), "torch.Base");
  run("torch.Base.prepared = nil");
  EXPECT_EQ(run("return torch.Base(1).prepared"), "torch.Base");
  luaT_setprepare(L, "torch.Base", nullptr);
  run("torch.Base.prepared = nil");
  EXPECT_EQ(run("return torch.Base(1).prepared"), "nil");
  EXPECT_EQ(error_of([](lua_State* state) {
              luaT_setprepare(state, "torch.Nothing", prepare);
              return 0;
            }),
            "unknown class torch.Nothing");
}

TEST_F(LuaT, ConstructorTables) {
  EXPECT_EQ(run("return getmetatable(torch.Base) == torch.getmetatable('torch.Base')"), "true");
  EXPECT_EQ(run("return torch.getmetatable('torch.Base') == getmetatable(torch.Base(1))"), "true");
  EXPECT_EQ(run("return torch.Base == torch.getconstructortable('torch.Base')"), "true");
  EXPECT_EQ(run("return torch.Base.__typename .. torch.Derived.value(torch.Derived(2))"),
            "torch.Base2");
  EXPECT_EQ(run("return torch.Base.new(4):value() + torch.Base(1).new(5):value()"), "9");
  EXPECT_EQ(run("function torch.Base:twice() return 2 * self:value() end "
                "return rawget(torch.Base, 'twice') == nil and torch.Derived(4):twice()"),
            "8");
  EXPECT_EQ(run("return tostring(torch.Base):match('^table: ') and #torch.Base"), "0");
  EXPECT_EQ(run("torch.newmetatable('torch.Abstract', nil, nil, nil, nil, torch) torch.Abstract()"),
            "user:1: class torch.Abstract has no constructor");
  // A method of that name does not become the constructor.
  EXPECT_EQ(run("function torch.Base.new() return 'other' end return torch.Base(6):value()"), "6");
  EXPECT_EQ(run("return torch.typename(torch.Base)"), "nil");
}

TEST_F(LuaT, ModulesOfNewClasses) {
  luaT_newmetatable(L, "absent.Base", nullptr, make_base, nullptr, nullptr);
  EXPECT_TRUE(lua_istable(L, -1));
  EXPECT_EQ(run("return rawget(_G, 'absent')"), "nil");
  run("outer = {inner = {}, number = 1}");
  luaT_newmetatable(L, "outer.inner.Deep", nullptr, nullptr, nullptr, nullptr);
  luaT_newmetatable(L, "outer.number.Deep", nullptr, nullptr, nullptr, nullptr);
  EXPECT_EQ(run("return outer.inner.Deep == torch.getconstructortable('outer.inner.Deep')"),
            "true");
  lua_settop(L, 0);
  lua_newtable(L);
  const char* name =
      luaT_newlocalmetatable(L, "some.Local", nullptr, nullptr, nullptr, nullptr, -1);
  EXPECT_STREQ(name, "some.Local");
  ASSERT_EQ(lua_gettop(L), 2);
  lua_getfield(L, 1, "Local");
  lua_getfield(L, 2, "__constructor");
  EXPECT_TRUE(lua_rawequal(L, 3, 4));
  lua_settop(L, 0);
  const std::string chunk =
      "setmetatable(_G, {__index = function(_, k) error(k) end}) "
      "torch.newmetatable('strict.Class') return 'fine'";
  EXPECT_EQ(run(chunk), "fine");
}

TEST_F(LuaT, ClassesCanBeExtendedButNotChanged) {
  EXPECT_EQ(run("torch.newmetatable('torch.Base', 'torch.Nothing')"),
            "user:1: bad argument #2 to 'newmetatable' (invalid parent class name torch.Nothing)");
  EXPECT_EQ(run("torch.newmetatable('torch.Derived', 'torch.Base')"),
            "user:1: class torch.Derived has been already assigned a parent class");
  EXPECT_EQ(run("torch.newmetatable('torch.Base', nil, print)"),
            "user:1: torch.Base has been already assigned a constructor");
  EXPECT_EQ(run("torch.newmetatable('torch.Base', nil, nil, print)"),
            "user:1: torch.Base has been already assigned a destructor");
  EXPECT_EQ(run("torch.newmetatable('torch.Base', nil, nil, nil, print)"),
            "user:1: torch.Base has been already assigned a factory");
  EXPECT_EQ(run("torch.newmetatable('torch.Derived', nil, nil, nil, print) "
                "return torch.factory('torch.Derived') == print"),
            "true");
  EXPECT_EQ(
      run("torch.newmetatable('A') torch.newmetatable('B', 'A') torch.newmetatable('A', 'B')"),
      "user:1: class A derives from itself");
  EXPECT_EQ(run("torch.newmetatable('_LOADED')"),
            "user:1: the class name _LOADED is taken by something else");
  EXPECT_EQ(run("torch.newmetatable('')"),
            "user:1: bad argument #1 to 'newmetatable' (class name expected)");
  EXPECT_EQ(run("torch.newmetatable('a\\0b')"),
            "user:1: bad argument #1 to 'newmetatable' (class name expected)");
  EXPECT_EQ(run("torch.newmetatable('C', {})"),
            "user:1: bad argument #2 to 'newmetatable' (parent class name or nil expected)");
  EXPECT_EQ(run("torch.newmetatable('C', nil, nil, nil, 1)"),
            "user:1: bad argument #5 to 'newmetatable' (factory function or nil expected)");
  EXPECT_EQ(run("torch.newmetatable('C', nil, nil, nil, nil, 1)"),
            "user:1: bad argument #6 to 'newmetatable' (module table or nil expected)");
  EXPECT_EQ(run("return torch.getmetatable('C')"), "nil");
}

TEST_F(LuaT, NamesOfAnyLength) {
  const std::string part(5000, 'm');
  const std::string name = part + ".Class";
  EXPECT_STREQ(luaT_newmetatable(L, name.c_str(), nullptr, nullptr, nullptr, nullptr),
               name.c_str());
  EXPECT_EQ(run("return tostring(torch.setmetatable({}, '" + name + "'))"), name);
  EXPECT_EQ(run("torch.Base(1).value(torch.setmetatable({}, '" + name + "'))"),
            "user:1: bad argument #1 to 'value' (torch.Base expected, got " + name + ")");

  char module[LUAT_MODULENAME_SIZE];
  EXPECT_STREQ(luaT_classrootname("torch.FloatTensor"), "FloatTensor");
  EXPECT_STREQ(luaT_classrootname("a.b.C"), "C");
  EXPECT_STREQ(luaT_classrootname("C"), "C");
  EXPECT_EQ(luaT_classmodulename("a.b.C", module), 1);
  EXPECT_STREQ(module, "a.b");
  EXPECT_EQ(luaT_classmodulename("C", module), 0);
  EXPECT_STREQ(module, "");
  EXPECT_EQ(luaT_classmodulename(name.c_str(), module), 0);
  EXPECT_STREQ(module, "");
  EXPECT_EQ(luaT_classmodulename((std::string(1023, 'm') + ".C").c_str(), module), 1);
  EXPECT_EQ(std::string(module).size(), 1023U);
}

int upvalue(lua_State* L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  return 1;
}

TEST_F(LuaT, RegisteringFunctions) {
  const luaL_Reg methods[] = {{"scale", upvalue}, {nullptr, nullptr}};
  lua_newtable(L);
  lua_pushliteral(L, "shared");
  luaT_setfuncs(L, methods, 1);
  ASSERT_EQ(lua_gettop(L), 1);
  lua_setglobal(L, "library");
  EXPECT_EQ(run("return library.scale()"), "shared");

  run("object = torch.Base(1) torch.Base.image = {old = 1}");
  const luaL_Reg more[] = {{"scale", value}, {nullptr, nullptr}};
  ASSERT_TRUE(luaT_pushmetatable(L, "torch.Base"));
  luaT_registeratname(L, more, "image");
  luaT_registeratname(L, more, "fresh");
  ASSERT_EQ(lua_gettop(L), 1);
  lua_settop(L, 0);
  EXPECT_EQ(
      run("return object.image.scale(object) + object.image.old + object.fresh.scale(object)"),
      "3");
  lua_pushinteger(L, 1);
  EXPECT_NE(error_of([](lua_State* state) {
              const luaL_Reg none[] = {{nullptr, nullptr}};
              luaT_registeratname(state, none, "x");
              return 0;
            }).find("table expected, got number"),
            std::string::npos);
}

}  // namespace
