-- The operators of Lua on tensors.

local tensor = require 'tensor'
local elements = require 'support.elements'

local function list(t) return t:totable() end

for _, e in ipairs(elements) do
  describe('operators of ' .. e.name, function()
    local a, b = e.Tensor { 7, 8, 9 }, e.Tensor { 1, 2, 4 }

    it('between tensors', function()
      assert.are.same({ 8, 10, 13 }, list(a + b))
      assert.are.same({ 6, 6, 5 }, list(a - b))
      assert.are.same({ 7, 4, 2.25 }, list(a / b))
      assert.are.same({ 0, 0, 1 }, list(a % b))
      assert.are.same({ e.store(7), e.store(64), e.store(6561) }, list(a ^ b))
      if e.name ~= 'Byte' then assert.are.equal(7 + 16 + 36, a * b) end
      assert.are.equal(e.class, (a + b):type())
      assert.are.same({ 7, 8, 9 }, list(a))
    end)

    it('with a number on the right', function()
      assert.are.same({ 9, 10, 11 }, list(a + 2))
      assert.are.same({ 5, 6, 7 }, list(a - 2))
      assert.are.same({ 14, 16, 18 }, list(a * 2))
      assert.are.same({ 3.5, 4, 4.5 }, list(a / 2))
      assert.are.same({ 1, 0, 1 }, list(a % 2))
      assert.are.same({ 49, 64, 81 }, list(a ^ 2))
    end)

    it('with a number on the left', function()
      assert.are.same({ 9, 10, 11 }, list(2 + a))
      assert.are.same({ e.store(2 - 7), e.store(2 - 8), e.store(2 - 9) }, list(2 - a))
      assert.are.same({ 14, 16, 18 }, list(2 * a))
      assert.are.same({ 8, 4, 2 }, list(8 / b))
      assert.are.same({ 0, 1, 1 }, list(9 % b))
      assert.are.same({ 3, 9, 81 }, list(3 ^ b))
    end)

    it('minus', function()
      assert.are.same({ e.store(-7), e.store(-8), e.store(-9) }, list(-a))
    end)

    it('products of matrices and vectors', function()
      tensor.setRule('products', 'torch7')
      finally(function() tensor.setRule('products', 'tensor') end)
      local m = e.Tensor { { 1, 2, 3 }, { 4, 5, 6 } }
      assert.are.same({ 1 + 4 + 12, 4 + 10 + 24 }, list(m * b))
      assert.are.same({ 1 + 4 + 12, 4 + 10 + 24 }, list(b * m:t()))
      assert.has_error(function() return b * m end)
      assert.are.same({ { 14, 32 }, { 32, 77 } }, list(m * m:t()))
      assert.are.same({ 2, 3 }, list(#m))
    end)
  end)
end

describe('operators', function()
  local T = tensor.DoubleTensor
  local t = T { { 1, 2 }, { 3, 4 } }

  it('== is identity', function()
    local same = t
    assert.is_true(t == same)
    assert.is_false(T { 1, 2, 3 } == T { 1, 2, 3 })
    assert.is_true(t ~= t:clone())
    assert.is_true(T { 1, 2, 3 }:equal(T { 1, 2, 3 }))
  end)

  it('# gives the sizes as a storage', function()
    assert.are.equal('torch.LongStorage', tensor.typename(#t))
    assert.are.same({ 2, 2 }, list(#t))
    assert.are.same({}, list(#T()))
    assert.are.equal(4, #T(4):storage())
  end)

  it('work on tensors without elements', function()
    assert.are.equal(0, (T() + 1):dim())
    assert.are.same({ 0, 3 }, list((T(0, 3) * 2):size()))
    assert.are.equal(0, T(0) * T(0))
    assert.are.same({ { 0, 0 }, { 0, 0 } }, list(T(2, 0) * T(0, 2)))
    assert.are.same({ 0, 0 }, list(T(2, 0) * T(0)))
  end)

  it('work on other layouts', function()
    assert.are.same({ { 2, 5 }, { 5, 8 } }, list(t + t:t()))
    assert.are.same({ { 5, 11 }, { 11, 25 } }, list(t * t:t()))
    assert.are.same({ 3, 7 }, list(t * T { 1 }:expand(2)))
  end)

  it('reject operands that are neither tensors nor numbers', function()
    local calls = {
      ['+'] = function(x, y) return x + y end, ['-'] = function(x, y) return x - y end,
      ['*'] = function(x, y) return x * y end, ['/'] = function(x, y) return x / y end,
      ['%'] = function(x, y) return x % y end, ['^'] = function(x, y) return x ^ y end,
    }
    for symbol, call in pairs(calls) do
      for _, bad in ipairs { 'a', {}, true, print, tensor.DoubleStorage(2) } do
        for _, args in ipairs { { t, bad }, { bad, t } } do
          local ok, message = pcall(call, unpack(args))
          assert.is_false(ok, symbol .. ' of ' .. tensor.type(bad))
          assert.is_truthy(message:find('operators_spec.lua:%d+:'), message)
        end
      end
      assert.is_false((pcall(call, t, nil)))
      assert.is_false((pcall(call, nil, t)))
    end
    assert.are.same({ { 1, 2 }, { 3, 4 } }, list(t))
  end)

  it('have no product for other dimensions', function()
    for _, f in ipairs { function() return T(2, 3) * T(2, 3) end,
                         function() return T(2, 3) * T(2) end,
                         function() return T(2) * T(3) end, function() return T(3) * T(2, 2) end,
                         function() return T(2, 2, 2) * T(2, 2, 2) end,
                         function() return T() * T() end } do
      local ok, message = pcall(f)
      assert.is_false(ok)
      assert.is_truthy(message:find('operators_spec.lua:%d+:'), message)
    end
  end)

  it('with a number beyond the range of a 16-bit type', function()
    assert.are.same({ 35008, 17504 }, list(70000 / tensor.HalfTensor { 2, 4 }))
    assert.are.same({ 1, 0 }, list(70000 % tensor.HalfTensor { 3, 4 }))
    assert.are.same({ 10000 }, list(70000 - tensor.HalfTensor { 60000 }))
    -- 257 does not fit into the 8-bit significand of a BFloat16; it would be rounded to 256.
    assert.are.same({ 2, 1 }, list(257 % tensor.BFloat16Tensor { 3, 256 }))
  end)

  it('of integers do not divide by 0', function()
    local i = tensor.IntTensor { 1, 2 }
    local zero = tensor.IntTensor { 1, 0 }
    for _, f in ipairs { function() return i % 0 end, function() return i % zero end,
                         function() return 1 % zero end, function() return i:div(0) end,
                         function() return i:cdiv(zero) end } do
      local ok, message = pcall(f)
      assert.is_false(ok)
      assert.is_truthy(message:find('0'), message)
    end
    assert.are.same({ math.huge, -math.huge }, list(T { 1, -1 } / 0))
  end)

  it('are those that Lua code gives a class, until it takes them away', function()
    local class = tensor.getmetatable 'torch.ShortTensor'
    local own, short = class.__add__, tensor.ShortTensor { 1, 2 }
    class.__add__ = function(a, b) return { a, b } end
    local ok, message = pcall(function()
      assert.are.same({ short, 5 }, short + 5)
      assert.are.same({ 5, short }, 5 + short)
      class.__add__ = nil
      assert.has_error(function() return short + 5 end,
                       'both torch.ShortTensor and number have no addition operator')
    end)
    class.__add__ = own
    assert.is_true(ok, message)
    assert.are.same({ 6, 7 }, list(short + 5))
    assert.are.same({ 6, 7 }, list(5 + short))
    for _, other in ipairs { 'x', {}, tensor.ShortStorage(2), print } do
      assert.is_false(pcall(function() return short + other end))
      assert.is_false(pcall(function() return other + short end))
    end
    local add = class.__add
    for _, arguments in ipairs { {}, { short }, { {}, short }, { 5, 5 }, { io.stdout, short } } do
      assert.is_false(pcall(add, unpack(arguments)))
    end
  end)
end)

it('// and the operators of bits are functions of the elements, where Lua has them', function()
  if not rawget(math, 'type') then return pending 'from Lua 5.3 on' end
  local function of(operator) return load(('local a, b = ... return a %s b'):format(operator)) end
  local L = tensor.LongTensor
  for operator, wanted in pairs { ['//'] = { 3, -4 }, ['&'] = { 2, 0 }, ['|'] = { 7, -5 },
                                  ['~'] = { 5, -5 }, ['<<'] = { 28, -28 } } do
    local a = L { 7, -7 }
    assert.are.same(wanted, of(operator)(a, L { 2, 2 }):totable(), operator)
    assert.are.same(wanted, of(operator)(a, 2):totable(), operator)
  end
  assert.are.same({ 3, 2 }, of '//'(7, L { 2, 3 }):totable())
  assert.are.same({ 2, 3 }, of '>>'(L { 8, 12 }, 2):totable())
  assert.error_matches(function() of '<<'(1.5, L { 1 }) end,
                       'clshift: 1.5 does not fit into elements of type Long')
  local complement = load 'return ~...'
  assert.are.same({ 254, 0 }, complement(tensor.ByteTensor { 1, 255 }):totable())
  assert.are.same({ -2, 0 }, complement(L { 1, -1 }):totable())
end)
