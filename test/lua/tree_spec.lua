-- tensor.tree: nested tables of tensors.

local tensor = require 'tensor'
local tree = require 'tensor.tree'

-- Checks that f(...) raises this error.
local function fails(expected, f, ...)
  local ok, found = pcall(f, ...)
  assert.is_false(ok, 'no error')
  assert.is_truthy(found:find(expected, 1, true), found)
end

describe('tree.copy', function()
  it('copies all tensors, and converts their elements', function()
    local t = {a = tensor.zeros(2), b = {tensor.LongTensor(1), 'text', 5}}
    local from = {a = tensor.ones(2):float(), b = {tensor.ones(1) * 3, 'other', 6}}
    assert.are.equal(t, tree.copy(t, from))
    assert.are.same({1, 1}, t.a:totable())
    assert.are.same({3}, t.b[1]:totable())
    assert.are.same({'text', 5}, {t.b[2], t.b[3]})
    local x = tensor.zeros(2)
    assert.are.same({1, 1}, tree.copy(x, from.a):totable())
  end)

  it('copies nothing if the tables differ', function()
    local t = {a = tensor.zeros(2), b = {tensor.zeros(2, 3), 1}}
    local a = tensor.ones(2)
    for message, from in pairs{
      ['to.b.1: a tensor of size [2 x 3] is expected, got a tensor of size [3 x 2]'] =
        {a = a, b = {tensor.ones(3, 2), 1}},
      ['to.b.1: a tensor of size [2 x 3] is expected, got a tensor of size [3]'] =
        {a = a, b = {tensor.ones(3), 1}},
      ['to.b.1: a tensor of size [2 x 3] is expected, got a number'] = {a = a, b = {1, 1}},
      ['to.b.2: a number is expected, got a tensor of size [2]'] =
        {a = a, b = {tensor.ones(2, 3), a}},
      ['to.b: 1 is only in the destination'] = {a = a, b = {}},
      ['to: c is only in the source'] = {a = a, b = {tensor.ones(2, 3), 1}, c = a},
      ['to.b: a table is expected, got a number'] = {a = a, b = 1},
    } do
      fails('tree.copy: ' .. message, tree.copy, t, from)
      assert.are.same({0, 0}, t.a:totable())
    end
    fails('tree.copy: to: a table is expected, got nil', tree.copy, t)
    fails('tree.copy: to: a tensor of size [2] is expected, got a table', tree.copy, a, t)
  end)
end)
