-- Convolutions, pools and interpolation of batches of images: values and gradients from PyTorch,
-- forms of calls, gradients of higher order, and errors. Comparisons with plain loops for all types
-- and layouts are in support/cases_spatial.lua.

local tensor = require 'tensor'
local same_on_threads = require 'support.same_on_threads'
local figures = require 'support.figures'

local numbers, sizes_of = figures.numbers, figures.sizes

-- Element i of operand number k, as in test/reference/spatial.py.
local function operand(sizes, number)
  local t, i = tensor.Tensor(sizes), -1
  return t:apply(function()
    i = i + 1
    return ((7 * i + number) % 101 - 50) / 16
  end)
end

local function read(text, like)
  return tensor.Tensor(numbers(text)):view(like:size())
end

local function split(line)
  local columns = {}
  for column in (line .. '\t'):gmatch '(.-)\t' do columns[#columns + 1] = column end
  return columns
end

local function near(got, want, tolerance, text)
  local difference = (got:double() - want):abs():max()
  local most = tolerance * (1 + tensor.abs(want):max())
  assert.is_true(difference <= most, ('%s: %g'):format(text, difference))
end

-- Calls a function with operands and further arguments. nil stands for a missing one.
local function call(name, operands, arguments)
  local list, n = {}, #operands
  for k, t in ipairs(operands) do list[k] = t end
  for k = 1, arguments.n do list[n + k] = arguments[k] end
  return tensor[name](unpack(list, 1, n + arguments.n))
end

local function pack(...) return { n = select('#', ...), ... } end
local load_text = loadstring or load

describe('PyTorch agrees', function()
  local lines = {}
  for line in io.lines('test/data/spatial.txt') do lines[#lines + 1] = line end

  it('with 50 calls', function() assert.are.equal(50, #lines) end)

  for _, line in ipairs(lines) do
    local columns = split(line)
    local name, text = columns[1], columns[3]
    it(('%s(%s, %s)'):format(name, columns[2], text), function()
      local operands = {}
      for size in columns[2]:gmatch '%S+' do
        operands[#operands + 1] = operand(sizes_of(size), #operands)
      end
      local arguments = pack(load_text('return ' .. text)())
      local result, indices = call(name, operands, arguments)
      assert.are.same(sizes_of(columns[4]):totable(), result:size():totable())
      near(result, read(columns[5], result), 1e-12, 'result')
      local count = #operands
      if indices then
        assert.is_true(indices:equal(read(columns[6 + count], indices):long()))
      end
      local g = operand(result:size(), 5)
      local gradients = tensor.vjp(function(...)
        return (call(name, { ... }, arguments))
      end, operands, { g })
      for k = 1, count do
        near(gradients[k], read(columns[5 + k], operands[k]), 1e-12, 'gradient ' .. k)
      end
      for type_name, tolerance in pairs { Float = 1e-5, Half = 2e-2, BFloat16 = 1e-1 } do
        local own = {}
        for k, t in ipairs(operands) do own[k] = t:type('torch.' .. type_name .. 'Tensor') end
        local other = call(name, own, arguments)
        assert.are.equal('torch.' .. type_name .. 'Tensor', other:type())
        near(other, result, tolerance, type_name)
      end
    end)
  end
end)

describe('a call', function()
  local x, w = tensor.randn(2, 4, 6, 6), tensor.randn(4, 2, 3, 3)
  local b = tensor.randn(4)

  it('accepts numbers, tables, LongStorages and nil for parameters of each dimension', function()
    local want = tensor.conv2d(x, w, nil, 2, 1, 1, 2)
    local list = tensor.LongStorage { 2, 2 }
    for _, got in ipairs { tensor.conv2d(x, w, nil, { 2 }, { 1, 1 }, nil, 2),
                           tensor.conv2d(x, w, nil, list, 1, 1, 2), x:conv2d(w, nil, 2, 1, nil, 2),
                           tensor.conv2d(tensor.Tensor(), x, w, nil, 2, 1, 1, 2) } do
      assert.is_true(got:equal(want))
    end
    assert.is_true(tensor.maxPool2d(x, 2):equal((tensor.maxPool2d(x, { 2, 2 }, nil, nil, nil))))
  end)

  it('adds a bias', function()
    local plain = tensor.conv2d(x, w, nil, 1, 0, 1, 2)
    local got = tensor.conv2d(x, w, b, 1, 0, 1, 2)
    assert.is_true((got - plain - b:view(1, 4, 1, 1)):abs():max() < 1e-12)
  end)

  it('accepts an empty batch', function()
    assert.are.same({ 0, 4, 4, 4 }, tensor.conv2d(tensor.Tensor(0, 4, 6, 6), w, b, 1, 0, 1, 2)
      :size():totable())
    local empty = tensor.Tensor(0, 4, 6, 6)
    assert.are.same({ 0, 4, 3, 3 }, (tensor.maxPool2d(empty, 2)):size():totable())
    assert.are.same({ 0, 4, 1, 1 }, tensor.adaptiveAvgPool2d(tensor.Tensor(0, 4, 6, 6), 1):size()
      :totable())
    local gradients = tensor.vjp(function(u, v) return tensor.conv2d(u, v, nil, 1, 0, 1, 2) end,
                                 { tensor.Tensor(0, 4, 6, 6), w }, { tensor.Tensor(0, 4, 4, 4) })
    assert.are.equal(0, gradients[2]:abs():sum())
  end)

  it('without inputs returns the bias', function()
    local got = tensor.conv2d(tensor.zeros(2, 0, 3, 3), tensor.zeros(4, 0, 2, 2), b)
    assert.is_true(got:equal(b:view(1, 4, 1, 1):expand(2, 4, 2, 2)))
  end)

  it('takes the first NaN of a window as its maximum', function()
    local nan = 0 / 0
    local values, indices = tensor.maxPool1d(tensor.Tensor { { 1, nan, 3, nan, 2, 5 } }, 3)
    assert.is_true(values[1][1] ~= values[1][1])
    assert.are.same({ { 2, 4 } }, indices:totable())
  end)

  it('has results that do not depend on the number of threads', function()
    local t, k = tensor.randn(5, 8, 20, 21):float(), tensor.randn(24, 8, 3, 3):float()
    same_on_threads({ 1, 2 }, function()
      local y = tensor.conv2d(t, k, nil, 1, 1)
      local all = tensor.vjp(function(u, v) return tensor.conv2d(u, v, nil, 1, 1) end, { t, k },
                             { y })
      all[3] = y
      return unpack(all)
    end)
  end)

  it('records in tensor.compile', function()
    local f = tensor.compile(function(t, k) return tensor.conv2d(t, k, nil, 1, 1) * 2 end)
    local k = tensor.randn(3, 4, 3, 3)
    for _ = 1, 3 do assert.is_true(f(x, k):equal(tensor.conv2d(x, k, nil, 1, 1) * 2)) end
  end)
end)

describe('an error', function()
  local x, w = tensor.randn(2, 4, 6, 6), tensor.randn(4, 2, 3, 3)
  local function fails(text, name, ...)
    local arguments = pack(...)
    local done, message = pcall(function()
      return tensor[name](unpack(arguments, 1, arguments.n))
    end)
    assert.is_false(done)
    assert.is_truthy(tostring(message):find(text, 1, true), message)
  end

  it('names what is wrong', function()
    fails('conv2d: 4 dimensions, or 3 without a batch, are expected, got', 'conv2d',
          tensor.randn(6, 6), w)
    fails('a weight for 4 inputs in 1 groups is expected, outputs x 4 x kernel size, got', 'conv2d',
          x, w)
    fails('4 inputs cannot be divided into 3 groups', 'conv2d', x, w, nil, 1, 0, 1, 3)
    fails('at least one group is expected, got 0', 'conv2d', x, w, nil, 1, 0, 1, 0)
    fails('a bias of 4 elements is expected, got', 'conv2d', x, w, tensor.randn(3), 1, 0, 1, 2)
    fails('stride: one number or two numbers are expected, got 3', 'conv2d', x, w, nil, { 1, 1, 1 })
    fails('stride: a number of at least 1 is expected, got 0', 'conv2d', x, w, nil, 0, 0, 1, 2)
    fails('padding: a number of at least 0 is expected, got -1', 'conv2d', x, w, nil, 1, -1, 1, 2)
    fails('is larger than the padded input of', 'conv2d', x, w, nil, 1, 0, 3, 2)
    fails('a weight for 4 inputs is expected', 'convTranspose2d', x, tensor.randn(3, 2, 3, 3))
    fails('the result is empty', 'convTranspose2d', x, w, nil, 1, 9)
    fails('padding of at most half of the size is expected, got 2 for size 3', 'maxPool2d', x, 3, 1,
          2)
    fails('is larger than the padded input of', 'avgPool2d', x, 7)
    fails('contains only padding', 'maxPool1d', tensor.randn(1, 1), 2, 1, 1, 2)
    fails('dimension 4 of [2 x 4 x 6 x 0] has no elements', 'maxPool2d', tensor.Tensor(2, 4, 6, 0),
          2)
    fails('size: a number of at least 1 is expected, got 0', 'adaptiveAvgPool2d', x, 0)
    fails('batch x channels x size is expected, got', 'interpolate', tensor.randn(3, 3), 2)
    fails("'nearest' or 'linear' is expected, got 'cubic'", 'interpolate', x, 9, 'cubic')
    fails("the mode 'nearest' has no alignCorners", 'upsample', x, 2, 'nearest', true)
    fails('a scale that gives at least one element is expected, got 0.1', 'upsample', x, 0.1)
    fails('a scale that gives at least one element is expected, got', 'upsample', x, 0 / 0)
    fails('is too large', 'conv2d', x, w, nil, 1, 2 ^ 59, 1, 2)
    fails('invalid arguments', 'conv2d', x, w, 2)
    fails('conv2d is not defined for torch.IntTensor', 'conv2d', x:int(), w:int())
  end)

  it('leaves the result as it was', function()
    local r = tensor.Tensor(3):fill(7)
    assert.is_false(pcall(tensor.conv2d, r, x, w))
    assert.are.same({ 7, 7, 7 }, r:totable())
  end)
end)

describe('gradients', function()
  it('of convolutions exist to the third order', function()
    local t, k = tensor.randn(1, 2, 4, 3), tensor.randn(2, 2, 2, 2)
    local function f(u, v) return tensor.conv2d(tensor.pow(u, 2), v, nil, { 2, 1 }, 1) end
    local h = tensor.randn(f(t, k):size())
    assert.is_true(tensor.gradcheck(function(u, v)
      return unpack((tensor.vjp(f, { u, v }, { h })))
    end, { t, k }, { order = 2 }))
  end)
end)

it('strides may be larger than the image', function()
  local one, most = tensor.ones(1, 1, 1), 2 ^ 57
  assert.are.same({ { { 1 } } }, tensor.convTranspose1d(one, one, nil, most):totable())
  local pixel = tensor.ones(1, 1, 1, 1):fill(3)
  local weight = tensor.Tensor { { { { 1, 2 }, { 3, 4 } } } }
  for _, stride in ipairs { 2 ^ 20, 2 ^ 32 } do
    assert.are.same({ { { { 3, 6 }, { 9, 12 } } } },
                    tensor.convTranspose2d(pixel, weight, nil, { stride, stride }):totable())
    local image = tensor.randn(1, 1, 3, 4)
    -- Only the last position of the window is in the image.
    local gradient = unpack((tensor.vjp(function(t)
      return tensor.conv2d(t, weight, nil, { stride, stride }, 1)
    end, { image }, { pixel })))
    assert.are.same({ 12, 12 }, { gradient[1][1][1][1], gradient:sum() })
  end
end)

it('means of long windows of signals are those of views', function()
  local t = tensor.randn(2, 3, 200)
  for _, case in ipairs { { 6, 1 }, { 40, 7 }, { 200, 1 }, { 33, 40 } } do
    local size, stride = unpack(case)
    local want = t:unfold(3, size, stride):mean(4):squeeze(4)
    assert.is_true((tensor.avgPool1d(t, size, stride) - want):abs():max() < 1e-15)
    local function mean(x) return tensor.avgPool1d(x, size, stride) end
    assert.is_true((tensor.gradcheck(mean, { t })))
    local x = t:float()
    local plain, compiled = mean(x), tensor.compile(mean)
    for _ = 1, 3 do assert.is_true(compiled(x):equal(plain)) end
    assert.is_true((select(2, tensor.vjp(mean, { x }, { plain }))):equal(plain))
    assert.is_true(tensor.avgPool1d(t:half(), size, stride):equal(
      tensor.avgPool1d(t:half():float(), size, stride):half()))
  end
end)

it('maxima of large windows are those of views', function()
  tensor.manualSeed(5)
  for _, class in ipairs { 'FloatTensor', 'DoubleTensor', 'HalfTensor' } do
    local t = tensor[class](2, 1, 31, 90):random(1, 500)
    for _, size in ipairs { { 1, 65 }, { 9, 9 }, { 30, 20 }, { 31, 82 } } do
      local windows = t:unfold(3, size[1], 1):unfold(4, size[2], 1)
      local all, strided = windows:max({ 5, 6 }), tensor.maxPool2d(t, size, { 1, 3 })
      local most, indices = tensor.maxPool2d(t, size, 1)
      assert.is_true(most:equal(all:view(most:size())))
      assert.is_true(t:view(2, 1, -1):gather(3, indices:view(2, 1, -1)):equal(most:view(2, 1, -1)))
      assert.is_true(strided:equal(most[{ {}, {}, {}, { 1, -1, 3 } }]))
    end
  end
end)

-- With floating-point steps, 39 / 2.6 would be just below 15.
it('upsample takes the elements at whole positions', function()
  local t = tensor.range(0, 15):view(1, 1, -1)
  assert.are.equal(15, tensor.upsample(t, 2.6)[1][1][40])
  for size = 1, 20 do
    local x = tensor.range(1, size):view(1, 1, -1)
    for scale = 1, 60 do
      assert.is_true(tensor.upsample(x, scale):equal(tensor.interpolate(x, size * scale)))
    end
  end
end)

it('means of equal elements are exact', function()
  for _, class in ipairs { 'Float', 'Double', 'Half', 'BFloat16' } do
    local t = tensor[class .. 'Tensor'](1, 1, 99, 101):fill(100)
    for _, pooled in ipairs { tensor.avgPool2d(t, { 99, 101 }), tensor.avgPool2d(t, 7),
                              tensor.avgPool2d(t, 9, 1, 4, true, false),
                              tensor.adaptiveAvgPool2d(t, { 3, 4 }),
                              tensor.adaptiveAvgPool2d(t, { 2, 7 }),
                              tensor.avgPool1d(t:view(1, -1), 99 * 101) } do
      assert.are.same({ 100, 100 }, { pooled:min(), pooled:max() })
    end
  end
  -- Sums of such elements would overflow.
  local large = tensor.FloatTensor(1, 1, 5, 7):fill(2 ^ 127)
  for _, pooled in ipairs { tensor.avgPool2d(large, 3), tensor.adaptiveAvgPool2d(large, 2) } do
    assert.is_true(pooled:eq(large[1][1][1][1]):all())
  end
end)
