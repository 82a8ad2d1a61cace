-- Finalizers run when Lua allocates and, if memory is short, in the middle of an operation. They
-- may change its operands in any way. The operation must use the operands it was called with.

local tensor = require 'tensor'
local child = require 'support.child'

-- Calls f at each step of the garbage collector until make has returned.
local function with_finalizer(f, make)
  local done = false
  local function again()
    local proxy = newproxy(true)
    getmetatable(proxy).__gc = function()
      if done then
        return
      end
      pcall(f)
      again()
    end
  end
  collectgarbage('setpause', 1)
  collectgarbage('setstepmul', 100000)
  again()
  local results = {pcall(make)}
  done = true
  collectgarbage('setpause', 200)
  collectgarbage('setstepmul', 200)
  collectgarbage()
  return unpack(results)
end

-- For k = 1 ... 8, calls use(...) with the values that make() returns, and attack(...) at its k-th
-- allocation in Lua. Passes to check whether the call succeeded, and its result or error.
local function at_each_allocation(make, attack, use, check)
  for k = 1, 8 do
    local values = {make()}
    local left = k
    local function arm()
      local proxy = newproxy(true)
      getmetatable(proxy).__gc = function()
        left = left - 1
        if left == 0 then
          attack(unpack(values))
        elseif left > 0 then
          arm()
        end
      end
    end
    collectgarbage()
    collectgarbage 'stop'
    arm()
    collectgarbage('setpause', 0)
    collectgarbage('setstepmul', 1e6)
    collectgarbage 'restart'
    local ok, result = pcall(use, unpack(values))
    left = 0
    collectgarbage('setpause', 200)
    collectgarbage('setstepmul', 200)
    collectgarbage()
    check(ok, result)
  end
end

