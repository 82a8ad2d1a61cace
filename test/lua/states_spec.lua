-- Several Lua states in one process: each has its own module, tensors can be passed between them,
-- and closing one does not affect the others.

local tensor = require 'tensor'
local ffi = require 'ffi'

pcall(ffi.cdef, [[
  typedef struct lua_State lua_State;
  lua_State *luaL_newstate(void);
  void luaL_openlibs(lua_State *L);
  int luaL_loadstring(lua_State *L, const char *s);
  int lua_pcall(lua_State *L, int nargs, int nresults, int errfunc);
  const char *lua_tolstring(lua_State *L, int index, size_t *length);
  void lua_settop(lua_State *L, int index);
  void lua_close(lua_State *L);
]])
pcall(ffi.cdef, 'void THSetNumThreads(int n);')
pcall(ffi.cdef, [[
  int pthread_create(unsigned long *thread, const void *attributes, void *(*start)(void *), void *);
  int pthread_join(unsigned long thread, void **result);
]])

local C = ffi.C

local State = {}
State.__index = State

function State.new()
  local L = C.luaL_newstate()
  C.luaL_openlibs(L)
  local state = setmetatable({L = L}, State)
  state:run(('package.path, package.cpath = %q, %q; tensor = require "tensor"')
            :format(package.path, package.cpath))
  return state
end

-- Runs code that returns a string.
function State:run(code)
  local failed = C.luaL_loadstring(self.L, code) ~= 0 or C.lua_pcall(self.L, 0, 1, 0) ~= 0
  local text = C.lua_tolstring(self.L, -1, nil)
  local result = text ~= nil and ffi.string(text) or nil
  C.lua_settop(self.L, -2)
  if failed then
    error(result, 2)
  end
  return result
end

function State:close()
  C.lua_close(self.L)
end

-- Closes the state in another thread of the process.
function State:close_elsewhere()
  local thread = ffi.new 'unsigned long[1]'
  local close = ffi.cast('void *(*)(void *)', C.lua_close)
  assert(C.pthread_create(thread, nil, close, self.L) == 0)
  assert(C.pthread_join(thread[0], nil) == 0)
end
-- These call back into Lua through the C API, which JIT-compiled code must not do.
jit.off(State.new)
jit.off(State.run)
jit.off(State.close)
jit.off(State.close_elsewhere)

describe('another Lua state', function()
  it('has a module, a default type and a generator of its own', function()
    local state = State.new()
    tensor.manualSeed(1)
    state:run('tensor.manualSeed(123) tensor.setdefaulttensortype("torch.FloatTensor")')
    assert.are.equal('torch.DoubleTensor', tensor.getdefaulttensortype())
    local drawn = state:run('return tostring(tensor.Tensor(1):to("cpu"):uniform()[1])')
    assert.are.equal('0.69646918773651', drawn)
    assert.are.equal(1, tensor.initialSeed())
    state:close()
  end)

  it('shares a tensor that it is handed by pointer', function()
    local state = State.new()
    local t = tensor.Tensor {1, 2, 3}
    t:retain()
    state:run(('t = tensor.pushudata(%.0f, "torch.DoubleTensor")'):format(tensor.pointer(t)))
    assert.are.equal('6', state:run('return tostring(t:sum())'))
    state:run('t:mul(2)')
    assert.are.equal(12, t:sum())
    state:close()
    assert.are.equal(12, t:sum())
  end)

  it('keeps a tensor alive that its maker has dropped', function()
    local state = State.new()
    local t = tensor.Tensor {4, 5}
    t:retain()
    state:run(('t = tensor.pushudata(%.0f, "torch.DoubleTensor")'):format(tensor.pointer(t)))
    t = nil -- luacheck: ignore
    collectgarbage()
    collectgarbage()
    assert.are.equal('9', state:run('return tostring(t:sum())'))
    state:close()
  end)

  it('raises its errors in itself', function()
    local state = State.new()
    assert.matches('dimension 3 is out of range', state:run([[
      local ok, message = pcall(function() return tensor.Tensor(2, 2):sum(3) end)
      return message]]), 1, true)
    state:close()
    assert.has_error(function() tensor.Tensor(2, 2):sum(3) end)
  end)

  it('leaves the handlers of C functions to the others when it closes', function()
    local library = ffi.load(os.getenv('TENSOR_PREFIX') .. '/lib/libTH.so.0')
    local call = function() library.THSetNumThreads(0) end
    jit.off(call)
    local ok, message = pcall(call)
    assert.is_false(ok)
    assert.matches('from 1 to 4096', message, 1, true)
    State.new():close()
    ok, message = pcall(call)
    assert.is_false(ok)
    assert.matches('from 1 to 4096', message, 1, true)
  end)

  it('may be closed by a thread that did not make it', function()
    local library = ffi.load(os.getenv('TENSOR_PREFIX') .. '/lib/libTH.so.0')
    local call = function() library.THSetNumThreads(0) end
    jit.off(call)
    for _ = 1, 3 do
      State.new():close_elsewhere()
      local ok, message = pcall(call)
      assert.is_false(ok)
      assert.matches('from 1 to 4096', message, 1, true)
      ok, message = pcall(function() tensor.ByteTensor(1.75 * 2 ^ 46):fill(1) end)
      assert.is_false(ok)
      assert.matches('out of memory', message, 1, true)
    end
  end)
end)

