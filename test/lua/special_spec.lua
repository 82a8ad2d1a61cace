-- Special functions where their formulas need care, against figures of Abramowitz and Stegun's
-- Handbook, chapters 6 and 7, and what follows from them.

local tensor = require 'tensor'
local elements = require 'support.elements'

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
    local slopes = tensor.vjp(tensor.logaddexp, { large:narrow(1, 5, 2), other:narrow(1, 5, 2) },
      { tensor.ones(2) })
    assert.are.same({ { 1, 1 }, { 0, 0 } }, { slopes[1]:totable(), slopes[2]:totable() })
    assert_close(5e300, tensor.hypot(tensor.DoubleTensor{3e300}, tensor.DoubleTensor{4e300})[1], 2)
  end)

  it('do not depend on the place of an element', function()
    local random = elements.generator(5)
    for _, row in ipairs(tensor._optable()) do
      if row['function'] == '[*T] T' and row.method == '*T [T]' and row.lua ~= '' then
        for _, e in ipairs { elements.Float, elements.Double, elements.Half } do
          if elements.supports(row.types, e) then
            for k = 1, 60 do
              local x = k <= 20 and 2 * random() - 1 or k <= 40 and 20 * random() - 10
                        or 1 - 10 ^ (-6 * random())
              local alone = tensor[row.lua](e.Tensor { x })[1]
              local many = tensor[row.lua](e.Tensor(37):fill(x))
              if alone == alone then
                assert.are.equal(37, many:eq(alone):sum(), ('%s of %.17g'):format(row.lua, x))
              end
            end
          end
        end
      end
    end
  end)

  it('lerp of weight 1 is its end, and of weight 0 its beginning', function()
    for _, e in ipairs(elements) do
      if not e.integral then
        local large, one = e.Tensor { e.store(6e4), 1, -1 }, e.Tensor { 1, e.store(6e4), 0.1 }
        assert.are.same(one:totable(), tensor.lerp(large, one, 1):totable())
        assert.are.same(large:totable(), tensor.lerp(large, one, 0):totable())
      end
    end
    assert.are.equal(1, tensor.lerp(tensor.FloatTensor { 1e10 }, tensor.FloatTensor { 1 }, 1)[1])
    assert.are.equal(1, tensor.lerp(tensor.Tensor { 1e20 }, tensor.Tensor { 1 }, 1)[1])
    assert.are.equal(6.5, tensor.lerp(tensor.Tensor { 5 }, tensor.Tensor { 7 }, 0.75)[1])
  end)

  it('lerp takes a weight for each element', function()
    for _, e in ipairs(elements) do
      if not e.integral then
        local a, b = e.Tensor { e.store(6e4), 1, -1 }, e.Tensor { 1, e.store(6e4), 0.5 }
        local weight = e.Tensor { 1, 0, 0.5 }
        assert.are.same({ 1, 1, -0.25 }, tensor.lerp(a, b, weight):totable())
        local into = a:clone()
        assert.are.equal(into, into:lerp(b, weight))
        assert.are.same({ 1, 1, -0.25 }, into:totable())
        assert.are.same({ 3, 2 }, tensor.lerp(e.Tensor { 1 }, e.Tensor { 5 },
                                              e.Tensor { 0.5, 0.25 }):totable())
      end
    end
    assert.is_true(tensor.gradcheck(tensor.lerp, { tensor.randn(2, 3), tensor.randn(3),
                                                   tensor.rand(2, 1) }, { order = 2 }))
  end)

  it('activations at their ends', function()
    check('relu', 0, { [-inf] = 0, [inf] = inf, [0] = 0, [-3] = 0 })
    check('gelu', 0, { [0] = 0, [inf] = inf })
    check('silu', 0, { [0] = 0, [inf] = inf, [-1000] = 0 })
    assert.is_true(tensor.isnan(tensor.relu(tensor.DoubleTensor{nan}))[1] == 1)
  end)

  it('gelu keeps the digits of its tail', function()
    -- x, gelu(x) and its derivative. Figures of mpmath.
    local figures = {
      { -1, -0.15865525393145705, -0.083315470587686298 },
      { -3, -0.0040496940948902836, -0.011945647204183927 },
      { -5, -1.4332578593959696e-6, -7.1469460017922946e-6 },
      { -8, -4.9767684594174273e-15, -3.979607261086796e-14 },
      { -13, -7.9523137194148436e-38, -1.0337304440113356e-36 },
      { -20, -5.5072482372124674e-88, -1.1014360483133464e-86 },
      { -37, -2.1184613523340934e-298, -7.8382986694185162e-297 },
      { -0.001, -0.00049960105778608895, 0.4992021157051586 },
      { 5, 4.9999985667421406, 1.0000071469460018 },
    }
    local slope = tensor.grad(function(t) return tensor.gelu(t):sum() end)
    for _, class in ipairs { tensor.DoubleTensor, tensor.FloatTensor } do
      local is_float = class == tensor.FloatTensor
      for _, row in ipairs(figures) do
        local x, y, dy = unpack(row)
        if not is_float or x >= -13 then
          assert_close(y, tensor.gelu(class { x })[1], is_float and 2 ^ 31 or 3000)
          -- A float has few digits of the exponent of exp(-x * x / 2).
          assert_close(dy, slope(class { x })[1], is_float and 2 ^ 36 or 3000)
        end
      end
      assert.are.same({ 0, inf }, tensor.gelu(class { -inf, inf }):totable())
      assert.is_true(tensor.gelu(class { nan }):ne(0)[1] == 1)
      local ends = tensor.gelu(class { -100, -1e30, 1e30 })
      assert.are.same({ 0, 0 }, ends:narrow(1, 1, 2):totable())
      assert.are.equal(class { 1e30 }[1], ends[3])
    end
  end)

  it('logarithms and powers of whole numbers are exact', function()
    local exponents = tensor.range(-300, 300)
    local values = tensor.DoubleTensor(exponents:size(1))
    for k = -300, 300 do
      values[k + 301] = tonumber('1e' .. k)
    end
    assert.are.same(exponents:totable(), tensor.log10(values):totable())
    local small = tensor.range(-37, 38)
    local floats = values:narrow(1, 264, 76):float()
    assert.are.same(small:totable(), tensor.log10(floats):double():totable())
    assert.are.same(small:totable(), tensor.log2(tensor.pow(2, small:float())):double():totable())
    assert.are.same(exponents:totable(), tensor.log2(tensor.pow(2, exponents)):totable())
    local whole = tensor.range(0, 15)
    local powers = values:narrow(1, 301, 16)
    assert.are.same(powers:totable(), tensor.pow(10, whole):totable())
    local tens = tensor.DoubleTensor(16):fill(10)
    assert.are.same(powers:totable(), tensor.cpow(tens, whole):totable())
    assert.are.same(powers:float():totable(), tensor.pow(10, whole:float()):totable())
    assert.are.same(powers:totable(), tensor.logspace(0, 15, 16):totable())
    local halves = tensor.HalfTensor()
    tensor.logspace(halves, 0, 4, 5)
    assert.are.same({ 1, 10, 100, 1000, 10000 }, halves:totable())
  end)
