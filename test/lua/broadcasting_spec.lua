-- Operands of different shapes: NumPy's rules, Torch7's pairing in element order, and errors.

local tensor = require 'tensor'
local elements = require 'support.elements'
local model = require 'support.model'

local random = elements.generator(11)

-- One function of each family on tensors, and the same in plain Lua.
local families = {
  { 'cadd', function(a, b) return tensor.add(a, b) end, function(x, y) return x + y end },
  { 'csub', function(a, b) return tensor.csub(a, 2, b) end, function(x, y) return x - 2 * y end },
  { 'cmul', tensor.cmul, function(x, y) return x * y end },
  { 'cmax', tensor.cmax, math.max },
  { 'cmin', tensor.cmin, math.min },
  { 'lt', tensor.lt, function(x, y) return x < y and 1 or 0 end },
  { 'eq', tensor.eq, function(x, y) return x == y and 1 or 0 end },
  { '+', function(a, b) return a + b end, function(x, y) return x + y end },
  { '-', function(a, b) return a - b end, function(x, y) return x - y end },
}
local floating = {
  { 'cdiv', tensor.cdiv, function(x, y) return x / y end },
  { 'atan2', tensor.atan2, math.atan2 },
  { 'lerp', function(a, b) return tensor.lerp(a, b, 0.5) end,
    function(x, y) return x + 0.5 * (y - x) end },
}

-- Pairs of shapes, and the shape they broadcast to.
local shapes = {
  { { 3, 4 }, { 4 }, { 3, 4 } },
  { { 4 }, { 3, 4 }, { 3, 4 } },
  { { 3, 1 }, { 1, 4 }, { 3, 4 } },
  { { 3, 1 }, { 4 }, { 3, 4 } },
  { { 2, 3, 4 }, { 3, 1 }, { 2, 3, 4 } },
  { { 2, 1, 4 }, { 3, 4 }, { 2, 3, 4 } },
  { { 1 }, { 2, 3 }, { 2, 3 } },
  { { 2, 3 }, { 1 }, { 2, 3 } },
  { { 1, 1, 1 }, { 5 }, { 1, 1, 5 } },
  { { 5, 1, 1 }, { 1, 3, 2 }, { 5, 3, 2 } },
  { { 0, 3 }, { 3 }, { 0, 3 } },
  { { 1, 3 }, { 0, 1 }, { 0, 3 } },
  { { 2, 1, 3, 1, 2 }, { 4, 1, 5, 1 }, { 2, 4, 3, 5, 2 } },
}

