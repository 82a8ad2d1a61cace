// Lua states in threads, each with `require 'torch'`, that hand tensors to each other by pointer,
// as Torch7's package threads does it.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "TH.h"
#include "luaT.h"

extern "C" {
#include <lualib.h>
}

namespace {

// The module as it is built, without an installation.
const char kPrelude[] =
    "package.preload['tensor.core'] = assert(package.loadlib(core, 'luaopen_tensor_core')) "
    "table.insert(package.loaders, 2, function(name) "
    "  for _, template in ipairs {'lua/core/%s', 'lua/extras/%s', 'lua/extras/%s/init'} do "
    "    local part = name == 'tensor' and 'lua/init' or "
    "      template:format((name:gsub('^tensor%.', ''):gsub('%.', '/'))) "
    "    local chunk = loadfile(root .. part .. '.lua') "
    "    if chunk then return chunk end "
    "  end "
    "end) "
    "require 'torch' "
    // Converts a tensor or storage to text, with a reference for the receiver; and back.
    "function give(object) "
    "  object:retain() "
    "  return ('%.0f %s'):format(torch.pointer(object), torch.typename(object)) "
    "end "
    "function take(text) "
    "  local pointer, class = text:match '(%d+) (.*)' "
    "  return torch.pushudata(tonumber(pointer), class) "
    "end";

class LuaState {
 public:
  LuaState() : L(luaL_newstate()) {
    luaL_openlibs(L);
    lua_pushliteral(L, TENSOR_TEST_CORE);
    lua_setglobal(L, "core");
    lua_pushliteral(L, TENSOR_TEST_ROOT);
    lua_setglobal(L, "root");
    run(kPrelude);
  }
  ~LuaState() { lua_close(L); }
  LuaState(const LuaState&) = delete;
  LuaState& operator=(const LuaState&) = delete;

  void define(const char* name, lua_CFunction function) { lua_register(L, name, function); }

  // Returns the result of the code as text. The arguments are its `...`, also as text.
  std::string run(const std::string& code, const std::vector<std::string>& arguments = {}) {
    bool failed = luaL_loadbuffer(L, code.data(), code.size(), "=job") != 0;
    if (!failed) {
      for (const std::string& text : arguments) lua_pushlstring(L, text.data(), text.size());
      failed = lua_pcall(L, static_cast<int>(arguments.size()), 1, 0) != 0;
    }
    const char* text = lua_tostring(L, -1);
    std::string result = text ? text : "";
    lua_pop(L, 1);
    EXPECT_FALSE(failed) << result;
    return result;
  }

