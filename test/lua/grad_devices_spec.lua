-- Gradients of tensors on a device: they are made there, and fused as on the CPU.

local tensor = require 'tensor'
local support = require 'support.on_device'
local device = support.device

-- More elements than the fewest for which formulas are fused.
local COUNT = 1500

describe('gradients on devices', function()
  support.around(before_each, after_each)

  local function loss(x) return tensor.tanh(tensor.sigmoid(x)):sum() end
  local function operand() return tensor.range(1, COUNT):div(COUNT) end

  it('are made on the device of the operand, without elements from the host', function()
    for _, f in ipairs{ loss, function(x) return x:sum() end, function(x) return x:mean() end,
                        function(x) return (x * 2):norm() end } do
      local df = tensor.grad(f)
      local x = operand():to(device)
      df(x)
      tensor.synchronize()
      tensor.resetStats()
      local g = df(x)
      assert.equal(device, g:device())
      tensor.synchronize()
      assert.is_true(tensor.stats().h2d.bytes <= 16, tensor.stats().h2d.bytes)
      assert.is_nil(next(tensor.stats().fallbacks))
      -- Sums have another order there, and functions of GPUs other last places.
      assert.is_true(((df(operand())) - g):abs():max() < 1e-12)
    end
  end)

  it('are computed in one pass for each operation', function()
    local print_, rows = print, nil
    _G.print = function() end
    local x = operand():to(device)
    local df = tensor.grad(loss)
    local ok, message = pcall(function() rows = tensor.profile(function() df(x) end) end)
    _G.print = print_
    assert.is_true(ok, message)
    local calls = {}
    for _, row in ipairs(rows) do
      if row.device == device then calls[row.op] = row.calls end
    end
    assert.same({ 2, 1, 1 }, { calls.fuse, calls.tanh, calls.sigmoid })
    assert.is_nil(calls.cmul)
  end)
end)
