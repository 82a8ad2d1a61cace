-- Histograms, counts, sets, rounding and reductions by an index, against loops over elements: for
-- sizes and values that have an algorithm of their own.

local tensor = require 'tensor'
local elements = require 'support.elements'
local same_on_threads = require 'support.same_on_threads'

local random = elements.generator(11)
local nan, inf = 0 / 0, math.huge

-- Returns numbers from -4 to 4, special values, and the edges with their neighbours.
local function values_around(class, edges)
  local list = { nan, inf, -inf, 0, -0, 1e30, -1e30 }
  for _ = 1, 3000 do list[#list + 1] = 8 * random() - 4 end
  local x, at = class(list), class(edges)
  local up, down = class { inf }:expandAs(at), class { -inf }:expandAs(at)
  return tensor.cat { x, at, tensor.nextafter(at, up), tensor.nextafter(at, down) }
end

local function naive_histogram(x, edges)
  local bins = #edges - 1
  local counts = {}
  for k = 1, bins do counts[k] = 0 end
  for _, value in ipairs(x) do
    if value == edges[bins + 1] then
      counts[bins] = counts[bins] + 1
    elseif value >= edges[1] and value < edges[bins + 1] then
      local k = bins
      while value < edges[k] do k = k - 1 end
      counts[k] = counts[k] + 1
    end
  end
  return counts
end

local function equal_edges(bins, low, high)
  return tensor.linspace(low, high, bins + 1):totable()
end
local function uneven_edges(bins)
  local list = {}
  for k = 1, bins + 1 do list[k] = 6 * random() - 3 end
  table.sort(list)
  return list
end

local all_edges = {
  ['one bin'] = { -1, 1 },
  ['few bins'] = { -3, -0.5, 0, 0.25, 2 },
  ['an empty range'] = { 1, 1 },
  ['repeated edges'] = { -1, -1, 0, 0, 0, 2, 2 },
  ['infinite edges'] = { -inf, 0, inf },
  ['19 uneven bins'] = uneven_edges(19), ['20 uneven bins'] = uneven_edges(20),
  ['200 uneven bins'] = uneven_edges(200),
  ['19 equal bins'] = equal_edges(19, -2, 2), ['20 equal bins'] = equal_edges(20, -3, 3),
  ['50 equal bins'] = equal_edges(50, 0, 1), ['300 equal bins'] = equal_edges(300, -4, 4),
}
-- Nearly all bins of these have no or several numbers of float between their edges.
all_edges['narrow bins'] = equal_edges(30, 1, 1 + 2 ^ -20)
-- The edges are the fractions that a guess of the bin rounds.
all_edges['tenths'] = {}
for k = 0, 30 do all_edges['tenths'][k + 1] = k / 10 end
all_edges['many repeated edges'] = {}
for k = 0, 60 do all_edges['many repeated edges'][k + 1] = math.floor(k / 20) end

describe('histogram', function()
  for _, class in ipairs { tensor.FloatTensor, tensor.DoubleTensor } do
    for name, list in pairs(all_edges) do
      it('counts ' .. name .. ' of ' .. tensor.typename(class()), function()
        local edges = class(list)
        local x = values_around(class, list)
        local want = naive_histogram(x:totable(), edges:totable())
        assert.are.same(want, tensor.histogram(x, edges):totable())
        -- Other layouts.
        local pairs_of = x:narrow(1, 1, math.floor(x:nElement() / 2) * 2):view(-1, 2)
        want = naive_histogram(pairs_of:select(2, 1):totable(), edges:totable())
        assert.are.same(want, tensor.histogram(pairs_of:select(2, 1), edges):totable())
        assert.are.same(tensor.histogram(pairs_of:t():contiguous(), edges):totable(),
                        tensor.histogram(pairs_of:t(), edges):totable())
      end)
    end

    it('has the edges that it returns, for ' .. tensor.typename(class()), function()
      for _, bins in ipairs { 1, 7, 19, 20, 64, 1000 } do
        local borders = class(tensor.linspace(0, 1, 201):totable())
        local x = tensor.cat(class(2000):uniform(-1, 2), borders)
        local counts, edges = tensor.histogram(x, bins, 0, 1)
        assert.are.same(naive_histogram(x:totable(), edges:totable()), counts:totable())
      end
    end)
  end

  it('counts no elements, and equal ones', function()
    local none = tensor.histogram(tensor.Tensor(), tensor.Tensor { 1, 2, 3 })
    assert.are.same({ 0, 0 }, none:totable())
    local x = tensor.Tensor(50):fill(3)
    local edges = tensor.range(1, 40)
    assert.are.equal(50, tensor.histogram(x, edges)[3])
  end)

  it('is the same with any number of threads', function()
    local x = tensor.FloatTensor(300000):normal()
    local few = tensor.FloatTensor { -1, 0, 2 }
    local equal, uneven = tensor.linspace(-2, 2, 41):float(), tensor.FloatTensor(41):normal():sort()
    same_on_threads({ 1, 2, 3, 5 }, function()
      return tensor.histogram(x, few), tensor.histogram(x, equal), tensor.histogram(x, uneven)
    end)
  end)
end)

describe('bincount', function()
  for _, name in ipairs { 'Byte', 'Char', 'Short', 'Int', 'Long' } do
    it('counts a ' .. name .. 'Tensor', function()
      local most = name == 'Byte' and 255 or 127
      for _, n in ipairs { 1, 3, 5, 4099, 100001 } do
        local list, want = {}, {}
        for k = 1, 300 do want[k] = 0 end
        for i = 1, n do
          local value = i == 2 and most or math.floor(random() ^ 3 * most) + 1
          list[i] = value
          want[value] = want[value] + 1
        end
        local x = tensor[name .. 'Tensor'](list)
        assert.are.same(want, x:bincount(300):totable())
        local short = x:bincount():totable()
        assert.are.equal(x:max(), #short)
        for k = 1, #short do assert.are.equal(want[k], short[k]) end
      end
    end)
  end

  it('is the same with any number of threads', function()
    local bytes = tensor.ByteTensor(300000):random(1, 255)
    local longs = tensor.LongTensor(300000):random(1, 1000)
    same_on_threads({ 1, 2, 5 }, function() return bytes:bincount(), longs:bincount() end)
  end)
end)

describe('isin', function()
  it('compares with few and many values', function()
    for _, count in ipairs { 1, 8, 9, 16, 17, 40 } do
      local list, values = {}, {}
      for k = 1, count do values[k] = math.floor(200 * random()) / 4 end
      for i = 1, 500 do list[i] = math.floor(200 * random()) / 4 end
      list[7], list[8], values[1] = nan, inf, nan
      local want = {}
      for i, x in ipairs(list) do
        want[i] = 0
        for _, value in ipairs(values) do
          if x == value then want[i] = 1 end
        end
      end
      local t, among = tensor.FloatTensor(list), tensor.FloatTensor(values)
      assert.are.same(want, tensor.isin(t, among):totable())
    end
  end)
end)

describe('round to decimals', function()
  local function rounded(x, decimals)
    local power = 10 ^ math.abs(decimals)
    local y = decimals > 0 and x * power or x / power
    local whole = y < 0 and -math.floor(-y + 0.49999999999999994)
                  or math.floor(y + 0.49999999999999994)
    return decimals > 0 and whole / power or whole * power
  end

  it('is the formula of a multiple of a power of ten', function()
    local list = {}
    for i = 1, 1000 do list[i] = 2000 * random() - 1000 end
    local x = tensor.DoubleTensor(list)
    for _, decimals in ipairs { 1, 2, 5, -1, -2, -3, -4 } do
      local got = x:clone():round(decimals)
      for i = 1, #list do assert.are.equal(rounded(list[i], decimals), got[i]) end
      assert.are.same(got:totable(), tensor.round(x:view(40, 25):t(), decimals):t():reshape(1000)
                      :totable())
    end
  end)

  it('keeps what has no such decimals', function()
    for _, name in ipairs { 'Half', 'BFloat16', 'Float', 'Double' } do
      local x = tensor[name .. 'Tensor'] { 1.5, -2.5, 0, 1024, inf, -inf }
      for _, decimals in ipairs { 39, 309, 400 } do
        assert.are.same(x:totable(), tensor.round(x, decimals):totable())
      end
      assert.are.same({ 0, 0, 0, 0, inf, -inf }, tensor.round(x, -400):totable())
      assert.are.same({ 0, 0, 0, 1000, inf, -inf }, tensor.round(x, -3):totable())
      local kept = tensor.round(tensor[name .. 'Tensor'] { nan }, 2)[1]
      assert.is_true(kept ~= kept)
      assert.are.equal(-inf, 1 / tensor.round(tensor[name .. 'Tensor'] { -3 }, -400)[1])
    end
    local big = 1e300
    assert.are.equal(big, tensor.round(tensor.DoubleTensor { big }, 20)[1])
    assert.are.same({ 1200, -1300 }, tensor.round(tensor.LongTensor { 1249, -1250 }, -2):totable())
    assert.are.same({ 1249 }, tensor.round(tensor.LongTensor { 1249 }, 2):totable())
  end)
end)

describe('indexReduce of whole rows', function()
  local combine = {
    amax = function(a, b) return (a ~= a or a > b) and a or b end,
    amin = function(a, b) return (a ~= a or a < b) and a or b end,
    prod = function(a, b) return a * b end,
    sum = function(a, b) return a + b end,
  }

  for _, name in ipairs { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'BFloat16', 'Float',
                          'Double' } do
    it('combines them in order, in a ' .. name .. 'Tensor', function()
      local class = tensor[name .. 'Tensor']
      local columns = 67
      local t, src = class(3, columns), class(5, columns)
      local function draw() return math.floor(3 * random()) end
      t:apply(draw)
      src:apply(draw)
      if name == 'Float' or name == 'Double' then t[2][5], src[4][9] = nan, nan end
      local index = tensor.LongTensor { 2, 1, 2, 2, 1 }
      for how, f in pairs(combine) do
        local want = t:totable()
        for i = 1, 5 do
          local row = want[index[i]]
          for j = 1, columns do row[j] = f(row[j], src[i][j]) end
        end
        local text = tensor.Tensor(want):totable()
        local function compare(got)
          got = got:double():totable()
          for i = 1, 3 do
            for j = 1, columns do
              local a, b = text[i][j], got[i][j]
              assert.is_true(a == b or (a ~= a and b ~= b))
            end
          end
        end
        compare(t:clone():indexReduce(1, index, src, how))
        compare(t:t():contiguous():indexReduce(2, index, src:t():contiguous(), how):t())
        compare(t:t():contiguous():t():indexReduce(1, index, src, how))
      end
    end)
  end

  it('checks each index', function()
    local t = tensor.zeros(4, 2000)
    for _, bad in ipairs { 0, 5, -5 } do
      local index = tensor.LongTensor { 1, 2, bad }
      assert.has_error(function() t:indexReduce(1, index, tensor.ones(3, 2000), 'amax') end)
      assert.has_error(function()
        tensor.zeros(2000, 4):indexReduce(2, index, tensor.ones(2000, 3), 'amax')
      end)
    end
    assert.are.equal(0, t:sum())
  end)
end)
