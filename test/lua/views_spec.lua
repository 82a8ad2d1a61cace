-- Views of random shapes against naive index arithmetic; they share memory.

local tensor = require 'tensor'
local elements = require 'support.elements'
local model = require 'support.model'
local rules = require 'support.rules'

local random = elements.generator(7)
local function below(n) return math.floor(random() * n) end

-- Returns a tensor of distinct numbers, and its model.
local function make(shape, layout)
  local m = model.fill(shape, function(i) return i + 1 end)
  return model.tensor(elements.Double, m, layout), m
end

local layouts = { 'contiguous', 'transposed', 'offset', 'strided' }
local function random_shape(ndim)
  local shape = {}
  for d = 1, ndim do shape[d] = 1 + below(4) end
  return shape
end

-- Checks that the view has the elements of m at from(indices), and that it shares memory.
local function same(view, m, shape, from)
  local want = model.build(shape, function(i) return (model.at(m, from({ unpack(i) }))) end)
  local text = model.difference(model.read(view), want, 0)
  if text then error(text, 2) end
end
local function shares(view, t)
  if view:nElement() == 0 then return end
  local before = t:clone()
  view:add(1000)
  assert.is_false(t:equal(before))
  view:csub(1000)
  assert.is_true(t:equal(before))
end

local function copy(list)
  local result = {}
  for i, x in ipairs(list) do result[i] = x end
  return result
end

-- Calls body(t, m, shape, negate) for many shapes. negate(d) returns d, or the same dimension
-- counted from the end.
local function each_shape(body)
  for round = 1, 60 do
    local ndim = 1 + round % 6
    local shape = random_shape(ndim)
    local t, m = make(shape, layouts[round % 4 + 1])
    body(t, m, shape, function(d, n)
      return round % 2 == 0 and d or d - (n or ndim) - 1
    end)
  end
end