 private:
  lua_State* L;
};

std::string number(int i) { return std::to_string(i); }

template <class F>
void in_threads(int count, F&& body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back([&body, i] { body(i); });
  for (std::thread& thread : threads) thread.join();
}

constexpr int kThreads = 4;

TEST(LuaStates, LoadTheModuleAndCloseAtTheSameTime) {
  in_threads(kThreads, [](int i) {
    for (int round = 0; round < 5; ++round) {
      LuaState state;
      EXPECT_EQ("6", state.run("return torch.ones(2, 3):sum()"));
      EXPECT_EQ("[torch.DoubleTensor of size 1]",
                state.run("return tostring(torch.Tensor{...}):match '%[.*%]'", {number(i)}));
    }
  });
}

TEST(LuaStates, ComputeEachForItself) {
  const char* code =
      "torch.manualSeed(...) "
      "torch.setdefaulttensortype('torch.FloatTensor') "
      "local w, sum = torch.randn(20, 20), 0 "
      "for k = 1, 30 do "
      "  local y = torch.mm(w, w:t()):tanh():add(0.5) "
      "  local sorted, order = y:view(-1):sort() "
      "  sum = sum + sorted[1] + order[400] + y[y:gt(0)]:mean() "
      "  collectgarbage('step', 100) "
      "end "
      "return tostring(sum)";
  LuaState state;
  std::string expected[kThreads];
  for (int i = 0; i < kThreads; ++i) expected[i] = state.run(code, {number(i + 1)});
  in_threads(kThreads, [&](int i) {
    LuaState own;
    for (int round = 0; round < 3; ++round) EXPECT_EQ(expected[i], own.run(code, {number(i + 1)}));
  });
}

TEST(LuaStates, ShareATensor) {
  LuaState owner;
  owner.run("shared = torch.FloatTensor(4, 1000):fill(1); weight = torch.range(1, 1000):float()");
  std::string given[kThreads], weights[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    given[i] = owner.run("return give(shared)");
    weights[i] = owner.run("return give(weight)");
  }
  in_threads(kThreads, [&](int i) {
    LuaState state;
    state.run(
        "local row = take(...)[tonumber((select(3, ...)))] "
        "local weight = take((select(2, ...))) "
        "for k = 1, 50 do row:add(weight) assert(weight:sum() == 500500) end",
        {given[i], weights[i], number(i + 1)});
  });
  owner.run(
      "local row = weight * 50 + 1 "
      "for i = 1, 4 do assert(shared[i]:equal(row)) end");
}

TEST(LuaStates, MakeAndDropViewsOfOneStorage) {
  LuaState owner;
  owner.run("storage = torch.IntStorage(1000):fill(3)");
  std::string given[kThreads];
  for (std::string& text : given) text = owner.run("return give(storage)");
  in_threads(kThreads, [&](int i) {
    LuaState state;
    EXPECT_EQ("30000", state.run("local storage, sum = take(...), 0 "
                                 "for k = 1, 1000 do "
                                 "  sum = sum + torch.IntTensor(storage, k % 900 + 1, 10):sum() "
                                 "end "
                                 "storage = nil "
                                 "collectgarbage() "
                                 "return sum",
                                 {given[i]}));
  });
  EXPECT_EQ("1", owner.run("return storage:cdata().refcount"));
}

TEST(LuaStates, HandATensorFromOneToTheNext) {
  std::string text;
  {
    LuaState first;
    text = first.run("return give(torch.LongTensor{1, 2, 3})");
  }
  for (int i = 0; i < 2 * kThreads; ++i) {
    std::thread([&] {
      LuaState state;
      text = state.run("return give(take(...):add(1))", {text});
    }).join();
  }
  LuaState last;
  EXPECT_EQ("30", last.run("t = take(...) return t:sum()", {text}));
  EXPECT_EQ("1 1",
            last.run("return t:cdata().refcount .. ' ' .. t:storage():cdata().refcount - 1"));
}

TEST(LuaStates, RaiseTheirOwnErrors) {
  in_threads(kThreads, [](int i) {
    LuaState state;
    state.run(
        "local ffi = require 'ffi' "
        "local n = 10 + ... "
        "pcall(ffi.cdef, 'void THFloatTensor_resize1d(struct THFloatTensor *t, int64_t n);') "
        // The library that the module has loaded is found by its name.
        "local C = ffi.load('libTH.so.0') "
        "local t = torch.FloatTensor(2):fill(1) "
        "for k = 1, 200 do "
        "  local ok, message = pcall(t.sum, t, n) "
        "  assert(not ok and message:find('dimension ' .. n, 1, true), message) "
        "  ok, message = pcall(function() C.THFloatTensor_resize1d(t:cdata(), -n) end) "
        "  assert(not ok and message:find('-' .. n, 1, true), message) "
        "  ok, message = coroutine.wrap(function() return pcall(t.view, t, n, n) end)() "
        "  assert(not ok and message:find(n .. ' x ' .. n, 1, true), message) "
        "end "
        "assert(t:sum() == 2)",
        {number(i)});
  });
}

TEST(LuaStates, NameTheFunctionOfAPackageThatChecksAnArgument) {
  LuaState state;
  state.define("checks", [](lua_State*) {
    THArgCheck(0, 2, "dim %d wrong", 7);
    return 0;
  });
  state.run("string.checks = checks");
  // The number counts the arguments of the TH function, which the message names.
  state.define("calls", [](lua_State*) {
    THFloatBlas_gemm('x', 'n', 1, 1, 1, 1, nullptr, 1, nullptr, 1, 0, nullptr, 1);
    return 0;
  });
  const auto message = [&](const std::string& call) {
    return state.run("local _, message = pcall(function() local x = " + call +
                     " return x end) return message");
  };
  std::string text = message("checks(1, 2)");
  EXPECT_EQ(text.find("job:1: bad argument #2 to 'checks' (dim 7 wrong at "), 0U) << text;
  text = message("('s'):checks(2)");
  EXPECT_EQ(text.find("job:1: bad argument #1 to 'checks' (dim 7 wrong at "), 0U) << text;
  text = message("calls(1, 2)");
  EXPECT_EQ(text.find("job:1: bad argument #1 (THFloatBlas_gemm: "), 0U) << text;
}

TEST(LuaStates, GoOnInAnotherThread) {
  LuaState state;
  state.run("t = torch.ones(3)");
  in_threads(1, [&](int) {
    EXPECT_EQ("3", state.run("torch.updatethreadlocals() "
                             "assert(not pcall(t.sum, t, 7)) "
                             "return t:sum()"));
  });
  EXPECT_EQ("6", state.run("torch.updatethreadlocals() return t:add(1):sum()"));
}

TEST(LuaStates, UseTheDeviceEachByItself) {
  LuaState owner;
  owner.run("weight = torch.range(1, 500):float():to('gpu')");
  std::string given[kThreads];
  for (std::string& text : given) text = owner.run("return give(weight)");
  in_threads(kThreads, [&](int i) {
    LuaState state;
    std::string result = state.run(
        "local weight = take(...) "
        "torch.setDefaultDevice 'gpu' "
        "local sum = torch.FloatTensor(500):zero() "
        "for k = 1, 20 do sum:add(weight) end "
        "assert(sum:device() == weight:device()) "
        "return sum:sum()",
        {given[i]});
    EXPECT_EQ("2505000", result);
  });
  EXPECT_EQ("cpu", owner.run("return torch.FloatTensor(2):device()"));
}

// A program whose handler throws the errors of C functions.
class ThrownErrors : public ::testing::Test {
 protected:
  ThrownErrors() { THSetArgErrorHandler(keep, &caught_); }
  ~ThrownErrors() override {
    THSetArgErrorHandler(nullptr, nullptr);
    THFloatTensor_free(t_);
  }
  void expect_thrown() {
    caught_ = "";
    EXPECT_THROW(THFloatTensor_get1d(t_, 5), int);
    EXPECT_NE(caught_.find("5"), std::string::npos) << caught_;
  }

