-- t[key] and t[key] = value: numbers, tables of numbers and ranges, masks, index vectors.

local tensor = require 'tensor'
local elements = require 'support.elements'

local T = tensor.DoubleTensor
local function list(t) return t:totable() end
local function matrix() return T { { 1, 2, 3 }, { 4, 5, 6 } } end

-- The call must raise an error that contains the words, with a position in this file.
local function fails(f, ...)
  local ok, message = pcall(f)
  assert.is_false(ok)
  assert.is_string(message)
  assert.is_truthy(message:find('indexing_spec.lua:%d+:'), message)
  for _, word in ipairs { ... } do
    assert.is_truthy(message:find(word, 1, true), message)
  end
end

for _, e in ipairs(elements) do
  describe('indexing of ' .. e.name, function()
    it('by numbers gives elements and slices', function()
      local t = e.Tensor { { 1, 2, 3 }, { 4, 5, 6 } }
      assert.are.equal(3, e.Tensor { 3, 1, 2 }[1])
      assert.are.equal(6, t[2][3])
      assert.are.same({ 4, 5, 6 }, list(t[2]))
      assert.are.equal(6, t[-1][-1])
      t[2][1] = 7
      assert.are.same({ { 1, 2, 3 }, { 7, 5, 6 } }, list(t))
      t[1] = 9
      assert.are.same({ { 9, 9, 9 }, { 7, 5, 6 } }, list(t))
      t[2] = e.Tensor { 1, 2, 3 }
      assert.are.same({ 1, 2, 3 }, list(t[2]))
      t[-1][-1] = 4
      assert.are.equal(4, t[2][3])
    end)

    it('by tables gives views', function()
      local t = e.Tensor { { 1, 2, 3 }, { 4, 5, 6 } }
      assert.are.equal(6, t[{ 2, 3 }])
      assert.are.equal(6, t[{ -1, -1 }])
      assert.are.same({ 4, 5, 6 }, list(t[{ 2 }]))
      assert.are.same({ 2, 5 }, list(t[{ {}, 2 }]))
      assert.are.same({ { 2, 3 }, { 5, 6 } }, list(t[{ {}, { 2, 3 } }]))
      assert.are.same({ { 2, 3 } }, list(t[{ { 1 }, { 2, 3 } }]))
      assert.are.same({ { 4, 5, 6 } }, list(t[{ { -1, -1 } }]))
      assert.are.same({ { 5, 6 } }, list(t[{ { -1 }, { -2, -1 } }]))
      t[{ {}, 2 }] = 8
      assert.are.same({ { 1, 8, 3 }, { 4, 8, 6 } }, list(t))
      t[{ 1, { 2, 3 } }] = e.Tensor { 5, 7 }
      assert.are.same({ 1, 5, 7 }, list(t[1]))
      t[{ 2, 3 }] = 9
      assert.are.equal(9, t[2][3])
      t[{ {}, {} }] = 0
      assert.are.equal(0, t:sum())
      local view = t[{ { 1, 2 }, { 1, 2 } }]
      view:fill(3)
      assert.are.same({ { 3, 3, 0 }, { 3, 3, 0 } }, list(t))
    end)

    it('by masks', function()
      local t = e.Tensor { { 1, 2, 3 }, { 4, 5, 6 } }
      assert.are.same({ 4, 5, 6 }, list(t[tensor.gt(t, 3)]))
      t[tensor.gt(t, 4)] = 0
      assert.are.same({ { 1, 2, 3 }, { 4, 0, 0 } }, list(t))
      t[tensor.eq(t, 0)] = e.Tensor { 8, 9 }
      assert.are.same({ 4, 8, 9 }, list(t[2]))
      assert.are.equal(0, t[tensor.gt(t, 100)]:nElement())
    end)

    it('with vectors of indices', function()
      local t = e.Tensor { { 1, 2 }, { 3, 4 }, { 5, 6 } }
      assert.are.same({ { 5, 6 }, { 1, 2 } }, list(t[tensor.LongTensor { 3, 1 }]))
      t[tensor.LongTensor { 1, 3 }] = 0
      assert.are.same({ { 0, 0 }, { 3, 4 }, { 0, 0 } }, list(t))
      t[tensor.LongTensor { 2, 1 }] = e.Tensor { { 7, 8 }, { 9, 10 } }
      assert.are.same({ { 9, 10 }, { 7, 8 }, { 0, 0 } }, list(t))
    end)

    it('by a storage of positions', function()
      local t = e.Tensor { { 1, 2, 3 }, { 4, 5, 6 } }
      assert.are.equal(6, t[tensor.LongStorage { 2, 3 }])
      fails(function() return t[tensor.LongStorage { 2 }] end)
      fails(function() return t[tensor.LongStorage { 2, 4 }] end)
      t[tensor.LongStorage { 1, -1 }] = 7
      t[tensor.LongStorage { 2, 1 }] = e.Tensor { 8 }
      assert.are.same({ { 1, 2, 7 }, { 8, 5, 6 } }, list(t))
      fails(function() t[tensor.LongStorage { 2 }] = 1 end)
      fails(function() t[tensor.LongStorage { 2, 4 }] = 1 end)
      fails(function() t[tensor.LongStorage()] = 1 end)
      fails(function() t[tensor.LongStorage { 1, 1 }] = e.Tensor { 1, 2 } end)
      fails(function() t[tensor.IntStorage { 1, 1 }] = 1 end)
      fails(function() e.Tensor()[tensor.LongStorage()] = 1 end)
      assert.are.same({ { 1, 2, 7 }, { 8, 5, 6 } }, list(t))
    end)

    it('converts between types when assigning tensors', function()
      local t = e.Tensor { { 1, 2 }, { 3, 4 } }
      t[1] = tensor.DoubleTensor { 7, 8 }
      t[{ 2, {} }] = tensor.ByteTensor { 9, 10 }
      assert.are.same({ { 7, 8 }, { 9, 10 } }, list(t))
    end)
  end)
