-- tensor.isTypeOf with names, patterns, metatables and inheritance.

local tensor = require 'tensor'

describe('isTypeOf', function()
  tensor.class('spec.Dummy', {})
  tensor.class('spec.otherDummy', 'spec.Dummy', {})
  tensor.class('other.spec.Dummy', {})
  local dummy = tensor.factory 'spec.Dummy' ()
  local derived = tensor.factory 'spec.otherDummy' ()
  local stranger = tensor.factory 'other.spec.Dummy' ()
  local long = tensor.LongTensor(1)

  it('takes a name as a whole', function()
    assert.is_true(tensor.isTypeOf(dummy, 'spec.Dummy'))
    assert.is_true(tensor.isTypeOf(derived, 'spec.otherDummy'))
    assert.is_false(tensor.isTypeOf(stranger, 'spec.Dummy'))
    assert.is_false(tensor.isTypeOf(dummy, 'Dummy'))
    assert.is_false(tensor.isTypeOf(derived, 'otherDumm'))
    assert.is_true(tensor.isTypeOf(long, 'torch.LongTensor'))
    assert.is_false(tensor.isTypeOf(long, 'LongTensor'))
    assert.is_false(tensor.isTypeOf(long, 'torch.Long'))
  end)

  it('takes a pattern for any part of a name', function()
    assert.is_true(tensor.isTypeOf(long, '.*Long'))
    assert.is_true(tensor.isTypeOf(long, 'torch%..*Tensor'))
    assert.is_true(tensor.isTypeOf(long, 'Tensor$'))
    assert.is_false(tensor.isTypeOf(long, '.*Float'))
    assert.is_false(tensor.isTypeOf(long, '^Long'))
    assert.is_true(tensor.isTypeOf(dummy, '.*Dummy'))
  end)

  it('takes the classes that an object is derived from', function()
    assert.is_true(tensor.isTypeOf(derived, 'spec.Dummy'))
    assert.is_false(tensor.isTypeOf(dummy, 'spec.otherDummy'))
    assert.is_true(tensor.isTypeOf(derived, tensor.getmetatable 'spec.Dummy'))
    assert.is_true(tensor.isTypeOf(derived, tensor.getmetatable 'spec.otherDummy'))
    assert.is_false(tensor.isTypeOf(dummy, tensor.getmetatable 'spec.otherDummy'))
    assert.is_true(tensor.isTypeOf(long, tensor.LongTensor))
  end)

  it('is false for what has no class', function()
    for _, object in ipairs { 1, 'torch.LongTensor', true, {}, print } do
      assert.is_false(tensor.isTypeOf(object, '.*'))
    end
    assert.is_false(tensor.isTypeOf(nil, 'spec.Dummy'))
    assert.has_error(function() tensor.isTypeOf(long, 3) end)
    assert.has_error(function() tensor.isTypeOf(long) end)
    assert.has_error(function() tensor.isTypeOf(long, {}) end)
  end)

  it('is what operators name that have no method', function()
    for object, name in pairs { [5] = 'number', [{}] = 'table' } do
      local ok, message = pcall(function() return object * tensor.ByteStorage(1) end)
      assert.is_false(ok)
      assert.is_truthy(message:find('both ' .. name .. ' and torch.ByteStorage', 1, true), message)
    end
  end)
end)

it('the parent of a class is a class', function()
  assert.has_error(function() tensor.class('spec.Orphan', 'spec.Absent', {}) end,
                   'class: unknown parent class spec.Absent of spec.Orphan')
end)

it('classes have the operators of newer Luas', function()
  if not rawget(math, 'type') then return pending 'from Lua 5.3 on' end
  local classes = {}
  local Number = tensor.class('spec.Number', classes)
  tensor.class('spec.Derived', 'spec.Number', classes)
  local events = { idiv = '//', band = '&', bor = '|', bxor = '~', shl = '<<', shr = '>>' }
  for event in pairs(events) do
    Number['__' .. event .. '__'] = function(_, b) return event, b end
  end
  Number.__bnot__ = function() return 'bnot' end
  local object = classes.Derived()
  for event, operator in pairs(events) do
    local f = load(('local a, b = ... return a %s b'):format(operator))
    assert.are.equal(event, f(object, 1))
    assert.are.equal(event, f(1, object))
  end
  assert.are.equal('bnot', load 'return ~...' (object))
  tensor.class('spec.Plain', classes)
  local ok, message = pcall(load 'return ... // 1', classes.Plain())
  assert.is_false(ok)
  assert.matches('both spec.Plain and number have no floor division operator', message)
  if _VERSION < 'Lua 5.4' then return end
  local got
  Number.__close__ = function(self, failure) got = { self, failure } end
  load 'local x <close> = ...' (object)
  assert.are.same({ object }, got)
  pcall(load 'local x <close> = ... error("oops", 0)', object)
  assert.are.same({ object, 'oops' }, got)
end)
