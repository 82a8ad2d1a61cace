-- Linear algebra of very large, very small and undefined elements, and of empty matrices.

local tensor = require 'tensor'

local Double, nan, inf = tensor.DoubleTensor, 0 / 0, math.huge

local function near(expected, got, bound)
  local off = (got - expected):abs():max()
  assert.is_true(off <= bound, ('differs by %g'):format(off))
end

local function are_nan(t) return t:ne(t):all() end

-- The identity with a pivot whose reciprocal is infinite.
local function with_tiny_pivot(n)
  local a = tensor.eye(n):double()
  a[2][2] = 1e-310
  return a
end

it('tall matrices without columns have factors', function()
  for _, m in ipairs { 5, 48, 100 } do
    local lu, pivots = tensor.btrifact(tensor.DoubleTensor(1, m, 0))
    assert.are.same({ 1, m, 0 }, lu:size():totable())
    for i = 1, m do assert.are.equal(i, pivots[1][i]) end
    local q, r = tensor.qr(Double(m, 0), true)
    near(tensor.eye(m):double(), q, 0)
    assert.are.same({ m, 0 }, r:size():totable())
  end
end)
