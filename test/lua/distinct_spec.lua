-- The distinct values of vectors and their counts, compared with those of a Lua table. The way they
-- are found depends on the type, the number of elements and the number of values.

local tensor = require 'tensor'

local limits = {
  Byte = { 0, 255 }, Char = { -128, 127 }, Short = { -32768, 32767 },
  Int = { -2 ^ 31, 2 ^ 31 - 1 }, Long = { -2 ^ 53, 2 ^ 53 },
  Half = { -60000, 60000 }, BFloat16 = { -1e30, 1e30 }, Float = { -1e30, 1e30 },
  Double = { -1e300, 1e300 },
}

-- Returns the values in ascending order, and their counts.
local function expected(t)
  local counts, values = {}, {}
  for _, x in ipairs(t:contiguous():view(-1):totable()) do
    if not counts[x] then values[#values + 1] = x end
    counts[x] = (counts[x] or 0) + 1
  end
  table.sort(values)
  local list = {}
  for k, x in ipairs(values) do list[k] = counts[x] end
  return values, list
end

local function check(t)
  local values, counts = expected(t)
  local same = { tensor.uniqueValues(t):totable(), (tensor.unique(t)):totable() }
  local of_counts, got = tensor.uniqueCounts(t)
  same[3] = of_counts:totable()
  for k = 1, 3 do assert.are.same(values, same[k]) end
  assert.are.same(counts, got:totable())
  local _, inverse, all = tensor.unique(t)
  assert.are.same(counts, all:totable())
  assert.is_true(of_counts:index(1, inverse:view(-1)):equal(t:contiguous():view(-1)))
end

describe('the distinct values of', function()
  for name, limit in pairs(limits) do
    it('elements of type ' .. name, function()
      tensor.manualSeed(5)
      local Tensor = tensor[name .. 'Tensor']
      for _, n in ipairs { 1, 20, 300, 5000 } do
        check(Tensor(n):fill(3))
        -- Few values, values near each other, and values far apart.
        for _, most in ipairs { 7, 100, n / 2, n, 9 * n } do
          local numbers = tensor.rand(n):mul(math.min(most, limit[2])):floor()
          check(Tensor(n):copy(numbers))
          check(Tensor(n):copy(tensor.add(numbers, math.max(limit[1], -most))))
        end
        local wide = Tensor(n):copy(tensor.rand(n):mul(limit[2]):floor())
        wide[1] = limit[1]
        wide[n] = limit[2]
        check(wide)
        check(Tensor(n, 2):copy(tensor.rand(n, 2):mul(50):floor()):t())
      end
    end)
  end

  it('the smallest and the largest Longs', function()
    local t = tensor.LongTensor(400):fill(0)
    t:narrow(1, 1, 100):fill(1):mul(2 ^ 62):mul(2)
    t:narrow(1, 101, 100):copy(t:narrow(1, 1, 100)):add(-1)
    local values, counts = tensor.uniqueCounts(t)
    assert.are.same({ -2 ^ 63, 0, 2 ^ 63 }, values:totable())  -- 2^63 - 1 as a double
    assert.are.same({ 100, 200, 100 }, counts:totable())
  end)

  it('NaN and zeros with a sign', function()
    local nan = 0 / 0
    for _, name in ipairs { 'Half', 'Float', 'Double' } do
      local t = tensor[name .. 'Tensor'](300):fill(2)
      t[5], t[9], t[200], t[201], t[300] = nan, -0.0, 0, nan, -0.0
      local values, counts = tensor.uniqueCounts(t)
      assert.are.equal(4, values:nElement())
      assert.are.same({ 3, 295, 1, 1 }, counts:totable())
      assert.are.same({ 0, 2 }, values:narrow(1, 1, 2):totable())
    end
  end)

  it('no elements', function()
    local values, counts = tensor.uniqueCounts(tensor.LongTensor(0))
    assert.are.equal(0, values:nElement())
    assert.are.equal(0, counts:nElement())
  end)
end)

describe('the most frequent element of all', function()
  for name in pairs(limits) do
    it('is the smallest of several for ' .. name, function()
      tensor.manualSeed(3)
      local t = tensor.DoubleTensor(3000):random(1, 60)
      t[{ { 1, 1200 } }] = tensor.cat(tensor.ones(600) * 9, tensor.ones(600) * 7, 1)
      local counts = tensor.histc(t, 60, 0.5, 60.5)
      local _, most = counts:max(1)
      t = t:type('torch.' .. name .. 'Tensor')
      assert.are.equal(most[1], t:mode())
      assert.are.equal(most[1], (t:view(60, 50):t():mode()))
      assert.are.equal(7, t:narrow(1, 1, 1200):mode())
      assert.are.equal(9, t:narrow(1, 1, 1):mode())
    end)
  end

  it('is found beside NaN and -0', function()
    local nan = 0 / 0
    assert.are.equal(2, tensor.Tensor { nan, 2, 1, 2, nan, 2 }:mode())
    assert.are.equal(0, tensor.Tensor { 0, 1, -0, 1, 0 }:mode())
  end)
end)

describe('isin of many integers', function()
  for _, name in ipairs { 'Byte', 'Short', 'Long' } do
    it('is that of its parts for ' .. name, function()
      tensor.manualSeed(3)
      local t = tensor[name .. 'Tensor'](900, 700):random(0, 120)
      local values = tensor[name .. 'Tensor'](40):random(20, 100)
      local found = tensor.isin(t, values)
      for _, view in ipairs { t:t(), t:narrow(2, 7, 600) } do
        local part = tensor.isin(view, values)
        for k = 1, view:size(1), 50 do
          assert.is_true(part[k]:equal(tensor.isin(view[k], values)))
        end
      end
      assert.is_true(found:t():equal(tensor.isin(t:t(), values)))
      local count = 0
      for x = 0, 120 do
        if values:eq(x):any() then count = count + t:eq(x):sum() end
      end
      assert.are.equal(count, found:sum())
    end)
  end
end)
