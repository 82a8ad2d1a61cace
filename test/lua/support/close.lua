-- Comparisons of tensors that differ by rounding errors.

local assert = require 'luassert'
local tensor = require 'tensor'

local close = {}

--- Checks a tensor.
function close.near(want, got, tolerance, what)
  local difference = (got:double() - want):abs():max()
  local is_near = difference <= tolerance * math.max(1, tensor.abs(want):max())  -- false for NaN
  if not is_near then error(('%s: %g'):format(what, difference)) end
end

--- Checks a number, or a tensor, whose size must be the same.
function close.numbers(expected, found)
  if tensor.isTensor(expected) then
    assert.are.equal(table.concat(expected:size():totable(), 'x'),
                     table.concat(found:size():totable(), 'x'))
    expected = (expected:double() - found:double()):abs():max()
    found = 0
  end
  assert.is_true(math.abs(expected - found) <= 1e-9 * (1 + math.abs(expected)),
                 ('%.15g, not %.15g'):format(found, expected))
end

return close
