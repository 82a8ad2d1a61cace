-- Special functions where their formulas need care, against figures of Abramowitz and Stegun's
-- Handbook, chapters 6 and 7, and what follows from them.

local tensor = require 'tensor'

local inf, nan = math.huge, 0 / 0
-- A constant of that value is 0 in Lua 5.1, and for LuaJIT on ARM64.
local minus_zero = -1 / inf

-- scale: the size of what was added up.
local function assert_close(want, got, ulps, scale)
  if want == got or want ~= want and got ~= got then return end
  local unit = 2 ^ -52 * math.max(math.abs(want), scale or 0)
  assert.is_true(math.abs(got - want) <= ulps * unit, ('%.17g instead of %.17g'):format(got, want))
end

local function check(name, ulps, cases, scale)
  for x, want in pairs(cases) do
    assert_close(want, tensor[name](tensor.DoubleTensor{x})[1], ulps, scale)
  end
end

describe('special functions', function()
  it('erfinv', function()
    check('erfinv', 4, {
      [0.1] = 0.088855990494257687, [0.5] = 0.47693627620446987, [0.9] = 1.1630871536766741,
      [-0.99] = -1.8213863677184497, [1] = inf, [-1] = -inf, [1.5] = nan, [-2] = nan,
    })
    -- Far out erf changes less than its result's last bit.
    for k = 1, 15 do
      local y = 1 - 10 ^ -k
      assert_close(y, tensor.erf(tensor.erfinv(y)), 2)
    end
    assert.are.equal(-inf, 1 / tensor.erfinv(tensor.DoubleTensor{minus_zero})[1])
  end)

  it('digamma', function()
    check('digamma', 16, {
      [1] = -0.57721566490153286, [0.5] = -1.9635100260214235, [2] = 0.42278433509846714,
      [-0.5] = 0.036489973978576520, [100] = 4.6001618527380874, [1e10] = 23.025850929890456,
      [-1] = nan, [-7] = nan,
    }, 1)
    assert.are.equal(-inf, tensor.digamma(tensor.DoubleTensor{0})[1])
    assert.are.equal(inf, tensor.digamma(tensor.DoubleTensor{minus_zero})[1])
  end)

  it('of exponentials do not overflow', function()
    check('softplus', 2, { [1000] = 1000, [-1000] = 0, [0] = math.log(2), [inf] = inf,
                           [-inf] = 0 })
    local large = tensor.DoubleTensor{1000, -1000, inf, -inf, inf, 0}
    local other = tensor.DoubleTensor{1000, -1000, inf, -inf, -inf, -inf}
    local sum = tensor.logaddexp(large, other)
    assert_close(1000 + math.log(2), sum[1], 2)
    assert_close(-1000 + math.log(2), sum[2], 2)
    assert.are.same({ inf, -inf, inf, 0 }, sum:narrow(1, 3, 4):totable())
    assert.are.equal(5e300, tensor.hypot(tensor.DoubleTensor{3e300}, tensor.DoubleTensor{4e300})[1])
  end)

  it('activations at their ends', function()
    check('relu', 0, { [-inf] = 0, [inf] = inf, [0] = 0, [-3] = 0 })
    check('gelu', 0, { [0] = 0, [inf] = inf })
    check('silu', 0, { [0] = 0, [inf] = inf, [-1000] = 0 })
    assert.is_true(tensor.isnan(tensor.relu(tensor.DoubleTensor{nan}))[1] == 1)
  end)
end)
