-- Tensors whose class a program has derived from a class of tensors, in functions that depend on
-- the element type.

local torch = require 'torch'
local image = require 'tensor'.image
local nn = require 'tensor.nn'
local parts = require 'tensor.dist.parts'
local tensor = require 'tensor'
local types = require 'tensor.types'

local function derived(t)
  local class = t:type():gsub('^torch%.', 'Derived')
  local metatable = torch.getmetatable(class)
  if not metatable then
    torch.class(class, t:type())
    metatable = torch.getmetatable(class)
  end
  debug.setmetatable(t, metatable)
  assert.are.equal(class, t:type())
  return t
end

describe('tensors of a derived class', function()
  it('have no element type', function()
    local t = derived(torch.DoubleTensor {1, 2})
    assert.is_nil(types.element_name(t))
    assert.are.equal('Double', types.element_name(t:double()))
    assert.are.equal(t:type(), types.beside('torch.FloatTensor', t:type()))
  end)

  it('are compared by torch.Tester', function()
    local compare = require 'tensor.test.compare'
    local a, b = derived(torch.DoubleTensor {1, 2}), derived(torch.DoubleTensor {1, 2})
    local c = derived(torch.DoubleTensor {1, 3})
    assert.is_true(compare.tensors(torch, a, b, 0, false))
    assert.is_false(compare.tensors(torch, a, c, 0, false))
    assert.is_true(compare.tensors(torch, a, c, 0, true))
  end)

  it('are described', function()
    local t = derived(torch.DoubleTensor {1, 3})
    assert.matches('DerivedDoubleTensor', tostring(tensor.describe {a = t}))
    assert.are.equal('a DerivedDoubleTensor[2]',
                     parts.describe(parts.collect('f', {a = t})))
    assert.are.equal('DerivedDoubleTensor', parts.class_of(t))
  end)

  it('have the bits of their elements inverted', function()
    local invert = torch.getmetatable 'torch.ByteTensor'.__bnot
    assert.are.same({254, 0}, invert(derived(torch.ByteTensor {1, 255})):totable())
    assert.are.same({-2}, invert(derived(torch.IntTensor {1})):totable())
  end)

  it('are resized as images', function()
    for _, mode in ipairs {'simple', 'bilinear', 'area'} do
      for _, class in ipairs {'torch.ByteTensor', 'torch.DoubleTensor', 'torch.HalfTensor'} do
        local plain = torch.range(1, 18):type(class):resize(2, 3, 3)
        local scaled = image.scale(derived(plain:clone()), 2, 2, mode)
        assert.are.equal(class, scaled:type())
        assert.are.same(image.scale(plain, 2, 2, mode):totable(), scaled:totable())
      end
    end
  end)

  it('are attended', function()
    local q, k = torch.DoubleTensor(3, 4):fill(1), torch.DoubleTensor(5, 4):fill(2)
    local v, mask = torch.DoubleTensor(5, 2):fill(3), torch.DoubleTensor(3, 5):zero()
    local result = nn.scaledDotProduct(derived(q), k, v, {mask = mask, dropout = 0.5, train = true})
    assert.are.same({3, 2}, result:size():totable())
  end)
end)
