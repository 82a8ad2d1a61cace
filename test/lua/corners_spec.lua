-- Functions at special values and of empty operands, as NumPy and PyTorch compute them.

local tensor = require 'tensor'
local rules = require 'support.rules'
local fails = require 'support.raises'.text

local inf, nan = math.huge, 0 / 0

-- The elements of t as text. Lua's NaN may have a sign.
local function text(t)
  local list = {}
  for k, x in ipairs(t:contiguous():view(-1):totable()) do
    list[k] = x ~= x and 'nan' or ('%.17g'):format(x)
  end
  return table.concat(list, ' ')
end

describe('searchsorted', function()
  it('of NaN is the end of the numbers', function()
    for _, right in ipairs { false, true } do
      for _, sorted in ipairs { tensor.Tensor { 1, 2, nan, nan }, tensor.Tensor { 1, nan },
                                tensor.FloatTensor { 1, 2 } } do
        local number = tensor.searchsorted(sorted, nan, right)
        assert.are.equal(tensor.searchsorted(sorted, sorted.new { nan }, right)[1], number)
      end
    end
    assert.are.equal(3, tensor.searchsorted(tensor.Tensor { 1, 2, nan, nan }, nan))
    assert.are.equal(5, tensor.searchsorted(tensor.Tensor { 1, 2, nan, nan }, nan, true))
    assert.are.equal(3, tensor.searchsorted(tensor.IntTensor { 1, 2 }, nan))
  end)
end)

describe('interp', function()
  it('has the values of infinite points', function()
    local points, values = tensor.Tensor { -inf, 0, inf }, tensor.Tensor { 3, 4, 5 }
    assert.are.equal('3 4 4 5', text(tensor.interp(tensor.Tensor { -inf, 0, 5, inf }, points,
                                                   values)))
  end)
end)

describe('clamp', function()
  local function clamped(t, low, high) return text(tensor.clamp(t, low, high)) end

  it('gives the upper bound if the lower one is above it, and NaN if one is NaN', function()
    local t = tensor.Tensor { -5, 1, 9, nan }
    for _, e in ipairs { 'Double', 'Float', 'Half' } do
      local x = t:type(('torch.%sTensor'):format(e))
      assert.are.equal('0 0 0 nan', clamped(x, 2, 0))
      assert.are.equal('nan nan nan nan', clamped(x, nan, 0))
      assert.are.equal('nan nan nan nan', clamped(x, 0, nan))
      assert.are.equal('0 1 2 nan', clamped(x, 0, 2))
    end
    assert.are.equal('0 0 0', clamped(tensor.IntTensor { -5, 1, 9 }, 2, 0))
    assert.are.equal('0 0 0 nan', text(tensor.fuse('clamp(a, 2, 0)', { t })))
    assert.are.equal('0 0 0 nan', text(tensor.clamp(t, tensor.Tensor { 2 }, tensor.Tensor { 0 })))
    assert.are.equal('0 0 0 0', text(tensor.grad(function(x)
      return tensor.clamp(x, 2, 0):sum()
    end)(t)))
  end)

  it("compares with the lower bound first after require 'torch'", function()
    rules.set 'torch7'
    finally(function() rules.set 'tensor' end)
    assert.are.equal('2 2 0', clamped(tensor.Tensor { -5, 1, 9 }, 2, 0))
    assert.are.equal('2 2 0', clamped(tensor.IntTensor { -5, 1, 9 }, 2, 0))
  end)
end)

describe('masks of fewer dimensions', function()
  local function numbers() return tensor.range(1, 9):view(3, 3) end
  local mask = tensor.ByteTensor { 1, 0, 1 }

  it('select along the first dimensions', function()
    local t = numbers()
    assert.are.same({ { 1, 2, 3 }, { 7, 8, 9 } }, t[mask]:totable())
    assert.are.same({ { 1 }, { 1 } }, tensor.ones(3, 1)[mask]:totable())
    t[mask] = 0
    assert.are.same({ { 0, 0, 0 }, { 4, 5, 6 }, { 0, 0, 0 } }, t:totable())
    t[mask] = tensor.Tensor { { 1, 2, 3 }, { 4, 5, 6 } }
    assert.are.same({ { 1, 2, 3 }, { 4, 5, 6 }, { 4, 5, 6 } }, t:totable())
    local cube = tensor.range(1, 18):view(3, 3, 2)
    assert.are.same({ { 3, 4 }, { 11, 12 } },
                    cube[tensor.ByteTensor { { 0, 1, 0 }, { 0, 0, 1 }, { 0, 0, 0 } }]:totable())
    assert.are.same({ { 1, 1, 1 }, { 0, 0, 0 }, { 1, 1, 1 } }, tensor.grad(function(x)
      return x[mask]:sum()
    end)(numbers()):totable())
  end)

  it('pair with the elements in order if there are as many', function()
    local t = tensor.range(1, 6):view(2, 3)
    assert.are.same({ 1, 6 }, t[tensor.ByteTensor { 1, 0, 0, 0, 0, 1 }]:totable())
    fails('a mask of size [4] does not fit', function()
      return tensor.ones(3, 4)[tensor.ByteTensor { 1, 0, 0, 1 }]
    end)
    fails('a mask of size [4] does not fit', function()
      tensor.ones(3, 4)[tensor.ByteTensor { 1, 0, 0, 1 }] = 1
    end)
  end)
end)

