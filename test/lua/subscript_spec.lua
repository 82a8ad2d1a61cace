-- t[{...}] with steps, masks and tensors of indices, read and written, against lists of positions.

local tensor = require 'tensor'
local elements = require 'support.elements'
local model = require 'support.model'
local rules = require 'support.rules'

local random = elements.generator(5)
local function below(n) return math.floor(random() * n) end
local function list(t) return t:totable() end
local Long, Byte = tensor.LongTensor, tensor.ByteTensor
local layouts = { 'contiguous', 'transposed', 'strided', 'offset' }

-- 1, 2, 3 ...
local function counting(shape)
  return model.fill(shape, function(i) return i + 1 end)
end

local function vector(make, values)
  local t = make(#values)
  for i, value in ipairs(values) do t[i] = value end
  return t
end

-- A random entry for a dimension, the positions it stands for, and whether the dimension stays.
local function entry(size, tensors)
  local kind = below(tensors and 6 or 4)
  local first, last = 1 + below(size), 1 + below(size)
  local shown = below(2) == 0 and first or first - size - 1
  local positions = {}
  if kind == 0 then return shown, { first }, false end
  if kind == 1 then
    for i = 1, size do positions[i] = i end
    return {}, positions, true
  elseif kind == 2 then
    return { shown }, { first }, true
  elseif kind == 3 then
    local step = 1 + below(3)
    if last < first then step = -step end
    for i = first, last, step do positions[#positions + 1] = i end
    if step == 1 and below(2) == 0 then return { shown, last }, positions, true end
    return { shown, last, step }, positions, true
  elseif kind == 4 then
    local given = {}
    for i = 1, below(4) do
      positions[i] = 1 + below(size)
      given[i] = below(2) == 0 and positions[i] or positions[i] - size - 1
    end
    return vector(Long, given), positions, true
  end
  local mask = {}
  for i = 1, size do
    mask[i] = below(2)
    if mask[i] == 1 then positions[#positions + 1] = i end
  end
  return vector(Byte, mask), positions, true
end

-- A subscript for a tensor of these sizes: entries, positions by dimension, the result's sizes.
local function subscript(shape)
  local entries, positions, sizes, tensors = {}, {}, {}, true
  local given = 1 + below(#shape)
  for d, size in ipairs(shape) do
    local at, stays = {}, true
    if d <= given then
      entries[d], at, stays = entry(size, tensors)
      tensors = tensors and not tensor.isTensor(entries[d])
    else
      for i = 1, size do at[i] = i end
    end
    positions[d] = at
    if stays then sizes[#sizes + 1] = #at end
  end
  return entries, positions, sizes
end

-- Calls f with every selected index, in order.
local function each(positions, f)
  local index = {}
  local function walk(d)
    if d > #positions then return f(index) end
    for _, i in ipairs(positions[d]) do
      index[d] = i
      walk(d + 1)
    end
  end
  walk(1)
end

for _, e in ipairs { elements.Double, elements.Byte, elements.Half, elements.Long } do
  describe('subscripts of ' .. e.name, function()
    it('read what a loop over positions reads', function()
      for round = 1, 150 do
        local shape = { 1 + below(4), 1 + below(4), 1 + below(3) }
        if below(3) == 0 then shape[3] = nil end
        local m = counting(shape)
        local t = model.tensor(e, m, layouts[round % 4 + 1])
        local entries, positions, sizes = subscript(shape)
        local wanted = {}
        each(positions, function(i) wanted[#wanted + 1] = model.at(m, i) end)
        local got = t[entries]
        if #sizes == 0 then
          assert.are.equal(wanted[1], got)
        else
          assert.are.same(sizes, list(got:size()))
          if #wanted > 0 then
            assert.are.same(wanted, list(got:contiguous():view(#wanted)))
          end
        end
      end
    end)

    it('write what a loop over positions writes', function()
      for round = 1, 150 do
        local shape = { 1 + below(4), 1 + below(4), 1 + below(3) }
        local m = counting(shape)
        local t = model.tensor(e, m, layouts[round % 4 + 1])
        local entries, positions, sizes = subscript(shape)
        local wanted = model.tensor(e, m, 'contiguous')
        local count, value = 0, 50
        each(positions, function() count = count + 1 end)
        if round % 3 == 0 then
          t[entries] = 9
          each(positions, function(i) wanted[{ unpack(i) }] = 9 end)
        else
          local values = {}
          for i = 1, count do values[i] = value + i end
          local src = vector(round % 3 == 1 and e.Tensor or tensor.FloatTensor, values)
          if count > 0 and #sizes > 0 then src = src:view(unpack(sizes)) end
          if count > 0 then t[entries] = src end
          local k = 0
          each(positions, function(i)
            k = k + 1
            wanted[{ unpack(i) }] = values[k]
          end)
        end
        assert.are.same(list(wanted), list(t))
      end
    end)
  end)
end

describe('a step', function()
  local function t() return tensor.range(1, 12):view(3, 4) end

  it('gives a view where it is positive, and a copy where it is negative', function()
    local x = t()
    x[{ { 1, -1, 2 }, { 2, 4, 2 } }]:fill(0)
    assert.are.same({ { 1, 0, 3, 0 }, { 5, 6, 7, 8 }, { 9, 0, 11, 0 } }, list(x))
    x = t()
    local reversed = x[{ { -1, 1, -1 } }]
    assert.are.same({ { 9, 10, 11, 12 }, { 5, 6, 7, 8 }, { 1, 2, 3, 4 } }, list(reversed))
    reversed:fill(0)
    assert.are.equal(78, x:sum())
    assert.are.same({ 4, 1 }, list(tensor.range(1, 4)[{ { 4, 1, -3 } }]))
    assert.are.same({ 4, 2 }, list(tensor.range(1, 4)[{ { 4, 1, -2 } }]))
    assert.are.same({ 2 }, list(tensor.range(1, 4)[{ { 2, 3, 2 ^ 60 } }]))
  end)

  it('assigns in its own order', function()
    local x = tensor.zeros(5)
    x[{ { 5, 1, -2 } }] = { 1, 2, 3 }
    assert.are.same({ 3, 0, 2, 0, 1 }, list(x))
    x[{ { -1, 1, -1 } }] = x:clone()
    assert.are.same({ 1, 0, 2, 0, 3 }, list(x))
    x[{ { -1, 1, -1 } }] = x
    assert.are.same({ 3, 0, 2, 0, 1 }, list(x))
  end)
end)

describe('tensors of indices', function()
  local function t() return tensor.range(1, 24):view(2, 3, 4) end

  it('are broadcast together', function()
    local x = t()
    assert.are.same({ 1, 24 }, list(x[{ Long { 1, 2 }, Long { 1, 3 }, Long { 1, 4 } }]))
    assert.are.same({ { 1, 5 }, { 13, 17 } }, list(x[{ Long { { 1 }, { 2 } }, Long { 1, 2 }, 1 }]))
    assert.are.same({ { 1, 2, 3, 4 }, { 21, 22, 23, 24 } },
                    list(x[{ Long { 1, 2 }, Long { 1, 3 } }]))
    assert.are.same({ { 4, 3 }, { 16, 15 } }, list(x[{ {}, 1, Long { -1, -2 } }]))
  end)

  it('stand where the first was, or in front where others lie between', function()
    local x = tensor.zeros(2, 3, 4, 5)
    assert.are.same({ 2, 7, 5 }, list(x[{ {}, Long(7):fill(1), Long(7):fill(2) }]:size()))
    assert.are.same({ 7, 3, 5 }, list(x[{ Long(7):fill(1), {}, Long(7):fill(2) }]:size()))
    assert.are.same({ 2, 6, 7, 4, 5 }, list(x[{ {}, Long(6, 7):fill(1) }]:size()))
    assert.are.same({ 6, 7, 3, 4, 5 }, list(x[Long(6, 7):fill(1)]:size()))
    assert.are.same({ 2, 0, 4, 5 }, list(x[{ {}, Long(0) }]:size()))
  end)

  it('are masks, too, of one dimension or several', function()
    local x = t()
    local mask = Byte { { 1, 0, 0 }, { 0, 0, 1 } }
    assert.are.same({ { 1, 2, 3, 4 }, { 21, 22, 23, 24 } }, list(x[{ mask }]))
    assert.are.same({ { 1, 3 }, { 21, 23 } }, list(x[{ mask, { 1, 4, 2 } }]))
    x[{ mask, 1 }] = { -1, -2 }
    assert.are.equal(-1, x[1][1][1])
    assert.are.equal(-2, x[2][3][1])
    assert.are.equal(300 - 1 - 21 - 3, x:sum())
    assert.are.same({ 0, 4 }, list(x[{ Byte(2, 3):fill(0) }]:size()))
  end)

  it('are assigned to in their order, the last of equal ones staying', function()
    local x = t()
    x[{ Long { 1, 1 }, Long { 2, 2 }, Long { 3, 3 } }] = { 100, 200 }
    assert.are.equal(200, x[1][2][3])
    x[{ Long { 1, 2 }, {}, Long { 4, 1 } }] = 0
    assert.are.same({ { 1, 2, 3, 0 }, { 5, 6, 200, 0 }, { 9, 10, 11, 0 } }, list(x[1]))
    assert.are.same({ { 0, 14, 15, 16 }, { 0, 18, 19, 20 }, { 0, 22, 23, 24 } }, list(x[2]))
    -- In a layout in which the dimensions that are indexed are not one in memory.
    local u = tensor.range(1, 24):view(4, 3, 2):transpose(1, 3)
    u[{ Long { 1, 2 }, Long { 1, 3 } }] = { { 1, 2, 3, 4 }, { 5, 6, 7, 8 } }
    assert.are.same({ 1, 2, 3, 4 }, list(u[1][1]))
    assert.are.same({ 5, 6, 7, 8 }, list(u[2][3]))
    assert.are.same({ 2, 8, 14, 20 }, list(u[2][1]))
  end)

  it('count from the end where they are negative', function()
    local x = tensor.range(1, 5)
    assert.are.same({ 5, 1, 4 }, list(x[Long { -1, 1, -2 }]))
    x[Long { -1, 2 }] = { 50, 20 }
    assert.are.same({ 1, 20, 3, 4, 50 }, list(x))
    x[Long { -1 }] = 0
    assert.are.equal(0, x[5])
  end)

  it('out of range change nothing', function()
    local x = t()
    for _, entries in ipairs { { Long { 3 } }, { Long { 0 } }, { Long { -3 } },
                               { {}, Long { 1, 4 } },
                               { Long { 1, 2 }, Long { 1, 4 } }, { Long { 1, 3 }, Long { 1, 1 } },
                               { Long { 1, 2 }, Long { 1, 2, 3 } }, { Byte { 1, 0, 1 } },
                               { Byte(3, 2):fill(1) }, { Byte(2, 3):fill(1), 1, 1 },
                               { tensor.DoubleTensor { 1 } } } do
      assert.has_error(function() return x[entries] end)
      assert.has_error(function() x[entries] = 0 end)
    end
    assert.has_error(function() x[{ Long { 1, 2 } }] = { 1, 2, 3 } end)
    assert.has_error(function() x[{ { 1, 2 }, Long { 1, 2 } }] = tensor.zeros(5) end)
    assert.are.equal(300, x:sum())
  end)
end)

describe('tables', function()
  it('are assigned as tensors of their numbers', function()
    local x = tensor.zeros(3, 3)
    x[1] = { 1, 2, 3 }
    x[{ { 2, 3 }, { 1, 2 } }] = { { 4, 5 }, { 6, '7' } }
    x[x:eq(0)] = { 8, 9 }
    x[tensor.LongTensor { 1 }] = { { 3, 2, 1 } }
    assert.are.same({ { 3, 2, 1 }, { 4, 5, 8 }, { 6, 7, 9 } }, list(x))
    for _, wrong in ipairs { { 1, 2 }, { 1, 'a', 3 }, { { 1 }, 2, 3 }, {} } do
      assert.has_error(function() x[1] = wrong end)
    end
    assert.are.same({ 3, 2, 1 }, list(x[1]))
  end)
end)

describe('numbers', function()
  it('may be strings of digits in tables', function()
    local x = tensor.Tensor { 1, '2', 3 }
    assert.are.equal(2, x[{ '2' }])
    x[{ '3' }] = '5'
    assert.are.same({ 1, 2, 5 }, list(x))
    assert.are.equal(5, x[{ '3' }])
    assert.are.equal(4, tensor.LongStorage { '4' }[1])
  end)

  it('must be integers where they are indices or sizes', function()
    local x = tensor.zeros(3, 3)
    for _, call in ipairs { function() return x[1.5] end, function() x[1.5] = 1 end,
                            function() return x[{ 1.5, 1 }] end,
                            function() return x[{ { 1.5 } }] end,
                            function() return tensor.zeros(2.5) end,
                            function() x:narrow(1, 1, 1.5) end,
                            function() return tensor.LongStorage(3)[1.5] end,
                            function() return tensor.Tensor(2.5) end } do
      local ok, message = pcall(call)
      assert.is_false(ok)
      assert.is_truthy(message:find('.5', 1, true), message)
    end
  end)

  it('must be finite to be elements of integer types', function()
    local x = tensor.LongTensor { 1, 2 }
    for _, bad in ipairs { 1 / 0, -1 / 0, 0 / 0 } do
      for name, call in pairs {
        fill = function() x:fill(bad) end, add = function() x:add(bad) end,
        indexing = function() x[1] = bad end } do
        local ok, message = pcall(call)
        assert.is_false(ok)
        assert.is_truthy(message:find(name .. ': ', 1, true), message)
      end
      assert.has_error(function() tensor.IntStorage(2):fill(bad) end)
      assert.has_error(function() tensor.IntStorage(2)[1] = bad end)
    end
    assert.are.same({ 1, 2 }, list(x))
    assert.are.equal(math.huge, tensor.FloatTensor(1):fill(math.huge)[1])
  end)
end)

describe("as in Torch7, after require 'torch'", function()
  it('fractions are cut, and unknown fields are nil', function()
    rules.set 'torch7'
    local x = tensor.Tensor { 1, 2, 3 }
    assert.are.equal(1, x[1.5])
    assert.are.equal(2, tensor.zeros(2.5):size(1))
    assert.is_nil(x.foo)
    rules.set 'tensor'
    assert.has_error(function() return x.foo end)
  end)

  it('ranges ignore entries that are not numbers, and those after the third', function()
    rules.set 'torch7'
    finally(function() rules.set 'tensor' end)
    local x = tensor.range(1, 6)
    local entries = {
      [{ tensor.ones(2) }] = { 1, 2, 3, 4, 5, 6 }, [{ 'x', 2 }] = { 1, 2 }, [{ 2, 'x' }] = { 2 },
      [{ 2, 4, false }] = { 2, 3, 4 }, [{ 1, 5, 2, 9 }] = { 1, 3, 5 },
    }
    for range, expected in pairs(entries) do assert.are.same(expected, list(x[{ range }])) end
    x[{ { tensor.ones(2) } }] = 0
    assert.are.equal(0, x:sum())
    rules.set 'tensor'
    for range in pairs(entries) do
      assert.has_error(function() return x[{ range }] end)
      assert.has_error(function() x[{ range }] = 1 end)
    end
  end)

  it('__index__ and __newindex__ tell whether they take the key', function()
    local x = tensor.Tensor { 1, 2, 3 }
    local class = getmetatable(x)
    assert.are.same({ 2, true }, { class.__index__(x, 2) })
    assert.are.same({ false }, { class.__index__(x, 'size') })
    assert.is_true(class.__newindex__(x, 2, 7))
    assert.is_false(class.__newindex__(x, 'size', 7))
    assert.are.equal(7, x[2])
    local s = tensor.LongStorage { 4, 5 }
    class = getmetatable(s)
    assert.are.same({ 5, true }, { class.__index__(s, 2) })
    assert.are.same({ false }, { class.__index__(s, 'x') })
    assert.is_true(class.__newindex__(s, 1, 6))
    assert.is_false(class.__newindex__(s, 'x', 6))
    assert.are.equal(6, s[1])
  end)

  it('a program replaces __index__ and __newindex__', function()
    for _, object in ipairs { tensor.DoubleTensor { 1, 2 }, tensor.DoubleStorage { 1, 2 } } do
      local class = getmetatable(object)
      local index, newindex = class.__index__, class.__newindex__
      local stored = {}
      class.__index__ = function(self, key)
        if key == 'length' or key == true then return tostring(key), true end
        return index(self, key)
      end
      class.__newindex__ = function(self, key, value)
        if key == 'length' then stored[key] = value return true end
        return newindex(self, key, value)
      end
      local ok, message = pcall(function()
        assert.are.equal('length', object.length)
        assert.are.equal('true', object[true])
        object.length = 3
        assert.are.same({ length = 3 }, stored)
        object[1] = 5
        assert.are.equal(5, object[1])
        assert.is_function(object.fill)
        assert.has_error(function() object.width = 3 end)
        assert.has_error(function() object[false] = 3 end)
      end)
      class.__index__, class.__newindex__ = index, newindex
      assert.is_true(ok, message)
    end
  end)
end)

describe('indices of 16 or 32 bits', function()
  after_each(function() rules.set 'tensor' end)

  it('are converted to LongTensors', function()
    for _, Index in ipairs { tensor.IntTensor, tensor.ShortTensor } do
      local t = tensor.Tensor { 5, 6, 7 }
      local indices, long = Index { 3, -3 }, Long { 3, 1 }
      assert.are.same({ 7, 5 }, list(t[indices]))
      assert.are.same({ 7, 5 }, list(t:index(1, indices)))
      assert.are.same({ 7, 5 }, list(tensor.gather(t, 1, Index { 3, 1 })))
      assert.is_true(tensor.oneHot(long, 3):equal(tensor.oneHot(Index { 3, 1 }, 3)))
      local scores = tensor.randn(2, 3)
      assert.are.equal(tensor.crossEntropy(scores, long),
                       tensor.crossEntropy(scores, Index { 3, 1 }))
      t[indices] = 0
      assert.are.same({ 0, 6, 0 }, list(t))
      assert.are.same({ 1, 6, 1 }, list(t:indexAdd(1, indices, tensor.ones(2))))
      assert.are.same({ 4, 6, 4 }, list(t:indexFill(1, indices, 4)))
      assert.has_error(function() return t:index(1, Byte { 3, 1 }) end)
      assert.has_error(function() return t:max(tensor.Tensor(), Index(), 1) end)
      rules.set 'torch7'
      assert.has_error(function() return t:index(1, indices) end)
      assert.has_error(function() return t[indices] end)
      rules.set 'tensor'
    end
  end)

  it('of ravelMultiIndex may be numbers', function()
    assert.are.same({ 6 }, list(tensor.ravelMultiIndex({ 2, 3 }, { 2, 3 })))
    assert.are.same({ 4, 6 }, list(tensor.ravelMultiIndex({ 2, Long { 1, 3 } }, { 2, 3 })))
    assert.has_error(function() return tensor.ravelMultiIndex({ 3, 1 }, { 2, 3 }) end)
  end)
end)
