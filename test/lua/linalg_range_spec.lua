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

describe('determinants', function()
  it('are rounded once', function()
    local a = Double { { 1e300, 0 }, { 0, 5e-324 } }
    assert.is_true(math.abs(a:det() / (1e300 * 5e-324) - 1) < 1e-15)
    local logarithm = Double { { 0.5, 0 }, { 0, 5e-324 } }:logdet()
    assert.is_true(math.abs(logarithm + 745.1332191019412) < 1e-9)
  end)
end)

describe('the exponential', function()
  it('keeps the zeros of triangular matrices', function()
    local a = Double { { 1, 1e6, 0 }, { 0, -1, 1e6 }, { 0, 0, 2 } }
    local r = tensor.matrixExp(a)
    for i = 1, 3 do
      assert.is_true(math.abs(r[i][i] / math.exp(a[i][i]) - 1) < 1e-9)
      for j = 1, i - 1 do assert.are.equal(0, r[i][j]) end
    end
    near(r, tensor.matrixExp(a:t()):t(), 1e-9 * r:max())
    near(tensor.eye(3):double(), tensor.matrixExp(tensor.zeros(3, 3):double()), 0)
  end)

  it('of a matrix does not depend on the others of a batch', function()
    local small = Double { { 0.1, 0.2 }, { 0.3, -0.4 } }
    local want = tensor.matrixExp(small)
    for _, other in ipairs { Double { { -1e10, 0 }, { 0, -1e10 } }, Double { { nan, 0 }, { 0, 1 } },
                             Double { { 0, inf }, { 0, 1 } } } do
      local r = tensor.matrixExp(tensor.cat({ small:view(1, 2, 2), other:view(1, 2, 2) }, 1))
      near(want, r[1], 0)
      if other[1][1] == -1e10 then
        near(tensor.zeros(2, 2):double(), r[2], 0)
      else
        assert.is_true(are_nan(r[2]))
      end
    end
  end)

  it('has a gradient of NaN if it is undefined', function()
    local grad = tensor.grad(function(t) return tensor.matrixExp(t):sum() end)
    assert.is_true(are_nan(grad(Double { { nan, 0 }, { 0, 1 } })))
  end)
end)

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
