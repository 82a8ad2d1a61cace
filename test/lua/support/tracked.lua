-- Helpers of the tests of tensor.grad.

local assert = require 'luassert'
local tensor = require 'tensor'

local tracked = {}

--- Fails unless a list or tensor has the expected elements, but for rounding.
function tracked.same(expected, got)
  got = tensor.isTensor(got) and got:totable() or got
  assert.are.equal(#expected, #got)
  for k = 1, #expected do
    assert.is_true(math.abs(expected[k] - got[k]) < 1e-9,
                   ('element %d: %.17g, not %.17g'):format(k, got[k], expected[k]))
  end
end

--- Checks the gradient of f at (1, 2, 3).
function tracked.check(expected, f)
  tracked.same(expected, (tensor.grad(f)(tensor.DoubleTensor{ 1, 2, 3 })))
end

function tracked.square_sum(x) return tensor.cmul(x, x):sum() end

return tracked