describe('errors of C functions in coroutines', function()
  local library = ffi.load(os.getenv('TENSOR_PREFIX') .. '/lib/libTH.so.0')
  pcall(ffi.cdef, 'void THFloatTensor_resize1d(struct THFloatTensor *t, int64_t n);')
  local function fail(t, n) library.THFloatTensor_resize1d(t:cdata(), n) end
  local function set(n) library.THSetNumThreads(n) end
  jit.off(fail)
  jit.off(set)

  it('are raised there', function()
    local t = tensor.FloatTensor{1, 2}
    local function body()
      local ok, message = pcall(fail, t, -5)
      coroutine.yield(ok, message)
      ok, message = pcall(fail, t, -6)
      return ok, message
    end
    for _ = 1, 100 do
      local a, b = coroutine.wrap(body), coroutine.wrap(body)
      for _, co in ipairs {a, b} do
        local ok, message = co()
        assert.is_false(ok)
        assert.matches('%-5', message)
      end
      local ok, message = pcall(fail, t, -7)
      assert.is_false(ok)
      assert.matches('%-7', message)
      for _, co in ipairs {b, a} do
        ok, message = co()
        assert.is_false(ok)
        assert.matches('%-6', message)
      end
    end
    assert.same({1, 2}, t:totable())
  end)

  it('are raised in one that ends by them', function()
    local t = tensor.FloatTensor{1, 2}
    for _ = 1, 100 do
      local ok, message = coroutine.resume(coroutine.create(function() fail(t, -8) end))
      assert.is_false(ok)
      assert.matches('%-8', message)
      collectgarbage()
      ok, message = pcall(set, 0)
      assert.is_false(ok)
      assert.matches('from 1 to 4096', message)
    end
  end)

  it('are errors in one that the module has not seen', function()
    for _ = 1, 50000 do
      local ok, message = coroutine.wrap(function() return pcall(set, -5) end)()
      assert.is_false(ok)
      assert.is_string(message)
    end
    local ok, message = coroutine.wrap(function()
      tensor.updateerrorhandlers()
      return pcall(set, -5)
    end)()
    tensor.updateerrorhandlers()
    assert.is_false(ok)
    assert.matches('from 1 to 4096', message)
    ok, message = pcall(set, -5)
    assert.is_false(ok)
    assert.matches('from 1 to 4096', message)
  end)

  it('are raised in one that the module has resumed', function()
    local x = tensor.ones(3)
    local function f(t)
      set(-5)
      return t * 2
    end
    jit.off(f)
    local compiled, made = tensor.compile(f), nil
    for name, call in pairs {
      grad = function() tensor.grad(f)(x) end,
      compile = function() compiled(x) end,
      withDevice = coroutine.wrap(function() tensor.withDevice('cpu', f, x) end),
      nested = coroutine.wrap(function() tensor.withDevice('cpu', tensor.grad(f), x) end),
    } do
      tensor.scope(function()
        local ok, message = pcall(call)
        assert.is_false(ok)
        assert.matches('states_spec.*from 1 to 4096', message, name)
        made = tensor.ones(2)
      end)
      assert.has_error(function() return made:sum() end)
      assert.is_false(tensor.isCompiling())
    end
    local ok, message = pcall(set, -5)
    assert.is_false(ok)
    assert.matches('from 1 to 4096', message)
  end)

  it('are raised in each that registered, whichever did last', function()
    local function registering()
      return coroutine.wrap(function()
        tensor.updateerrorhandlers()
        while true do coroutine.yield(pcall(set, -5)) end
      end)
    end
    local first, second = registering(), registering()
    for _, call in ipairs{first, second, first, function() return pcall(set, -5) end} do
      local ok, message = call()
      assert.is_false(ok)
      assert.matches('from 1 to 4096', message)
    end
    coroutine.wrap(function() tensor.updateerrorhandlers() end)()
    local ok, message = pcall(set, -5)
    assert.is_false(ok)
    assert.matches('from 1 to 4096', message)
    tensor.updateerrorhandlers()
  end)

  it('are errors if the module was loaded in a coroutine that has ended', function()
    local output, status = require('support.child').run([[
      local ffi = require 'ffi'
      ffi.cdef 'void THSetNumThreads(int);'
      local library = ffi.load(os.getenv('TENSOR_PREFIX') .. '/lib/libTH.so.0')
      print(pcall(library.THSetNumThreads, -5))
    ]], { first = "coroutine.wrap(function() require 'tensor' end)()" })
    assert.equal(0, status)
    assert.matches('^false%s+C%+%+ exception', output)
  end)
end)