end)

-- Figures of mpmath and SciPy.
it('special functions keep their digits near poles and for large arguments', function()
  local T = tensor.DoubleTensor
  for n, want in pairs { [1] = 1e32, [2] = 2e48, [3] = 6e64 } do
    assert_close(want, tensor.polygamma(T { -1e-16 }, n)[1], 8)
  end
  assert_close(1e-160, tensor.polygamma(T { 1e160 }, 1)[1], 4)
  assert_close(1 / 5.5e183, tensor.polygamma(T { 5.5e183 }, 1)[1], 4)
  assert_close(0.50000007677647, tensor.igamma(T { 3e12 }, T { 3e12 })[1], 100)
  assert_close(0.49999992322353, tensor.igammac(T { 3e12 }, T { 3e12 })[1], 100)
  assert_close(0.84134474606854, tensor.igammac(T { 1e14 }, T { 1e14 - 1e7 })[1], 100)
  for _, class in ipairs { tensor.DoubleTensor, tensor.FloatTensor } do
    local t, x = class { 1e17, 1e15, 1e15 }, class { 1, 1e-30, 1e17 }
    assert.are.same({ 0, 0, 1 }, tensor.igamma(t, x):totable())
    assert.are.same({ 1, 1, 0 }, tensor.igammac(t, x):totable())
  end
  -- Figures of mpmath.
  assert_close(0.29401167965948818, tensor.igamma(T { 11 }, T { 9 })[1], 40)
  assert_close(0.28722997071546047, tensor.igamma(T { 10.3424220578745 },
                                                  T { 8.342664679512382 })[1], 40)
  assert_close(0.2161609147653019, tensor.igammac(T { 10.06 }, T { 12.38 })[1], 40)
end)

