-- apply, map and map2: a Lua function on every element.

local tensor = require 'tensor'
local both = require 'support.jit_modes'
local elements = require 'support.elements'
local model = require 'support.model'

local device = require('support.on_device').device

local layouts = { 'contiguous', 'transposed', 'offset', 'strided' }
local shapes = { { 7 }, { 3, 4 }, { 2, 3, 4 }, { 1 }, { 0 }, { 2, 0 }, {} }

local function check(t, want)
  local text = model.difference(model.read(t), want, 0)
  if text then error(text, 2) end
end

-- With the collector running all the time a fast and a slow type are enough.
local busy_collector = require('support.settings').gc
for _, e in ipairs(busy_collector and { elements.Float, elements.Half } or elements) do
  describe('of ' .. e.name, function()
    local random = elements.generator(3)

    local function each(body)
      both(function()
        for _, shape in ipairs(shapes) do
          for k, layout in ipairs(layouts) do
            local list, tensors = {}, {}
            for i = 1, 3 do
              list[i] = model.random(e, 'small', shape, random)
              tensors[i] = model.tensor(e, list[i], layouts[(k + i) % 4 + 1])
            end
            tensors[1] = model.tensor(e, list[1], layout)
            body(list, tensors)
            assert.is_nil(model.disturbed(tensors[1]))
          end
        end
      end)
    end

    it('apply replaces every element, in order', function()
      each(function(m, t)
        local seen = {}
        assert.is_true(rawequal(t[1], t[1]:apply(function(x)
          seen[#seen + 1] = x
          return 2 * x + 1
        end)))
        assert.are.same(m[1].data, seen)
        check(t[1], model.map(function(x) return 2 * x + 1 end, m[1]))
      end)
    end)

    it('apply leaves what the function gives nothing for', function()
      each(function(m, t)
        t[1]:apply(function(x)
          if x > 1 then return 9 end
        end)
        check(t[1], model.map(function(x) return x > 1 and 9 or x end, m[1]))
      end)
    end)

    it('map takes a second tensor', function()
      each(function(m, t)
        t[1]:map(t[2], function(x, y) return 3 * x + y end)
        check(t[1], model.map(function(x, y) return 3 * x + y end, m[1], m[2]))
        check(t[2], m[2])
      end)
    end)

    it('map2 takes two more', function()
      each(function(m, t)
        t[1]:map2(t[2], t[3], function(x, y, z) return x + 4 * y + z end)
        check(t[1], model.map(function(x, y, z) return x + 4 * y + z end, m[1], m[2], m[3]))
        check(t[2], m[2])
        check(t[3], m[3])
      end)
    end)

    it('converts numbers that integers cannot represent only by the rule of Torch7', function()
      both(function()
        local t, before = e.Tensor { 1, 2, 3 }, tensor.getRule 'numbers'
        local u = t:clone()
        local function add(x) return x + 300.75 end
        local function change()
          t:apply(add)
          u:map(u, add):map2(u, u, function(x) return x + 0.25 end)
        end
        tensor.setRule('numbers', 'tensor')
        local fine, message = pcall(change)
        assert.are.equal(not e.integral, fine)
        if not fine then
          local text = 'apply_spec.lua:%d+: %a+2?: [%d.]+ does not fit into elements of type ' ..
                       e.name .. ': convert the tensor'
          assert.matches(text, message)
          for _, value in ipairs { 2 ^ 70, -2 ^ 70, 1 / 0, 0 / 0 } do
            local function f() return value end
            for name, call in pairs {
              apply = function() t:apply(f) end, map = function() t:map(u, f) end,
              map2 = function() t:map2(u, u, f) end,
            } do
              assert.matches(name .. ': %S+ does not fit', select(2, pcall(call)))
            end
          end
          assert.is_true(t:equal(e.Tensor { 1, 2, 3 }) and t:equal(u))
          tensor.setRule('numbers', 'torch7')
          change()
        end
        tensor.setRule('numbers', before)
        local want = tensor.Tensor { 301.75, 302.75, 303.75 }:type(e.class)
        assert.is_true(want:equal(t))
        if e.integral then assert.is_true(want:equal(u)) end
      end)
    end)

    it('gives the function what it has made of the same memory', function()
      both(function()
        local one = e.Tensor { 1 }
        assert.are.equal(30, one:expand(5):apply(function(x) return x + 1 end):sum())
        assert.are.equal(6, one[1])
        local rows = e.Tensor { { 1, 2 } }
        rows:expand(3, 2):map(e.Tensor(3, 2):fill(2), function(x, y) return x + y end)
        assert.are.same({ { 7, 8 } }, rows:totable())
        local u = e.Tensor { 1, 2, 3 }
        assert.are.same({ 2, 4, 5 }, u:apply(function(x) return u[1] + x end):totable())
        u:fill(1):narrow(1, 2, 2):map(u:narrow(1, 1, 2), function(x, y) return x + y end)
        assert.are.same({ 1, 2, 3 }, u:totable())
        pcall(u.apply, u, function(x)
          if x == 2 then error('no more') end
          return 9
        end)
        assert.are.same({ 9, 2, 3 }, u:totable())
      end)
    end)

    it('goes on where the function has the elements moved', function()
      both(function()
        local t = e.Tensor { 1, 2, 3, 4, 5 }:to(device)
        t:apply(function(x)
          t:sum()
          return x + 1
        end)
        assert.are.equal(20, t:sum())
        t:apply(function(x)
          if x == 3 then t:add(1) end
          if x < 6 then return x + 1 end
        end)
        assert.are.same({ 4, 4, 6, 6, 7 }, t:totable())
        local host, other = e.Tensor { 1, 1, 1 }, e.Tensor { 1, 2, 3 }:to(device)
        host:apply(function(x)
          other:add(host)
          return x + 1
        end)
        assert.are.same({ 2, 2, 2 }, host:totable())
        assert.are.same({ 6, 6, 6 }, other:totable())
        host:map2(other, other, function(_, y, z)
          other:add(1)
          return y + z
        end)
        assert.are.same({ 12, 14, 16 }, host:totable())
        assert.are.same({ 9, 9, 9 }, other:totable())
        t:narrow(1, 2, 3):apply(function(x)
          t:to 'cpu'
          return x + 1
        end)
        assert.are.same({ 4, 5, 7, 7, 7 }, t:totable())
      end)
    end)

    it('takes expanded tensors as operands', function()
      local t = e.Tensor(2, 3):fill(1)
      t:map(e.Tensor { 1, 2, 3 }:view(1, 3):expand(2, 3), function(x, y) return x + y end)
      assert.are.same({ { 2, 3, 4 }, { 2, 3, 4 } }, t:totable())
    end)
  end)
end

describe('apply', function()
  local T = tensor.DoubleTensor

  it('pairs other shapes of as many elements in order', function()
    local t = T { { 1, 2 }, { 3, 4 } }:map(T { 10, 20, 30, 40 }, function(x, y) return x + y end)
    assert.are.same({ { 11, 22 }, { 33, 44 } }, t:totable())
  end)

  it('passes on errors of the function, and goes on afterwards', function()
    both(function()
      for _, e in ipairs { elements.Double, elements.Byte, elements.Half } do
        local t = e.Tensor { 1, 2, 3 }
        local ok, message = pcall(t.apply, t, function(x)
          if x == 2 then error('no more', 0) end
          return 5
        end)
        assert.is_false(ok)
        assert.are.equal('no more', message)
        t:resize(20):fill(1)
        assert.are.equal(20, t:sum())
        assert.are.equal(40, t:apply(function(x) return x + 1 end):sum())
      end
    end)
  end)

  it('leaves integers alone that no number of Lua is', function()
    both(function()
      local t = tensor.LongTensor(3):fill(2 ^ 53):add(1)
      local u = t:clone()
      t:apply(function() end)
      t:map(u, function() end)
      assert.is_true(u:equal(t))
      t:map2(u, u, function(_, x) if x < 0 then return 1 end end)
      assert.is_true(u:equal(t))
      t:apply(function() return 2 ^ 62 end)
      assert.is_true(tensor.LongTensor(3):fill(2 ^ 62):equal(t))
    end)
  end)

  it('refuses what cannot be stored', function()
    for _, bad in ipairs { 'x', {}, true, print } do
      assert.has_error(function() T { 1 }:apply(function() return bad end) end)
    end
  end)

  it('refuses to have the memory taken away', function()
    both(function()
      local t = T(10):fill(1)
      assert.has_error(function()
        t:apply(function()
          t:resize(1e6)
          return 2
        end)
      end)
      assert.has_error(function()
        t:apply(function()
          t:storage():resize(0)
          return 2
        end)
      end)
      local other = T(10):fill(3)
      assert.has_error(function()
        t:map(other, function(_, y)
          other:storage():resize(1e6)
          return y
        end)
      end)
      t:storage():resize(12)
      assert.are.equal(10, t:nElement())
    end)
  end)

  it('keeps the memory while the function makes other views of the tensor', function()
    both(function()
      local t = T(1000):fill(1)
      local n = 0
      t:apply(function(x)
        n = n + 1
        if n == 10 then
          t:set()
          collectgarbage()
        end
        return x + 1
      end)
      assert.are.equal(1000, n)
    end)
  end)

  it('takes many functions of many elements', function()
    local t, sum = T(10, 101):t():zero(), 0
    for k = 1, 55 do
      -- Each of a text of its own, of which loops are kept.
      t:apply(loadstring(('return function(x) return x + %d end -- %d'):format(k % 7, k))())
      sum = sum + k % 7
    end
    t:map(t, function(x, y) return (x + y) / 2 end)
    assert.is_true(t:eq(sum):all())
  end)

  it('gives the memory back when a coroutine is dropped in it', function()
    require 'support.dialect'.needs_luajit 'apply is C there, which cannot be left by yield'
    both(function()
      local t, u = T { 1, 2, 3 }, T { 4, 5, 6 }
      local co = coroutine.wrap(function()
        t:map(u, function(x)
          if x == 2 then coroutine.yield() end
          return 0
        end)
      end)
      co()
      assert.has_error(function() u:storage():resize(10) end)
      assert.has_error(function() t:resize(10) end)
      co = nil -- luacheck: ignore 311
      collectgarbage()
      collectgarbage()
      u:storage():resize(10)
      t:resize(10)
      assert.are.same({ 0, 2, 3 }, t:narrow(1, 1, 3):totable())
    end)
  end)

  it('is called inside itself', function()
    local t, u = T { 1, 2, 3 }, T { 10, 20 }
    t:apply(function(x)
      local sum = 0
      u:apply(function(y) sum = sum + y end)
      return x + sum
    end)
    assert.are.same({ 31, 32, 33 }, t:totable())
    local n = 0
    t:apply(function() t:apply(function() n = n + 1 end) end)
    assert.are.equal(9, n)
  end)

  it('refuses wrong arguments', function()
    local t = T { 1, 2 }
    local calls = {
      function() t:apply() end, function() t:apply(3) end, function() t:apply('f') end,
      function() t:map(t) end, function() t:map(print, t) end,
      function() t:map(T { 1, 2, 3 }, print) end,
      function() t:map(tensor.FloatStorage(2), print) end,
      function() t:map2(t, t) end, function() t:map2(t, T(3), print) end,
      function() t:map2(t, 'x', print) end, function() t:map2(t, nil, print) end,
    }
    for _, call in ipairs(calls) do
      local ok, message = pcall(call)
      assert.is_false(ok)
      assert.is_truthy(message:find('apply_spec.lua:%d+: %a*map%d?: ')
                       or message:find('apply_spec.lua:%d+: apply: '), message)
    end
    assert.are.same({ 1, 2 }, t:totable())
    local fine, message = pcall(function() t:map(t, function() return 'a' end) end)
    assert.is_false(fine)
    assert.matches('apply_spec.lua:%d+: map: the function must return a number or nothing', message)
  end)

  it('takes operands of other element types', function()
    local half = { Half = 0.5, BFloat16 = 0.5, Float = 0.5, Double = 0.5 }
    both(function()
      for _, mode in ipairs { 'tensor', 'torch7' } do
        local before = tensor.setRule('types', mode)
        for _, e in ipairs(elements) do
          local f = half[e.name] or 0
          local u = e.Tensor { { 10 + f, 20, 30 }, { 40, 50, 60 + f } }
          for _, v in ipairs { u, u:t():contiguous():t(), u:view(1, 2, 3)[1]:narrow(2, 1, 3) } do
            for _, other in ipairs(elements) do
              local t, got = other.Tensor { { 1, 2, 3 }, { 4, 5, 6 } }, {}
              local w = tensor.LongTensor(3, 3):fill(7):narrow(1, 2, 2)
              t:map(v, function(x, y)
                got[#got + 1] = y
                return 2 * x
              end)
              assert.are.same({ 10 + f, 20, 30, 40, 50, 60 + f }, got)
              assert.are.same({ { 2, 4, 6 }, { 8, 10, 12 } }, t:totable())
              t:map2(v, w, function(x, y, z) return x + (y == 20 and z or 0) end)
              assert.are.same({ { 2, 11, 6 }, { 8, 10, 12 } }, t:totable())
            end
          end
        end
        tensor.setRule('types', before)
      end
      local rows = tensor.IntTensor { { 1, 2 }, { 3, 4 } }
      rows:map(T { 0.5, -0.5 }, function(x, y) return 2 * (x + y) end)
      assert.are.same({ { 3, 3 }, { 7, 7 } }, rows:totable())
    end)
    -- One loop for both lists of types would read one of them wrongly.
    local function second(_, y) return y end
    local t = tensor.zeros(2000)
    for _, e in ipairs(elements) do
      assert.are.equal(2000 * 3, t:map(e.Tensor(2000):fill(3), second):sum())
    end
  end)

  it('keeps the compiled code of many functions', function()
    local versions = require 'tensor.versions'
    local load_text, compiled = versions.load, nil
    local t, functions = T(1000):fill(0), {}
    for k = 1, 100 do
      functions[k] = assert(load_text('return function(x) return x + 1 end', 'function ' .. k))()
    end
    versions.load = function(...)
      compiled = compiled + 1
      return load_text(...)
    end
    local ok, message = pcall(function()
      for _ = 1, 3 do  -- functions of other tests may have filled the table before
        compiled = 0
        for _, f in ipairs(functions) do t:apply(f) end
      end
    end)
    versions.load = load_text
    assert.is_true(ok, message)
    assert.are.equal(300 * 1000, t:sum())
    assert.are.equal(0, compiled)
  end)

  it('walks many elements', function()
    local t = T(300, 400):fill(1)
    t:t():apply(function(x) return x + 1 end)
    assert.are.equal(240000, t:sum())
  end)

  it('leaves elements for which the function returns false or nil', function()
    local columns = tensor.Tensor { { 3, 0 }, { -4, 0 } }
    for _, t in ipairs { tensor.Tensor { 3, -4 }, columns:select(2, 1) } do
      t:apply(function(x) return x < 0 and 0 end)
      assert.are.same({ 3, 0 }, t:totable())
      t:map(tensor.ones(2), function(x, y) if x > 0 then return x + y end end)
      assert.are.same({ 4, 0 }, t:totable())
    end
  end)
end)