end

describe('slices share memory', function()
  it('also from slices', function()
    local t = T(3, 4, 5):fill(0)
    t[2][3][4] = 7
    t[{ 2, 3 }]:narrow(1, 1, 2):fill(1)
    assert.are.same({ 1, 1, 0, 7, 0 }, list(t[2][3]))
    assert.are.equal(9, t:sum())
  end)

  it('and keep it when the tensor goes', function()
    local view
    do
      local t = T { { 1, 2 }, { 3, 4 } }
      view = t[2]
    end
    collectgarbage()
    collectgarbage()
    assert.are.same({ 3, 4 }, list(view))
  end)
end)

describe('methods and unknown names', function()
  it('are found by name, and nothing else is', function()
    local t = T(3)
    assert.is_function(t.size)
    fails(function() return t.foo end, 'torch.DoubleTensor', "'foo'")
    fails(function() return t['x'] end, "'x'")
    fails(function() t:foo() end)
    fails(function() t.x = 1 end, 'torch.DoubleTensor')
  end)
end)

describe('errors of indexing', function()
  it('out of range', function()
    fails(function() return T(3)[4] end, '4', '3')
    fails(function() return T(3)[0] end, '0')
    fails(function() return T(3)[-4] end, '-4')
    fails(function() return T(3)[0 / 0] end)
    fails(function() return T(3)[math.huge] end)
    fails(function() return T(3)[-math.huge] end)
    fails(function() return T(3)[2 ^ 63] end)
    fails(function() return T(2, 2)[3] end)
    fails(function() return T(2, 2)[{ 3, 1 }] end)
    fails(function() return T(2, 2)[{ 1, 3 }] end, '2')
    fails(function() return T(2, 2)[{ 0 / 0, 1 }] end)
    fails(function() return T()[1] end, 'empty')
    fails(function() return T(0)[1] end)
    fails(function() return T(0, 3)[1] end)
    fails(function() return T(2, 0)[1][1] end)
  end)

  it('with tables', function()
    fails(function() return T(2, 2)[{ 1, 2, 3 }] end, '3', '2')
    fails(function() return T(2, 2)[{ { 1, 3 } }] end)
    fails(function() return T(2, 2)[{ { 2, 1 } }] end)
    fails(function() return T(2, 2)[{ { 0, 1 } }] end)
    fails(function() return T(2, 2)[{ { 1, 1, 0 } }] end, 'step')
    fails(function() return T(2, 2)[{ { 1, 2, -1 } }] end)
    fails(function() return T(2, 2)[{ { 1, 2, 0.5 } }] end, '0.5')
    fails(function() return T(2, 2)[{ { 1, 1, 1, 1 } }] end)
    fails(function() return T(2, 2)[{ { 'a' } }] end)
    fails(function() return T(2, 2)[{ { {}, 1 } }] end)
    fails(function() return T(2, 2)[{ 'a' }] end)
    fails(function() return T(2, 2)[{ true }] end)
    fails(function() return T()[{ 1 }] end)
  end)

  it('with masks and vectors', function()
    fails(function() return T(2, 2)[tensor.ByteTensor(3):fill(1)] end, '2', '3')
    fails(function() return T(2, 2)[tensor.LongTensor { 3 }] end)
    fails(function() return T(2, 2)[tensor.LongTensor { 0 }] end)
    fails(function() return T(2, 2)[tensor.DoubleTensor { 1 }] end)
    fails(function() return T(2, 2)[true] end)
    fails(function() return T(2, 2)[print] end)
    local t = T(2, 2)
    fails(function() t[tensor.ByteTensor(3):fill(1)] = 1 end)
    fails(function() t[tensor.LongTensor { 3 }] = 1 end)
    fails(function() t[tensor.ByteTensor { { 1, 1 }, { 1, 1 } }] = T(2):fill(1) end)
    fails(function() t[tensor.LongTensor { 1 }] = T(3):fill(1) end)
  end)

  it('assigning leaves the tensor as it was', function()
    local t = matrix()
    fails(function() t[3] = 1 end)
    fails(function() t[0] = 1 end)
    fails(function() t[1] = 'a' end)
    fails(function() t[1] = nil end)
    fails(function() t[1] = {} end)
    fails(function() t[1] = true end)
    fails(function() t[1] = T(2) end, '3', '2')
    fails(function() t[{ 1, {} }] = T { 1, 2 } end)
    fails(function() t[{ 1, 4 }] = 1 end)
    fails(function() t[{ {}, { 2, 4 } }] = 1 end)
    fails(function() t[{ 1, 1 }] = 'x' end)
    fails(function() t[true] = 1 end)
    fails(function() T(3)[4] = 1 end)
    fails(function() T()[1] = 1 end)
    assert.are.same({ { 1, 2, 3 }, { 4, 5, 6 } }, list(t))
  end)

  it('of the methods that select', function()
    local t = matrix()
    fails(function() t:narrow(1, 2, 2) end, 'narrow')
    fails(function() t:narrow(3, 1, 1) end, 'narrow')
    fails(function() t:narrow(1, 0, 1) end, 'narrow')
    fails(function() t:narrow(1, 1, -1) end, 'narrow')
    fails(function() t:select(1, 3) end, 'select')
    fails(function() t:select(3, 1) end, 'select')
    fails(function() t:select(1, 0) end, 'select')
    fails(function() t:transpose(1, 3) end, 'transpose')
    fails(function() T(2):t() end, 't')
    fails(function() T(2, 2, 2):t() end, 't')
    fails(function() t:size(3) end)
    fails(function() t:size(0) end)
    fails(function() t:stride(3) end)
    fails(function() t:index(1, tensor.LongTensor { 3 }) end, 'index')
    fails(function() t:index(1, T { 1 }) end, 'index', 'LongTensor')
    fails(function() t:gather(1, tensor.LongTensor { { 3, 1, 1 } }) end, 'gather')
    fails(function() t:scatter(1, tensor.LongTensor { { 3, 1, 1 } }, T(1, 3)) end, 'scatter')
    fails(function() t:indexFill(1, tensor.LongTensor { 3 }, 0) end, 'indexFill')
    fails(function() t:maskedFill(tensor.ByteTensor(4):fill(1), 1) end, 'maskedFill')
    fails(function() t:maskedSelect(tensor.ByteTensor(4):fill(1)) end, 'maskedSelect')
    fails(function() T(4):unfold(1, 5, 1) end, 'unfold')
    assert.are.same({ { 1, 2, 3 }, { 4, 5, 6 } }, list(t))
  end)

  it('of the methods that split', function()
    require 'support.dialect'.since('5.2', 'Lua 5.1 takes tail calls for callers')
    fails(function() T(4):split(2, 3) end)
    fails(function() T(4):split(0) end, 'split')
    fails(function() T(4):chunk(0) end, 'chunk')
  end)
end)

