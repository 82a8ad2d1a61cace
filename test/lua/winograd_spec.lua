-- Convolutions of 3 x 3 with many channels, which are computed in tiles, compared with products of
-- matrices of doubles.

local tensor = require 'tensor'
local same_on_threads = require 'support.same_on_threads'

-- Calls f(n, g, i, j, part) for each image n, each group g and each position (i, j) of a kernel.
-- part: what this position meets in the padded image, as channels x height x width.
local function for_taps(padded, height, width, groups, f)
  local channels = padded:size(2) / groups
  for n = 1, padded:size(1) do
    for g = 1, groups do
      for i = 1, 3 do
        for j = 1, 3 do
          local part = padded[n]:narrow(1, (g - 1) * channels + 1, channels)
          f(n, g, i, j, part:narrow(2, i, height):narrow(3, j, width))
        end
      end
    end
  end
end

local function padded_of(x, padding)
  local p = tensor.zeros(x:size(1), x:size(2), x:size(3) + 2 * padding, x:size(4) + 2 * padding)
  return p, p:narrow(3, padding + 1, x:size(3)):narrow(4, padding + 1, x:size(4))
end

local function rows_of(t, groups, g)
  local count = t:size(1) / groups
  return t:narrow(1, (g - 1) * count + 1, count)
end

-- Returns the result, and its derivative with respect to the image for gradient.
local function reference(x, w, bias, padding, groups, gradient)
  local padded, inner = padded_of(x, padding)
  inner:copy(x)
  local height, width = padded:size(3) - 2, padded:size(4) - 2
  local result = bias:view(1, -1, 1, 1):expand(x:size(1), w:size(1), height, width):clone()
  local slope, own = padded_of(x, padding)
  gradient = gradient:view(x:size(1), w:size(1), height * width)
  for_taps(padded, height, width, groups, function(n, g, i, j, part)
    local kernel = rows_of(w, groups, g):select(4, j):select(3, i)
    local of_group = rows_of(result[n], groups, g)
    of_group:add(tensor.mm(kernel, part:clone():view(part:size(1), -1)):view(of_group:size()))
  end)
  for_taps(slope, height, width, groups, function(n, g, i, j, part)
    local kernel = rows_of(w, groups, g):select(4, j):select(3, i)
    part:add(tensor.mm(kernel:t(), rows_of(gradient[n], groups, g)):view(part:size()))
  end)
  return result, own
end

local function near(want, got, tolerance)
  local difference = (got:double() - want):abs():max()
  assert.is_true(difference <= tolerance * tensor.abs(want):max(), difference)
end

local function operands(batch, inputs, outputs, height, width, groups)
  local x = tensor.randn(batch, inputs * groups, height, width)
  return x, tensor.randn(outputs * groups, inputs, 3, 3), tensor.randn(outputs * groups)
end

