-- The element-wise operations of optimizer steps round like their formulas, evaluated from left to
-- right without fused multiply-add, with every instruction set. Sums, matrix products and
-- transcendental functions are not tested here. Functions of 16-bit types round their result once.

local tensor = require 'tensor'
local elements = require 'support.elements'

local formulas = {
  ['x + 0.3 * y'] = { function(x, y) return x:clone():add(0.3, y) end,
                      function(x, y) return x + 0.3 * y end },
  ['x - 0.3 * y'] = { function(x, y) return x:clone():csub(0.3, y) end,
                      function(x, y) return x - 0.3 * y end },
  ['x + 0.7 * y * z'] = { function(x, y, z) return x:clone():addcmul(0.7, y, z) end,
                          function(x, y, z) return x + 0.7 * y * z end },
  ['x + 0.7 * y / z'] = { function(x, y, z) return x:clone():addcdiv(0.7, y, z) end,
                          function(x, y, z) return x + 0.7 * y / z end },
  ['x * 0.3'] = { function(x) return x * 0.3 end, function(x) return x * 0.3 end },
  ['x / 0.3'] = { function(x) return x / 0.3 end, function(x) return x / 0.3 end },
  ['y / z'] = { function(_, y, z) return tensor.cdiv(y, z) end,
                function(_, y, z) return y / z end },
  ['sqrt z'] = { function(_, _, z) return tensor.sqrt(z) end,
                 function(_, _, z) return math.sqrt(z) end },
  ['x ^ 2'] = { function(x) return tensor.pow(x, 2) end, function(x) return x * x end },
}

describe('doubles', function()
  local random, n = elements.generator(3), 500
  local x, y, z = tensor.DoubleTensor(n), tensor.DoubleTensor(n), tensor.DoubleTensor(n)
  for i = 1, n do x[i], y[i], z[i] = random() - 0.5, 8 * random() - 4, random() + 0.25 end

  for formula, functions in pairs(formulas) do
    it('are ' .. formula, function()
      local ours, wanted = unpack(functions)
      -- Where LuaJIT compiles for ARM64 it fuses products and sums.
      require 'tensor.versions'.interpreted(wanted)
      local result = ours(x, y, z):totable()
      for i = 1, n do assert(result[i] == wanted(x[i], y[i], z[i]), i) end
    end)
  end
end)

describe('16-bit types', function()
  -- Half and BFloat16 both round 0.3333, and 100 times that.
  local x = 0.3333
  for _, e in ipairs { elements.Half, elements.BFloat16 } do
    local function of(...) return e.Tensor { ... } end
    local function matrix(...) return e.Tensor { { ... } } end
    local hundred, zero, one = of(100), of(0), of(1)
    local batch = e.Tensor { { { 100 } } }
    local calls = {
      add = function() return tensor.add(zero, x, hundred) end,
      mul = function() return tensor.mul(hundred, x) end,
      lerp = function() return tensor.lerp(zero, hundred, x) end,
      addcmul = function() return tensor.addcmul(zero, x, hundred, one) end,
      addmm = function() return tensor.addmm(0, zero, x, matrix(100), matrix(1)) end,
      ['beta of addmm'] = function() return tensor.addmm(x, hundred, 1, matrix(0), matrix(0)) end,
      addmv = function() return tensor.addmv(0, zero, x, matrix(100), one) end,
      addr = function() return tensor.addr(0, zero, x, hundred, one) end,
      ['beta of addr'] = function() return tensor.addr(x, hundred, 1, zero, zero) end,
      ['beta alone'] = function() return tensor.addr(x, hundred, 0, zero, zero) end,
      addbmm = function() return tensor.addbmm(0, zero, x, batch, batch:clone():fill(1)) end,
      baddbmm = function() return tensor.baddbmm(0, zero, x, batch, batch:clone():fill(1)) end,
    }
    for name, call in pairs(calls) do
      it(('of %s take numbers as they are: %s'):format(e.name, name), function()
        assert.are.equal(e.store(100 * x), call():view(-1)[1])
      end)
    end

    it('of ' .. e.name .. ' are rounded once by einsum', function()
      local random = elements.generator(7)
      local function tensor_of(...)
        return e.Tensor(...):apply(function() return random() end)
      end
      local a, b, c = tensor_of(7, 65), tensor_of(65, 9), tensor_of(9, 33)
      local wide = { a:double(), b:double(), c:double() }
      for _, equation in ipairs { 'ij->', 'ij->j', 'ij,jk->', 'ij,jk->i', 'ij,jk->ik',
                                  'ij,jk,kl->il', 'ij,jk,kl->' } do
        local count = select(2, equation:gsub(',', '')) + 1
        local got = tensor.einsum(equation, unpack({ a, b, c }, 1, count))
        local want = tensor.einsum(equation, unpack(wide, 1, count))
        assert.are.equal(e.class, tensor.type(got))
        -- Sums are kept in float, so that a result may be the other neighbour of a tie.
        local unit = tensor.abs(want) * e.eps * 0.51
        assert.are.equal(0, (got:double() - want):abs():gt(unit):sum(), equation)
      end
      assert.are.equal('torch.FloatTensor', tensor.type(tensor.einsum('ij,jk->i', a, b:float())))
    end)
  end
end)