describe('searches', function()
  local nan, inf = 0 / 0, math.huge

  it('of one key or of many give the same positions', function()
    tensor.manualSeed(1)
    for _, class in ipairs { 'Float', 'Double', 'Half', 'Byte', 'Long' } do
      local floating = class == 'Float' or class == 'Double'
      for _, n in ipairs { 1, 2, 7, 100 } do
        local sorted = tensor.DoubleTensor(n):random(0, 50):type('torch.' .. class .. 'Tensor')
        if floating and n > 2 then sorted[1], sorted[2] = nan, -inf end
        sorted = (sorted:sort())
        for m = 1, 20 do
          local keys = tensor.DoubleTensor(m):random(0, 60):type(sorted:type())
          if floating then keys[1] = m % 2 == 0 and nan or -0.0 end
          for _, right in ipairs { false, true } do
            local all = tensor.searchsorted(sorted, keys, right)
            for k = 1, m do
              local before = 0
              for i = 1, n do
                local x, key = sorted[i], keys[k]
                local smaller = x < key or x == x and key ~= key
                local equal = x == key or x ~= x and key ~= key
                if smaller or right and equal then before = before + 1 end
              end
              assert.are.equal(before + 1, all[k])
            end
          end
        end
      end
    end
  end)

  it('of integers in sets are exact at the limits of the type', function()
    tensor.manualSeed(1)
    local function check(t, values)
      local set = {}
      for _, x in ipairs(values:totable()) do set[x] = true end
      local found = tensor.isin(t, values)
      for k, x in ipairs(t:totable()) do assert.are.equal(set[x] and 1 or 0, found[k]) end
    end
    local limits = { Byte = 255, Char = 127, Short = 32767, Int = 2 ^ 31 - 1, Long = 2 ^ 52 }
    for class, limit in pairs(limits) do
      local type = 'torch.' .. class .. 'Tensor'
      local t = tensor.DoubleTensor(100):random(0, 100):type(type)
      t[1], t[2] = limit, class == 'Byte' and 0 or -limit
      check(t, t:narrow(1, 3, 60))
      check(t, t:narrow(1, 1, 60))
      check(t:narrow(1, 3, 20), t)
      check(t, tensor.cat(t:narrow(1, 1, 1), t:narrow(1, 1, 1)):view(-1))
    end
    local least = tensor.LongTensor { 1 }:lshift(63)
    local ends = tensor.cat(least, tensor.bitnot(least), 1)
    assert.are.same({ 1, 1 }, tensor.isin(ends, ends:repeatTensor(5)):totable())
    assert.are.same({ 0, 1 }, tensor.isin(ends, ends:narrow(1, 2, 1):repeatTensor(9)):totable())
  end)
end)

