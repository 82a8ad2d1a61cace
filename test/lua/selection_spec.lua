-- Few elements of rows, and columns by index, compared with those of whole rows.

local tensor = require 'tensor'
local same_on_threads = require 'support.same_on_threads'

local nan = 0 / 0
-- Lengths around those of columns, blocks, and parts of long rows.
local LENGTHS = {63, 64, 127, 257, 600, 8193}
local COUNTS = {1, 5, 16, 17, 50}

local function equal(a, b)
  return a:eq(b):add(a:ne(a):cmul(b:ne(b))):min() == 1
end

local contents = {
  random = function(t) t:random(-10000, 10000) end,
  few = function(t) t:random(0, 3) end,
  level = function(t) t:fill(7) end,
  up = function(t) t:copy(tensor.range(1, t:size(2)):view(1, -1):expandAs(t)) end,
  down = function(t) t:copy(tensor.range(t:size(2), 1, -1):view(1, -1):expandAs(t)) end,
  ends = function(t)
    t:random(-100, 100)
    t[{{}, {-20, -1}}]:random(-30000, 30000)
  end,
  special = function(t, is_real)
    t:random(-100, 100)
    if not is_real then return end
    t[1][5], t[1][40], t[1][50], t[1][62] = nan, 1 / 0, -1 / 0, -0
    t[2]:fill(nan)
    t[3]:fill(-0)
    t[3][7] = 0
  end,
}

it('long rows of bytes are sorted by counting', function()
  local n = 2 ^ 24 + 9
  local row = tensor.CharTensor(n, 2):random(-128, 127):select(2, 1)
  for _, descending in ipairs { false, true } do
    local values, indices = row:sort(1, descending)
    assert.is_true(row:index(1, indices):equal(values))
    local function rising(t) return t:narrow(1, 2, n - 1), t:narrow(1, 1, n - 1) end
    local after, before = rising(descending and -values:short() or values:short())
    local later, earlier = rising(indices)
    assert.is_true(after:ge(before):min() == 1)
    -- Equal elements keep their order.
    assert.is_true(after:gt(before):add(later:gt(earlier)):min() == 1)
    for _, k in ipairs { 1, 100, 2 ^ 22 } do
      local least, positions = row:topk(k, 1, descending)
      assert.is_true(least:equal(values:narrow(1, 1, k)))
      assert.is_true(positions:equal(indices:narrow(1, 1, k)))
    end
    if not descending then
      local median, position = row:median(1)
      assert.are.same({ values[n / 2 + 0.5], indices[n / 2 + 0.5] }, { median[1], position[1] })
    end
  end
end)

describe('few elements', function()
  for _, class in ipairs{'Byte', 'Short', 'Half', 'Float', 'Double'} do
    it('of rows of a ' .. class .. 'Tensor are the first ones of the sorted row', function()
      tensor.manualSeed(3)
      local is_real = class == 'Half' or class == 'Float' or class == 'Double'
      for _, n in ipairs(LENGTHS) do
        for name, fill in pairs(contents) do
          local wide = tensor.DoubleTensor(4, n)
          fill(wide, is_real)
          if class == 'Byte' then wide:remainder(256) end
          local rows = wide:type(('torch.%sTensor'):format(class))
          local gaps = tensor[class .. 'Tensor'](4, n, 2):select(3, 2):copy(rows)
          for _, largest in ipairs{false, true} do
            local values, indices = tensor.sort(rows, 2, largest)
            for _, k in ipairs(COUNTS) do
              local what = ('%d of %d, %s'):format(k, n, name)
              for layout, t in pairs{rows = rows, gaps = gaps, one = rows[{{1}}],
                                     columns = rows:t():clone():t()} do
                local v, i = tensor.topk(t, k, 2, largest)
                local m = t:size(1)
                assert(equal(v, values[{{1, m}, {1, k}}]), what .. layout)
                assert(i:equal(indices[{{1, m}, {1, k}}]), what .. layout)
                if not largest then
                  v, i = tensor.kthvalue(t, k, 2)
                  assert(equal(v, values[{{1, m}, {k, k}}]), what .. layout)
                  assert(i:equal(indices[{{1, m}, {k, k}}]), what .. layout)
                end
              end
            end
          end
        end
      end
    end)
  end

  it('of long rows are the first ones of the sorted row', function()
    local t = tensor.IntTensor(20001):random(-1e6, 1e6)
    t:narrow(1, 9000, 20):random(-2e6, 2e6)
    for _, largest in ipairs{false, true} do
      local values, indices = tensor.sort(t, 1, largest)
      for _, k in ipairs(COUNTS) do
        local v, i = tensor.topk(t, k, 1, largest)
        assert.is_true(v:equal(values:narrow(1, 1, k)) and i:equal(indices:narrow(1, 1, k)))
      end
    end
  end)

  it('are the same with any number of threads', function()
    local t = tensor.FloatTensor(50, 1000):normal()
    same_on_threads({1, 2}, function() return tensor.topk(t, 5, 2, true) end)
  end)
end)