describe('views of random shapes', function()
  it('narrow', function()
    each_shape(function(t, m, shape, from_end)
      local d = 1 + below(#shape)
      local first = 1 + below(shape[d])
      local size = 1 + below(shape[d] - first + 1)
      local view = t:narrow(from_end(d), from_end(first, shape[d]), size)
      local wanted = copy(shape)
      wanted[d] = size
      same(view, m, wanted, function(i) i[d] = i[d] + first - 1 return i end)
      shares(view, t)
    end)
  end)

  it('select', function()
    each_shape(function(t, m, shape, from_end)
      if #shape == 1 then return end
      local d = 1 + below(#shape)
      local at = 1 + below(shape[d])
      local view = t:select(from_end(d), from_end(at, shape[d]))
      local wanted = copy(shape)
      table.remove(wanted, d)
      same(view, m, wanted, function(i) table.insert(i, d, at) return i end)
      shares(view, t)
    end)
  end)

  it('transpose', function()
    each_shape(function(t, m, shape, from_end)
      local a, b = 1 + below(#shape), 1 + below(#shape)
      local wanted = copy(shape)
      wanted[a], wanted[b] = wanted[b], wanted[a]
      local view = t:transpose(from_end(a), from_end(b))
      same(view, m, wanted, function(i) i[a], i[b] = i[b], i[a] return i end)
      shares(view, t)
    end)
  end)

  it('permute', function()
    each_shape(function(t, m, shape, from_end)
      local order, given, wanted = {}, {}, {}
      for d = 1, #shape do table.insert(order, 1 + below(d), d) end
      for to, from in ipairs(order) do
        given[to], wanted[to] = from_end(from), shape[from]
      end
      local view = t:permute(unpack(given))
      same(view, m, wanted, function(i)
        local inner = {}
        for to, from in ipairs(order) do inner[from] = i[to] end
        return inner
      end)
      shares(view, t)
    end)
  end)

  it('unfold', function()
    each_shape(function(t, m, shape, from_end)
      local d = 1 + below(#shape)
      local size, step = 1 + below(shape[d]), 1 + below(3)
      local view = t:unfold(from_end(d), size, step)
      local wanted = copy(shape)
      wanted[d] = math.floor((shape[d] - size) / step) + 1
      wanted[#wanted + 1] = size
      same(view, m, wanted, function(i)
        i[d] = (i[d] - 1) * step + table.remove(i)
        return i
      end)
    end)
  end)

  it('expand', function()
    each_shape(function(_, _, shape)
      local own = copy(shape)
      for d = 1, #own do
        if below(2) == 0 then own[d] = 1 end
      end
      local t, m = make(own, 'strided')
      local extra, wanted = below(2), copy(shape)
      if extra == 1 then table.insert(wanted, 1, 3) end
      local view = t:expand(unpack(wanted))
      same(view, m, wanted, function(i)
        if extra == 1 then table.remove(i, 1) end
        for d, size in ipairs(own) do
          if size == 1 then i[d] = 1 end
        end
        return i
      end)
    end)
  end)

  it('view and reshape', function()
    each_shape(function(t, m, shape)
      local merged, wanted = copy(shape), {}
      while #merged > 1 and below(2) == 0 do
        local d = 1 + below(#merged - 1)
        merged[d] = merged[d] * table.remove(merged, d + 1)
      end
      for d, size in ipairs(merged) do wanted[d] = size end
      local unknown = 1 + below(#wanted)
      wanted[unknown] = -1
      local expected = model.new(merged, m.data)
      assert.is_nil(model.difference(model.read(t:reshape(unpack(wanted))), expected, 0))
      local contiguous = t:contiguous()
      local view = contiguous:view(unpack(wanted))
      assert.is_nil(model.difference(model.read(view), expected, 0))
      shares(view, contiguous)
      local before = t:clone()
      t:reshape(unpack(wanted)):fill(0)
      assert.is_true(t:equal(before))
    end)
  end)

  it('select and squeeze give numbers, where Torch7 did', function()
    local v = tensor.DoubleTensor { 5, 6, 7 }
    for _, from in ipairs { tensor, v } do
      rules.in_both(function(mode)
        for d = -1, 1, 2 do assert.are.equal(6, from.select(v, d, 2)) end
        local done, value = pcall(from.select, v, 2, 2)
        assert.are.equal(mode == 'torch7', done and value == 6)
      end)
      assert.are.equal(7, from.select(v, 1, -1))
      assert.has_error(function() from.select(v, 1, 4) end)
      assert.has_error(function() from.select(v, 1, 0) end)
      local one = tensor.FloatTensor { { { 8 } } }
      assert.are.equal(8, from.squeeze(one))
      assert.are.equal(8, from.squeeze(tensor.IntTensor { 8 }))
      assert.are.equal(8, from.squeeze(tensor.ByteTensor { 8 }, 1))
      assert.are.same({ { 8 } }, from.squeeze(one, 1):totable())
    end
    assert.are.equal(0, v:select(1, 2) - v[2])
    assert.are.equal(6, v[{ { 2, 3 } }]:select(1, 1))
  end)

  it('squeeze and unsqueeze', function()
    each_shape(function(t, m, shape, from_end)
      local d = 1 + below(#shape + 1)
      local more = t:unsqueeze(from_end(d, #shape + 1))
      local wanted = copy(shape)
      table.insert(wanted, d, 1)
      assert.is_nil(model.difference(model.read(more), model.new(wanted, m.data), 0))
      local less = tensor.squeeze(t.new(), more, d)
      if tensor.isTensor(less) then assert.is_nil(model.difference(model.read(less), m, 0)) end
      shares(more, t)
      local squeezed = {}
      for _, size in ipairs(shape) do
        if size ~= 1 then squeezed[#squeezed + 1] = size end
      end
      local view = t:squeeze()
      if #squeezed == 0 then
        assert.are.equal(m.data[1], view)
        return
      end
      assert.is_nil(model.difference(model.read(view), model.new(squeezed, m.data), 0))
      shares(view, t)
    end)
  end)

  it('sub', function()
    each_shape(function(t, m, shape)
      local ranges, wanted, firsts = {}, copy(shape), {}
      for d = 1, 1 + below(math.min(#shape, 4)) do
        local first = 1 + below(shape[d])
        local last = first + below(shape[d] - first + 1)
        wanted[d], firsts[d] = last - first + 1, first
        ranges[2 * d - 1] = below(2) == 0 and first or first - shape[d] - 1
        ranges[2 * d] = below(2) == 0 and last or last - shape[d] - 1
      end
      local view = t:sub(unpack(ranges))
      same(view, m, wanted, function(i)
        for d, first in ipairs(firsts) do i[d] = i[d] + first - 1 end
        return i
      end)
      shares(view, t)
    end)
  end)

  it('split and chunk', function()
    each_shape(function(t, m, shape)
      local d = 1 + below(#shape)
      local size = 1 + below(shape[d] + 1)
      local parts = t:split(size, d)
      assert.are.equal(math.ceil(shape[d] / size), #parts)
      local first = 0
      for _, part in ipairs(parts) do
        local wanted = copy(shape)
        wanted[d] = math.min(size, shape[d] - first)
        same(part, m, wanted, function(i) i[d] = i[d] + first return i end)
        shares(part, t)
        first = first + wanted[d]
      end
      local n = 1 + below(5)
      local total = 0
      local chunks = tensor.chunk(t, n, d)
      assert.is_true(#chunks <= n)
      for _, part in ipairs(chunks) do total = total + part:size(d) end
      assert.are.equal(shape[d], total)
      local table_given = {}
      assert.are.equal(table_given, t:split(table_given, size, d))
      assert.are.equal(#parts, #table_given)
    end)
    local all = tensor.range(1, 10):split(math.huge)
    assert.are.equal(1, #all)
    assert.are.equal(10, all[1]:size(1))
    assert.are.equal(1, #tensor.split(tensor.Tensor(0), math.huge))
  end)
end)

describe('views without elements', function()
  it('have the sizes that the rules give', function()
    local t = tensor.DoubleTensor(2, 0, 3)
    local function sizes(view) return table.concat(view:size():totable(), 'x') end
    assert.are.equal('3x0x2', sizes(t:transpose(1, 3)))
    assert.are.equal('0x3', sizes(t:select(1, 2)))
    assert.are.equal('1x0x3', sizes(t:narrow(1, 2, 1)))
    assert.are.equal('0x6', sizes(t:view(0, 6)))
    assert.are.equal('0', sizes(t:view(-1)))
    assert.are.equal('2x1x0x3', sizes(t:unsqueeze(2)))
    assert.are.equal('2x0', sizes(tensor.DoubleTensor(2, 3):narrow(2, 1, 0)))
    assert.are.equal('5x0', sizes(tensor.DoubleTensor(1, 0):expand(5, 0)))
    assert.has_error(function() t:select(2, 1) end)
    assert.has_error(function() t:view(7) end)
  end)
end)

describe('set and resize', function()
  it('set makes a tensor a view', function()
    local t = tensor.DoubleTensor { { 1, 2 }, { 3, 4 } }
    local v = tensor.DoubleTensor()
    assert.is_true(rawequal(v, v:set(t)))
    assert.is_true(v:isSetTo(t))
    v[1][1] = 9
    assert.are.equal(9, t[1][1])
    v:set(t:storage(), 2, 3, 1)
    assert.are.same({ 2, 3, 4 }, v:totable())
    v:set(t:storage(), 1, tensor.LongStorage { 2, 2 }, tensor.LongStorage { 1, 2 })
    assert.are.same({ { 9, 3 }, { 2, 4 } }, v:totable())
    v:set()
    assert.are.equal(0, v:dim())
    assert.has_error(function() v:set(tensor.FloatTensor(2)) end)
    assert.has_error(function() v:set(t:storage(), 0) end)
    assert.has_error(function() v:set(3, 'x') end)
  end)

  it('set with sizes gives a tensor new memory', function()
    for _, sizes in ipairs { { 2, 2 }, { tensor.LongStorage { 2, 2 } },
                             { tensor.LongStorage { 2, 2 }, tensor.LongStorage { 1, 2 } } } do
      local whole = tensor.DoubleTensor { 1, 2, 3, 4 }
      local t = tensor.DoubleTensor(whole:storage(), 2, 2)
      assert.are.equal(t, t:set(unpack(sizes)))
      t:fill(7)
      assert.are.same({ 2, 2, 1, 28 }, { t:size(1), t:size(2), t:storageOffset(), t:sum() })
      assert.are.same({ 1, 2, 3, 4 }, whole:totable())
      assert.are.equal(0, t:set(2, 2):sum())
    end
  end)

  it('resize keeps the elements in memory', function()
    local t = tensor.DoubleTensor { 1, 2, 3, 4, 5, 6 }
    assert.is_true(rawequal(t, t:resize(2, 3)))
    assert.are.same({ { 1, 2, 3 }, { 4, 5, 6 } }, t:totable())
    t:resize(2)
    assert.are.same({ 1, 2 }, t:totable())
    t:resize(6)
    assert.are.same({ 1, 2, 3, 4, 5, 6 }, t:totable())
    t:resize(10)
    assert.are.same({ 1, 2, 3, 4, 5, 6 }, t:narrow(1, 1, 6):totable())
    t:resize(tensor.LongStorage { 3, 2 })
    assert.are.same({ { 1, 2 }, { 3, 4 }, { 5, 6 } }, t:totable())
    t:resizeAs(tensor.DoubleTensor(2, 1, 3))
    assert.are.same({ 2, 1, 3 }, t:size():totable())
    assert.has_error(function() t:resize('a') end)
    assert.has_error(function() t:resize(-2) end)
    assert.has_error(function() t:resizeAs(3) end)
    assert.are.same({ 2, 1, 3 }, t:size():totable())
  end)

  it('growing a view does not disturb its neighbours', function()
    local t = tensor.DoubleTensor(10):fill(1)
    local v = t:narrow(1, 5, 2)
    v:resize(20):fill(3)
    assert.are.equal(20, v:nElement())
    assert.are.same({ 1, 1, 1, 1, 3, 3, 3, 3, 3, 3 }, t:totable())
  end)
end)

describe('a tensor of 33 dimensions', function()
  local shape = {}
  for d = 1, 33 do shape[d] = 1 end
  shape[2], shape[17], shape[33] = 2, 3, 4

  it('is viewed as any other', function()
    local t = make(shape)
    assert.are.equal(33, t:dim())
    assert.are.same({ 2, 3, 4 }, t:squeeze():size():totable())
    local v = t:transpose(2, 33):transpose(17, 1)
    assert.are.same({ 3, 4, 2 }, v:squeeze():size():totable())
    assert.are.equal(32, t:select(17, 2):dim())
    local wanted = model.fill({ 2, 4 }, function(i)
      return 12 * math.floor(i / 4) + 4 + i % 4 + 1
    end)
    assert.is_nil(model.difference(model.read(t:select(17, 2):squeeze()), wanted, 0))
    local order = {}
    for d = 1, 33 do order[d] = 34 - d end
    assert.are.same({ 4, 3, 2 }, t:permute(unpack(order)):squeeze():size():totable())
    assert.are.equal(24 * 25 / 2, t:sum())
    assert.are.equal(34, t:unfold(33, 2, 2):dim())
    local u = tensor.add(t, t:transpose(2, 33):transpose(2, 33))
    assert.are.equal(24 * 25, u:sum())
    assert.is_true(t:clone():equal(t))
    local expanded = { unpack(shape) }
    expanded[1] = 5
    assert.are.equal(5 * 300, t:expand(unpack(expanded)):sum())
  end)
end)

describe('errors of views', function()
  local t = tensor.DoubleTensor(2, 3)
  local function fails(f, ...)
    local ok, message = pcall(f)
    assert.is_false(ok)
    for _, word in ipairs { 'views_spec.lua:%d+:', ... } do
      assert.is_truthy(message:find(word), message)
    end
  end

  it('name the sizes', function()
    fails(function() t:view(4, 2) end, '%[2 x 3%]', '%[4 x 2%]')
    fails(function() t:t():view(6) end, 'contiguous')
    fails(function() t:view(-1, -1) end, '%-1')
    fails(function() t:view(-1, 4) end)
    fails(function() t:reshape(5) end, '%[2 x 3%]')
    fails(function() t:expand(4, 3) end, '%[2 x 3%]', '%[4 x 3%]')
    fails(function() t:expand(3) end, '%[2 x 3%]')
    fails(function() t:permute(1) end)
    fails(function() t:permute(1, 1) end)
    fails(function() t:permute(1, 3) end)
    fails(function() t:permute(0, 1) end)
    fails(function() t:squeeze(3) end)
    fails(function() t:unsqueeze(4) end)
    fails(function() t:unfold(1, 0, 1) end)
    fails(function() t:unfold(1, 1, 0) end)
    fails(function() t:unfold(1, 3, 1) end)
    fails(function() t:sub(1) end)
    fails(function() t:sub(1, 3) end)
    fails(function() t:sub(0, 1) end)
    fails(function() t:sub(2, 1) end)
    fails(function() t:narrow(1, 2 ^ 40, 2) end)
    fails(function() t:narrow(1, 1, 2 ^ 62) end)
    assert.are.same({ 2, 3 }, t:size():totable())
  end)

  it('name the function and the argument of each row of views', function()
    local m, v, large = tensor.ones(2, 3), tensor.ones(6), tensor.ones(5, 5)
    local rows = {}
    for _, row in ipairs(require 'tensor.native'.operations()) do
      if row.family == 'views' and row.lua ~= '' then rows[row.lua] = true end
    end
    local cases = {
      { 'narrow', m, { 3, 1, 1 }, 'dimension 3 is out of range' },
      { 'narrow', m, { 2, 4, 1 }, 'range of 1 from 4 on is out of range of dimension 2 of size 3' },
      { 'narrow', m, { 2, 1, -1 }, 'range of %-1 from 1 on' },
      { 'select', m, { 3, 1 }, 'dimension 3 is out of range' },
      { 'select', m, { 2, 4 }, 'index 4 is out of range of a dimension of size 3' },
      { 'transpose', m, { 3, 1 }, 'dimension 3 is out of range' },
      { 'transpose', m, { 1, 4 }, 'dimension 4 is out of range' },
      { 't', v, {}, 'a matrix is expected, got a tensor of size %[6%]' },
      { 'unfold', v, { 2, 2, 1 }, 'dimension 2 is out of range' },
      { 'unfold', v, { 1, 9, 1 }, 'slices of 9 do not fit into dimension 1' },
      { 'unfold', v, { 1, 2, 0 }, 'step 0 is not positive' },
      { 'squeeze', m, { 3 }, 'dimension 3 is out of range' },
      { 'unsqueeze', m, { 4 }, 'dimension 4 is out of range' },
      { 'expand', m, { 5, 5 }, 'a tensor of size %[2 x 3%] cannot be expanded to %[5 x 5%]' },
      { 'expandAs', m, { large }, 'a tensor of size %[2 x 3%] cannot be expanded to %[5 x 5%]' },
      { 'view', m, { 5, 5 }, 'a tensor of size %[2 x 3%] cannot be viewed as %[5 x 5%]' },
      { 'viewAs', m, { large }, 'a tensor of size %[2 x 3%] cannot be viewed as %[5 x 5%]' },
      { 'permute', m, { 1, 1 }, 'dimension 1 is given twice' },
    }
    for _, case in ipairs(cases) do
      local name, object, arguments, text = unpack(case)
      rows[name] = nil
      fails(function() object[name](object, unpack(arguments)) end, ' ' .. name .. ': ' .. text)
    end
    assert.are.same({}, rows)
  end)
end)
