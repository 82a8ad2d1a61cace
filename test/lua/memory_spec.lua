-- Memory: loops do not let it grow, counters go back, views and storages keep it alive.

local dialect = require 'support.dialect'
local tensor = require 'tensor'

-- Sanitizers keep freed memory for a while, so memory loops find less there.
local sanitized = (os.getenv 'LD_PRELOAD' or ''):find('san', 1, true) ~= nil
local busy_collector = require('support.settings').gc

-- Runs Lua code in a process of its own, which prints one number.
local function in_child(code)
  local interpreter, lowest = 'luajit', 0
  for i in pairs(arg or {}) do
    if type(i) == 'number' and i < lowest then lowest, interpreter = i, arg[i] end
  end
  local file = os.tmpname()
  local out = assert(io.open(file, 'w'))
  out:write(('package.path, package.cpath = %q, %q\n'):format(package.path, package.cpath))
  out:write [[
    local tensor = require 'tensor'
    tensor.setnumthreads(1)
    local function status(key)
      for line in io.lines('/proc/self/status') do
        local kib = line:match('^' .. key .. ':%s*(%d+) kB')
        if kib then return tonumber(kib) / 1024 end
      end
    end
  ]]
  out:write(code)
  out:close()
  local pipe = assert(io.popen(("'%s' '%s' 2>&1"):format(interpreter, file)))
  local text = pipe:read('*a')
  pipe:close()
  os.remove(file)
  return assert(tonumber(text), text)
end

-- Checks that the code needs less memory, in MiB.
local function stays_below(most, code)
  local peak = in_child(code .. "print(status 'VmHWM')")
  assert.is_true(peak < most, peak .. ' MB')
end

local function collect()
  collectgarbage()
  collectgarbage()
end

