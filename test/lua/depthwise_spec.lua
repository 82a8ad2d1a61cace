-- Convolutions of groups with one output, compared with loops over the kernel positions.

local tensor = require 'tensor'
local near = require 'support.close'.near
local same_on_threads = require 'support.same_on_threads'

-- batch, groups, inputs of a group, height, width, kernel height and width, stride, padding,
-- dilation
local CASES = {
  {2, 8, 1, 28, 28, 3, 3, 1, 1, 1}, {1, 9, 1, 7, 7, 3, 3, 1, 1, 1},
  {3, 8, 1, 9, 8, 3, 3, 1, 0, 1}, {2, 10, 1, 13, 29, 5, 3, 1, 2, 1},
  {1, 8, 1, 33, 17, 7, 7, 1, 3, 1}, {2, 8, 1, 28, 30, 3, 3, 2, 1, 1},
  {1, 8, 1, 15, 15, 3, 3, 2, 0, 1}, {1, 8, 1, 20, 40, 3, 3, 3, 1, 2},
  {2, 3, 1, 11, 19, 3, 2, 1, 0, 1}, {1, 1, 1, 70, 50, 3, 3, 1, 1, 1},
  {2, 8, 1, 5, 3, 1, 1, 1, 0, 1}, {1, 8, 1, 3, 3, 3, 3, 1, 0, 1},
  {2, 8, 3, 12, 20, 3, 3, 1, 1, 1}, {1, 1, 6, 12, 20, 3, 3, 1, 1, 1},
  {1, 16, 1, 1, 64, 1, 9, 1, 0, 1}, {1, 8, 1, 30, 34, 12, 12, 1, 0, 1},
  {40, 8, 1, 40, 40, 3, 3, 1, 1, 1},
}

-- Returns the result and the gradients of the image and the weight, for the gradient g.
local function reference(x, w, bias, g, groups, stride, padding, dilation)
  local batch, channels, height, width = unpack(x:size():totable())
  local inputs = channels / groups
  local function pad(t)
    local whole = tensor.zeros(batch, channels, height + 2 * padding, width + 2 * padding)
    local inner = whole:narrow(3, padding + 1, height):narrow(4, padding + 1, width)
    if t then inner:copy(t) end
    return whole, inner
  end
  local padded = pad(x)
  local slope, inner = pad()
  local result = bias:view(1, -1, 1, 1):expandAs(g):clone()
  local weights = w:clone():zero()
  for i = 1, w:size(3) do
    for j = 1, w:size(4) do
      local function part_of(t, input)
        local planes = t[{{}, {input, channels, inputs}}]
        local y, z = (i - 1) * dilation + 1, (j - 1) * dilation + 1
        return planes[{{}, {}, {y, y + (g:size(3) - 1) * stride, stride},
                       {z, z + (g:size(4) - 1) * stride, stride}}]
      end
      for input = 1, inputs do
        local own = w[{{}, {input}, {i}, {j}}]:reshape(1, groups, 1, 1):expandAs(g)
        local part = part_of(padded, input)
        result:add(tensor.cmul(part, own))
        part_of(slope, input):add(tensor.cmul(g, own))
        weights[{{}, input, i, j}] = tensor.cmul(part, g):sum({1, 3, 4}):reshape(groups)
      end
    end
  end
  return result, inner, weights
end

describe('a convolution of groups with one output', function()
  for _, case in ipairs(CASES) do
    local batch, groups, inputs, height, width, ky, kx, stride, padding, dilation = unpack(case)
    local text = table.concat(case, ', ')
    it('of size ' .. text .. ' has its result and gradients', function()
      tensor.manualSeed(width)
      local x = tensor.Tensor(batch, groups * inputs, height, width):normal()
      local w = tensor.Tensor(groups, inputs, ky, kx):normal()
      local b = tensor.Tensor(groups):normal()
      local function convolve(u, kernel, bias)
        return tensor.conv2d(u, kernel, bias, stride, padding, dilation, groups)
      end
      for name, tolerance in pairs{Double = 1e-13, Float = 2e-5, Half = 5e-3, BFloat16 = 4e-2} do
        local kind = ('torch.%sTensor'):format(name)
        local u, v, bias = x:type(kind), w:type(kind), b:type(kind)
        local own = convolve(u, v, bias)
        local g = tensor.Tensor(own:size()):normal():type(kind)
        local result, slope, weights = reference(u:double(), v:double(), bias:double(), g:double(),
                                                 groups, stride, padding, dilation)
        near(result, own, tolerance, name .. ' result')
        local without = convolve(u, v)
        near(result, without:double():add(bias:double():view(1, -1, 1, 1):expandAs(own)), tolerance,
             name .. ' without bias')
        local found = tensor.vjp(function(p, q) return convolve(p, q, bias) end, {u, v}, {g})
        near(slope, found[1], tolerance, name .. ' image')
        near(weights, found[2], tolerance, name .. ' weight')
      end
    end)
  end

  it('keeps infinities and NaN where they are', function()
    local x = tensor.FloatTensor(1, 8, 12, 19):fill(1)
    local w = tensor.FloatTensor(8, 1, 3, 3):fill(1)
    for k, value in ipairs{1 / 0, 0 / 0} do
      for _, column in ipairs{1, 10, 19} do
        local y = x:clone()
        y[{1, 2, 5, column}] = value
        local result = tensor.conv2d(y, w, nil, 1, 1, 1, 8)
        local same = result:eq(tensor.conv2d(x, w, nil, 1, 1, 1, 8))
        assert.are.equal(same:nElement() - (column == 10 and 9 or 6), same:sum(), k)
        local g = result:clone():fill(1)
        local slope = tensor.vjp(function(u)
          return tensor.conv2d(y, u, nil, 1, 1, 1, 8)
        end, {w}, {g})[1]
        local finite = slope:eq(slope):cmul(tensor.abs(slope):lt(1e30))
        assert.are.equal(8 * 9 - (column == 10 and 9 or 6), finite:sum())
      end
    end
  end)

  it('gives the same bits with any number of threads', function()
    local x = tensor.FloatTensor(5, 24, 40, 30):normal()
    local w = tensor.FloatTensor(24, 1, 3, 3):normal()
    local g = tensor.FloatTensor(5, 24, 40, 30):normal()
    local function convolve(u, v) return tensor.conv2d(u, v, nil, 1, 1, 1, 24) end
    same_on_threads({1, 2, 3}, function()
      local slopes = tensor.vjp(convolve, {x, w}, {g})
      return convolve(x, w), slopes[1], slopes[2]
    end)
  end)
end)