describe('a convolution of 3 x 3', function()
  for _, case in ipairs {
    {1, 16, 16, 40, 33, 1, 1}, {2, 17, 33, 29, 30, 0, 1}, {1, 48, 70, 24, 22, 2, 2},
    {1, 16, 16, 40, 41, 3, 1}, {33, 32, 16, 7, 7, 1, 1}, {1, 16, 20, 1, 1300, 1, 1},
    {1, 20, 16, 1300, 1, 1, 1}, {2, 210, 170, 16, 16, 1, 1},
  } do
    local batch, inputs, outputs, height, width, padding, groups = unpack(case)
    it(('of size %s'):format(table.concat(case, ', ')), function()
      tensor.manualSeed(inputs)
      local x, w, b = operands(batch, inputs, outputs, height, width, groups)
      local function convolve(u, kernel, bias)
        return tensor.conv2d(u, kernel, bias, 1, padding, 1, groups)
      end
      local gradient = tensor.randn(convolve(x, w, b):size())
      local result, slope = reference(x, w, b, padding, groups, gradient)
      for name, tolerance in pairs { Double = 1e-14, Float = 3e-6, BFloat16 = 2e-2 } do
        local own = {}
        for k, t in ipairs {x, w, b, gradient} do own[k] = t:type('torch.' .. name .. 'Tensor') end
        near(result, convolve(own[1], own[2], own[3]), tolerance)
        near(slope, tensor.vjp(function(u)
          return convolve(u, own[2], own[3])
        end, {own[1]}, {own[4]})[1], tolerance)
      end
    end)
  end

  it('is exact for small integers', function()
    local x = tensor.FloatTensor(2, 64, 20, 20):random(-8, 8)
    local w = tensor.FloatTensor(64, 64, 3, 3):random(-8, 8)
    local none = tensor.zeros(64)
    local result = reference(x:double(), w:double(), none, 1, 1, tensor.zeros(2, 64, 20, 20))
    assert.is_true(tensor.conv2d(x, w, nil, 1, 1):double():equal(result))
  end)

  -- Fewer than 16 outputs are computed by plain sums.
  local function plain(x, w)
    return tensor.conv2d(x, w:narrow(1, 1, 15), nil, 1, 1)
  end

  it('keeps infinities and NaN where they are', function()
    local x, w = operands(1, 16, 16, 40, 40, 1)
    for _, value in ipairs {math.huge, -math.huge, 0 / 0} do
      x[{1, 3, 10, 10}] = value
      local result, want = tensor.conv2d(x, w, nil, 1, 1):narrow(2, 1, 15), plain(x, w)
      assert.is_true(result:eq(result):equal(want:eq(want)))
      assert.is_true(tensor.nanToNum(result):allclose(tensor.nanToNum(want), 1e-12, 1e-12))
      assert.are.equal(15 * 9, tensor.nanToNum(want, 1e9, 1e9, -1e9):abs():gt(1e8):sum())
    end
    local large = tensor.FloatTensor(1, 16, 40, 40):fill(2e38)
    local ones = tensor.FloatTensor(16, 16, 3, 3):zero()
    ones:select(3, 2):select(3, 2):eye(16)
    assert.is_true(tensor.conv2d(large, ones, nil, 1, 1):equal(large))
  end)

  it('loses no digits beside large elements and weights', function()
    local x, w = operands(1, 16, 16, 40, 40, 1)
    assert.is_false(tensor.conv2d(x, w, nil, 1, 1):narrow(2, 1, 15):equal(plain(x, w)))
    local same = tensor.zeros(16, 16, 3, 3)
    same:select(3, 2):select(3, 2):eye(16)
    x:select(4, 7):fill(-9999)
    assert.is_true(tensor.conv2d(x, same, nil, 1, 1):equal(x))
    w:select(4, 1):select(3, 1):select(2, 1):fill(1e12)
    x:zero():narrow(3, 1, 20):fill(1)
    assert.is_true(tensor.conv2d(x, w, nil, 1, 1):narrow(2, 1, 15):equal(plain(x, w)))
  end)

  it('reads no plane that lies in the padding', function()
    local x, w, b = tensor.randn(1, 16, 1, 40, 40), tensor.randn(16, 16, 1, 3, 3), tensor.ones(16)
    local function convolve(u)
      return tensor.conv3d(u, w, b, {3, 1, 1}, {1, 1, 1})
    end
    assert.is_true(convolve(x):equal(tensor.ones(1, 16, 1, 40, 40)))
    local slope = tensor.vjp(convolve, {x}, {tensor.randn(1, 16, 1, 40, 40)})[1]
    assert.are.equal(0, tensor.abs(slope):max())
  end)

  it('gives the same bits with any number of threads', function()
    local x, w, b = operands(3, 40, 70, 25, 25, 1)
    same_on_threads({1, 2, 3}, function()
      return tensor.conv2d(x, w, b, 1, 1),
             tensor.vjp(function(u) return tensor.conv2d(u, w, b, 1, 1) end, {x},
                        {tensor.ones(3, 70, 25, 25)})[1]
    end)
  end)
end)
