-- Long lists of numbers to tensors and back. LuaJIT compiles their loops; the loops in C, for short
-- lists and without the compiler, give the same.

local tensor = require 'tensor'
local both = require 'support.jit_modes'
local elements = require 'support.elements'
local raises = require 'support.raises'
local rules = require 'support.rules'

local lengths = { 1, 63, 64, 65, 1000, 1024, 1025, 3000 }
local has_ffi, ffi = pcall(require, 'ffi')

-- Returns a list of n numbers that fit into the type, with special ones.
local function numbers(e, n, random)
  local list = {}
  for i = 1, n do list[i] = elements.value(e, 'any', random) end
  if e.integral then
    list[1] = e.lowest
    list[n] = math.min(2 ^ (e.signed and e.bits - 1 or e.bits) - 1, 2 ^ 53)
  else
    list[1], list[math.ceil(n / 2)], list[n] = -0.0, 0 / 0, math.huge
  end
  return list
end

local function check_equal(want, got)
  assert.are.equal(#want, #got)
  for i, x in ipairs(want) do
    local y = got[i]
    if not (x == y and 1 / x == 1 / y or x ~= x and y ~= y) then
      error(('element %d is %s, should be %s'):format(i, tostring(y), tostring(x)), 2)
    end
  end
end

local function same_elements(e, list, t)
  for i, x in ipairs(list) do
    local stored, got = e.store(x), t[i]
    if not (stored == got and 1 / stored == 1 / got or stored ~= stored and got ~= got) then
      error(('element %d is %s, should be %s'):format(i, got, stored), 2)
    end
  end
end

for _, e in ipairs(elements) do
  describe('of ' .. e.name, function()
    it('become tensors and tables again', function()
      local random = elements.generator(5)
      both(function()
        for _, n in ipairs(lengths) do
          local list = numbers(e, n, random)
          local t = e.Tensor(list)
          same_elements(e, list, t)
          local back = t:totable()
          check_equal(e.Tensor(n):copy(t):storage():totable(), back)
          for i = 1, n do assert.are.equal(type(t[i]), type(back[i])) end
        end
      end)
    end)

    it('become tables of any layout', function()
      both(function()
        local m = e.Tensor(70, 80):copy(tensor.range(1, 5600):view(70, 80):fmod(100))
        local rows, columns = m:totable(), m:t():totable()
        local part = m:narrow(2, 3, 66):totable()
        local expanded = m:narrow(2, 7, 1):expand(70, 100):totable()
        for i = 1, 70 do
          for j = 1, 80 do
            assert.are.equal(m[i][j], rows[i][j])
            assert.are.equal(m[i][j], columns[j][i])
          end
          for j = 1, 66 do assert.are.equal(m[i][j + 2], part[i][j]) end
          for j = 1, 100 do assert.are.equal(m[i][7], expanded[i][j]) end
        end
        assert.is_true(e.Tensor(rows):equal(m))
      end)
    end)

    it('with a wrong value raise the same errors as short ones', function()
      local wrong = { 'a', true, {}, tensor.Tensor(1) }
      if e.integral then
        wrong[#wrong + 1] = 0.5
        wrong[#wrong + 1] = 2 ^ 70
        wrong[#wrong + 1] = 0 / 0
      end
      both(function()
        for _, value in ipairs(wrong) do
          local messages = {}
          for _, n in ipairs { 3, 200 } do
            local list = {}
            for i = 1, n do list[i] = 1 end
            list[2] = value
            messages[#messages + 1] = raises.message(e.Tensor, list)
          end
          assert.are.equal(messages[1], messages[2])
        end
      end)
    end)
  end)
end

describe('Long lists', function()
  it('are converted by the rules of each mode', function()
    rules.in_both(function(mode)
      both(function()
        local list = {}
        for i = 1, 100 do list[i] = i end
        list[50], list[51] = 2.75, -2.75
        if mode == 'tensor' then
          raises.text('2.75 does not fit', tensor.IntTensor, list)
        else
          local t = tensor.IntTensor(list)
          assert.are.equal(2, t[50])
          assert.are.equal(-2, t[51])
          assert.are.equal(100, t[100])
        end
      end)
    end)
  end)

  it('are read without metamethods, and checked for holes and names', function()
    both(function()
      local list = {}
      for i = 1, 100 do list[i] = i end
      local t = tensor.Tensor(setmetatable(list, { __index = function() return 7 end }))
      assert.are.equal(5050, t:sum())
      list[300] = 1
      raises.text('position 101 of the table is nil', tensor.Tensor, list)
    end)
  end)

  it('may have numbers that depend on the arguments of a gradient', function()
    both(function()
      local gradient = tensor.grad(function(x)
        local list = {}
        for i = 1, 100 do list[i] = i end
        list[70] = x[1]
        list[99] = x[2]
        return (tensor.Tensor(list) * tensor.Tensor(list)):sum()
      end)
      check_equal({ 6, 8 }, gradient(tensor.Tensor { 3, 4 }):totable())
    end)
  end)

  it('do not depend on the fields of the module', function()
    local new = tensor.ShortTensor
    local t = new(100):fill(3)
    tensor.ShortTensor = nil
    local done, list = pcall(t.totable, t)
    tensor.ShortTensor = new
    assert.is_true(done)
    assert.are.equal(3, list[100])
  end)

  it('become tables while finalizers resize the tensor', function()
    for _ = 1, 20 do
      local t = tensor.Tensor(1000):fill(1)
      for _ = 1, 50 do
        local finalized = newproxy and newproxy(true)
        if finalized then getmetatable(finalized).__gc = function() t:resize(1) end end
      end
      collectgarbage 'step'
      local list = t:totable()
      for _, x in ipairs(list) do assert.are.equal(1, x) end
    end
  end)

  if has_ffi then
    -- LuaJIT represents other values as NaNs with a payload.
    it('of NaNs with a payload are numbers', function()
      both(function()
        local t = tensor.DoubleTensor(100)
        local words = ffi.cast('uint32_t *', t:data())
        for k = 0, 199 do words[k] = 0xffffffff - k end
        for _, x in ipairs(t:totable()) do
          assert.are.equal('number', type(x))
          assert.are_not.equal(x, x)
        end
      end)
    end)
  end
end)