describe('norms and condition numbers of matrices without elements', function()
  it('are 0, and none of no matrices', function()
    assert.are.equal('0 0', text(tensor.matrixNorm(tensor.zeros(2, 0, 0))))
    assert.are.equal(0, tensor.matrixNorm(tensor.zeros(0, 0)))
    for _, p in ipairs { 1, 2, inf } do
      assert.are.equal('0 0', text(tensor.matrixNorm(tensor.zeros(2, 0, 0), p)))
      assert.are.same({ 0 }, tensor.cond(tensor.zeros(0, 3, 3), p):size():totable())
    end
    assert.are.equal('0 0 0', text(tensor.nuclearNorm(tensor.zeros(3, 0, 2))))
    assert.are.same({ 0 }, tensor.cond(tensor.zeros(0, 3, 3)):size():totable())
    fails('cond: a matrix of size [0 x 0] has no elements', function()
      tensor.cond(tensor.zeros(0, 0))
    end)
    fails('matrixNorm: a matrix of size [2 x 0 x 3] has no elements', function()
      tensor.matrixNorm(tensor.zeros(2, 0, 3), -1)
    end)
  end)
end)

describe('expm1', function()
  it('of the smallest numbers is the number', function()
    for _, t in ipairs { tensor.Tensor { 5e-324, -5e-324, 1e-300, -0.0 },
                         tensor.FloatTensor { 1.4e-45, -1.4e-45, 1e-30, -0.0 } } do
      assert.are.equal(text(t), text(tensor.expm1(t)))
      assert.are.equal(text(t:clone():fill(1):cdiv(t)),
                       text(t:clone():fill(1):cdiv(tensor.expm1(t))))
    end
  end)
end)

describe('the gradients of fmax and fmin', function()
  it('share 1 between the operands', function()
    local a, b = tensor.Tensor { nan, 1, nan, 2, 3 }, tensor.Tensor { nan, nan, 1, 2, 1 }
    for name, expected in pairs { fmax = { '1 1 0 0.5 1', '0 0 1 0.5 0' },
                                  fmin = { '1 1 0 0.5 0', '0 0 1 0.5 1' } } do
      local gradients = tensor.vjp(tensor[name], { a, b }, { tensor.ones(5) })
      assert.are.same(expected, { text(gradients[1]), text(gradients[2]) })
    end
  end)
end)

describe('diagonals', function()
  it('outside of a matrix have no elements', function()
    for k, n in pairs { [2] = 0, [-3] = 0, [1] = 1, [-2] = 1, [1000] = 0 } do
      assert.are.equal(n, tensor.diag(tensor.ones(3, 2), k):nElement(), k)
    end
    assert.are.equal(0, tensor.diag(tensor.Tensor(0, 0)):nElement())
    local t = tensor.ones(2, 2)
    t:diag(5)
    assert.are.same({ 2, 2 }, t:size():totable())
  end)

  it('of an identity matrix without columns are empty, except in Torch7', function()
    rules.in_both(function(mode)
      local columns = mode == 'torch7' and 3 or 0
      assert.are.same({ 3, columns }, tensor.eye(3, 0):size():totable())
      assert.are.same({ 3, columns }, tensor.eye(3, 0, 1):size():totable())
      assert.are.same({ 3, 3 }, tensor.eye(3):size():totable())
    end)
  end)
end)

