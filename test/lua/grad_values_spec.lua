-- Gradients of the rows of the op table against PyTorch's: test/reference/gradients.py wrote
-- test/data/gradients.txt and explains its columns. A test fails if a row with a derivative has no
-- case there, in layers.txt or in spatial.txt.

local tensor = require 'tensor'
local figures = require 'support.figures'

local numbers = figures.numbers

local T = tensor.DoubleTensor

-- Rows without a counterpart in PyTorch: they draw random numbers. lua.grad_ops checks them.
local random = { normal_means_stddevs = true, normal_means = true, normal_stddevs = true,
                 gamma_shapes = true, beta_tensors = true, chi2_degrees = true }

-- The functions of gradient_line.py.
local sequences = {
  real = function(n) return (n - 50) / 32 + 1 / 128 end,
  positive = function(n) return (n + 20) / 40 end,
  unit = function(n) return (n - 50) / 64 end,
}

local function tensor_of(text)
  local name, shape, number = text:match '^(%l+) (%S+) (%d+)$'
  local t = T(figures.sizes(shape or text:match '^[^:]*'))
  local i, list = -1, not name and numbers(text:match ': (.*)$')
  local k = tonumber(number)
  return t:apply(function()
    i = i + 1
    if list then return list[i + 1] end
    return sequences[name](((37 + 71 * k) * i + 3 * i * i + 11 * k) % 101)
  end)
end

local function elements_of(x)
  return tensor.isTensor(x) and x:reshape(x:nElement()):totable() or { x }
end

-- Returns a message, or nil.
local function difference(what, want, got)
  if #want ~= #got then return ('%s: %d elements instead of %d'):format(what, #got, #want) end
  for k, x in ipairs(want) do
    local y = got[k]
    local same = x == y or x ~= x and y ~= y or math.abs(x - y) <= 1e-9 * (1 + math.abs(x))
    if not same then return ('%s: element %d is %.12g, not %.12g'):format(what, k, y, x) end
  end
end

local function seed_of(result)
  if not tensor.isTensor(result) then return 1 end
  local i = -1
  return result.new(result:size()):apply(function()
    i = i + 1
    return ((5 * i) % 7 + 1) / 4
  end)
end