it('indexPut with a mask of the first dimensions is t[mask] = src', function()
  local mask = tensor.ByteTensor { 1, 0, 1 }
  for _, value in ipairs { 7, tensor.range(1, 6):view(2, 3), tensor.Tensor { 5 } } do
    local put, assigned = tensor.zeros(3, 3), tensor.zeros(3, 3)
    put:indexPut(mask, value)
    assigned[mask] = value
    assert.is_true(put:equal(assigned))
    assert.is_true(put:indexPut(mask, value, true):equal(assigned * 2))
  end
  local slope = tensor.grad(function(x) return x:clone():indexPut(mask, 7):sum() end)
  assert.are.same({ { 0, 0, 0 }, { 1, 1, 1 }, { 0, 0, 0 } }, slope(tensor.ones(3, 3)):totable())
  local ok, message = pcall(tensor.indexPut, tensor.zeros(3, 3), mask, tensor.range(1, 4))
  assert.is_false(ok)
  assert.matches('the mask has 6 ones, but the source has 4 elements', message)
end)

it('split accepts any number of sizes', function()
  local n = 20000
  local parts = tensor.range(1, n):split(tensor.ones(n):totable())
  assert.are.equal(n, #parts)
  assert.are.equal(n, parts[n][1])
  local pair = tensor.range(1, 5):split { 2, 3 }
  assert.are.same({ 1, 2 }, pair[1]:totable())
  assert.are.same({ 3, 4, 5 }, pair[2]:totable())
  assert.are.equal(1, #tensor.range(1, 5):split { 5 })
end)

it('split and chunk of a dimension of size 0 give empty slices', function()
  local t = tensor.zeros(2, 0)
  local function check(count, parts)
    assert.are.equal(count, #parts)
    for _, part in ipairs(parts) do assert.are.same({ 2, 0 }, part:size():totable()) end
  end
  check(1, t:split(3, 2))
  check(1, t:split(0, 2))
  check(1, tensor.split(tensor.split(t, 1), t, 3, -1))
  check(1, t:chunk(1, 2))
  check(3, t:chunk(3, 2))
  assert.matches('the size of a slice must be at least 0, got %-1',
                 select(2, pcall(tensor.split, t, -1, 2)))
end)

it('split has sizes for each slice', function()
  local t, sizes = tensor.range(1, 8):view(2, 4), { 1, 0, 3 }
  for _, parts in ipairs { t:split(sizes, 2), tensor.split(t, sizes, -1) } do
    assert.are.equal(3, #parts)
    assert.are.same({ { 1 }, { 5 } }, parts[1]:totable())
    assert.are.equal(0, parts[2]:nElement())
    assert.are.same({ { 2, 3, 4 }, { 6, 7, 8 } }, parts[3]:totable())
  end
  assert.are.same({ 1, 0, 3 }, sizes)
  local views = { 1, 2, 3, 4 }
  assert.are.equal(views, tensor.split(views, t, { 1, 3 }, 2))
  assert.are.equal(2, #views)
  assert.are.same({ { 1 }, { 5 } }, views[1]:totable())
  assert.are.equal(views, t:split(views, sizes, 2))
  assert.are.equal(3, #views)
  local used = { 7 }
  assert.are.equal(used, t:split(used, { 1, 1 }))
  assert.are.same({ { 5, 6, 7, 8 } }, used[2]:totable())
  local function message(...) return select(2, pcall(...)) end
  assert.matches('the sizes add up to 3, but dimension 1 has size 2',
                 message(tensor.split, t, { 1, 2 }))
  assert.matches('size 2 must be an integer from 0 on', message(tensor.split, t, { 1, 0.5 }))
  assert.matches('must be an integer, got 1.5', message(tensor.split, t, 1.5))
  assert.matches('must be an integer, got 1.5', message(tensor.chunk, t, 1.5))
  assert.matches('must be a number, got string', message(tensor.chunk, t, '2'))
  assert.matches('dimension 1.5 is out of range', message(tensor.split, t, 1, 1.5))
  assert.matches('must be an integer, got 1.5', message(tensor.repeatTensor, t, 1.5, 1))
  assert.matches('tensorSplit: .* nil', message(tensor.tensorSplit, t, { 2, nil, 3 }, 2))
  tensor.setRule('numbers', 'torch7')
  finally(function() tensor.setRule('numbers', 'tensor') end)
  -- Slices of ceil(4 / 1.5) and of floor(1.5) columns.
  assert.are.equal(2, #t:chunk(1.5, 2))
  assert.are.equal(4, #t:split(1.5, 2))
end)