describe('columns by index', function()
  for _, class in ipairs{'Byte', 'Half', 'Float', 'Double'} do
    it('of a ' .. class .. 'Tensor are gathered, copied and added', function()
      for _, case in ipairs{{1, 7, 3}, {3, 5, 9}, {6, 1, 4}, {40, 30, 1200}, {513, 8, 512}} do
        local rows, columns, count = unpack(case)
        local whole = tensor[class .. 'Tensor'](rows, columns, 2)
        whole:copy(tensor.Tensor(rows, columns, 2):random(1, 3))
        local numbers = tensor.LongTensor(count, 2)
        numbers:random(1, columns)
        numbers[1] = -columns
        local unique = tensor.randperm(columns):long()
        for _, own in ipairs{whole:select(3, 1), whole:select(3, 1):clone(),
                             whole:select(3, 2):t():clone():t()} do
          for _, index in ipairs{numbers:select(2, 1), numbers:select(2, 2):clone()} do
            local found, list, want = own:index(2, index), own:totable(), {}
            for i = 1, rows do
              want[i] = {}
              for k = 1, count do
                local at = index[k]
                want[i][k] = list[i][at < 0 and at + columns + 1 or at]
              end
            end
            assert.are.same(want, found:totable())
            local sums = own:clone():zero()
            sums:indexAdd(2, index, own:index(2, index):fill(1))
            for c = 1, columns do
              local times = index:eq(c):sum() + index:eq(c - columns - 1):sum()
              assert.are.equal(class == 'Byte' and times % 256 or times, sums[rows][c])
              assert.are.equal(sums[rows][c], sums[1][c])
            end
          end
          local moved = own:clone():zero():indexCopy(2, unique, own)
          assert.is_true(moved:index(2, unique):equal(own))
        end
      end
    end)
  end

  it('add Halfs as floats that are rounded', function()
    local list = tensor.FloatTensor(20, 300):normal()
    list[1][1], list[2][2], list[3][3] = 1 / 0, 60000, nan
    local v, index = list:half(), tensor.LongTensor(20, 300):random(1, 30)
    local found = tensor.HalfTensor(20, 30):fill(0.1):scatterAdd(2, index, v)
    local want = tensor.HalfTensor(20, 30):fill(0.1)
    for i = 1, 20 do
      for k = 1, 300 do
        local c = index[i][k]
        want[i][c] = want[i][c] + v[i][k]
      end
    end
    assert.is_true(equal(found, want))
  end)

  it('are the same with any number of threads', function()
    local t, index = tensor.FloatTensor(300, 40):normal(), tensor.LongTensor(700):random(1, 40)
    local v = tensor.FloatTensor(300, 700):normal()
    same_on_threads({1, 2}, function()
      return t:index(2, index), t:clone():indexAdd(2, index, v)
    end)
  end)
end)

-- The q-th quantile of numbers in ascending order, NaN last.
local function quantile_by_rank(row, q, method)
  local count = #row
  while count > 0 and row[count] ~= row[count] do count = count - 1 end
  local rank = (count - 1) * q
  local below, above = math.floor(rank), math.ceil(rank)
  if method == 'lower' then return row[below + 1], count end
  if method == 'higher' then return row[above + 1], count end
  local part = rank - below
  return row[below + 1] * (1 - part) + row[above + 1] * part, count
end

describe('quantiles of long rows', function()
  for _, class in ipairs{'Float', 'Double'} do
    it('of a ' .. class .. 'Tensor are those of the sorted row', function()
      tensor.manualSeed(5)
      local long = tensor.DoubleTensor(2, 20001):random(-9000, 9000)
      for _, holes in ipairs{0, 3} do
        local t = long:type('torch.' .. class .. 'Tensor')
        for k = 1, holes do t[1][7 * k], t[2][9 * k] = nan, nan end
        local rows = t:sort(2):totable()
        for _, q in ipairs{0, 0.25, 0.3, 0.9999, 1} do
          local want, count = {}, nil
          for k = 1, 2 do want[k], count = quantile_by_rank(rows[k], q) end
          assert.are.equal(20001 - holes, count)
          local skipping = t:nanquantile(q, 2, false)
          assert.is_true(tensor.allclose(skipping:double(), tensor.Tensor(want)), q)
          assert.is_true(math.abs(t[1]:nanquantile(q) - quantile_by_rank(rows[1], q)) < 1e-3)
          if holes > 0 then
            assert.is_true(t:quantile(q, 2):isnan():all())
          else
            assert.is_true(t:quantile(q, 2, false):equal(skipping))
            assert.are.equal(quantile_by_rank(rows[1], q, 'lower'), t[1]:quantile(q, 'lower'))
            assert.are.equal(quantile_by_rank(rows[1], q, 'higher'), t[1]:quantile(q, 'higher'))
            local several = t:quantile(tensor.Tensor{q, 0.5, q, 0.1}, 2)
            assert.is_true(several[1]:equal(several[3]))
            assert.is_true(several[1]:equal(skipping))
          end
        end
        local middle, index = t:nanmedian(2, false)
        for k = 1, 2 do
          assert.are.equal(rows[k][math.floor((20001 - holes - 1) / 2) + 1], middle[k])
          assert.are.equal(middle[k], t[k][index[k]])
          assert.are.equal(middle[k], t[k]:nanmedian())
        end
      end
    end)
  end
end)

