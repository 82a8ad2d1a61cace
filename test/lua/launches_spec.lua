-- The kernel calls, copies and memory of operations on a device: what the host does for each call.

local support = require 'support.on_device'
local tensor = require 'tensor'

local device = support.device

describe('on a device', function()
  support.around(before_each, after_each)

  -- The elements are valid on the device only, so that the host cannot check them.
  local function on(t) return t:to(device):mul(1) end
  local m, v, counts, indices, classes, mask, image, gates, state
  before_each(function()
    m, v = on(tensor.FloatTensor(4, 4):fill(1)), on(tensor.FloatTensor(4):fill(2))
    counts = on(tensor.IntTensor{ 1, 2, 3, 4 })
    indices = on(tensor.LongTensor{ 1, 2 })
    classes = on(tensor.LongTensor{ 1, 2, 3, -100 })
    mask = on(tensor.ByteTensor{ 1, 0, 0, 1 })
    image = on(tensor.FloatTensor(2, 4, 3, 3):fill(1))
    gates, state = on(tensor.FloatTensor(4, 16):fill(1)), on(tensor.FloatTensor(4, 4):fill(1))
  end)

  -- Calls f twice. Returns the numbers of launches and copies of the second call, because the first
  -- one may move operands to the device.
  local function counted(f)
    f()
    tensor.resetStats()
    f()
    local stats = tensor.stats()
    assert.are.same({}, stats.fallbacks)
    return { launches = stats.launches, copies = stats.h2d.copies + stats.d2h.copies }
  end
  local function check(launches, copies, f)
    assert.are.same({ launches = launches, copies = copies }, counted(f))
  end

  it('most operations are one kernel call', function()
    local calls = {
      ['a + b'] = function() return m + m end,
      add = function() m:add(1) end,
      transposed = function() return m:t() + m end,
      product = function() return m * m end,
      sum = function() return m:sum(1) end,
      max = function() return m:max(1) end,
      cumsum = function() return m:cumsum(1) end,
      sort = function() return m:sort(1) end,
      index = function() return m:index(1, indices) end,
      gather = function() return m:gather(1, indices:view(1, 2)) end,
      maskedFill = function() return v:maskedFill(mask, 0) end,
      softmax = function() return tensor.softmax(m, 2) end,
      layerNorm = function() return tensor.layerNorm(m, { 4 }, v, v) end,
      rmsNorm = function() return tensor.rmsNorm(m, { 4 }, v) end,
      groupNorm = function() return tensor.groupNorm(image, 2, v, v) end,
      lstmCell = function() return tensor.lstmCell(gates, state) end,
      embedding = function() return tensor.embedding(m, indices) end,
    }
    local found, expected = {}, {}
    for name, f in pairs(calls) do
      found[name], expected[name] = counted(f), { launches = 1, copies = 0 }
    end
    assert.are.same(expected, found)
  end)

  it('losses of classes check the numbers in one kernel call', function()
    -- The check, the losses, and their conversion to floats.
    check(3, 0, function()
      return tensor.crossEntropy(m, classes, nil, -100, 0, 'none')
    end)
    check(3, 0, function() return tensor.nll(m, classes, nil, -100, 'none')
    end)
  end)

  it('integer division checks the divisor', function()
    check(2, 0, function() return tensor.cdiv(counts, counts) end)
  end)

  it('results that only derivatives need are not created', function()
    collectgarbage()
    collectgarbage 'stop'
    finally(function() collectgarbage 'restart' end)
    -- Objects are kept, because libTH collects garbage by itself.
    local kept = {}
    local function bytes(f)
      local before = tensor.memory(device).used
      kept[#kept + 1] = f()
      return tensor.memory(device).used - before
    end
    local expected = bytes(function() return m:clone() end)
    assert.is_true(expected > 0)
    for _, f in ipairs {
      function() return tensor.layerNorm(m, { 4 }, v, v) end,
      function() return tensor.dropout(m, 0.5) end,
    } do
      assert.are.equal(expected, bytes(f))
    end
  end)
end)