it('the power 0.5 is the square root, except at -0 and -infinity', function()
  for _, class in ipairs { 'HalfTensor', 'FloatTensor', 'DoubleTensor' } do
    local x = tensor[class] { minus_zero, 0, 2, 9, inf, -inf, -1, nan }
    local root = x ^ 0.5
    assert.is_true(root:narrow(1, 2, 4):equal(tensor.sqrt(x):narrow(1, 2, 4)))
    assert.are.equal(inf, 1 / root[1])
    assert.are.equal(inf, root[6])
    assert.is_true(root[7] ~= root[7] and root[8] ~= root[8])
  end
end)

it('gradients keep their digits where a formula would cancel', function()
  local function slope(f, t) return tensor.grad(function(x) return f(x):sum() end)(t)[1] end
  for _, x in ipairs { 1e-30, 1e-16, 1e-7, 1e-3, 0.159, 0.161 } do
    local u = math.pi * x
    local series, term = 0, -u / 3
    -- Term k of the derivative of sin(u) / u by u is (-1)^k (2 k) / (2 k + 1)! u^(2 k - 1).
    for k = 1, 12 do
      series = series + term
      term = -term * u * u * (k + 1) / k / ((2 * k + 2) * (2 * k + 3))
    end
    assert_close(series * math.pi, slope(tensor.sinc, tensor.DoubleTensor { x }), 100)
    local f = slope(tensor.sinc, tensor.FloatTensor { x })
    assert_close(series * math.pi, f, 2 ^ 34)
  end
  assert.is_true(math.abs(slope(tensor.sinc, tensor.FloatTensor { 2e38 })) < 1e-37)
  local function second(x)
    local h = tensor.hessian(function(t) return tensor.sinc(t):sum() end, tensor.FloatTensor { x })
    return h[1][1]
  end
  assert_close(-math.pi ^ 2 / 3, second(0.001), 2 ^ 36)
  assert.is_true(math.abs(second(1e4)) < 1e-2)
  local near_one = tensor.FloatTensor { 0.9998308 }
  local x = near_one[1]
  assert_close(1 / (x * (1 - x)), slope(tensor.logit, near_one), 2 ^ 31)
  assert_close(1 / math.sqrt((1 - x) * (1 + x)), slope(tensor.asin, near_one), 2 ^ 31)
  -- interp of the identity, at the points and between them.
  local points = tensor.DoubleTensor { 0, 1, 2 }
  local g = tensor.grad(function(t) return tensor.interp(t, points, points):sum() end)
  assert.are.same({ 1, 1, 1 }, g(tensor.DoubleTensor { 0.5, 1, 1.5 }):totable())
end)

it('gradients of huge, tiny and far negative elements neither overflow nor vanish', function()
  local function check_slopes(name, ulps, cases)
    local slope = tensor.grad(function(t) return tensor[name](t):sum() end)
    for x, want in pairs(cases) do assert_close(want, slope(tensor.DoubleTensor { x })[1], ulps) end
  end
  -- Figures of mpmath.
  check_slopes('asinh', 4, { [1e160] = 1e-160, [1e200] = 1e-200, [-1e200] = 1e-200, [0] = 1,
                             [3] = 0.31622776601683793, [inf] = 0 })
  check_slopes('acosh', 4, { [1e160] = 1e-160, [1e200] = 1e-200, [-2] = nan, [-1e200] = nan,
                             [1 + 2 ^ -50] = 23726566.406062883, [1] = inf })
  check_slopes('expm1', 4, { [-40] = 4.248354255291589e-18, [-700] = 9.8596765437597709e-305,
                             [0] = 1 })
  check_slopes('i1', 16, { [800] = inf, [-800] = inf, [1e200] = inf, [-1e200] = inf, [0] = 0.5,
                           [1e-200] = 0.5 })
  local slope = tensor.grad(function(t) return tensor.asinh(t):sum() end)
  assert.is_true(math.abs(slope(tensor.FloatTensor { -1e30 })[1] * 1e30 - 1) < 1e-6)
  assert.is_true(tensor.gradcheck(tensor.asinh, { tensor.randn(5) }, { order = 2 }))
  assert.is_true(tensor.gradcheck(tensor.acosh, { tensor.rand(5):add(1.5) }, { order = 2 }))
end)
