-- Reductions along dimensions. Sums, products and means of integers have a wider type than the
-- operand: compared with loops, for the layouts that choose different loops of the kernel.
-- Reductions of several dimensions: compared with one dimension after the other.

local tensor = require 'tensor'

-- Up to the limits of each type.
local RANGES = { Byte = { 0, 255 }, Char = { -128, 127 }, Short = { -32768, 32767 },
                 Int = { -2147483648, 2147483647 }, Long = { -2 ^ 40, 2 ^ 40 } }

-- The elements of t along dimension d, for each position of the others, by a loop.
local function rows_of(t, d)
  local moved = t:transpose(d, t:dim()):contiguous()
  local n = t:size(d)
  local values, rows = moved:view(moved:nElement()):totable(), {}
  for i = 0, #values / n - 1 do
    local row = {}
    for k = 1, n do row[k] = values[i * n + k] end
    rows[i + 1] = row
  end
  return rows
end

-- The same positions of a result whose dimension d has size 1.
local function results_of(r, d)
  return r:transpose(d, r:dim()):contiguous():view(r:nElement()):totable()
end

local function sum(row)
  local total = 0
  for _, x in ipairs(row) do total = total + x end
  return total
end

local function check(t, d)
  local sums, means = t:sum(d), t:mean(d)
  assert.are.equal('torch.LongTensor', sums:type())
  assert.are.equal('torch.DoubleTensor', means:type())
  assert.are.equal(1, sums:size(d))
  local rows, got, mean = rows_of(t, d), results_of(sums, d), results_of(means, d)
  assert.are.equal(#rows, #got)
  for i, row in ipairs(rows) do
    local expected = sum(row)
    if got[i] ~= expected or mean[i] ~= expected / #row then
      assert.are.same({ expected, expected / #row }, { got[i], mean[i] },
                      ('%s, dimension %d, row %d'):format(t:type(), d, i))
    end
  end
end

for name, range in pairs(RANGES) do
  describe(name .. 'Tensor', function()
    local function random(...) return tensor[name .. 'Tensor'](...):random(range[1], range[2]) end

    it('sums rows, columns and dimensions between others', function()
      for _, shape in ipairs { { 1 }, { 7 }, { 300 }, { 40000 }, { 3, 5 }, { 5, 3 }, { 300, 70 },
                               { 70, 300 }, { 9000, 3 }, { 2, 20000 }, { 3, 4, 5 }, { 9, 33, 17 },
                               { 2, 3, 2, 3 } } do
        local t = random(unpack(shape))
        for d = 1, #shape do check(t, d) end
      end
    end)
    it('sums views with gaps, transposed and expanded tensors', function()
      local t = random(40, 50, 6)
      for _, view in ipairs { t:narrow(2, 3, 30), t:select(3, 2), t:transpose(1, 3),
                              t:select(2, 7), t:unfold(1, 4, 3), random(1, 9):expand(5, 9),
                              random(300, 40):t():narrow(1, 2, 30) } do
        for d = 1, view:dim() do check(view, d) end
      end
    end)
    it('sums extremes', function()
      for _, extreme in ipairs(range) do
        local t = tensor[name .. 'Tensor'](1100, 70):fill(extreme)
        for _, r in ipairs { t:sum(1), t:t():contiguous():sum(2) } do
          assert.are.equal(1100 * extreme, r:min())
          assert.are.equal(1100 * extreme, r:max())
        end
        assert.are.equal(extreme, t:mean())
        assert.are.equal(extreme, t:mean(1):max())
      end
    end)
    it('multiplies in 64 bits, and sums several dimensions', function()
      local t = tensor[name .. 'Tensor'](40, 3):fill(2)
      assert.are.same({ { 2 ^ 40, 2 ^ 40, 2 ^ 40 } }, t:prod(1):totable())
      assert.are.same({ { 8 } }, t:narrow(1, 1, 1):prod(2):totable())
      local x = random(6, 7, 8)
      assert.are.equal(x:sum(2):sum(), x:sum({ 1, 3 }):sum())
      assert.are.same(x:sum(1):sum(3):totable(), x:sum({ 1, 3 }):totable())
    end)
    it('writes into tensors of both types', function()
      local t = random(30, 4)
      local long, own = tensor.LongTensor(), t.new()
      tensor.sum(long, t, 1)
      tensor.sum(own, t, 1)
      assert.are.same(t:sum(1):totable(), long:totable())
      local wrapped = t:sum(1):type(own:type())
      assert.are.same(wrapped:totable(), own:totable())
      assert.are.equal(0, tensor[name .. 'Tensor'](0, 3):sum(1):sum())
    end)
  end)
end

describe('several dimensions', function()
  local LISTS = { { 1, 2 }, { 1, 3 }, { 2, 4 }, { 1, 4 }, { 1, 2, 4 }, { 1, 3, 4 }, { 1, 3, 5 },
                  { 5, 3, 1 }, { 2, 5 }, { 1, 2, 3, 4, 5 } }

  -- Small integers: sums and products are exact.
  local function operands(name)
    local t = tensor[name .. 'Tensor'](2, 3, 4, 3, 5):random(1, 2)
    return { t, t:transpose(1, 5), t:transpose(2, 4):narrow(3, 2, 2),
             t:narrow(1, 1, 1):expand(3, 3, 4, 3, 5), t:select(3, 2):view(2, 3, 1, 3, 5) }
  end

  for _, name in ipairs { 'Float', 'Double', 'Half', 'Byte', 'Int', 'Long' } do
    it('gives what one after the other gives, for ' .. name .. 'Tensors', function()
      for _, t in ipairs(operands(name)) do
        local doubles = t:double()
        for _, dims in ipairs(LISTS) do
          for _, reduce in ipairs { 'sum', 'min', 'max', 'mean' } do
            local expected = doubles
            for _, d in ipairs(dims) do expected = (expected[reduce](expected, d)) end
            local got = t[reduce](t, dims)
            assert.is_true(expected:isSameSizeAs(got))
            local bound = reduce == 'mean' and (name == 'Half' and 1e-3 or 1e-6) or 0
            local difference = (got:double() - expected):abs():max()
            assert.is_true(difference <= bound, ('%s of %s'):format(reduce, t:type()))
          end
        end
        local narrow = t:narrow(5, 1, 2)
        local expected = narrow:double():prod(5):prod(3):totable()
        assert.are.same(expected, narrow:prod({ 3, 5 }):double():totable())
      end
    end)
  end
  it('divides sums of integers once', function()
    for n = 1, 30 do
      local t = tensor.IntTensor(n, 3, 7):random(-1000, 1000)
      local mean, total = t:mean({ 1, 3 }), t:sum({ 1, 3 })
      for k = 1, 3 do assert.are.equal(total[1][k][1] / (7 * n), mean[1][k][1]) end
    end
  end)
  it('keeps NaN and the type of the result', function()
    local t = tensor.FloatTensor(2, 3, 4):fill(1)
    t[2][1][3] = 0 / 0
    for _, reduce in ipairs { 'sum', 'min', 'max', 'mean', 'prod' } do
      local r = t[reduce](t, { 1, 3 })
      assert.are.equal('torch.FloatTensor', r:type())
      assert.is_true(r[1][1][1] ~= r[1][1][1])
      assert.is_true(r[1][2][1] == r[1][2][1])
    end
  end)
end)

describe('indices of extremes in narrow columns', function()
  -- The index of the first largest element, or of the first NaN.
  local function first_largest(column)
    local best = 1
    for i, x in ipairs(column) do
      if x ~= x then return i end
      if x > column[best] then best = i end
    end
    return best
  end
  for _, name in ipairs { 'Float', 'Double', 'Half', 'Byte', 'Int' } do
    it('are the first ones, for ' .. name .. 'Tensors', function()
      for width = 1, 9 do
        for _, n in ipairs { 1, 15, 16, 17, 500, 4097, 9000 } do
          -- Few different values, so that most occur several times.
          local t = tensor[name .. 'Tensor'](n, width):random(1, width % 2 == 0 and 5 or 100)
          if name == 'Double' and width == 3 then t[n][2] = 0 / 0 end
          local _, indices = t:max(1)
          local index, least = t:argmax(1):view(width), t:argmin(1):view(width)
          for j = 1, width do
            local column = t:select(2, j):totable()
            local expected = first_largest(column)
            assert.are.equal(expected, indices[1][j])
            assert.are.equal(expected, index[j])
            for i = 1, n do column[i] = -column[i] end
            assert.are.equal(first_largest(column), least[j])
          end
        end
      end
    end)
  end
end)
