-- Losses of class numbers along any dimension, compared with those of contiguous rows.

local tensor = require 'tensor'
local same_on_threads = require 'support.same_on_threads'

local TYPES = {Float = 3e-6, Double = 1e-14, BFloat16 = 1e-2, Half = 2e-3}
local nan, infinity = 0 / 0, math.huge

-- Sizes with the dimension of the classes. The columns are blocks of whole and of partial vectors.
local CASES = {
  {{2, 15}, 1}, {{5, 16}, 1}, {{1, 40}, 1}, {{3, 7, 300}, 2}, {{2, 2, 17, 16}, 2},
  {{2, 21, 3, 8, 5}, 2}, {{300, 3, 20}, 1}, {{4, 33, 256}, 2}, {{2, 3, 513}, 2},
}

-- Moves dimension d to the end, in a copy.
local function rows_of(t, d)
  local order = {}
  for k = 1, t:dim() do
    if k ~= d then order[#order + 1] = k end
  end
  order[#order + 1] = d
  return t:permute(unpack(order)):clone()
end

local function near(want, got, tolerance, what)
  want, got = want:double(), got:double()
  assert.are.same(want:size():totable(), got:size():totable())
  assert(want:ne(want):equal(got:ne(got)), what)
  want, got = tensor.nanToNum(want), tensor.nanToNum(got)
  local difference = (want - got):abs():max()
  local is_near = difference <= tolerance * math.max(1, tensor.abs(want):max())  -- false for NaN
  if not is_near then error(('%s: %g'):format(what, difference)) end
end

local options = {
  plain = function() return nil, -100, 0 end,
  weighted = function(n) return tensor.Tensor(n):uniform(0.5, 2), 2, 0 end,
  smooth = function() return nil, 1, 0.2 end,
  both = function(n) return tensor.Tensor(n):uniform(0.5, 2), 1, 0.1 end,
}

local function for_cases(f)
  for name, tolerance in pairs(TYPES) do
    for _, case in ipairs(CASES) do
      local size, d = unpack(case)
      tensor.manualSeed(size[d])
      local x = tensor.Tensor(unpack(size)):normal():type(('torch.%sTensor'):format(name))
      local rows = rows_of(x, d)
      local lead = rows:size():totable()
      lead[#lead] = nil
      local classes = tensor.LongTensor(unpack(lead)):random(1, size[d])
      local what = ('%s, %s, dimension %d'):format(name, table.concat(size, ' x '), d)
      for kind, option in pairs(options) do
        local weight, ignored, smoothing = option(size[d])
        if weight then weight = weight:type(x:type()) end
        f(x, rows, d, classes, weight, ignored, smoothing, tolerance, kind .. ' ' .. what)
      end
    end
  end
end

-- Checks the loss and its gradient for a call f(t, dimension).
local function check(f, x, rows, d, tolerance, what)
  near(f(rows, -1), f(x, d), tolerance, what)
  local g = f(rows, -1):clone():uniform(0.5, 1)
  local function slope(t, dimension)
    return tensor.vjp(function(u) return f(u, dimension) end, {t}, {g})[1]
  end
  near(slope(rows, -1), rows_of(slope(x, d), d), tolerance, what .. ', gradient')
  -- Other layouts have the same values.
  for _, t in ipairs{x:transpose(1, x:dim()):clone():transpose(1, x:dim()),
                     x:transpose(1, d):clone():transpose(1, d)} do
    near(f(x, d), f(t, d), tolerance, what .. ', layout')
    near(slope(x, d), slope(t, d), tolerance, what .. ', layout, gradient')
  end
end

describe('losses along any dimension', function()
  it('are the cross-entropy of rows', function()
    for_cases(function(x, rows, d, classes, weight, ignored, smoothing, tolerance, what)
      check(function(t, dimension)
        return tensor.crossEntropy(t, classes, weight, ignored, smoothing, 'none', dimension)
      end, x, rows, d, tolerance, what)
      local function mean(t, dimension)
        return tensor.crossEntropy(t, classes, weight, ignored, smoothing, 'mean', dimension)
      end
      near(tensor.Tensor{mean(rows, -1)}, tensor.Tensor{mean(x, d)}, tolerance, what)
      local slope = tensor.grad(function(t) return mean(t, d) end)(x)
      local want = tensor.grad(function(t) return mean(t, -1) end)(rows)
      near(want, rows_of(slope, d), tolerance, what)
    end)
  end)

  it('are the negative log-likelihood of rows', function()
    for_cases(function(x, rows, d, classes, weight, ignored, _, tolerance, what)
      check(function(t, dimension)
        return tensor.nll(t, classes, weight, ignored, 'none', dimension)
      end, x, rows, d, tolerance, what)
    end)
  end)

  it('keep infinities and NaN in their rows, and ignored rows have none', function()
    local x = tensor.FloatTensor(2, 3, 20):normal()
    x[{1, {}, 1}], x[{1, 2, 2}], x[{1, 3, 3}], x[{1, 1, 4}] = -infinity, nan, infinity, -infinity
    x[{2, {}, 5}], x[{2, 1, 6}] = nan, infinity
    local classes = tensor.LongTensor(2, 20):fill(1)
    classes[2][5], classes[2][6] = 3, 3
    check(function(t, dimension)
      return tensor.crossEntropy(t, classes, nil, 3, 0, 'none', dimension)
    end, x, rows_of(x, 2), 2, 3e-6, 'special')
  end)

  it('are the same with any number of threads', function()
    local x = tensor.FloatTensor(5, 9, 1500):normal()
    local classes = tensor.LongTensor(5, 1500):random(1, 9)
    same_on_threads({1, 2}, function()
      local slope, loss = tensor.grad(function(t)
        return tensor.crossEntropy(t, classes, nil, -100, 0, 'mean', 2)
      end)(x)
      return slope, tensor.Tensor{loss}
    end)
  end)
  it('refuse tensors without classes', function()
    for _, case in ipairs { { { 2, 0 }, { 2 } }, { { 2, 0, 16 }, { 2, 16 } } } do
      local classes = tensor.LongTensor(unpack(case[2])):fill(-100)
      local x = tensor.FloatTensor(unpack(case[1]))
      assert.error_matches(function() tensor.crossEntropy(x, classes, -100, 0, 'none', 2) end,
                           'has no classes')
      assert.error_matches(function() tensor.nll(x, classes, -100, 'none', 2) end,
                           'has no classes')
    end
  end)
end)