describe('reductions to the positions of indices', function()
  local L = tensor.LongTensor
  local function first(n) return L(n):fill(1) end

  it('of 16-bit types are computed in float', function()
    for _, class in ipairs { tensor.HalfTensor, tensor.BFloat16Tensor } do
      local ones = class(5000):fill(1)
      assert.are.equal(class { 5000 }[1], tensor.bincount(first(5000), ones)[1])
      local zero = class(1):zero()
      local sum = zero:clone():scatterReduce(1, first(5000), ones, 'sum')[1]
      assert.are.equal(class { 5000 }[1], sum)
      local range = tensor.range(1, 1000):type(class():type())
      for _, name in ipairs { 'scatterReduce', 'indexReduce' } do
        local mean = zero:clone()[name](zero:clone(), 1, first(1000), range, 'mean', false)[1]
        assert.are.equal(class { range:double():mean() }[1], mean)
      end
    end
    local large = tensor.HalfTensor { 60000, 60000 }
    assert.are.equal(tensor.HalfTensor { 60000 }[1],
                     tensor.HalfTensor(1):scatterReduce(1, first(2), large, 'mean', false)[1])
  end)

  it('means of integers do not overflow', function()
    for _, class in ipairs { tensor.ByteTensor, tensor.CharTensor } do
      for _, name in ipairs { 'scatterReduce', 'indexReduce' } do
        local zero = class(1):zero()
        assert.are.equal(1, zero[name](zero, 1, first(256), class(256):fill(1), 'mean', false)[1])
        assert.are.equal(100, zero[name](zero, 1, first(2), class(2):fill(100), 'mean', false)[1])
      end
    end
    local t = tensor.ByteTensor { 200, 7, 9 }
    assert.are.same({ 200, 8, 9 },
                    t:scatterReduce(1, L { 1, 2 }, tensor.ByteTensor { 200, 10 }, 'mean'):totable())
  end)
end)

it('comparisons of 16-bit tensors round numbers beyond their range to infinity', function()
  local t = tensor.HalfTensor { math.huge, 65504 }
  for _, number in ipairs { 70000, 1e6, 1e39 } do
    assert.are.same({ 1, 0 }, t:eq(number):totable())
    assert.are.same({ 0, 0 }, t:gt(number):totable())
    assert.are.same({ 0, 1 }, t:lt(number):totable())
  end
end)

it('an element does not depend on its position, with one tensor or two', function()
  local functions = { tensor.xlogy, tensor.atan2, tensor.hypot, tensor.cpow, tensor.logaddexp,
                      tensor.exp2, tensor.atanh, tensor.logit, tensor.log1p, tensor.asinh }
  tensor.manualSeed(1)
  for _, class in ipairs { tensor.FloatTensor, tensor.DoubleTensor } do
    for k, f in ipairs(functions) do
      local a, b = class(2, 67):uniform(), class(2, 67):uniform()
      local binary = k <= 5
      local all = binary and f(a, b) or f(a)
      for j = 1, 67 do
        local x, y = a:narrow(2, j, 1), b:narrow(2, j, 1)
        assert.are.equal(all[{ 2, j }], (binary and f(x, y) or f(x))[{ 2, 1 }], k)
      end
    end
  end
end)

it('correlations do not depend on the scale of the rows', function()
  for _, scale in ipairs { 1e20, 1e-25 } do
    local t = tensor.FloatTensor { { 1, 2, 4 }, { 1, 3, 2 } }
    local wanted = tensor.corrcoef(t)
    t[1]:mul(scale)
    assert.is_true(tensor.corrcoef(t):allclose(wanted, 1e-6))
  end
end)

it('integers are rounded to tens exactly', function()
  local L = tensor.LongTensor
  local digits = { '9007199254740993', '-9007199254740995', '900719925474099350', '49', '-50', '0' }
  local function long(text)
    local t = L { 0 }
    for digit in text:gmatch '%d' do t:mul(10):add(tonumber(digit)) end
    return text:sub(1, 1) == '-' and -t or t
  end
  local function check(decimals, ...)
    for k, want in ipairs { ... } do
      assert.is_true(tensor.round(long(digits[k]), decimals):equal(long(want)), digits[k])
    end
  end
  check(-1, '9007199254740990', '-9007199254741000', '900719925474099350', '50', '-50', '0')
  check(-2, '9007199254741000', '-9007199254741000', '900719925474099400', '0', '-100', '0')
  check(-17, '0', '0', '900000000000000000', '0', '0', '0')
  check(-19, '0', '0', '0', '0', '0', '0')
  check(-400, '0', '0', '0', '0', '0', '0')
  local ints = tensor.IntTensor { 124, 125, -125 }
  assert.are.same({ 120, 130, -130 }, tensor.round(ints, -1):totable())
  assert.are.same({ 200, 0 }, tensor.round(tensor.ByteTensor { 249, 49 }, -2):totable())
end)
