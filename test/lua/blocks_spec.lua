-- Operations that work on blocks or SIMD vectors give correct results at all block boundaries, also
-- if the only element that matters is in the last block.

local tensor = require 'tensor'

local nan = 0 / 0

-- Numbers that look random, the same at every run.
local function numbers(n, range)
  local list, x = {}, 12345
  for i = 1, n do
    x = (x * 1103515245 + 12345) % 2147483648
    list[i] = math.floor(x / 65536) % range
  end
  return list
end

describe('elements that are chosen', function()
  local lengths = { 1, 15, 16, 17, 255, 256, 257, 2047, 2049, 20000 }
  local rules = {
    all = function() return true end,
    none = function() return false end,
    last = function(i, n) return i == n end,
    many = function(i) return i % 3 ~= 0 or i % 16 == 0 end,
    runs = function(i) return i % 1400 < 700 end,
  }

  for _, class in ipairs { 'Byte', 'Short', 'Float', 'Double' } do
    it('of a ' .. class .. 'Tensor', function()
      for _, n in ipairs(lengths) do
        for name, rule in pairs(rules) do
          local mask, whole = tensor.ByteTensor(n), tensor[class .. 'Tensor'](n, 2)
          local places, chosen, filled = {}, {}, {}
          for i = 1, n do
            local is = rule(i, n)
            mask[i] = is and 1 or 0
            whole[i][1], whole[i][2] = i % 100, is and i % 99 + 1 or 0
            if is then
              places[#places + 1], chosen[#chosen + 1] = { i }, i % 100
              filled[i] = #places % 50
            else
              filled[i] = i % 100
            end
          end
          local source = tensor[class .. 'Tensor'](#places + 1)
          for k = 1, #places do source[k] = k % 50 end
          local what = ('%s of %d'):format(name, n)
          -- Packed, and every second one of a matrix.
          for _, from in ipairs { whole:select(2, 1):clone(), whole:select(2, 1) } do
            local got = from:maskedSelect(mask)
            assert.are.same(chosen, got:nElement() > 0 and got:totable() or {}, what)
            local target = whole:clone():select(2, 1)
            target:copy(from)
            target:maskedCopy(mask, source)
            assert.are.same(filled, target:totable(), what)
            target:copy(from):maskedFill(mask, 101)
            local either = tensor.where(mask, 101, 7):totable()
            for i, x in ipairs(target:totable()) do
              local is = rule(i, n)
              if x ~= (is and 101 or i % 100) or either[i] ~= (is and 101 or 7) then error(what) end
            end
          end
          for _, from in ipairs { whole:select(2, 2):clone(), whole:select(2, 2) } do
            local got = tensor.nonzero(from)
            assert.are.same(places, got:nElement() > 0 and got:totable() or {}, what)
          end
        end
      end
    end)
  end
end)

it('squared distances of rows, and their multiples', function()
  for _, class in ipairs { 'Int', 'Half', 'Float', 'Double' } do
    local Tensor = tensor[class .. 'Tensor']
    for _, length in ipairs { 1, 31, 33, 70 } do
      for _, size in ipairs { { 1, 20 }, { 20, 1 }, { 16, 16 }, { 19, 33 } } do
        local rows, columns = size[1], size[2]
        local a = Tensor(rows, length):copy(Tensor(numbers(rows * length, 5)))
        local b = Tensor(columns, length):copy(Tensor(numbers(columns * length, 4)))
        local found, thrice = tensor.match(a, b), tensor.match(Tensor(), a, b, 3)
        local x, y = a:totable(), b:totable()
        for i = 1, rows do
          for j = 1, columns do
            local sum = 0
            for k = 1, length do sum = sum + (x[i][k] - y[j][k]) ^ 2 end
            local multiple = Tensor { 3 * sum }[1]
            if sum ~= found[i][j] or multiple ~= thrice[i][j] then
              error(('%s: %d x %d of %d: %g, not %g'):format(class, i, j, length, found[i][j], sum))
            end
          end
        end
      end
    end
  end
  local large = tensor.FloatTensor(16, 1):fill(1e30)
  assert.are.equal(math.huge, tensor.match(large, -large):min())
  local nans = tensor.match(tensor.ones(16, 3), tensor.ones(16, 3):fill(nan))
  assert.are.equal(256, nans:ne(nans):sum())
end)

it('elements that are combined by an index', function()
  local index, values = numbers(5000, 9), numbers(5000, 100)
  local want = { sum = {}, prod = {}, amax = {}, amin = {} }
  for i, k in ipairs(index) do
    local x = values[i] % 3 + 1
    want.sum[k + 1] = (want.sum[k + 1] or 1) + x
    if i <= 40 then want.prod[k + 1] = (want.prod[k + 1] or 1) * x end
    want.amax[k + 1] = math.max(want.amax[k + 1] or 1, x)
    want.amin[k + 1] = math.min(want.amin[k + 1] or 1, x)
  end
  for _, class in ipairs { 'Long', 'Float', 'Double', 'Half' } do
    for action, expected in pairs(want) do
      -- Products of 40 factors, which no type rounds.
      local n = action == 'prod' and 40 or 5000
      local from = tensor[class .. 'Tensor'](numbers(5000, 100)):fmod(3):add(1):narrow(1, 1, n)
      local chosen = tensor.LongTensor(index):add(1):narrow(1, 1, n)
      local r = tensor[class .. 'Tensor'](9):fill(1):scatterReduce(1, chosen, from, action)
      for k = 1, 9 do assert.are.equal(expected[k] or 1, r[k]) end
    end
  end
end)

it('elements chosen by indices from both ends', function()
  for _, class in ipairs { 'Byte', 'Short', 'Float', 'Double' } do
    local Tensor = tensor[class .. 'Tensor']
    for _, n in ipairs { 1, 3, 4, 5, 50 } do
      local values, indices = Tensor(n):copy(tensor.range(1, n)), tensor.LongTensor(n)
      local gathered, moved, added = {}, {}, {}
      for i = 1, n do
        local place = n - i + 1
        indices[i] = i % 3 == 0 and place - n - 1 or place
        gathered[i], moved[i], added[i] = place, place, 2 * place
      end
      assert.are.same(gathered, values:gather(1, indices):totable())
      assert.are.same(gathered, values:index(1, indices):totable())
      assert.are.same(moved, Tensor(n):zero():scatter(1, indices, values):totable())
      assert.are.same(moved, Tensor(n):zero():indexCopy(1, indices, values):totable())
      local sum = Tensor(n):zero():indexAdd(1, indices, values)
      assert.are.same(added, sum:scatterAdd(1, indices, values):totable())
    end
  end
end)

describe('rows that are sorted', function()
  -- Values with their indices, by Lua's sort.
  local function expected(list, descending)
    local order = {}
    for i = 1, #list do order[i] = i end
    table.sort(order, function(i, j)
      local a, b = list[i], list[j]
      if a == b or (a ~= a and b ~= b) then return i < j end
      if a ~= a or b ~= b then return (b ~= b) ~= descending end
      if descending then return a > b end
      return a < b
    end)
    return order
  end

  it('already, backwards, or up to one element', function()
    for _, class in ipairs { 'Byte', 'Int', 'Float', 'Double' } do
      for _, n in ipairs { 2, 41, 100, 300 } do
        local limit = class == 'Byte' and 255 or n
        local lists = { up = {}, down = {}, level = {}, steps = {}, late = {}, swapped = {} }
        for i = 1, n do
          local x = math.min(i, limit)
          lists.up[i], lists.level[i], lists.steps[i], lists.late[i] = x, 7, math.floor(x / 3), x
          lists.down[i], lists.swapped[i] = math.min(n - i, limit), math.min(n - i, limit)
        end
        lists.late[n] = 0
        lists.swapped[n] = lists.swapped[n - 1]
        for name, list in pairs(lists) do
          for _, descending in ipairs { false, true } do
            local t = tensor[class .. 'Tensor'](list)
            local values, indices = tensor.sort(t, 1, descending)
            local order, want = expected(list, descending), {}
            for i = 1, n do want[i] = list[order[i]] end
            local what = ('%s, %d of %s'):format(name, n, class)
            assert.are.same(order, indices:totable(), what)
            assert.are.same(want, values:totable(), what)
          end
        end
      end
    end
  end)

  -- Rows of all kinds beside each other: of few bits, of bits at one end, in order, backwards.
  local function mixed(n, m, real)
    local rows = {}
    for k = 1, m do
      local row = numbers(n + k, 30000)
      for i = 1, n do
        local x = row[i]
        if k % 7 == 1 then
          row[i] = x % 3
        elseif k % 7 == 2 then
          row[i] = real and 1 + x * 2 ^ -52 or 2 ^ 52 + x
        elseif k % 7 == 3 then
          row[i] = i
        elseif k % 7 == 4 then
          row[i] = n - i
        elseif k % 7 == 5 then
          row[i] = x * 2 ^ 20 - 2 ^ 34
        end
      end
      row[n + k] = nil
      if real and n > 4 and k % 3 == 0 then
        row[n], row[2], row[3], row[4] = nan, -0, 1 / 0, -1 / 0
      elseif k % 7 == 2 and n > 4 then
        row[3], row[n] = real and -1e300 or -2 ^ 52, 0
      end
      for i = n + 1, #row do row[i] = nil end
      rows[k] = row
    end
    return rows
  end

  local function shown(list)
    for i, x in ipairs(list) do list[i] = ('%.17g'):format(x) end
    return list
  end

  for _, class in ipairs { 'Short', 'Float', 'Long', 'Double' } do
    it('beside each other, of a ' .. class .. 'Tensor', function()
      local real = class == 'Float' or class == 'Double'
      for _, n in ipairs { 1, 2, 3, 17, 41, 64, 65, 128, 700, 1025 } do
        local rows = mixed(n, n > 100 and 3 or 11, real)
        local whole = tensor.Tensor(rows):type(('torch.%sTensor'):format(class))
        for _, descending in ipairs { false, true } do
          local want_values, want_indices = {}, {}
          for k = 1, #rows do
            local list = whole[k]:totable()
            local order = expected(list, descending)
            for i, from in ipairs(order) do order[i] = { from, list[from] } end
            want_values[k], want_indices[k] = {}, {}
            for i, pair in ipairs(order) do
              want_indices[k][i], want_values[k][i] = pair[1], pair[2]
            end
            shown(want_values[k])
          end
          for dimension = 1, 2 do
            local t = dimension == 2 and whole or whole:t():clone()
            local values, indices = tensor.sort(t, dimension, descending)
            local least = tensor.kthvalue(t, math.ceil(n / 2), dimension):squeeze()
            if dimension == 1 then values, indices = values:t(), indices:t() end
            for k = 1, #rows do
              local what = ('row %d of %d, dimension %d'):format(k, n, dimension)
              assert.are.same(want_indices[k], indices[k]:totable(), what)
              assert.are.same(want_values[k], shown(values[k]:totable()), what)
              if not descending then
                assert.are.equal(want_values[k][math.ceil(n / 2)], ('%.17g'):format(least[k]), what)
              end
            end
          end
        end
      end
    end)
  end

  it('at one end only', function()
    local n = 9000
    local random, up, down = numbers(n, 30000), {}, {}
    for i = 1, n do up[i], down[i] = i, n - i end
    -- Every eighth element is small, and may be the whole sample.
    local eighths = numbers(n, 20000)
    for i = 1, n, 8 do eighths[i] = -eighths[i] end
    local few = numbers(n, 4)
    local special = numbers(n, 30000)
    special[5000], special[8500], special[n] = nan, nan, -1
    special[3], special[7000] = -1 / 0, 1 / 0
    local lists = {
      random = random, up = up, down = down, few = few, special = special, eighths = eighths,
    }
    for name, list in pairs(lists) do
      local small = name == 'special' and 'Float' or 'Short'
      for _, class in ipairs { small, 'Float', 'Double' } do
        local t = tensor[class .. 'Tensor'](list)
        for _, largest in ipairs { false, true } do
          local order = expected(list, largest)
          for _, k in ipairs { 1, 10, 562, 563, 2000, 4500, 8990 } do
            local what = ('%d of %s, %s'):format(k, name, class)
            local _, indices = tensor.topk(t, k, 1, largest)
            local want = {}
            for i = 1, k do want[i] = order[i] end
            assert.are.same(want, indices:totable(), what)
            if not largest then
              local value, index = tensor.kthvalue(t, k, 1)
              assert.are.equal(order[k], index[1], what)
              local x = list[order[k]]
              assert.is_true(value[1] == x or (x ~= x and value[1] ~= value[1]), what)
            end
          end
        end
      end
    end
  end)
end)

describe('the first of the largest elements', function()
  it('is found wherever it is', function()
    for _, class in ipairs { 'Byte', 'Short', 'Int', 'Long', 'Half', 'Float', 'Double' } do
      for _, n in ipairs { 1, 63, 64, 65, 130, 40000 } do
        local t = tensor[class .. 'Tensor'](2, n):fill(1)
        for _, at in ipairs { 1, math.ceil(n / 2), n } do
          t:fill(1)
          t[1][at] = 5
          if at < n then t[1][n] = 5 end
          t[2][n] = 0
          local value, index = tensor.max(t, 2)
          assert.are.same({ { 5 }, { n > 1 and 1 or 0 } }, value:totable())
          assert.are.same({ { at }, { 1 } }, index:totable())
          value, index = tensor.min(t, 2)
          assert.are.same({ { n > 1 and 1 or 5 }, { 0 } }, value:totable())
          assert.are.same({ { at == 1 and math.min(2, n) or 1 }, { n } }, index:totable())
        end
      end
    end
  end)

  it('is a NaN, where there is one, and keeps its sign, where it is 0', function()
    for _, class in ipairs { 'Float', 'Double' } do
      for _, n in ipairs { 70, 40000 } do
        local t = tensor[class .. 'Tensor'](n):fill(1)
        t[n - 1], t[n] = nan, nan
        local value, index = tensor.max(t, 1)
        assert.is_true(value[1] ~= value[1])
        assert.are.equal(n - 1, index[1])
        t:fill(-1)
        t[n - 1], t[n] = -0.0 * 1, 0
        value, index = tensor.max(t, 1)
        assert.are.equal(n - 1, index[1])
        assert.are.equal(1 / t[n - 1], 1 / value[1])
      end
    end
  end)
end)

it('long rows with gaps between them are reduced as if there were none', function()
  for _, class in ipairs { 'Int', 'BFloat16', 'Float', 'Double' } do
    local sizes = { { 1, 1, 256 }, { 1, 16, 256 }, { 1, 17, 300 }, { 3, 17, 257 }, { 2, 70, 511 } }
    for _, size in ipairs(sizes) do
      local planes, rows, columns = size[1], size[2], size[3]
      local all = tensor[class .. 'Tensor'](planes, rows + 1, columns + 2):fill(1e4)
      local t = all:narrow(2, 1, rows):narrow(3, 2, columns)
      t:copy(tensor.range(1, planes * rows * columns):fmod(7))
      local packed = t:double():clone()
      assert.are.equal(packed:sum(), t:double():sum())
      assert.are.equal(packed:sum(), t:sum())
      assert.are.equal(6, t:max())
      assert.are.equal(0, t:min())
      if class ~= 'Int' then
        assert.are.equal(packed:norm(1), t:norm(1))
        assert.is_true(math.abs(packed:var() - t:var()) < 1e-12)
        t[planes][rows][columns] = nan
        assert.is_true(t:max() ~= t:max())
      end
    end
  end
end)

-- Sums that floats do not hold, of elements that no order of doubles rounds.
it('sums and scalar products of floats are exact', function()
  for _, n in ipairs { 1, 31, 32, 33, 63, 64, 65, 95, 100, 255, 257, 1027, 16385 } do
    local list, sum, squares = numbers(n, 16777216), 0, 0
    for i = 1, n do
      if i % 3 == 0 then list[i] = -list[i] end
      sum, squares = sum + list[i], squares + (list[i] % 1024) ^ 2
    end
    local row = tensor.FloatTensor(list)
    local small = tensor.FloatTensor(n):map(row, function(_, x) return x % 1024 end)
    local columns = row:view(n, 1):expand(n, 37):clone()
    for what, got in pairs {
      packed = row:sum(),
      apart = columns:select(2, 2):sum(),
      ['without a copy'] = columns:narrow(2, 1, 1):sum(),
      ['product with ones'] = row:dot(tensor.FloatTensor(n):fill(1)),
    } do
      assert.are.equal(sum, got, ('%s of %d'):format(what, n))
    end
    assert.are.equal(squares, small:dot(small))
    assert.are.equal(math.sqrt(squares), small:norm())
    local small_columns = small:view(n, 1):expand(n, 37):clone()
    for width = 1, 37, 3 do
      local rounded = tensor.FloatTensor { sum }[1]
      local of_columns = columns:narrow(2, 1, width):sum(1)
      assert.are.equal(rounded, of_columns:min(), ('%d columns of %d'):format(width, n))
      assert.are.equal(rounded, of_columns:max(), ('%d columns of %d'):format(width, n))
      assert.are.equal(tensor.FloatTensor { math.sqrt(squares) }[1],
        small_columns:narrow(2, 1, width):norm(2, 1):max())
    end
  end
  -- None of these ends in what a float's sum would be.
  for _, n in ipairs { 70, 700 } do
    local huge = tensor.FloatTensor(n):fill(3e38)
    assert.are.equal(n * huge[1], huge:sum())
    huge[n] = -1 / 0
    assert.are.equal(-1 / 0, huge:sum())
    huge[1] = 1 / 0
    local sum = huge:sum()
    assert.are_not.equal(sum, sum)
    local tiny = tensor.FloatTensor(n):fill(2 ^ -149)
    assert.are.equal(n * 2 ^ -149, tiny:sum())
    assert.are.equal(n * 2 ^ -298, tiny:dot(tiny))
    local factors = tensor.FloatTensor(n):fill(2)
    factors:narrow(1, n / 2 + 1, n / 2):fill(0.5)
    factors[n] = 3
    assert.are.equal(6, factors:prod())
  end
end)

it('columns of wide matrices are reduced like rows', function()
  for _, class in ipairs { 'Byte', 'Half', 'Float', 'Double' } do
    for _, width in ipairs { 511, 512, 513, 1024, 1025, 2049 } do
      local list = numbers(7 * width, 90)
      local t = tensor[class .. 'Tensor'](list):view(7, width)
      local turned = t:t():clone()
      for _, name in ipairs { 'sum', 'max', 'min' } do
        local values, indices = t[name](t, 1)
        local want, want_indices = turned[name](turned, 2)
        assert.is_true(values:view(width):equal(want:view(width)), name .. ' of ' .. class)
        if indices then
          assert.is_true(indices:view(width):equal(want_indices:view(width)), name)
        end
      end
    end
  end
end)

it('copies of short rows are copies of their elements', function()
  for _, class in ipairs { 'Byte', 'Half', 'Float', 'Double' } do
    local item = tensor[class .. 'Tensor']():elementSize()
    for _, width in ipairs { 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 255, 300 } do
      local all = tensor[class .. 'Tensor'](2, 3, width + 2)
      all:copy(tensor.range(0, all:nElement() - 1):fmod(97))
      local from = all:narrow(3, 2, width):transpose(1, 2)
      local around = tensor[class .. 'Tensor'](3, 2, width + 2):fill(98)
      local to = around:narrow(3, 2, width)
      to:copy(from)
      local got, want = to:totable(), {}
      for i = 1, 3 do
        want[i] = {}
        for j = 1, 2 do
          want[i][j] = {}
          for k = 1, width do want[i][j][k] = (((j - 1) * 3 + i - 1) * (width + 2) + k) % 97 end
        end
      end
      assert.are.same(want, got, ('%d bytes of %s'):format(width * item, class))
      assert.are.equal(12 * 98, around:double():select(3, 1):sum()
                                + around:double():select(3, width + 2):sum())
    end
  end
end)

it('small products are those of their elements', function()
  for _, class in ipairs { 'Float', 'Double' } do
    local Tensor = tensor[class .. 'Tensor']
    local sizes = { { 1, 2, 3 }, { 4, 4, 4 }, { 2, 3, 8 }, { 8, 8, 8 }, { 7, 5, 6 }, { 3, 8, 1 },
                    { 9, 4, 4 } }
    for _, size in ipairs(sizes) do
      local m, k, n = size[1], size[2], size[3]
      local function matrices(rows, columns, first)
        local values = tensor.range(first, first + 3 * rows * columns - 1):fmod(11)
        return Tensor(3, rows, columns):copy(values)
      end
      local a, b, c = matrices(m, k, 3), matrices(k, n, 5), matrices(m, n, 7)
      local turned = b:transpose(2, 3):clone():transpose(2, 3)
      for _, right in ipairs { b, turned } do
        local product = tensor.bmm(a, right)
        local added, sum = tensor.baddbmm(2, c, 3, a, right), tensor.addbmm(2, c[1], 3, a, right)
        local across = c:transpose(2, 3):clone():transpose(2, 3)
        across:baddbmm(2, across, 3, a, right)
        for i = 1, m do
          for j = 1, n do
            local all = 0
            for batch = 1, 3 do
              local want = 0
              for l = 1, k do want = want + a[batch][i][l] * b[batch][l][j] end
              all = all + want
              assert.are.equal(want, product[batch][i][j])
              assert.are.equal(2 * c[batch][i][j] + 3 * want, added[batch][i][j])
              assert.are.equal(2 * c[batch][i][j] + 3 * want, across[batch][i][j])
            end
            assert.are.equal(2 * c[1][i][j] + 3 * all, sum[i][j])
          end
        end
      end
    end
    -- The result contains all elements that are read, and no others.
    local a, b = Tensor(2, 2):fill(1), Tensor(2, 2):fill(nan)
    assert.are.same({ { 4, 4 }, { 4, 4 } }, b:clone():mm(a, a):mul(2):totable())
    local r = tensor.mm(a, b)
    assert.is_true(r[2][1] ~= r[2][1])
  end
end)
