-- Weights of 8 bits: errors of rounding, invalid operands, results that the caller passes, threads.
-- ops_spec compares values with plain loops.

local tensor = require 'tensor'
local same_on_threads = require 'support.same_on_threads'
local fails = require 'support.raises'.text

describe('weights of 8 bits', function()
  local function matrix(rows, columns)
    return tensor.FloatTensor(rows, columns):normal()
  end
  -- The product in double, and the sum of the sizes of its terms.
  local function expected(x, q, scales)
    local w = tensor.dequantizeRows(q, scales:double())
    return tensor.mm(x:double(), w:t()), tensor.mm(x:double():abs(), w:abs():t())
  end
  setup(function() tensor.manualSeed(3) end)

  it('differ by half of a scale', function()
    for _, name in ipairs { 'float', 'double', 'half', 'bfloat16' } do
      local w = matrix(20, 300)
      w = w[name](w)
      local q, scales = w:quantizeRows()
      assert.are.equal('torch.CharTensor', q:type())
      assert.are.equal('torch.FloatTensor', scales:type())
      assert.are.equal(127, q:int():abs():max())
      local wide = scales:double():view(20, 1):expand(20, 300)
      local difference = (tensor.dequantizeRows(q, scales):double() - w:double()):abs()
      assert.is_true((difference - wide * (0.5 + 1e-4)):max() <= 0, name)
    end
  end)

  it('round halves to the even number', function()
    local q = tensor.quantizeRows(tensor.FloatTensor { { 127, 0.5, 1.5, 2.5, -0.5, -1.5 } })
    assert.are.same({ 127, 0, 2, 2, 0, -2 }, q[1]:totable())
  end)

  it('of rows without a scale are 0', function()
    local tiny = 2 ^ -149
    local q, scales = tensor.quantizeRows(tensor.DoubleTensor {
      { 0, 0 }, { 0 / 0, 1 }, { 1, -math.huge }, { 1e300, 1 }, { tiny, 0 },
      { 200 * tiny, -150 * tiny } })
    local s = scales:totable()
    assert.are.equal(0, s[1])
    for i = 2, 4 do assert.is_true(s[i] ~= s[i]) end
    assert.are.equal(0, s[5])
    assert.are.equal(2 * tiny, s[6])
    assert.are.same({ { 0, 0 }, { 0, 0 }, { 0, 0 }, { 0, 0 }, { 0, 0 }, { 100, -75 } }, q:totable())
    -- NaN reaches the products of its row only.
    local r = tensor.quantizedLinear(tensor.ones(2):double(), q, scales):totable()
    assert.are.equal(0, r[1])
    assert.is_true(r[2] ~= r[2])
    assert.are.equal(0, r[5])
  end)

  it('are multiplied by tiny numbers as by others', function()
    for _, name in ipairs { 'float', 'bfloat16' } do
      local q, scales = tensor.quantizeRows(matrix(9, 40))
      local x = matrix(30, 40):mul(2 ^ -120)
      x = x[name](x)
      local want, size = expected(x, q, scales)
      local r = tensor.quantizedLinear(x, q, scales):double()
      local error = name == 'float' and 2 ^ -20 or 2 ^ -8
      assert.is_true(((r - want):abs() - size * error):max() <= 0, name)
    end
  end)

  it('are multiplied with the error of float sums', function()
    local w = matrix(140, 700)
    local q, scales = w:quantizeRows()
    for _, rows in ipairs { 1, 2, 3, 4, 7, 12, 13, 48, 70 } do
      local x = matrix(rows, 700)
      local want, sizes = expected(x, q, scales)
      local r = tensor.quantizedLinear(x, q, scales)
      assert.is_true(((r:double() - want):abs() - sizes * 1e-5):max() <= 0, rows)
      for _, name in ipairs { 'half', 'bfloat16' } do
        local rounded = x[name](x)
        local of_rounded, all = expected(rounded, q, scales)
        local got = tensor.quantizedLinear(rounded, q, scales)
        assert.are.equal(rounded:type(), got:type())
        local limit = tensor.abs(of_rounded) * (name == 'half' and 2 ^ -11 or 2 ^ -8) + all * 1e-5
        assert.is_true(((got:double() - of_rounded):abs() - limit):max() <= 0, name .. rows)
      end
    end
  end)

  it('give NaN and infinity as products of floats do', function()
    local q, scales = matrix(70, 50):quantizeRows()
    for _, rows in ipairs { 1, 20, 50 } do
      local x = matrix(rows, 50)
      x[1][3], x[rows][4] = math.huge, rows > 1 and 0 / 0 or 1
      local want = tensor.mm(x, tensor.dequantizeRows(q, scales):t())
      for _, r in ipairs { tensor.quantizedLinear(x, q, scales),
                           tensor.quantizedLinear(x:half(), q, scales):float() } do
        assert.is_true(r:eq(math.huge):equal(want:eq(math.huge)))
        assert.is_true(r:ne(r):equal(want:ne(want)))
      end
    end
  end)

  it('do not overflow as sums of Half', function()
    local x, q = tensor.HalfTensor(1, 1000):fill(1), tensor.CharTensor(1, 1000):fill(127)
    local scales = tensor.FloatTensor { 1 / 127 }
    for _, rows in ipairs { 1, 20 } do
      assert.are.equal(1000, tensor.quantizedLinear(x:expand(rows, 1000), q, scales)[rows][1])
    end
  end)

  it('do not depend on the number of threads', function()
    local q, scales = matrix(900, 600):quantizeRows()
    for _, rows in ipairs { 1, 5, 60 } do
      local x = matrix(rows, 600)
      same_on_threads({ 1, 2, 5 }, function() return tensor.quantizedLinear(x, q, scales) end)
    end
  end)

  it('write results of any layout, also of operands', function()
    local q, scales = matrix(6, 6):quantizeRows()
    local x = matrix(6, 6)
    local want = tensor.quantizedLinear(x, q, scales)
    local strided = tensor.FloatTensor(6, 12):narrow(2, 4, 6)
    assert.are.equal(strided, tensor.quantizedLinear(strided, x, q, scales))
    assert.is_true(strided:equal(want))
    assert.is_true(tensor.quantizedLinear(tensor.FloatTensor(6, 6):t(), x, q, scales):equal(want))
    -- Parts of larger weights, with rows and without.
    local large = tensor.CharTensor(8, 11):fill(9)
    large:narrow(1, 2, 6):narrow(2, 3, 6):copy(q)
    local part = large:narrow(1, 2, 6):narrow(2, 3, 6)
    assert.is_true(tensor.quantizedLinear(x, part, scales):equal(want))
    assert.is_true(tensor.quantizedLinear(x, q:t():clone():t(), scales):equal(want))
    -- The result is the operand, or overlaps it or the scales.
    local own = x:clone()
    tensor.quantizedLinear(own, own, q, scales)
    assert.is_true(own:equal(want))
    local memory = tensor.FloatTensor(50)
    local operand, result = memory:narrow(1, 1, 36):view(6, 6), memory:narrow(1, 4, 36):view(6, 6)
    operand:copy(x)
    tensor.quantizedLinear(result, operand, q, scales)
    assert.is_true(result:equal(want))
    local other = scales:clone()
    local vector = tensor.quantizedLinear(x[1], q, scales)
    tensor.quantizedLinear(other, x[1], q, other)
    assert.is_true(other:equal(vector))
  end)

  it('refuse operands that do not fit, and keep the results', function()
    local q, scales = matrix(3, 4):quantizeRows()
    local r, x = tensor.FloatTensor { 7 }, matrix(2, 4)
    local linear = tensor.quantizedLinear
    fails('t of size [2 x 5], a weight of size [3 x 4] and scales of size [3] do not fit', linear,
          r, matrix(2, 5), q, scales)
    fails('do not fit', linear, r, x, q, tensor.FloatTensor(4))
    fails('do not fit', linear, r, x, q, tensor.FloatTensor(3, 1))
    fails('do not fit', linear, r, x, q[1], scales)
    fails('do not fit', linear, r, tensor.FloatTensor(), q, scales)
    fails('CharTensor', linear, r, x, q:byte(), scales)
    fails('FloatTensor', linear, r, x, q, scales:double())
    fails('do not fit', tensor.dequantizeRows, r, q, tensor.FloatTensor(2))
    fails('a matrix is expected, got a tensor of size [4]', tensor.quantizeRows, x[1])
    assert.are.same({ 7 }, r:totable())
  end)

  it('have gradients by the rows and the scales', function()
    local q, scales = matrix(5, 7):quantizeRows()
    local x, g = matrix(2, 7):double(), matrix(2, 5):double()
    local function f(t, s) return tensor.quantizedLinear(t, q, s) end
    local got = tensor.vjp(f, { x, scales }, { g })
    local w = tensor.dequantizeRows(q, scales:double())
    assert.is_true((got[1] - tensor.mm(g, w)):abs():max() < 1e-12)
    local sums = tensor.cmul(tensor.mm(x, q:double():t()), g):sum(1):view(5)
    assert.is_true((got[2]:double() - sums):abs():max() < 1e-3)
    fails('quantizeRows', function() tensor.vjp(function(t)
      local _, s = tensor.quantizeRows(t)
      return s
    end, { x }, { tensor.FloatTensor(2):fill(1) }) end)
  end)
end)