-- Reference: numpy.linalg.cond.
describe('cond', function()
  local singular = tensor.Tensor { { 1, 2 }, { 2, 4 } }

  it('of a singular matrix is infinite for all norms', function()
    for _, p in ipairs { 1, -1, inf, -inf } do
      assert.are.equal(inf, tensor.cond(singular, p), p)
    end
    assert.are.equal(inf, tensor.cond(tensor.zeros(2, 2)))
    assert.are.equal(inf, tensor.cond(tensor.zeros(2, 2), 2))
    assert.are.equal(inf, tensor.cond(tensor.zeros(2, 2), -2))
    assert.are.equal(inf, tensor.cond(tensor.zeros(2, 2), 1))
  end)

  it('of each matrix of a batch', function()
    local batch = tensor.zeros(2, 2, 2, 2)
    batch[1][1]:copy(singular)
    batch[1][2]:copy(tensor.Tensor { { 1, 0 }, { 0, 4 } })
    batch[2][1]:copy(tensor.Tensor { { 2, 1 }, { 0, 1 } })
    assert.are.equal('inf 4 3 inf', text(tensor.cond(batch, 1)))
    assert.are.same({ 2, 2 }, tensor.cond(batch, 1):size():totable())
  end)
end)

describe('an index tensor without dimensions', function()
  it('stands for no indices', function()
    local none, t = tensor.LongTensor {}, tensor.ones(3, 2)
    for _, got in ipairs { t:index(1, none), t[none], t[{ none }], t[{ none, {} }] } do
      assert.are.same({ 0, 2 }, got:size():totable())
    end
    assert.are.same({ 3, 0 }, t[{ {}, none }]:size():totable())
    t:indexFill(1, none, 5):indexAdd(2, none, tensor.Tensor(3, 0))
    t:indexCopy(1, none, tensor.Tensor(0, 2))
    t[none] = 7
    assert.is_true(t:eq(1):all())
    fails('index: the indices must be a vector', function() t:index(1, tensor.LongTensor(1, 1)) end)
    local gradient = tensor.grad(function(x) return x:index(1, none):sum() end)(t)
    assert.is_true(gradient:eq(0):all())
  end)
end)