describe('finalizers that run while', function()
  local rounds = 300

  it('a tensor becomes a table may resize its storage', function()
    for _ = 1, rounds do
      local t = tensor.Tensor(20, 30):fill(7)
      local s = t:storage()
      local ok, result = with_finalizer(function()
        s:resize(1)
        s:resize(100000)
        s:fill(9)
      end, function() return t:totable() end)
      if ok then
        assert.equal(20, #result)
        for _, row in ipairs(result) do
          assert.equal(30, #row)
        end
      else
        assert.matches('storage was resized', result)
      end
    end
  end)

  it('a tensor becomes a table may set and free it', function()
    local finalize = tensor.getmetatable('torch.DoubleTensor').__gc
    for _ = 1, rounds do
      local t = tensor.Tensor(20, 30):fill(7)
      local ok, result = with_finalizer(function()
        t:set(tensor.Tensor{1})
        finalize(t)
      end, function() return t:totable() end)
      if ok then
        assert.is_true(#result == 20 or #result == 1)
      else
        assert.matches('freed', result)
      end
    end
  end)

  it('a storage becomes a table or a string may resize it', function()
    for _ = 1, rounds do
      for _, method in ipairs {'totable', 'string'} do
        local s = tensor.ByteStorage(3000):fill(65)
        local ok, result = with_finalizer(function() s:resize(2) end,
                                          function() return s[method](s) end)
        assert.is_true(ok, result)
        local first = method == 'string' and result:byte(1) or result[1]
        assert.equal(65, first)
        assert.is_true(#result == 3000 or #result == 2)
      end
    end
  end)

  it('a tensor is indexed may resize its storage, and free it', function()
    local finalize = tensor.getmetatable('torch.DoubleTensor').__gc
    for round = 1, rounds do
      local t = tensor.Tensor(100000):fill(3)
      local key = {99999}
      local ok, result = with_finalizer(function()
        t:storage():resize(1)
        if round % 2 == 0 then
          finalize(t)
        end
      end, function() return t[key] end)
      if ok then
        assert.equal(3, result)
      else
        assert.is_string(result)
      end
    end
  end)

  it('an operation makes its result may free the arguments', function()
    local finalize = tensor.getmetatable('torch.DoubleTensor').__gc
    local functions = {
      function(a, b) return tensor.add(a, b) end,
      function(a, b) return a + b end,
      function(a) return -a end,
      function(a) return a:clone() end,
      function(a) return a:exp() end,
      function(a) return a:sum(1) end,
      function(a) return a[a:ge(2)] end,
      function(a, b) return tensor.cat({a, b}, 1) end,
    }
    for _, f in ipairs(functions) do
      for _ = 1, rounds / 10 do
        local a, b = tensor.Tensor(50):fill(2), tensor.Tensor(50):fill(5)
        local ok, result = with_finalizer(function()
          finalize(a)
          finalize(b)
        end, function() return f(a, b) end)
        assert.is_true(ok or type(result) == 'string')
      end
    end
  end)

  -- Makes and keeps objects, which may get the addresses of freed ones.
  local kept = {}
  local function take_addresses(make)
    for i = 1, 9 do
      kept[i] = make()
    end
    return kept
  end
  local finalize = {}
  for _, name in ipairs {'DoubleTensor', 'FloatBlob', 'DiskFile'} do
    finalize[name] = tensor.getmetatable('torch.' .. name).__gc
  end

  it('a table is assigned may free the tensor', function()
    at_each_allocation(function()
      return tensor.Tensor(3, 3):fill(3), {1, 2, 3}
    end, function(t)
      finalize.DoubleTensor(t)
      take_addresses(function() return tensor.Tensor(2) end)
    end, function(t, values) t[3] = values end, function(ok, message)
      assert.is_true(ok or message:find 'freed' ~= nil, message)
    end)
  end)

  it('cat converts a tensor of its table may free another', function()
    at_each_allocation(function()
      return {tensor.DoubleTensor(50):fill(2), tensor.FloatTensor(50):fill(5)}
    end, function(list)
      finalize.DoubleTensor(list[1])
      take_addresses(function() return tensor.Tensor(7):fill(9) end)
    end, function(list) return tensor.cat(list, 1) end, function(ok, result)
      if ok then
        assert.equal(350, result:sum())
      else
        assert.matches('freed', result)
      end
    end)
  end)

  it('a blob is read may free it', function()
    for name, read in pairs {
      data = function(blob) return blob:data() end, text = tostring,
      bytes = function(blob) return blob:toProto() end,
      list = function(blob) return tensor.blobsToProto(blob) end
    } do
      local before
      at_each_allocation(function()
        local blob = tensor.FloatBlob(2, 3)
        blob:data():fill(1)
        blob = name == 'list' and {blob} or blob
        before = read(blob)
        return blob
      end, function(blob)
        finalize.FloatBlob(name == 'list' and blob[1] or blob)
        take_addresses(function() return tensor.FloatBlob(7) end)
      end, read, function(ok, result)
        if ok then
          assert.is_true(name == 'data' and result:equal(before) or result == before, name)
        else
          assert.matches('[bB]lob', result)
        end
      end)
    end
  end)

  it('a picture is written may resize its storage', function()
    local write = require 'tensor.native'.picture_write
    at_each_allocation(function()
      return tensor.ByteStorage(2000 * 2000):fill(7)
    end, function(s)
      s:resize(1)
      tensor.emptyCache()
    end, function(s) return write('png', s, 1, 4e6, 1, 2000, 2000, 90) end, function(ok, result)
      assert.is_true(ok or result:find 'elements of the storage' ~= nil, result)
    end)
  end)

  it('a file becomes a text may free it', function()
    local before
    at_each_allocation(function()
      local file = tensor.DiskFile('/dev/null', 'r')
      before = tostring(file)
      return file
    end, function(file)
      finalize.DiskFile(file)
      take_addresses(function() return tensor.DiskFile('/dev/zero', 'r') end)
    end, tostring, function(ok, text)
      if ok then
        assert.equal(before, text)
      else
        assert.matches('File', text)
      end
    end)
  end)

  it('cat reads its table may empty it', function()
    for _ = 1, rounds do
      local list = {}
      for i = 1, 20 do
        list[i] = tensor.Tensor(10):fill(i)
      end
      local ok, result = with_finalizer(function()
        for i = 1, 20 do
          list[i] = nil
        end
        collectgarbage()
      end, function() return tensor.cat(list, 1) end)
      if ok then
        assert.equal(2100, result:sum())
      else
        assert.matches('position', result)
      end
    end
  end)
end)

describe('the default generator', function()
  it('outlives finalizers called by hand', function()
    tensor.manualSeed(3)
    local first = tensor.uniform()
    tensor.getmetatable('torch.Generator').__gc(tensor._gen)
    tensor.getmetatable('torch.Generator').__gc(tensor._gen)
    collectgarbage()
    tensor.manualSeed(3)
    assert.equal(first, tensor.uniform())
    assert.equal(3, tensor.rand(3):nElement())
    assert.equal(3, tensor.initialSeed(tensor._gen))
  end)

  it('is not the only one: others go with the object', function()
    local generator = tensor.Generator()
    tensor.getmetatable('torch.Generator').__gc(generator)
    assert.has_error(function() tensor.rand(generator, 3) end)
    for _ = 1, 100 do
      assert.is_true(tensor.getRNGState(tensor.Generator()):nElement() > 0)
    end
  end)

  it('can be requested while the Lua state closes', function()
    -- For every order in which Lua finalizes the remaining objects.
    local proxy = [[
      local proxy = newproxy(true)
      getmetatable(proxy).__gc = function()
        print(pcall(function() return T.rand(3):nElement(), T.manualSeed(1), T._gen end))
      end
      kept = {kept, proxy}
    ]]
    local output, status = child.run(proxy .. 'T = tensor', {first = proxy})
    assert.equal(0, status, output)
    for line in output:gmatch '[^\n]+' do
      assert.is_true((line:find '^true\t3' or line:find '^false\t.*closing') ~= nil, line)
    end
    assert.equal(2, select(2, output:gsub('\n', '')), output)
  end)
end)

-- The child's address space is limited to slightly more than it uses. The operation triggers a
-- garbage collection, which makes space for the result and runs a finalizer that attacks the
-- operands.
local scarce = [[
  tensor.setnumthreads(1)
  local ffi = require 'ffi'
  ffi.cdef 'typedef struct { unsigned long now, most; } limits; int setrlimit(int, const limits *);'
  local n = 3e6
  local T = tensor.DoubleTensor
  local a, b = T(n):fill(2), T(n):fill(5)
  local mask = tensor.ByteTensor(n):fill(1)
  local index = tensor.LongTensor(n):fill(1)
  local finalize, finalizes = getmetatable(a).__gc, getmetatable(a:storage()).__gc
  local ran = 0
  local function attack()
    ran = ran + 1
    for _, t in ipairs {a, b, mask, index} do
      pcall(t.resize, t, 1)
      pcall(t.storage(t).resize, t:storage(), 1)
      pcall(t.set, t)
      pcall(t.set, t, t.new{1, 2})
      pcall(t.free, t)
      pcall(getmetatable(t).__gc, t)
      pcall(t.fill, t, 100)
      pcall(t.copy, t, t)
    end
    pcall(finalize, a)
    if list then
      for k in pairs(list) do list[k] = nil end
    end
  end
  list = nil
  local garbage = {T(n):fill(1), T(n):fill(1)}
  collectgarbage 'stop'
  -- If a collection is due, run it now, before the finalizer exists.
  for _ = 1, 10 do T(1) end
  garbage = nil
  getmetatable(newproxy(true)).__gc = attack
  local size
  for line in io.lines '/proc/self/status' do
    size = size or line:match 'VmSize:%s*(%d+)'
  end
  local limit = ffi.new('limits', tonumber(size) * 1024 + 2 ^ 20, -1)
  ffi.C.setrlimit(9, limit)
]]

describe('finalizers that run in the middle of an operation', function()
  if child.sanitized then
    return
  end
  local cases = {
    ['tensor.add(a, b)'] = 7 * 3e6,
    ['a + b'] = 7 * 3e6,
    ['tensor.exp(a:zero())'] = 3e6,
    ['a:clone()'] = 2 * 3e6,
    ['a:float()'] = 2 * 3e6,
    ['a:maskedSelect(mask)'] = 2 * 3e6,
    ['a[mask]'] = 2 * 3e6,
    ['a:index(1, index)'] = 2 * 3e6,
    ['a:cumsum()'] = 2 * 3e6 * (3e6 + 1) / 2,
    ['tensor.cat(list, 1)'] = 7 * 3e6,
    ['tensor.sort(a)'] = 2 * 3e6,
  }
  for expression, sum in pairs(cases) do
    it('leave the operands of ' .. expression .. ' alone', function()
      local list = expression:find 'list' and 'list = {a, b}' or ''
      local output, status = child.run(scarce .. list .. [[
        local ok, result = pcall(function() return (]] .. expression .. [[) end)
        print(ok, ran, ok and ('%.0f'):format(result:sum()) or result)]])
      assert.equal(0, status, output)
      local ok, ran, got = output:match '^(%w+)\t(%d+)\t(.-)\n$'
      if ok == 'true' then
        assert.equal(('%.0f'):format(sum), got)
      else
        assert.matches('out of memory', got)
      end
      assert.equal('1', ran, output)
    end)
  end
end)
