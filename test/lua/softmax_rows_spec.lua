-- softmax, logSoftmax and crossEntropy of rows of any length against loops in plain Lua.

local tensor = require 'tensor'
local crossEntropy = require 'tensor.nn'.crossEntropy

-- Lengths around those of vectors and blocks.
local LENGTHS = {1, 2, 7, 8, 15, 16, 17, 31, 33, 64, 65, 127, 128, 129, 200, 241, 255, 256, 257,
  300, 511, 513}
local ROWS = 21
-- Errors relative to the largest result of a row, or to `least`.
local TYPES = {FloatTensor = 2e-6, DoubleTensor = 1e-14, BFloat16Tensor = 8e-3, HalfTensor = 1e-3}

local function random_rows(kind, n)
  tensor.manualSeed(n)
  local t = tensor[kind](ROWS, n)
  t:copy(tensor.DoubleTensor(ROWS, n):uniform(-4, 4))
  t[2]:mul(10)
  t[3][n] = t[3][1] + 9
  return t
end

-- The exponentials of a row minus its largest element, and their sum.
local function exponentials(row)
  local largest, sum, e = -math.huge, 0, {}
  for _, x in ipairs(row) do largest = math.max(largest, x) end
  for i, x in ipairs(row) do
    e[i] = math.exp(x - largest)
    sum = sum + e[i]
  end
  return e, sum, largest
end

local function check(expected, found, tolerance, n, least)
  for i, row in ipairs(expected) do
    local size = least or 0
    for _, x in ipairs(row) do size = math.max(size, math.abs(x)) end
    for j, x in ipairs(row) do
      local is_close = math.abs(found[i][j] - x) <= tolerance * size  -- false for NaN
      if not is_close then
        error(('row %d of %d elements, element %d: %.17g, expected %.17g'):format(i, n, j,
          found[i][j], x))
      end
    end
  end
end

-- Calls f(kind, tolerance, n, t) for each type and length.
local function for_rows(f)
  for kind, tolerance in pairs(TYPES) do
    for _, n in ipairs(LENGTHS) do f(kind, tolerance, n, random_rows(kind, n)) end
  end
end

describe('rows of any length', function()
  it('have the softmax and its logarithm', function()
    for_rows(function(_, tolerance, n, t)
      local softmax, logarithm = {}, {}
      for i, row in ipairs(t:double():totable()) do
        local e, sum, largest = exponentials(row)
        softmax[i], logarithm[i] = {}, {}
        for j, x in ipairs(row) do
          softmax[i][j], logarithm[i][j] = e[j] / sum, x - largest - math.log(sum)
        end
      end
      check(softmax, tensor.softmax(t, 2):double():totable(), tolerance, n)
      check(logarithm, tensor.logSoftmax(t, 2):double():totable(), tolerance, n)
      -- The result may be the operand.
      check(softmax, tensor.softmax(t, t, 2):double():totable(), tolerance, n)
    end)
  end)

  it('have the cross-entropy and its gradient', function()
    for_rows(function(_, tolerance, n, t)
      local classes, slopes, total = tensor.LongTensor(ROWS), {}, 0
      for i, row in ipairs(t:double():totable()) do
        local class = (i * 7) % n + 1
        classes[i] = class
        local e, sum, largest = exponentials(row)
        total = total + (math.log(sum) - (row[class] - largest)) / ROWS
        slopes[i] = {}
        for j = 1, n do slopes[i][j] = (e[j] / sum - (j == class and 1 or 0)) / ROWS end
      end
      local gradient, loss = tensor.grad(function(x) return crossEntropy(x, classes) end)(t)
      check({{total}}, {{loss}}, 2 * tolerance, n, 1)
      check(slopes, gradient:double():totable(), tolerance, n, 1 / ROWS)
    end)
  end)

  it('keep infinities and NaN in their rows', function()
    local infinity, nan = math.huge, 0 / 0
    for kind in pairs(TYPES) do
      for _, n in ipairs(LENGTHS) do
        local t = random_rows(kind, n)
        local plain = tensor.softmax(t, 2)
        t[4]:fill(-infinity)
        t[5][n] = nan
        t[6][n] = infinity
        if n > 1 then t[7][n] = -infinity end
        local softmax = tensor.softmax(t, 2)
        for _, i in ipairs{4, 5, 6} do assert.is_true(softmax[i]:ne(softmax[i]):sum() > 0) end
        if n > 1 then
          assert.are.equal(0, softmax[7][n])
          assert.is_true(math.abs(softmax[7]:double():sum() - 1) < .02)
        end
        for i = 8, ROWS do assert.is_true(softmax[i]:equal(plain[i])) end
      end
    end
  end)
end)