local lines, has_case = {}, {}
for line in io.lines 'test/data/gradients.txt' do
  local columns = {}
  for column in (line .. '\t'):gmatch '([^\t]*)\t' do columns[#columns + 1] = column end
  if not line:find '^#' then
    lines[#lines + 1] = columns
    for row in columns[1]:gmatch '%S+' do has_case[row] = true end
  end
end
for _, name in ipairs { 'layers', 'spatial' } do
  for line in io.lines('test/data/' .. name .. '.txt') do
    local function_name = line:match '^%w+'
    if function_name then has_case[function_name] = true end
  end
end

describe('gradients agree with PyTorch:', function()
  for number, columns in ipairs(lines) do
    local rows, code = columns[1], columns[2]
    it(('%d %s'):format(number, code), function()
      local inputs, copies = {}, {}
      -- The columns are the inputs, the result, and as many gradients as inputs.
      local count = (#columns - 3) / 2
      for k = 1, count do
        inputs[k] = tensor_of(columns[2 + k])
        copies[k] = inputs[k]:clone()  -- Methods write into a.
      end
      local names = 'tensor, T, Long, Byte, a, b, c, d'
      local make = assert(loadstring(('local %s = ... return %s'):format(names, code)))
      local function f(...) return (make(tensor, T, tensor.LongTensor, tensor.ByteTensor, ...)) end
      local result = f(unpack(copies))
      assert.is_nil(difference('the result', numbers(columns[3 + count]), elements_of(result)))
      local gradients = tensor.vjp(f, inputs, { seed_of(result) })
      for k = 1, count do
        assert.is_nil(difference(('gradient %d of %s'):format(k, rows),
                                 numbers(columns[3 + count + k]), elements_of(gradients[k])))
      end
    end)
  end

  it('every row with a derivative has a case', function()
    local missing, count = {}, 0
    for _, row in ipairs(tensor._optable()) do
      local has_none = row.derivative == 'constant' or row.derivative == 'unsupported'
      if row.lua ~= '' and not has_none and not random[row.name] then
        count = count + 1
        if not has_case[row.name] and not (row.name:find 'all$' and has_case[row.lua]) then
          missing[#missing + 1] = row.name
        end
      end
    end
    assert.are.same({}, missing)
    assert.is_true(count > 300)
  end)
end)

-- Half has no value for 65536, but for its quotients.
describe('the gradient of a scaled loss of halves', function()
  local scale = 2 ^ 16

  local function slope(f, t)
    return tensor.grad(function(x) return f(x) * scale end)(t):double()
  end
  local function is_near(want, got)
    for k = 1, want:size(1) do
      assert.is_true(math.abs(got[k] / want[k] - 1) < 2e-3, got[k])
    end
  end

  it('is that of doubles, as far as its values are halves', function()
    local nn = require 'tensor.nn'
    local t = tensor.HalfTensor{1, 2, -3, 0.5}
    local classes, targets = tensor.LongTensor{1, 2, 2}, tensor.HalfTensor{0.5, 2.5, -3.5, 1}
    for _, f in ipairs {
      function(x) return x:norm() end,
      function(x) return x:mean() end,
      function(x) return nn.mse(x, targets:type(x:type())) end,
      function(x) return nn.huber(x, targets:type(x:type())) end,
      function(x) return nn.crossEntropy(x:view(1, 4):expand(3, 4):clone(), classes) end,
    } do
      is_near(slope(f, t:double()), slope(f, t))
    end
  end)

  it('of operands that pair in order', function()
    tensor.setRule('broadcast', 'torch7')
    local b = tensor.HalfTensor{2, 2, -4, 1}
    local done, g = pcall(slope, function(x) return x:view(2, 2):dist(b:type(x:type())) end,
                          tensor.HalfTensor{1, 2, -3, 0.5})
    tensor.setRule('broadcast', 'tensor')
    assert.is_true(done, g)
    is_near(tensor.Tensor{-1, 0, 1, -0.5} / 1.5 * scale + 1e-3, g + 1e-3)
  end)

  it('of a sum stays one number', function()
    local t = tensor.HalfTensor(1000):fill(1)
    assert.are.equal(1, slope(function(x) return x:sum() / scale end, t)[1000])
  end)
end)

it('all derivatives of a loss of which all rows are ignored are 0', function()
  local classes = tensor.LongTensor{-100, -100}
  for _, loss in ipairs{tensor.crossEntropy, tensor.nll} do
    local function f(x) return loss(x, classes) end
    local x = tensor.randn(2, 3)
    assert.are.equal(0, tensor.abs((tensor.grad(f)(x))):sum())
    assert.are.equal(0, tensor.abs(tensor.hessian(f, x)):sum())
    -- The slope of a product with another value.
    local df = tensor.grad(function(y)
      return (tensor.grad(function(z) return f(z) * y:sum() end)(x)):sum()
    end)
    assert.are.equal(0, tensor.abs((df(x))):sum())
  end
end)

it('gradients of remainders are the quotients that the remainders belong to', function()
  for _, case in ipairs{{1, 0.1, -9}, {1, 1e-8, -99999999}, {5e-324, -2, 1}, {-7, 2, 4}} do
    local t, b, want = T{case[1]}, T{case[2]}, case[3]
    for _, f in ipairs{function(x) return tensor.cremainder(t, x):sum() end,
                       function(x) return t:clone():cremainder(x):sum() end} do
      assert.are.equal(want, tensor.grad(f)(b)[1])
    end
  end
  assert.are.equal(-9, tensor.grad(function(x) return tensor.cfmod(T{1}, x):sum() end)(T{0.1})[1])
  local slope = tensor.grad(function(x) return tensor.remainder(x, 0.1):sum() end)(T{1})[1]
  assert.are.equal(1, slope)
end)

it('derivatives of i1 are accurate near 0', function()
  local function third(f, x)
    local d1 = tensor.grad(function(t) return f(t):sum() end)
    local d2 = tensor.grad(function(t) return (d1(t)):sum() end)
    return tensor.grad(function(t) return (d2(t)):sum() end)(x), (d2(x)), (d1(x))
  end
  -- i1(x) = x/2 + x^3/16 + x^5/384 + ...
  for _, class in ipairs{'FloatTensor', 'DoubleTensor'} do
    local x = tensor[class]{0, 1e-20, 1e-5, 1e-3}
    local d3, d2, d1 = third(tensor.i1, x)
    for k = 1, 4 do
      assert.is_near(0.375 + 5 / 32 * x[k] ^ 2, d3[k], 1e-6)
      assert.is_near(0.375, x[k] == 0 and 0.375 or d2[k] / x[k], 1e-6)
      assert.is_near(0.5, d1[k], 1e-6)
    end
  end
  -- The series and the difference meet at 1.
  local below, above = third(tensor.i1, T{1 - 1e-9}), third(tensor.i1, T{1 + 1e-9})
  assert.is_near(below[1], above[1], 1e-7)
  assert.are.equal(0.5, select(3, third(tensor.i1, T{5e-324}))[1])
end)

it('gradients of products with zeros are those of the recorded rules', function()
  tensor.manualSeed(7)
  -- Rules are composed of other operations while the gradient is recorded.
  local function recorded(f, x)
    local slope
    tensor.grad(function(y)
      slope = tensor.grad(f)(y)
      return slope:sum()
    end)(x)
    return slope
  end
  for zeros = 0, 4 do
    for _ = 1, 5 do
      local x, w = tensor.randn(3, 7), tensor.randn(3, 7)
      for _ = 1, zeros do x[tensor.random(1, 3)][tensor.random(1, 7)] = 0 end
      local index, base = tensor.LongTensor(3, 7):random(1, 3), tensor.randn(3, 7)
      for _, f in ipairs{
        function(t) return tensor.cmul(tensor.cumprod(t, 1), w):sum() end,
        function(t) return tensor.cmul(tensor.cumprod(t, 2), w):sum() end,
        function(t)
          return tensor.cmul(base:clone():scatterReduce(1, index, t, 'prod'), w):sum()
        end,
      } do
        local plain, again = tensor.grad(f)(x), recorded(f, x)
        assert.is_true((plain - again):abs():max() <= 1e-12 * (1 + tensor.abs(again):max()))
      end
    end
  end
end)
