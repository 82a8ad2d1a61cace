-- tensor.compile of functions with tensors on a device, on the CPU and on both: replays run each
-- operation where the function does, and give the same bits.

local tensor = require 'tensor'
local nn, optim = require 'tensor.nn', require 'tensor.optim'
local support = require 'support.on_device'
local checks = require 'support.compiled'
local device = support.device
local D = tensor.DoubleTensor

local function on(t) return t:to(device) end

-- The number of operations on each device during f(...), and their fallbacks to the CPU.
local function counted(f, ...)
  local print_ = _G.print
  _G.print = function() end
  local ok, rows = pcall(tensor.profile, function(...) f(...) end, ...)
  _G.print = print_
  assert.is_true(ok, rows)
  local counts, fallbacks = { cpu = 0, [device] = 0 }, 0
  for _, row in ipairs(rows) do
    counts[row.device] = counts[row.device] + row.calls
    fallbacks = fallbacks + row.fallbacks
  end
  return counts, fallbacks
end

-- Compares the results of a compiled function, and their devices, with those of the function.
-- Returns the compiled function.
local function compare(f, ...)
  local compiled = tensor.compile(f)
  for _ = 1, 4 do
    local expected, got = { f(...) }, { compiled(...) }
    assert.equal(#expected, #got)
    for k, t in ipairs(expected) do
      assert.is_true(checks.same(t, got[k]), compiled:explain())
      if tensor.isTensor(t) then assert.equal(t:device(), got[k]:device()) end
    end
  end
  assert.matches('done 2 times', compiled:explain())
  return compiled
end

describe('compile on devices', function()
  support.around(before_each, after_each)

  it('runs each operation where the function does', function()
    local a, c = on(D{ 1, 2, 3 }), D{ 4, 5, 6 }
    local f = compare(function(x, y)
      local on_cpu = tensor.exp(y) * 2
      local there = tensor.cmul(x, y) + 1
      return on_cpu + there, on_cpu, there:sum(1), y:clone():add(x), x:clone():copy(on_cpu)
    end, a, c)
    assert.matches('in 4 expressions and 1 call', f:explain())
    local counts, fallbacks = counted(f, a, c)
    assert.same({ cpu = 1, [device] = 5 }, counts)
    assert.equal(0, fallbacks)
  end)

  it('copies operands of the CPU once, and fills on both sides', function()
    local a, c = on(tensor.rand(4, 3)), tensor.rand(3)
    local f = compare(function(x, y)
      local zeros = x.new(3):zero()
      return x + y, x + tensor.ones(3), zeros + y, on(x.new(2)):fill(7)
    end, a, c)
    tensor.resetStats()
    for _ = 1, 3 do f(a, c) end
    assert.equal(0, tensor.stats().h2d.bytes + tensor.stats().d2h.bytes)
    assert.is_nil(next(tensor.stats().fallbacks))
  end)

  it('keeps the devices of tensors that it writes', function()
    local f = tensor.compile(function(x, y)
      y:copy(x * 2)
      x:add(1, y)
      y:narrow(1, 1, 1):fill(5)
      return tensor.cmul(x, y)
    end)
    local x, y = on(D{ 1, 2 }), D{ 0, 0 }
    for k = 1, 4 do
      local r = f(x, y)
      assert.same({ device, 'cpu', device }, { x:device(), y:device(), r:device() })
      assert.same({ 3 ^ k, 2 * 3 ^ k }, x:totable())
      assert.same({ 5, 4 * 3 ^ (k - 1) }, y:totable())
    end
    assert.matches('done 2 times', f:explain())
  end)

  it('copies from a device to tensors of the CPU', function()
    local f = tensor.compile(function(a, b) return a:clone():copy(b) end)
    local x, y = tensor.zeros(3), tensor.ones(3):to 'soft'
    for _ = 1, 4 do
      local r = f(x, y)
      assert.are.equal('cpu', r:device())
      assert.are.equal(3, r:sum())
    end
  end)

  it('records again once an argument of the CPU was moved', function()
    local f = tensor.compile(function(x, y) x:add(y) end)
    local x, y = D{ 1, 2 }, on(D{ 1, 1 })
    for k = 1, 5 do
      f(x, y)
      assert.equal(device, x:device())
      assert.same({ 1 + k, 2 + k }, x:totable())
    end
    assert.matches('done 2 times', f:explain())
  end)

  it('selects by masks, and computes with integers', function()
    for _, class in ipairs{ tensor.IntTensor, tensor.ByteTensor, tensor.FloatTensor } do
      local a, c = on(class{ 1, 5, 3, 2 }), class{ 2, 2, 3, 4 }
      local f = compare(function(x, y)
        local larger = x:gt(y)
        return tensor.where(larger, x * 3, y - x) + 1, larger, x:max(1)
      end, a, c)
      local counts, fallbacks = counted(f, a, c)
      assert.same({ 0, 0 }, { counts.cpu, fallbacks })
      assert.matches('in 3 expressions and 1 call', f:explain())
    end
  end)

  it('computes gradients of tensors and numbers', function()
    local a, w = on(D{ 1, 2, 3 }), on(D{ 2, 0, 1 })
    local df = tensor.grad(function(p, x)
      return (tensor.tanh(tensor.cmul(x, p.w)) * p.scale):sum() * p.half
    end)
    local compiled = tensor.compile(df)
    for _ = 1, 4 do
      local p = { w = w, scale = 3, half = 0.5 }
      local g, loss = df(p, a)
      local h, same_loss = compiled(p, a)
      assert.is_true(checks.same(g.w, h.w))
      assert.equal(device, h.w:device())
      assert.same({ g.scale, g.half, loss }, { h.scale, h.half, same_loss })
    end
    assert.matches('done 2 times', compiled:explain())
  end)

  it('trains with the parameters on the device and the classes on the CPU', function()
    local function training()
      tensor.manualSeed(3)
      local model = nn.sequential{ nn.linear(3, 4), tensor.tanh, nn.linear(4, 2) }
      local p, update = model.init(), optim.adam{ rate = 0.1 }
      for _, t in pairs(require 'tensor.tree'.leaves(p)) do on(t) end
      local df = tensor.grad(function(q, x, classes)
        return nn.crossEntropy(model(q, x), classes)
      end, { tensors = true })
      return function(q, x, classes)
        local g, loss = df(q, x, classes)
        update(q, g)
        return loss
      end, p
    end
    local x, classes = on(tensor.rand(5, 3)), tensor.LongTensor{ 1, 2, 1, 2, 2 }
    local step, p = training()
    local other, q = training()
    local compiled = tensor.compile(other)
    for _ = 1, 6 do
      assert.is_true(checks.same(step(p, x, classes), compiled(q, x, classes)))
    end
    local leaves = require 'tensor.tree'.leaves
    for k, t in ipairs(leaves(p)) do
      assert.is_true(checks.same(t, leaves(q)[k]))
      assert.equal(device, leaves(q)[k]:device())
    end
    local single = counted(step, p, x, classes)
    local counts, fallbacks = counted(compiled, q, x, classes)
    assert.matches('done 4 times', compiled:explain())
    assert.equal(0, fallbacks)
    assert.is_true(counts[device] < single[device] * 0.6, counts[device] .. ' ' .. single[device])
  end)

  it('calls functions that move tensors', function()
    local x = D{ 1, 2 }
    checks.is_called('moves a tensor to another device', function(a)
      return on(a * 2) + 1
    end, x)
    checks.is_called('moves a tensor to another device', function(a)
      return on(a * 2)
    end, x)
  end)
end)