describe('loops that drop large tensors', function()
  local limit = 500
  local rounds = busy_collector and 500 or 2000

  local large = sanitized and function() end or it
  large('stay small when the tensors are filled', function()
    stays_below(limit, ([[
      for i = 1, %d do x = tensor.Tensor(1e6):fill(0) end
    ]]):format(rounds))
  end)

  -- After a long collection the next one is delayed until a limit of garbage is reached. Most
  -- memory of a small tensor is not its elements. Lua's own pause prevents further collections.
  large('stay small when a collection takes long', function()
    dialect.needs_luajit 'a C function is called through the FFI'
    local growth = in_child [[
      local ffi = require 'ffi'
      ffi.cdef 'int usleep(unsigned microseconds);'
      collectgarbage('setpause', 100000)
      getmetatable(newproxy(true)).__gc = function() ffi.C.usleep(1500000) end
      local x = tensor.Tensor(8, 8):fill(1)
      local y = x:gt(.5)
      local before = status 'VmRSS'
      for i = 1, 3e5 do y = x:gt(.5) end
      print(status 'VmHWM' - before)
    ]]
    assert.is_true(growth < 110, growth .. ' MB')
  end)

  large('stay small when they are not', function()
    stays_below(limit, ([[
      for i = 1, %d do x = tensor.Tensor(1e6) end
    ]]):format(rounds))
  end)

  large('stay small when they are results, clones, resized or storages', function()
    stays_below(limit, ([[
      local t = tensor.FloatTensor(1e6):fill(1)
      for i = 1, %d do
        local y = t + 1
        y = t:clone()
        y = tensor.FloatTensor():resize(1e6):fill(2)
        y = tensor.FloatStorage(1e6):fill(1)
        y = t:double()
      end
    ]]):format(math.min(rounds, 500)))
  end)

  large('stay small when they are files in memory that nothing closes', function()
    stays_below(limit, [[
      local t = tensor.rand(1e6)
      for _ = 1, 100 do tensor.MemoryFile():binary():writeObject(t) end
    ]])
  end)

  large('stay small when a device copies them to the host', function()
    if not pcall(function() tensor.FloatTensor(1):to 'soft' end) then return end
    local peak = in_child(([[
      local x = tensor.FloatTensor(1e6):to 'soft':fill(1)
      for i = 1, %d do local y = (x + i):to 'cpu' end
      print(status 'VmHWM')
    ]]):format(math.min(rounds, 500)))
    assert.is_true(peak < limit, peak .. ' MB')
  end)

  -- A string is one copy of a storage; a file is read as both, then becomes a blob.
  large('stay small when a storage becomes a string', function()
    local growth = in_child [[
      local s = tensor.CharStorage(5e7):fill(65)
      local before = status 'VmHWM'
      s:string()
      print(status 'VmHWM' - before)
    ]]
    assert.is_true(growth < 70, growth .. ' MB')
  end)
  large('stay small when blobs are loaded', function()
    local path = os.tmpname()
    local name = path .. '.binaryproto'
    local blob = tensor.FloatBlob(1e7)
    blob:data():fill(1)
    tensor.save(name, blob)
    local growth = in_child(([[
      local before = status 'VmHWM'
      tensor.load(%q)
      print(status 'VmHWM' - before)
    ]]):format(name))
    os.remove(name)
    os.remove(path)
    assert.is_true(growth < 100, growth .. ' MB')
  end)

  large('map files again after a collection', function()
    dialect.needs_luajit 'a C function is called through the FFI'
    local maps = in_child [[
      local ffi = require 'ffi'
      ffi.cdef 'typedef struct { unsigned long now, most; } limits;'
      ffi.cdef 'int setrlimit(int, const limits *);'
      local name = os.tmpname() .. '.npy'
      tensor.save(name, tensor.ones(1e6))
      ffi.C.setrlimit(9, ffi.new('limits', (status 'VmSize' + 200) * 2 ^ 20, -1))
      local sum = 0
      for _ = 1, 100 do sum = sum + tensor.load(name, {map = true})[1] end
      os.remove(name)
      print(sum)
    ]]
    assert.are.equal(100, maps)
  end)

  large('stay small after much was in use for a while', function()
    stays_below(150, [[
      local function some(n)
        for i = 1, n do local x = tensor.FloatTensor(4096):fill(i) end
      end
      local much = tensor.FloatTensor(1e8)
      much[1] = 0  -- now it has memory
      some(3000)
      much = nil
      collectgarbage()
      collectgarbage()
      some(20000)
    ]])
  end)

  large('stay small when Lua has so much that collections take long', function()
    stays_below(limit, ([[
      local much = {}
      for i = 1, 300000 do much[i] = { i } end
      for i = 1, %d do x = tensor.Tensor(1e6):fill(0) end
      assert(#much > 0)
    ]]):format(math.min(rounds, 500)))
  end)

  large('stay small with tensors of some KiB, of many sizes', function()
    local growth = in_child(([[
      local function work(n)
        for i = 1, n do x = tensor.FloatTensor(200 + i * 37 %% 20000):fill(i) end
      end
      work(2000)
      local before = status 'VmHWM'
      work(%d)
      print(status 'VmHWM' - before)
    ]]):format(busy_collector and 1000 or 5000))
    assert.is_true(growth < 60, growth .. ' MB')
  end)

  it('stay small with small tensors', function()
    local growth = in_child(([[
      local a, b = tensor.FloatTensor(10):fill(1), tensor.FloatTensor(10):fill(2)
      local function work(n)
        for i = 1, n do
          local c = a + b
          c:narrow(1, 2, 3):fill(i)
          c[1] = c:sum()
          pcall(c.add, c, 'x')
        end
      end
      work(%d)
      collectgarbage()
      local before = status 'VmRSS'
      work(%d)
      collectgarbage()
      print(status 'VmRSS' - before)
    ]]):format(50000, (sanitized or busy_collector) and 20000 or 200000))
    assert.is_true(growth < (sanitized and 400 or 60), growth .. ' MB')
  end)
end)

describe('the counters of memory', function()
  it('go back when tensors are collected', function()
    collect()
    local before = tensor.memory()
    local kept = {}
    for i = 1, 100 do kept[i] = tensor.DoubleTensor(1000):fill(i) end
    assert.are.equal(100, kept[100][1000])
    local during = tensor.memory()
    assert.is_true(during.bytes >= before.bytes + 100 * 8000)
    assert.is_true(during.blocks >= before.blocks + 100)
    kept = nil  -- luacheck: ignore
    collect()
    local after = tensor.memory()
    assert.are.equal(before.bytes, after.bytes)
    assert.are.equal(before.blocks, after.blocks)
  end)

  it('go back after errors', function()
    local a, b = tensor.DoubleTensor(1000):fill(1), tensor.DoubleTensor(999):fill(1)
    collect()
    local before = tensor.memory()
    for _ = 1, 200 do
      pcall(tensor.add, a, b)
      pcall(tensor.mm, a, b)
      pcall(tensor.cat, { a, b, 3 })
      pcall(tensor.DoubleTensor, { { 1, 2 }, { 3 } })
      pcall(tensor.DoubleStorage, { 1, 'x' })
      pcall(a.apply, a, function() error('stop') end)
      pcall(tensor.sort, tensor.DoubleTensor(10, 10):fill(1), 3)
    end
    collect()
    assert.are.equal(before.bytes, tensor.memory().bytes)
    assert.are.equal(before.blocks, tensor.memory().blocks)
  end)

  it('do not grow by the temporaries of operations', function()
    local m = tensor.FloatTensor(60, 50):fill(1)
    collect()
    local before = tensor.memory()
    for _ = 1, 20 do
      m:t():add(m:t())
      tensor.mm(m:t(), m)
      m:sort(1)
      m:t():cumsum(1)
      m:max(1)
      m:add(m[1])
      m:index(1, tensor.LongTensor { 1, 2 })
      m:maskedSelect(tensor.gt(m, 0))
      m:repeatTensor(2, 2)
      m:uniform()
      tensor.multinomial(m, 2, true)
    end
    collect()
    assert.are.equal(before.bytes, tensor.memory().bytes)
    assert.are.equal(before.blocks, tensor.memory().blocks)
  end)

  it('do not grow by operands that are converted', function()
    local f, d = tensor.FloatTensor(1000):fill(0.5), tensor.DoubleTensor(1000):fill(2)
    local l, r = tensor.LongTensor(1000):fill(3), tensor.DoubleTensor(1000)
    collect()
    collectgarbage 'stop'
    local before = tensor.memory().bytes
    local done, message = pcall(function()
      for _ = 1, 50 do
        tensor.add(r, f, d)
        assert(r:min() == 2.5 and r:max() == 2.5)
        tensor.cmul(r, l, f)
        r:addcmul(1, f, d)
        assert(r:min() == 2.5 and r:max() == 2.5)
      end
    end)
    local used = tensor.memory().bytes - before
    collectgarbage 'restart'
    assert(done, message)
    assert.is_true(used < 100000, used)
    assert.are.equal(500, f:sum())
    assert.are.equal(3000, l:sum())
  end)
end)

describe('the memory in use does not grow', function()
  -- Returns the growth in bytes after each call of f.
  local function growth(count, f)
    collect()
    local before, most = tensor.memory().bytes, 0
    for _ = 1, count do
      f()
      most = math.max(most, tensor.memory().bytes - before)
    end
    return most
  end

  it('by the copies that map and map2 make', function()
    local t = tensor.zeros(1000, 1000)
    local transposed = tensor.rand(500, 2000):t()
    local function nothing() end
    assert.is_true(growth(10, function() t:map(transposed, nothing) end) < 50e6)
    assert.is_true(growth(5, function() t:map2(transposed, transposed, nothing) end) < 50e6)
  end)

  it('by the text of a .csv file', function()
    local path = os.tmpname()
    local t = tensor.rand(1e5, 10)
    local most = growth(1, function() tensor.save(path .. '.csv', t) end)
    os.remove(path)
    os.remove(path .. '.csv')
    assert.is_true(most < 10e6, most)
  end)
end)

it('a collection in generational mode is one cycle', function()
  if _VERSION < 'Lua 5.4' then return pending 'needs Lua 5.4' end
  local cycles = 0
  local function count()
    setmetatable({}, {__gc = function()
      cycles = cycles + 1
      if cycles > 0 then count() end
    end})
  end
  collectgarbage 'generational'
  collect()
  count()
  for _ = 1, 20 do tensor.DoubleTensor(1e6):fill(1) end
  local counted = cycles
  assert.are.equal('generational', collectgarbage 'incremental')
  cycles = -10
  assert.is_true(counted > 2 and counted < 200, counted)
end)

describe('unused blocks', function()
  it('are kept for the next tensor, and given back by emptyCache', function()
    if sanitized then
      return
    end
    collect()
    tensor.emptyCache()
    assert.are.equal(0, tensor.memory().cached)
    local t = tensor.FloatTensor(3e6):fill(1)
    t:free()
    assert.is_true(tensor.memory().cached >= 12e6)
    t = tensor.FloatTensor(3e6):fill(2)
    assert.are.equal(0, tensor.memory().cached)
    t:free()
    tensor.emptyCache()
    assert.are.equal(0, tensor.memory().cached)
  end)
end)

describe('memory stays', function()
  local function churn()
    collect()
    for i = 1, 50 do tensor.DoubleTensor(1000):fill(i) end
    collect()
  end

  it('while a view has it', function()
    local function make()
      local t = tensor.range(1, 1000)
      return { t:narrow(1, 10, 5), t:view(10, 100)[3], t:unfold(1, 2, 2)[{ 2, {} }],
               t[{ { 10, 14 } }], tensor.DoubleTensor(t), tensor.DoubleTensor():set(t) }
    end
    local views = make()
    churn()
    assert.are.same({ 10, 11, 12, 13, 14 }, views[1]:totable())
    assert.are.equal(201, views[2][1])
    assert.are.same({ 3, 4 }, views[3]:totable())
    assert.are.same({ 10, 11, 12, 13, 14 }, views[4]:totable())
    assert.are.equal(1000, views[5][1000])
    assert.are.equal(1000, views[6][1000])
  end)

  it('while a storage has it, and the other way round', function()
    local s = tensor.range(1, 1000):storage()
    churn()
    assert.are.equal(1000, s[1000])
    local t = tensor.DoubleTensor(s, 11, 2)
    s = nil  -- luacheck: ignore
    churn()
    assert.are.same({ 11, 12 }, t:totable())
  end)

  it('while sizes are read from a tensor that is gone', function()
    local sizes = tensor.DoubleTensor(3, 4):size()
    churn()
    assert.are.same({ 3, 4 }, sizes:totable())
  end)
end)

describe('memory is freed', function()
  -- Checks that f, which takes 8,000 bytes in each of 20 calls, leaves less than half of them.
  -- Machine code that LuaJIT made during a call can keep the objects of that call.
  local function check(f)
    collect()
    local before = tensor.memory().bytes
    for _ = 1, 20 do f() end
    collect()
    local growth = tensor.memory().bytes - before
    assert.is_true(growth < 10 * 8000, growth)
  end

  it('if a gradient function and its function refer to each other', function()
    check(function()
      local model = { w = tensor.DoubleTensor(1000):fill(1) }
      model.loss = function(x) return (model.w * x):sum() end
      model.df = tensor.grad(model.loss)
      model.df(2)
    end)
  end)

  it('if a loss refers to its gradients', function()
    check(function()
      local gradients, loss = tensor.vjp(function(x)
        return { value = (x * x):sum(), more = tensor.DoubleTensor(1000):fill(1) }
      end, { tensor.ones(5) }, { { value = 1 } })
      loss.gradient = gradients[1]
    end)
  end)
end)

describe('free', function()
  it('frees memory at once, and the tensor is empty', function()
    collect()
    local before = tensor.memory().bytes
    local t = tensor.DoubleTensor(1000):fill(1)
    t:free()
    assert.are.equal(0, t:nElement())
    assert.are.equal(before, tensor.memory().bytes)
    t:resize(3):fill(2)
    assert.are.same({ 2, 2, 2 }, t:totable())
    t:free()
    t:free()
  end)

  it('leaves views their memory', function()
    local t = tensor.DoubleTensor { 1, 2, 3 }
    local v = t:narrow(1, 2, 2)
    t:free()
    assert.are.same({ 2, 3 }, v:totable())
  end)

  it('after retain takes two', function()
    local t = tensor.DoubleTensor { 1, 2, 3 }
    t:retain()
    t:free()
    collect()
    assert.is_true(tensor.isTensor(t))
  end)
end)

it('keep finds scopes around one that was never closed', function()
  local kept
  tensor.scope(function()
    local x = tensor.ones(3)
    pcall(function()
      local _ = tensor.scope()
      error 'not closed'
    end)
    collect()
    kept = tensor.keep(x)
  end)
  assert.are.equal(3, kept:sum())
end)