 private:
  static void keep(int, const char* message, void* to) {
    *static_cast<std::string*>(to) = message;
    throw 1;
  }
  std::string caught_;
  THFloatTensor* t_ = THFloatTensor_newWithSize1d(2);
};

// The program's handlers get the errors while no Lua code runs, and are in effect again in the end.
TEST_F(ThrownErrors, ReachTheProgramBesideALuaState) {
  {
    LuaState state;
    EXPECT_EQ("false", state.run("return tostring((pcall(torch.sum, torch.ones(2), 7)))"));
    expect_thrown();
  }
  expect_thrown();
}

std::atomic<bool> is_paused{false}, may_continue{false};
int pause(lua_State*) {
  is_paused = true;
  while (!may_continue) std::this_thread::yield();
  return 0;
}

// Errors of C functions in the thread that used the state before must not unwind it.
TEST_F(ThrownErrors, ReachTheProgramWhenAnotherThreadUsesTheLuaState) {
  LuaState state;
  state.define("pause", pause);
  state.run("coroutine.wrap(function() torch.updateerrorhandlers() end)()");
  std::thread other(
      [&] { state.run("torch.updatethreadlocals() collectgarbage() collectgarbage() pause()"); });
  while (!is_paused) std::this_thread::yield();
  expect_thrown();
  may_continue = true;
  other.join();
  EXPECT_EQ("false", state.run("torch.updatethreadlocals() "
                               "return tostring((pcall(torch.sum, torch.ones(2), 7)))"));
}

// Each state has a current device, a default type, and generators of its own.
TEST(LuaStates, HaveTheNamesOfCutorchEachForItself) {
  LuaState plain, owner;
  owner.run("require 'cutorch' weight = torch.range(1, 500):cuda()");
  std::string given[kThreads], sums[kThreads];
  for (std::string& text : given) text = owner.run("return give(weight)");
  in_threads(kThreads, [&](int i) {
    LuaState state;
    sums[i] = state.run(
        "require 'cutorch' "
        "cutorch.setDevice(select(2, ...) % 2 + 1) "
        "cutorch.manualSeed(7) "
        "local weight = take(...) "
        "assert(torch.typename(weight) == 'torch.CudaTensor' and weight:getDevice() == 1) "
        "torch.setdefaulttensortype 'torch.CudaTensor' "
        "local drawn = torch.rand(100) "
        "assert(drawn:getDevice() == cutorch.getDevice()) "
        "cutorch.synchronizeAll() "
        "return ('%.6f %d'):format(drawn:sum(), weight:clone():mul(2):sum())",
        {given[i], number(i)});
  });
  for (const std::string& text : sums) EXPECT_EQ(sums[0], text);
  EXPECT_EQ("torch.CudaTensor 1", owner.run("return weight:type() .. ' ' .. cutorch.getDevice()"));
  EXPECT_EQ("torch.FloatTensor",
            plain.run("return take(...):type()", {owner.run("return give(weight:float())")}));
}

}  // namespace
