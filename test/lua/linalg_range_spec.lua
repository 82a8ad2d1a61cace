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

describe('denormal pivots', function()
  it('give finite determinants and solutions', function()
    for _, n in ipairs { 3, 9, 20, 47, 48, 100 } do
      local a = with_tiny_pivot(n)
      local column = a:narrow(2, 2, 1):clone()
      local want = tensor.zeros(n, 1):double()
      want[2][1] = 1
      assert.are.equal(1e-310, a:det())
      assert.is_true(math.abs(a:logdet() - math.log(1e-310)) < 1e-10)
      near(want, tensor.solve(a, column), 0)
      near(want, tensor.solve(a:t(), column), 0)
      near(want, (tensor.gesv(column, a)), 0)
      near(want, (tensor.trtrs(column, a)), 0)
      near(want, (tensor.trtrs(column, a, 'L', 'T')), 0)
      local lu, pivots = tensor.btrifact(a:view(1, n, n))
      near(want:view(1, n, 1), tensor.btrisolve(column:view(1, n, 1), lu, pivots), 0)
    end
  end)

  it('are factored in wide matrices', function()
    local a = tensor.zeros(9, 12):double()
    a:narrow(2, 1, 9):copy(with_tiny_pivot(9))
    a:narrow(2, 10, 3):fill(1)
    near(a, tensor.btrifact(a:view(1, 9, 12))[1], 0)
  end)
end)

describe('very large and very small matrices', function()
  it('are inverted and solved without overflow', function()
    tensor.manualSeed(1)
    for _, n in ipairs { 9, 48, 100 } do
      for _, case in ipairs { { 'float', 2 ^ 124 }, { 'float', 2 ^ -126 }, { 'double', 2 ^ 1020 },
                              { 'double', 2 ^ -1020 } } do
        local name, factor = case[1], case[2]
        local a = tensor.randn(n, n)[name](tensor.randn(n, n)):clamp(-4, 4)
        local b = tensor.randn(n, 2)[name](tensor.randn(n, 2))
        local scaled = a * factor
        local exact = factor > 1 and a or scaled / factor  -- small elements are rounded
        local bound = (name == 'float' and 2e-2 or 1e-9) * tensor.inverse(exact):norm()
        local small = math.min(factor, 1)
        local want_x, right = tensor.solve(exact, b), b * small
        near(want_x, tensor.solve(scaled, right) * (factor / small), bound)
        near(want_x, tensor.gesv(right, scaled) * (factor / small), bound)
        local sign, logarithm = tensor.slogdet(scaled)
        local want_sign, want = tensor.slogdet(exact)
        assert.are.equal(want_sign, sign)
        assert.is_true(math.abs(logarithm - want - n * math.log(factor)) < 1e-2)
        if factor > 1 then
          near(tensor.inverse(a), tensor.inverse(scaled) * factor, bound)
        end
      end
    end
  end)

  it('keep small elements next to large ones', function()
    local a = tensor.eye(48):double()
    a[1][1], a[2][2] = 1e300, 1e-300
    near(tensor.ones(48, 1):double(), tensor.solve(a, a:sum(2):view(48, 1)), 1e-15)
  end)

  it('return their factors', function()
    local a = tensor.eye(48):double() * 2 ^ 1000
    a[1][2] = 2 ^ 999
    local _, lu = tensor.gesv(tensor.ones(48, 1):double(), a)
    near(a, lu, 0)
  end)
end)

describe('determinants', function()
  it('are rounded once', function()
    local a = Double { { 1e300, 0 }, { 0, 5e-324 } }
    assert.is_true(math.abs(a:det() / (1e300 * 5e-324) - 1) < 1e-15)
    local logarithm = Double { { 0.5, 0 }, { 0, 5e-324 } }:logdet()
    assert.is_true(math.abs(logarithm + 745.1332191019412) < 1e-9)
  end)

  it('have gradients for regular, singular and undefined matrices of one batch', function()
    tensor.manualSeed(2)
    local grad = tensor.grad(function(t) return tensor.det(t):sum() end)
    local a = tensor.randn(2, 2, 3, 3):double()
    local want = grad(a)
    a[1][2]:fill(nan)
    a[2][1]:copy(Double { { 1, 0, 0 }, { 0, 2, 0 }, { 0, 0, 0 } })
    local got = grad(a)
    assert.is_true(are_nan(got[1][2]))
    near(Double { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 2 } }, got[2][1], 1e-15)
    near(want[1][1], got[1][1], 0)
    near(want[2][2], got[2][2], 0)
    local of_logarithm = tensor.grad(function(t)
      local _, logarithm = tensor.slogdet(t)
      return logarithm:sum()
    end)(a[1])
    assert.is_true(are_nan(of_logarithm[2]))
    near(tensor.inverse(a[1][1]):t(), of_logarithm[1], 1e-12)
  end)

  it('have finite gradients if they overflow', function()
    local a = Double { { 1e200, 0 }, { 0, 1e200 } }
    near(a, tensor.grad(tensor.det)(a), 1e186)
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

it('condition numbers of norms 1 and infinity overflow to infinity', function()
  local a = Double { { 1e-310, 0 }, { 0, 1e-310 } }
  for _, p in ipairs { 1, -1, inf, -inf } do assert.are.equal(inf, tensor.cond(a, p)) end
end)

it('ranks need tolerances that are numbers', function()
  assert.has_error(function() tensor.matrixRank(tensor.eye(2), nan) end,
                   'matrixRank: tol must be a number, got nan')
  assert.has_error(function() tensor.matrixRank(tensor.eye(2), 0, nan) end,
                   'matrixRank: rtol must be a number, got nan')
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

it('the complete Q of tall matrices is orthogonal', function()
  tensor.manualSeed(3)
  for _, size in ipairs { { 20, 3 }, { 3, 9, 4 }, { 70, 69 }, { 5, 1 } } do
    local a = tensor.randn(unpack(size)):double()
    local q, r = tensor.qr(a, true)
    local last = q:dim()
    near(a, tensor.matmul(q, r), 1e-13)
    local product = tensor.matmul(q:transpose(last - 1, last), q)
    near(tensor.eye(q:size(last)):double():expandAs(product), product, 1e-13)
    near(tensor.triu(r), r, 0)
  end
end)
