-- Single elements, read and written in loops that LuaJIT compiles: the same as it interprets them.

local tensor = require 'tensor'
local child = require 'support.child'
local both = require 'support.jit_modes'
local elements = require 'support.elements'
local model = require 'support.model'

local layouts = { 'contiguous', 'transposed', 'offset', 'strided' }
local shapes = { { 7 }, { 3, 4 }, { 2, 3, 4 }, { 2, 2, 3, 2 }, { 2, 1, 2, 3, 2 } }

-- Code that is loaded anew is compiled anew, for what it is given first.
local function fresh(code) return assert(loadstring(code, '=element_spec.lua')) end

local READ = [[
  local t, keys, out, rounds = ...
  for _ = 1, rounds do
    for i = 1, #keys do out[i] = t[keys[i] ] end
  end]]
local WRITE = [[
  local t, keys, values, rounds = ...
  for _ = 1, rounds do
    for i = 1, #keys do t[keys[i] ] = values[i] end
  end]]

local function keys_of(shape)
  local keys = {}
  for i = 1, model.count(shape) do
    keys[i] = model.indices(shape, i - 1)
  end
  return keys
end

-- With the collector running all the time a fast and a slow type are enough.
local busy_collector = require('support.settings').gc
local rules = require 'support.rules'
for _, e in ipairs(busy_collector and { elements.Float, elements.Half } or elements) do
  describe('elements of ' .. e.name, function()
    local random = elements.generator(5)

    local function each(body)
      both(function()
        for _, shape in ipairs(shapes) do
          for _, layout in ipairs(layouts) do
            body(shape, layout, model.random(e, 'any', shape, random))
          end
        end
      end)
    end

    it('are read', function()
      each(function(shape, layout, m)
        local t, out = model.tensor(e, m, layout), {}
        fresh(READ)(t, keys_of(shape), out, 60)
        assert.are.same(m.data, out)
        if #shape == 1 then
          out = {}
          fresh(READ)(t, { 1, 2, 3, 4, 5, 6, 7 }, out, 60)
          assert.are.same(m.data, out)
          fresh(READ)(t, { -7, -6, { '3' }, -4, 5, -2, 7 }, out, 60)
          assert.are.same(m.data, out)
        end
      end)
    end)

    it('are written', function()
      each(function(shape, layout, m)
        local t = model.tensor(e, model.map(function() return 1 end, m), layout)
        fresh(WRITE)(t, keys_of(shape), m.data, 60)
        assert.is_nil(model.difference(model.read(t), m, 0))
        assert.is_nil(model.disturbed(t))
        if #shape == 1 then
          t:zero()
          fresh(WRITE)(t, { 1, 2, -5, 4, { '5' }, 6, 7 }, m.data, 60)
          assert.is_nil(model.difference(model.read(t), m, 0))
        end
      end)
    end)

    it('are indexed row by row', function()
      both(function()
        local m = model.random(e, 'any', { 5, 4 }, random)
        local t, out = model.tensor(e, m, 'strided'), {}
        fresh [[
          local t, out = ...
          for _ = 1, 60 do
            for i = 1, 5 do
              for j = 1, 4 do
                out[(i - 1) * 4 + j] = t[i][j]
                t[i][j] = t[i][j]
              end
            end
          end]](t, out)
        assert.are.same(m.data, out)
        assert.is_nil(model.difference(model.read(t), m, 0))
        assert.is_nil(model.disturbed(t))
      end)
    end)

    it('are those of storages, too', function()
      both(function()
        local s, out, values = e.Storage(6), {}, {}
        for i = 1, 6 do values[i] = elements.value(e, 'any', random) end
        local keys = { 1, 2, 3, 4, 5, 6 }
        fresh(WRITE)(s, keys, values, 60)
        fresh(READ)(s, keys, out, 60)
        assert.are.same(values, out)
        assert.are.same(values, s:totable())
        for _, wrong in ipairs { 0, -1, 7, 2 ^ 40, 1.5, 0 / 0 } do
          assert.is_false(pcall(fresh(READ), s, { 1, 2, wrong }, out, 60))
          assert.is_false(pcall(fresh(WRITE), s, { 1, 2, wrong }, { 1, 2, 3 }, 60))
        end
      end)
    end)

    it('become of a number what they become interpreted', function()
      local numbers = { 300.75, -129, 65536.5, 2 ^ 31, -2 ^ 31 - 1, 2 ^ 40 + 3, 2 ^ 53 + 2, 2 ^ 63,
                        -2 ^ 63, 1e300, 65520, 1e-30, -0.0 }
      if not e.integral then
        for _, x in ipairs { 0 / 0, 1 / 0, -1 / 0 } do numbers[#numbers + 1] = x end
      end
      local results = {}
      rules.set 'torch7'
      finally(function() rules.set 'tensor' end)
      both(function()
        for k, x in ipairs(numbers) do
          local t, s, out = e.Tensor { 1, 2, 3 }, e.Storage { 1, 2 }, {}
          fresh(WRITE)(t, { 1, 2, 3 }, { x, x, x }, 60)
          fresh(WRITE)(s, { 1, 2 }, { x, x }, 60)
          fresh(READ)(t, { 3 }, out, 100)
          results[k] = results[k] or ('%.17g'):format(out[1])
          for _, y in ipairs { t[1], t[2], t[3], s[1], s[2], out[1] } do
            assert.are.equal(results[k], ('%.17g'):format(y))
          end
        end
      end)
    end)

    it('raise the same errors', function()
      local t, m = e.Tensor(5):fill(1), e.Tensor(3, 4):fill(1)
      local wrong = { { t, 0 }, { t, 6 }, { t, -6 }, { t, 1.5 }, { t, 0 / 0 }, { t, 2 ^ 60 },
                      { m, { 1, 5 } }, { m, { 4, 1 } }, { m, { 1, 2, 3 } }, { m, { 1, 'x' } },
                      { m, { 0.5, 2 } }, { t, { 2, 1 } }, { e.Tensor(), 1 } }
      for _, case in ipairs(wrong) do
        local messages = {}
        both(function()
          local good = case[1]:dim() == 2 and { 1, 2 } or 1
          local keys = {}
          for i = 1, 99 do keys[i] = good end
          keys[100] = case[2]
          if case[1]:dim() == 0 then keys = { 1 } end
          for _, code in ipairs { READ, WRITE } do
            local ok, message = pcall(fresh(code), case[1], keys, keys, 1)
            if code == WRITE then
              local values = {}
              for i = 1, 100 do values[i] = 1 end
              ok, message = pcall(fresh(code), case[1], keys, values, 1)
            end
            assert.is_false(ok)
            assert.is_truthy(message:find('^element_spec.lua:3: '), message)
            messages[#messages + 1] = message
          end
        end)
        assert.are.equal(messages[1], messages[3])
        assert.are.equal(messages[2], messages[4])
      end
      if e.integral then
        for _, x in ipairs { 0 / 0, 1 / 0, 'x', {} } do
          local messages = {}
          both(function()
            local keys, values = {}, {}
            for i = 1, 100 do keys[i], values[i] = 1, 1 end
            values[100] = x
            local _, message = pcall(fresh(WRITE), t, keys, values, 1)
            messages[#messages + 1] = message:gsub('0x%x+', '')
          end)
          assert.are.equal(messages[1], messages[2])
          assert.are.equal(1, t[1])
        end
      end
    end)
  end)
end

describe('a compiled loop over elements', function()
  -- A change of the tensor while the loop runs compiled, and the result of reading element 3.
  local LOOP = [[
    local t, change, at = ...
    local seen = {}
    for i = 1, 300 do
      if i == at then change(t) end
      seen[i] = t[3]
    end
    return seen]]
  local function changed(t, change)
    return pcall(fresh(LOOP), t, change, 250)
  end

  it('sees what else is done to the tensor', function()
    both(function()
      local ok, seen, message, _
      ok, seen = changed(tensor.FloatTensor { 1, 2, 3, 4 }, function(t) t:fill(7) end)
      assert.is_true(ok)
      assert.are.same({ 3, 7, 7 }, { seen[249], seen[250], seen[300] })
      _, seen = changed(tensor.FloatTensor { 1, 2, 3, 4 }, function(t)
        t:resize(1000):fill(5)
        t:set(tensor.FloatTensor(500):fill(6))
        collectgarbage()
      end)
      assert.are.equal(6, seen[300])
      _, seen = changed(tensor.FloatTensor { 1, 2, 3, 4 }, function(t)
        t:set(tensor.FloatTensor(8, 8):fill(6):t())
      end)
      assert.are.same({ 6, 6, 6, 6, 6, 6, 6, 6 }, seen[300]:totable())
      ok, message = changed(tensor.FloatTensor { 1, 2, 3, 4 }, function(t) t:resize(2) end)
      assert.is_false(ok)
      assert.is_truthy(message:find('index 3 is out of range of dimension 1 of size 2', 1, true))
      ok, message = changed(tensor.FloatTensor { 1, 2, 3, 4 }, function(t) t:free() end)
      assert.is_false(ok)
      assert.is_truthy(message:find('an empty tensor cannot be indexed', 1, true))
      ok, message = changed(tensor.FloatTensor { 1, 2, 3, 4 },
                            function(t) t:storage():resize(2) end)
      assert.is_false(ok)
      assert.is_truthy(message:find('the storage was resized to 2 elements', 1, true))
      ok, message = changed(tensor.FloatTensor { 1, 2, 3, 4 },
                            function(t) getmetatable(t).__gc(t) end)
      assert.is_false(ok)
      assert.is_truthy(message:find('has freed it', 1, true))
    end)
  end)

  it('leaves views of a storage that has become too small alone', function()
    both(function()
      local t = tensor.IntTensor(100):fill(4)
      t:storage():resize(50)
      local view, out = t:narrow(1, 1, 50), {}
      fresh(READ)(view, { 1, 50 }, out, 100)
      fresh(WRITE)(view, { 50 }, { 9 }, 100)
      assert.are.same({ 4, 4 }, out)
      assert.are.equal(9, view[50])
      assert.is_false(pcall(fresh(READ), t, { 1 }, out, 100))
      assert.is_false(pcall(fresh(WRITE), t, { 1 }, { 2 }, 100))
      assert.are.equal(4, view[1])
    end)
  end)

  it('keeps nothing of temporary tensors', function()
    both(function()
      local sum = fresh [[
        local make = ...
        local sum = 0
        for i = 1, 2000 do
          sum = sum + make(i)[2] + make(i):storage()[1]
          if i % 500 == 0 then collectgarbage() end
        end
        return sum]](function(i) return tensor.DoubleTensor(3):fill(i) end)
      assert.are.equal(2001 * 2000, sum)
    end)
  end)

  it('takes tensors of all types, and numbers of dimensions, at one place', function()
    both(function()
      local list = {}
      for _, e in ipairs(elements) do
        list[#list + 1] = e.Tensor { 1, 2, 3 }
        list[#list + 1] = e.Storage { 4, 5, 6 }
        list[#list + 1] = e.Tensor { { 7, 8 }, { 9, 9 } }
        list[#list + 1] = { 1, 2 }
      end
      local sums = fresh [[
        local list = ...
        local sums = {}
        for round = 1, 40 do
          for k = 1, #list do
            local x = list[k][2]
            sums[k] = (sums[k] or 0) + (type(x) == 'number' and x or x[2])
            list[k][1] = list[k][1]
          end
        end
        return sums]](list)
      for k = 1, #list, 4 do
        assert.are.same({ 80, 200, 360, 80 }, { sums[k], sums[k + 1], sums[k + 2], sums[k + 3] })
      end
    end)
  end)

  it('believes no object that only looks like a tensor', function()
    both(function()
      local class = tensor.getmetatable 'torch.FloatTensor'
      local storage = tensor.getmetatable 'torch.FloatStorage'
      local good, stored = tensor.FloatTensor(5):fill(1), tensor.FloatStorage(5):fill(1)
      local proxy = newproxy(true)
      getmetatable(proxy).__metatable = class
      local looks = { 5, 'x', false, {}, setmetatable({}, { __metatable = class }), proxy,
                      io.stdout, stored, newproxy(), print,
                      coroutine.create(function() end), require 'ffi'.new 'int[8]' }
      for _, object in ipairs(looks) do
        local function call(method, which, ...)
          return pcall(fresh [[
            local method, good, object, a, b = ...
            for i = 1, 300 do method(i < 250 and good or object, a, b) end]], method, which,
                       object, ...)
        end
        assert.is_false(call(class.__index, good, 1))
        assert.is_false(call(class.__index, good, { 1 }))
        assert.is_false(type(object) ~= 'table' and call(class.__newindex, good, 1, 1) or false)
        if object ~= stored then
          assert.is_false(call(storage.__index, stored, 1))
          assert.is_false(type(object) ~= 'table' and call(storage.__newindex, stored, 1, 1)
                          or false)
        end
      end
      local double = tensor.DoubleTensor { 1, 2 }
      assert.are.equal(300, fresh [[
        local index, a, b = ...
        local sum = 0
        for i = 1, 200 do sum = sum + index(i <= 100 and a or b, i <= 100 and 1 or 2) end
        return sum]](class.__index, good, double))
      assert.are.same({ 1, 1, 1, 1, 1 }, good:totable())
      assert.is_false(pcall(fresh 'for i = 1, 300 do (...)[nil] = 1 end', good))
      assert.is_false(pcall(fresh 'for i = 1, 300 do local x = (...)[nil] end', good))
    end)
  end)

  it('finds fields and methods, those of derived classes, too', function()
    both(function()
      local t = tensor.FloatTensor { 1, 2, 3 }
      assert.are.equal(900, fresh [[
        local t, n = ..., 0
        for i = 1, 300 do n = n + t:size(1) end
        return n]](t))
      local ok, message = pcall(fresh 'for i = 1, 300 do local f = (...).nothing end', t)
      assert.is_false(ok)
      assert.is_truthy(message:find("has no field or method 'nothing'", 1, true), message)
      local class = tensor.getmetatable 'torch.FloatTensor'
      class.twice = function(self) return self * 2 end
      assert.are.equal(6, fresh [[
        local x
        for i = 1, 300 do x = (...):twice()[3] end
        return x]](t))
      class.twice = nil
      assert.is_false(pcall(function() return t.twice end))
    end)
  end)

  it('counts Long above 2^53 as the interpreter does', function()
    local values = {}
    both(function()
      local t, out = tensor.LongTensor(2):fill(2 ^ 53), {}
      t:narrow(1, 2, 1):add(1):mul(2):add(1)
      fresh(READ)(t, { 1, 2 }, out, 100)
      values[#values + 1] = ('%.0f %.0f'):format(out[1], out[2])
    end)
    assert.are.equal(values[1], values[2])
  end)

  it('is compiled as a whole, and reported to observers of the compiler', function()
    local output, status = child.run([[
      -- Enough elements to compile loops whose hot counters other code has delayed, too.
      local n, sum = 5000, 0
      local v, m, s = tensor.FloatTensor(n), tensor.LongTensor(n, 2), tensor.ByteStorage(n)
      for i = 1, n do v[i] = i % 100 end
      for i = 1, n do m[{i, 2}] = v[i] end
      for i = 1, n do s[i] = m[{i, 2}] end
      for i = 1, n do sum = sum + s[i] end
      print('sum', sum)]],
      { first = 'require("jit.v").on("-") require("jit.opt").start("hotloop=5")' })
    assert.are.equal(0, status, output)
    assert.is_truthy(output:find('sum\t247500', 1, true), output)
    local loops = 0
    local code = output:gsub('[^\n]*/tensor/[^\n]*\n', '')
    for _ in code:gmatch '%[TRACE +%d+ [^\n]*lua_%w+:%d+ loop%]' do loops = loops + 1 end
    assert.are.equal(4, loops, output)
  end)

  it('needs nothing of LuaJIT but the FFI and jit.attach', function()
    local output, status = child.run([[
      if not jit.status() then print 'less' return end
      local t = tensor.FloatTensor(8, 8):fill(1)
      local function run(n)
        local sum = 0
        for i = 1, n do sum = sum + t[{i % 8 + 1, 2}] end
        return sum
      end
      run(1000)
      collectgarbage() collectgarbage 'stop'
      local before = collectgarbage 'count'
      run(100000)  -- interpreted, this creates as many tables
      print(collectgarbage 'count' - before < 100 and 'less' or 'more')]],
      { first = 'package.preload["jit.util"] = function() error "no jit.util" end' })
    assert.are.same({ 'less\n', 0 }, { output, status })
  end)

  it('may be one of code whose compilation is watched later, or not at all', function()
    for _, first in ipairs { 'jit.off()', '', 'debug.setupvalue = nil' } do
      local output, status = child.run([[
        local v, sum = tensor.FloatTensor(100):fill(2), 0
        for i = 1, 100 do sum = sum + v[i] end
        require 'jit.v'.on '/dev/null'
        for i = 1, 100 do sum = sum + v[i] end
        require 'jit.v'.off()
        jit.off()
        for i = 1, 100 do sum = sum + v[i] end
        print(sum)]], { first = first })
      assert.are.same({ '600\n', 0 }, { output, status })
    end
  end)
end)