local function seen(m, index, ndim)
  local own = {}
  for d = 1, #m.shape do
    own[d] = m.shape[d] == 1 and 1 or index[d + ndim - #m.shape]
  end
  return (model.at(m, own))
end

local function broadcast(shape, f, a, b)
  return model.build(shape, function(i) return f(seen(a, i, #shape), seen(b, i, #shape)) end)
end

for _, e in ipairs { elements.Double, elements.Float, elements.Int, elements.Half } do
  describe('broadcasting of ' .. e.name, function()
    local list = { unpack(families) }
    if not e.integral then
      for _, family in ipairs(floating) do list[#list + 1] = family end
    end
    for _, family in ipairs(list) do
      it(family[1], function()
        for _, row in ipairs(shapes) do
          local a = model.random(e, 'nonzero', row[1], random)
          local b = model.random(e, 'nonzero', row[2], random)
          for k, layout in ipairs { 'contiguous', 'transposed', 'strided' } do
            local other = k == 2 and 'offset' or layout
            local got = family[2](model.tensor(e, a, layout), model.tensor(e, b, other))
            local want = broadcast(row[3], family[3], a, b)
            for i, x in ipairs(want.data) do want.data[i] = e.store(x) end
            local text = model.difference(model.read(got), want, 4 * e.eps, 16)
            assert.is_nil(text, text)
          end
        end
      end)
    end
  end)
end

describe('three operands', function()
  it('broadcast together', function()
    local t = tensor.DoubleTensor { { 1 }, { 2 } }
    local a, b = tensor.DoubleTensor { 1, 2, 3 }, tensor.DoubleTensor { 2 }
    assert.are.same({ { 3, 5, 7 }, { 4, 6, 8 } }, tensor.addcmul(t, a, b):totable())
    assert.are.same({ { 1.5, 2, 2.5 }, { 2.5, 3, 3.5 } }, tensor.addcdiv(t, a, b):totable())
    assert.are.same({ { 21, 41, 61 }, { 22, 42, 62 } }, tensor.addcmul(t, 10, a, b):totable())
  end)
end)

describe('in place', function()
  it('the other operands are broadcast to the sizes of the first', function()
    local t = tensor.DoubleTensor { { 1, 2, 3 }, { 4, 5, 6 } }
    t:add(tensor.DoubleTensor { 10, 20, 30 })
    assert.are.same({ { 11, 22, 33 }, { 14, 25, 36 } }, t:totable())
    t:cmul(tensor.DoubleTensor { { 2 }, { 1 } })
    assert.are.same({ { 22, 44, 66 }, { 14, 25, 36 } }, t:totable())
    t:add(2, tensor.DoubleTensor { 1 })
    assert.are.same({ { 24, 46, 68 }, { 16, 27, 38 } }, t:totable())
  end)

  it('it never grows', function()
    local t = tensor.DoubleTensor { 1, 2, 3 }
    assert.has_error(function() t:add(tensor.DoubleTensor(2, 3):fill(1)) end)
    assert.has_error(function() t:cmul(tensor.DoubleTensor(3, 3):fill(1)) end)
    local one = tensor.DoubleTensor { 5 }
    assert.has_error(function() one:add(tensor.DoubleTensor { 1, 2 }) end)
    assert.are.same({ 1, 2, 3 }, t:totable())
    assert.are.same({ 5 }, one:totable())
  end)

  it('the result may be an operand that is broadcast elsewhere', function()
    local t = tensor.DoubleTensor { { 1, 2 }, { 3, 4 } }
    t:add(t[1])
    assert.are.same({ { 2, 4 }, { 4, 6 } }, t:totable())
    t:add(t:t())
    assert.are.same({ { 4, 8 }, { 8, 12 } }, t:totable())
    local v = tensor.DoubleTensor { 1, 2, 3, 4 }
    v:narrow(1, 2, 3):add(v:narrow(1, 1, 3))
    assert.are.same({ 1, 3, 5, 7 }, v:totable())
  end)

  it('a given result is resized', function()
    local r = tensor.DoubleTensor()
    tensor.add(r, tensor.DoubleTensor { { 1 }, { 2 } }, tensor.DoubleTensor { 1, 2, 3 })
    assert.are.same({ { 2, 3, 4 }, { 3, 4, 5 } }, r:totable())
    r:cmul(tensor.DoubleTensor { 1, 2 }, tensor.DoubleTensor { 3, 4 })
    assert.are.same({ 3, 8 }, r:totable())
  end)
end)

describe('equal numbers of elements', function()
  it('are paired in order where the shapes do not broadcast', function()
    local a = tensor.DoubleTensor { { 1, 2, 3 }, { 4, 5, 6 } }
    local b = tensor.DoubleTensor { 10, 20, 30, 40, 50, 60 }
    assert.are.same({ { 11, 22, 33 }, { 44, 55, 66 } }, tensor.add(a, b):totable())
    assert.are.same({ 11, 22, 33, 44, 55, 66 }, tensor.add(b, a):totable())
    local c = tensor.DoubleTensor { { 10, 20 }, { 30, 40 }, { 50, 60 } }
    assert.are.same({ { 10, 40, 90 }, { 160, 250, 360 } }, tensor.cmul(a, c):totable())
    assert.are.same({ { 11, 32, 53 }, { 24, 45, 66 } }, tensor.add(a, c:t():contiguous()):totable())
    a:add(c)
    assert.are.same({ { 11, 22, 33 }, { 44, 55, 66 } }, a:totable())
    assert.are.same({ { 11, 24, 37 }, { 44, 57, 70 } },
                    (a + tensor.DoubleTensor { { 0, 2 }, { 4, 0 }, { 2, 4 } }):totable())
    assert.are.same({ { 0, 0 }, { 1, 0 }, { 0, 1 } },
                    tensor.lt(c, tensor.DoubleTensor(2, 3):fill(5):add(
                      tensor.DoubleTensor { { 0, 0, 30 }, { 0, 0, 60 } })):totable())
  end)

  it('also with layouts that are not contiguous', function()
    local a = model.tensor(elements.Double, model.fill({ 2, 3 }, function(i) return i end),
                           'transposed')
    local b = model.tensor(elements.Double, model.fill({ 6 }, function(i) return 10 * i end),
                           'strided')
    assert.are.same({ { 0, 11, 22 }, { 33, 44, 55 } }, tensor.add(a, b):totable())
  end)
end)

describe('shapes that do not fit', function()
  local a, b = tensor.DoubleTensor(2, 3):fill(1), tensor.DoubleTensor(4, 5):fill(1)
  local calls = {
    add = function(f) return f.add(a, b) end, csub = function(f) return f.csub(a, b) end,
    cmul = function(f) return f.cmul(a, b) end, cdiv = function(f) return f.cdiv(a, b) end,
    cpow = function(f) return f.cpow(a, b) end, cfmod = function(f) return f.cfmod(a, b) end,
    cmax = function(f) return f.cmax(a, b) end, atan2 = function(f) return f.atan2(a, b) end,
    addcmul = function(f) return f.addcmul(a, a, b) end,
    addcdiv = function(f) return f.addcdiv(a, b, a) end,
    lerp = function(f) return f.lerp(a, b, 0.5) end,
    lt = function(f) return f.lt(a, b) end, ne = function(f) return f.ne(a, b) end,
  }
  for name, call in pairs(calls) do
    it('are named by ' .. name, function()
      for _, from in ipairs { tensor, a } do
        local ok, message = pcall(call, from)
        assert.is_false(ok)
        for _, word in ipairs { name, '[2 x 3]', '[4 x 5]' } do
          assert.is_truthy(message:find(word, 1, true), message)
        end
      end
      assert.are.equal(6, a:sum())
    end)
  end

  it('are named by the operators', function()
    for _, f in ipairs { function() return a + b end, function() return a - b end,
                         function() return a / b end, function() return a % b end,
                         function() return a ^ b end } do
      local ok, message = pcall(f)
      assert.is_false(ok)
      assert.is_truthy(message:find('broadcasting_spec.lua:%d+:'), message)
      assert.is_truthy(message:find('[2 x 3]', 1, true), message)
      assert.is_truthy(message:find('[4 x 5]', 1, true), message)
    end
  end)
end)

-- Torch7 adds each row to the same elements, one after the other.
it('an operand with the view of an expanded result is the result', function()
  for _, other in ipairs { false, true } do
    local sums = tensor.Tensor { 1, 2, 3, 4 }
    local result = sums:view(1, 4):expand(3, 4)
    local operand = other and sums:view(1, 4):expand(3, 4) or result
    tensor.add(result, operand, tensor.ones(3, 4))
    assert.are.same({ 4, 5, 6, 7 }, sums:totable())
  end
end)