describe('argpartition', function()
  local function check(t, k)
    local n = t:size(t:dim())
    local index = tensor.argpartition(t, k)
    local order = tensor.argsort(t)
    local rows = t:view(-1, n)
    index, order = index:view(-1, n), order:view(-1, n)
    for i = 1, rows:size(1) do
      local row, own = rows[i], index[i]
      assert.is_true(own:sort():equal(tensor.range(1, n):long()))
      assert.are.equal(order[i][k], own[k])
      -- Both sides have the elements that they have in sorted order.
      for _, side in ipairs { { 1, k - 1 }, { k + 1, n } } do
        if side[1] <= side[2] then
          local got = row:index(1, own[{ side }])
          assert.is_true(equal((got:sort()), row:index(1, order[i][{ side }])))
        end
      end
    end
  end

  for name, fill in pairs(contents) do
    it('has the elements of both sides of ' .. name .. ' elements', function()
      for _, class in ipairs { 'DoubleTensor', 'FloatTensor', 'HalfTensor', 'IntTensor',
                               'ByteTensor' } do
        for _, n in ipairs { 300, 5000, 17000 } do
          local t = tensor.DoubleTensor(3, n)
          fill(t, class ~= 'IntTensor' and class ~= 'ByteTensor')
          if class ~= 'ByteTensor' or name == 'few' then
            t = tensor[class](3, n):copy(t)
            for _, k in ipairs { 1, 2, 15, math.floor(n / 2), n - 3, n } do
              check(t, k)
              check(t[2], k)
            end
          end
        end
      end
    end)
  end

  it('takes columns, strided tensors and results', function()
    local t = tensor.DoubleTensor(20000, 6):random(0, 50)
    local want = tensor.argpartition(t:t():contiguous(), 7)
    assert.is_true(tensor.argpartition(t, 7, 1):equal(want:t()))
    local column = t[{ {}, 2 }]
    assert.is_true(tensor.argpartition(column, 200):equal(
                     tensor.argpartition(column:contiguous(), 200)))
    local r = tensor.LongTensor(6, 20000):t()
    tensor.argpartition(r, t, 7, 1)
    assert.is_true(r:equal(want:t()))
    local own = t[{ {}, 1 }]:long()
    local copy = own:clone()
    assert.is_true(tensor.argpartition(own, own, 9):equal(tensor.argpartition(copy, 9)))
  end)
end)

describe('long rows with different numbers of NaN', function()
  local function check(t, dim)
    local n = t:size(dim)
    local rows = t:transpose(dim, t:dim()):contiguous():view(-1, n)
    local middle, index = t:nanmedian(dim)
    local kept = t:nanquantile(0.3, dim, true)
    assert.are.same(middle:size():totable(), kept:size():totable())
    middle = middle:transpose(dim, t:dim()):contiguous():view(-1)
    index = index:transpose(dim, t:dim()):contiguous():view(-1)
    kept = kept:transpose(dim, t:dim()):contiguous():view(-1)
    for k = 1, rows:size(1) do
      -- A single row has one number of NaN.
      local value, at = rows[k]:nanmedian(1)
      local quantile = rows[k]:nanquantile(0.3, 1)
      if value[1] == value[1] then
        assert.are.same({value[1], at[1], quantile[1]}, {middle[k], index[k], kept[k]})
      else
        assert.is_true(middle[k] ~= middle[k] and kept[k] ~= kept[k])
        assert.are.equal(1, index[k])
      end
    end
  end
  for _, class in ipairs{'Half', 'Float', 'Double'} do
    it('of a ' .. class .. 'Tensor are those of single rows', function()
      tensor.manualSeed(7)
      for _, n in ipairs{4095, 4096, 16383, 16384} do
        local long = tensor.DoubleTensor(4, n):random(-900, 900)
        for k = 1, 3 do
          for i = 1, 100 * k * k do long[k][(7 * i * i) % n + 1] = nan end
        end
        long[4]:fill(nan)
        local t = long:type('torch.' .. class .. 'Tensor')
        check(t, 2)
        check(t:t():contiguous(), 1)
        check(t:view(2, 2, n):transpose(1, 2):narrow(1, 2, 1), 3)
        check(t:narrow(2, 2, n - 1), 2)
      end
    end)
  end
end)