describe('conversions of floats to integers', function()
  it('give many elements what they give a single one', function()
    local list = { nan, inf, -inf, 3e9, -3e9, 2 ^ 31, -2 ^ 31, 300.7, -1.5, 0.9, -0.0, 2147483520 }
    for k = 1, 90 do list[#list + 1] = k * 3.3 - 150 end
    local t = tensor.FloatTensor(list)
    for _, class in ipairs { 'Byte', 'Char', 'Short', 'Int', 'Long' } do
      local all = t:type('torch.' .. class .. 'Tensor')
      for k = 1, #list do
        assert.are.equal(t:narrow(1, k, 1):type(all:type())[1], all[k], class .. k)
      end
    end
  end)
end)

-- Reference: the same in double, rounded once.
describe('functions of 16-bit floats', function()
  local H, B = tensor.HalfTensor, tensor.BFloat16Tensor

  it('round once', function()
    assert.are.equal('40000', text(tensor.trapezoid(H { 40000, 40000 })))
    assert.are.equal('40000 40000 40000', text(tensor.slope(H { -40000, 0, 40000 })))
    assert.are.equal('0 0 0', text(tensor.cross(H { 300, 300, 1 }, H { 300, 300, 1 })))
    assert.are.equal('0 0 0', text(tensor.cross(B { 1.1, 1.1, 1 }, B { 1.1, 1.1, 1 })))
    assert.are.equal('300', text(tensor.vecdot(H { 300, -300 }, H { 300, 299 })))
    tensor.manualSeed(9)
    for _, T in ipairs { H, B } do
      local t = T(200):copy(tensor.randn(200):mul(3))
      local x = T(200):copy((tensor.range(1, 200) / 8))
      for name, f in pairs {
        trapezoid = function(a) return tensor.trapezoid(a) end,
        cumulativeTrapezoid = function(a) return tensor.cumulativeTrapezoid(a) end,
        slope = function(a) return tensor.slope(a) end,
        slopeAt = function(a) return tensor.slope(a, x:type(a:type())) end,
        diff = function(a) return tensor.diff(a, 3) end,
        unwrap = function(a) return tensor.unwrap(a) end,
        logcumsumexp = function(a) return tensor.logcumsumexp(a, 1) end,
        interp = function(a) return tensor.interp(a, x:type(a:type()), a) end,
      } do
        local r = f(t)
        assert.are.equal(t:type(), r:type())
        assert.is_true(r:equal(f(t:float()):type(t:type())), name)
      end
    end
  end)
end)

describe('comparisons of 16-bit floats with numbers', function()
  it('round the number, except in Torch7', function()
    rules.in_both(function(mode)
      local modern = mode == 'tensor' and 1 or 0
      for _, T in ipairs { tensor.HalfTensor, tensor.BFloat16Tensor } do
        local t = T { 0.1, 0.3 }
        assert.are.equal(modern, t:eq(0.1)[1])
        assert.are.equal(modern, t:le(0.1)[1] * t:ge(0.1)[1])
        assert.are.equal(1 - modern, t:ne(0.3)[2])
      end
      local large = tensor.HalfTensor { 65504, inf }
      assert.are.equal('1 0', text(large:lt(1e6)))
      assert.are.equal(modern == 1 and '0 0' or '0 1', text(large:gt(1e6)))
      assert.are.equal(modern == 1 and '0 1' or '0 0', text(large:eq(1e6)))
    end)
  end)
end)

describe('integers', function()
  it('of products are wide', function()
    local B = tensor.ByteTensor
    assert.are.equal(700, tensor.vecdot(B { 200, 100 }, B { 2, 3 })[1])
    assert.are.equal(2 ^ 33, tensor.vecdot(tensor.IntTensor { 2 ^ 30, 2 ^ 30 },
                                           tensor.IntTensor { 4, 4 })[1])
    assert.are.equal(5, tensor.vecdot(tensor.IntTensor { 1, 2 }, tensor.FloatTensor { 1, 2 })[1])
    local a, b = tensor.randn(2, 1, 3), tensor.randn(4, 1)
    assert.is_true((tensor.vecdot(a, b, -2) - tensor.cmul(a, b:view(1, 4, 1)):sum(2, false))
                     :abs():max() < 1e-12)
    assert.are.equal(20000, B { 200, 100 }:nanprod(1)[1])
  end)

  it('at random, and of ranges, fit into the type, except in Torch7', function()
    local B = tensor.ByteTensor
    rules.in_both(function(mode)
      for _, f in ipairs {
        function() return tensor.randint(B(), 0, 1000, 3) end,
        function() return B(3):random(1, 1000) end, function() return B(3):random(-3, 3) end,
        function() return tensor.range(B(), 250, 260) end,
        function() return tensor.range(B(), -1, 3) end,
      } do
        local done, message = pcall(f)
        assert.are.equal(mode == 'torch7', done)
        assert.is_true(done or message:find('does not hold', 1, true) ~= nil)
      end
    end)
    assert.are.equal('0 255', text(tensor.range(B(), 0, 255, 255)))
    assert.is_true(B(100):random(0, 255):ge(0):all())
  end)
end)

-- Reference: gammainc of mpmath 1.3, with 60 digits.
describe('igammac', function()
  it('has all digits for small operands', function()
    local a = tensor.Tensor { 1e-12, 1e-12, 1e-300, 1e-3, 0.01, 0.2, 0.4, 0.49 }
    local x = tensor.Tensor { 0.5, 1e-300, 1e-5, 0.3, 1e-10, 1, 1.3, 1e-8 }
    local expected = tensor.Tensor {
      5.5977359477645418e-13, 6.9019831199512613e-10, 1.0935719800043696e-299,
      0.00090583808830664699,
      0.20113890856639479, 0.05238043127907781, 0.079682136429835405, 0.99986429583641038 }
    assert.is_true((tensor.igammac(a, x):cdiv(expected) - 1):abs():max() < 1e-12)
    assert.is_true((tensor.igamma(a, x) + tensor.igammac(a, x) - 1):abs():max() < 1e-14)
  end)
end)

describe('the median', function()
  it('of nothing but NaN, or of no element, is NaN', function()
    assert.are.equal('nan', text(tensor.Tensor { tensor.Tensor(0):nanmedian() }))
    fails('has no elements', function() tensor.IntTensor(0):nanmedian() end)
  end)
end)

describe('parameters of', function()
  it('normal are deviations of at least 0', function()
    fails('must not be negative', function() tensor.normal(0, tensor.Tensor { -1, 1 }) end)
    fails('must not be negative', function()
      tensor.normal(tensor.Tensor { 0, 1 }, tensor.Tensor { 1, -2 })
    end)
    assert.are.equal('5 7', text(tensor.normal(tensor.Tensor { 5, 7 }, tensor.zeros(2))))
  end)

  it('histc may be a range wider than the largest float', function()
    assert.are.equal('1 2', text(tensor.FloatTensor { -3e38, 3e38, 0 }:histc(2)))
    assert.are.equal('1 2', text(tensor.FloatTensor { -3e38, 3e38, 0 }:histc(2, -3e38, 3e38)))
    fails('is invalid', function() tensor.FloatTensor { 1, 2 }:histc(3, 1, 1 + 1e-12) end)
  end)

  it('istft may be a length beyond the last frame', function()
    local window, x = tensor.ones(8), tensor.range(1, 31)
    local y = tensor.istft(tensor.stft(x, window, 8), window, 8, true, 31)
    assert.are.same({ 31 }, y:size():totable())
    assert.is_true((y:narrow(1, 1, 28) - x:narrow(1, 1, 28)):abs():max() < 1e-9)
    assert.are.equal('0 0 0', text(y:narrow(1, 29, 3)))
  end)
end)

describe('an assignment to a mask', function()
  local function assigned(mask, src)
    local t = tensor.Tensor { 1, -2, 3, -4 }
    t[tensor.ByteTensor(mask)] = src
    return text(t)
  end

  it('takes as many elements as are selected, or broadcasts', function()
    assert.are.equal('1 5 3 6', assigned({ 0, 1, 0, 1 }, { 5, 6 }))
    assert.are.equal('1 5 3 6', assigned({ 0, 1, 0, 1 }, tensor.IntTensor { { 5, 6 } }))
    assert.are.equal('1 9 3 9', assigned({ 0, 1, 0, 1 }, tensor.Tensor { 9 }))
    assert.are.equal('1 -2 3 -4', assigned({ 0, 0, 0, 0 }, tensor.Tensor(0)))
    for _, count in ipairs { 3, 4 } do
      fails('the mask has 2 ones, but the source has ' .. count .. ' elements', function()
        assigned({ 0, 1, 0, 1 }, tensor.ones(count))
      end)
    end
    fails('the mask has 0 ones', function() assigned({ 0, 0, 0, 0 }, { 5, 6 }) end)
    fails('cannot be assigned to selected elements of size [2]', function()
      tensor.ones(4)[{ tensor.ByteTensor { 0, 1, 0, 1 } }] = { 1, 2, 3 }
    end)
    local f = tensor.compile(function(x, y)
      local u = x * 2
      u[x:gt(0)] = y
      return u
    end)
    for _ = 1, 3 do
      assert.are.equal('7 -2 8', text(f(tensor.Tensor { 1, -1, 2 }, tensor.Tensor { 7, 8 })))
    end
    assert.matches('done %d times', f:explain())
    local g = tensor.grad(function(y)
      local u = tensor.zeros(3)
      u[tensor.ByteTensor { 1, 0, 1 }] = y
      return u:sum()
    end)
    assert.are.equal('1 1', text(g(tensor.ones(2))))
    assert.are.equal('2', text(g(tensor.ones(1))))
    local t = tensor.Tensor { { 1, 2 }, { 3, 4 } }
    t[t:gt(2)] = { 8, 9 }
    fails('2 ones', function() t[tensor.ByteTensor { 1, 0, 1, 0 }] = { 1, 2, 3, 4 } end)
    assert.are.equal('1 2 8 9', text(t:view(-1)))
  end)

  it('takes the first elements by the rule of Torch7', function()
    tensor.setRule('broadcast', 'torch7')
    local done, found = pcall(assigned, { 0, 1, 0, 1 }, { 5, 6, 7 })
    tensor.setRule('broadcast', 'tensor')
    assert.is_true(done)
    assert.are.equal('1 5 3 6', found)
  end)
end)

describe('a list with nil before another element is an error', function()
  local t = tensor.ones(2, 3, 4)
  local function list(a, b) return { [1] = a, [3] = b } end
  for name, f in pairs {
    LongStorage = function() tensor.LongStorage(list(1, 3)) end,
    sizes = function() tensor.zeros(list(2, 3)) end,
    indices = function() return t[list(1, 2)] end,
    ['too many indices'] = function() return t[1][list(1, 9)] end,
    ['too many indices of an assignment'] = function() t[1][list(1, 9)] = 1 end,
    range = function() return t[{ list(1, 2) }] end,
    columns = function() tensor.save(os.tmpname() .. '.csv', { a = list('x', 'y') }) end,
    factorize = function() tensor.factorize(list('a', 'b')) end,
    batches = function() require 'tensor.data'.batches(list(t, t), { size = 1 }) end,
  } do
    it('as ' .. name, function() fails('position 2 ', f) fails('is nil, but position 3 is', f) end)
  end
  it('also with other keys', function()
    fails('position 2 is nil', function() tensor.factorize { [0] = 'z', [1] = 'a', [3] = 'b' } end)
  end)
  it('but {nil, last} is a range', function()
    assert.are.same({ 1, 3, 4 }, t[{ { nil, 1 } }]:size():totable())
  end)
end)

describe('class numbers', function()
  it('do not count from the end', function()
    local t = tensor.Tensor { { 5, 0, 0 } }
    fails('class -1 is out of range of 3 classes', function()
      tensor.crossEntropy(t, tensor.LongTensor { -1 })
    end)
    fails('class -1 is out of range', function() t:nll(tensor.LongTensor { -1 }) end)
    assert.are.equal(0, tensor.crossEntropy(t, tensor.LongTensor { -1 }, nil, -1, 'sum'))
  end)
end)

describe('nanToNum', function()
  it('may keep infinities', function()
    local t = tensor.Tensor { nan, inf, -inf }
    assert.are.equal('7 inf -inf', text(tensor.nanToNum(t, 7, inf, -inf)))
    assert.are.equal('0 2 -inf', text(tensor.nanToNum(t, nil, 2, -inf)))
  end)
end)

describe('errors name the function that was meant', function()
  local a, b = tensor.ones(2, 3), tensor.ones(2, 3)
  for _, name in ipairs { 'mul', 'div', 'pow', 'remainder', 'fmod', 'max' } do
    it('c' .. name, function()
      fails('c' .. name .. ' takes two tensors', function() tensor[name](a, b) end)
      fails('c' .. name .. ' takes two tensors', function() a[name](a, b) end)
    end)
  end
  it('by operators, conversions and names', function()
    fails('[2 x 3] and [2 x 3] have no product of matrices', function() return a * b end)
    fails('or matmul', function() return tensor.ones(2, 2, 2) * b end)
    fails('[2 x 3] and [1] have no product of matrices: use cmul for that of the elements',
          function() return a * tensor.ones(1) end)
    fails('[3] and [2 x 3] have no product of matrices', function() return a[1] * b end)
    fails('size [3] and [1] have no product of vectors: use cmul for that of the elements',
          function() return a[1] * tensor.ones(1) end)
    fails('csub takes two tensors', function() tensor.sub(a, b) end)
    fails('csub subtracts', function() a:sub(1) end)
    fails('not defined for torch.LongTensor: convert it, as t:double() does', function()
      tensor.histc(a:long(), 3)
    end)
  end)
end)

describe('reductions without NaN', function()
  it('of infinities', function()
    local both = tensor.Tensor { { inf, -inf, 1 }, { nan, inf, 2 }, { 1, 2, 3 } }
    assert.are.equal('nan inf 6', text(both:nansum(2)))
    assert.are.equal('nan inf 2', text(both:nanmean(2)))
    assert.are.equal('inf inf 3', text(both:nanmax(2)))
    assert.are.equal('-inf 2 1', text(both:nanmin(2)))
    assert.are.equal('nan', text(tensor.Tensor { both:nansum() }))
    assert.are.equal(inf, both:nanmax())
    assert.are.equal(2, both[3]:nanmean())
    assert.are.equal('0 1.7976931348623157e+308 -1.7976931348623157e+308',
                     text(tensor.nanToNum(tensor.Tensor { nan, inf, -inf })))
  end)
end)

describe('copies of long rows', function()
  it('to another place in a page', function()
    for _, class in ipairs { tensor.ByteTensor, tensor.FloatTensor, tensor.DoubleTensor } do
      local t = tensor.arange(20000):type(class():type())
      for to = 1, 40, 3 do
        local r, other = class(20000):zero(), t:clone()
        r:narrow(1, to, 19000):copy(t:narrow(1, 2, 19000))
        assert.is_true(r:narrow(1, to, 19000):equal(t:narrow(1, 2, 19000)))
        assert.is_true(r:narrow(1, to + 19000, 900):eq(0):all())
        assert.is_true(to == 1 or r:narrow(1, 1, to - 1):eq(0):all())
        -- The source and the result overlap.
        other:narrow(1, to, 19000):copy(other:narrow(1, 2, 19000))
        assert.is_true(other:narrow(1, to, 19000):equal(t:narrow(1, 2, 19000)))
      end
    end
  end)
end)
