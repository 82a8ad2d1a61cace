-- Reductions whose elements are copied in parts: strided tensors of more elements than a part has,
-- compared with contiguous copies.

local tensor = require 'tensor'

-- A view of every second element. swap: the first and the last dimension are exchanged in memory.
local function strided(class, sizes, swap)
  local order = { unpack(sizes) }
  if swap then order[1], order[#order] = order[#order], order[1] end
  order[#order + 1] = 2
  local view = tensor[class](unpack(order)):random(0, 100):select(#order, 1)
  return swap and view:transpose(1, #sizes) or view
end

local CASES = {
  { { 2 ^ 21 + 20000 }, 1 },
  { { 150, 20000 }, 2 },
  { { 20000, 150 }, 1 },
  { { 2500, 1000 }, 2 },
  { { 20, 300, 400 }, 2 },
  { { 20, 300, 400 }, 2, swap = true },
  { { 300, 20, 400 }, 1, swap = true },
  { { 17, 2 ^ 20 + 1 }, 1, classes = { 'ByteTensor' } },
}

describe('reductions of strided tensors are those of copies:', function()
  for _, case in ipairs(CASES) do
    local sizes, dim = case[1], case[2]
    local name = ('%s, dimension %d%s'):format(table.concat(sizes, ' x '), dim,
                                               case.swap and ', swapped' or '')
    it(name, function()
      for _, class in ipairs(case.classes or { 'FloatTensor', 'HalfTensor', 'IntTensor' }) do
        local t = strided(class, sizes, case.swap)
        if class == 'FloatTensor' then t:div(3) end
        local copy = t:clone()
        assert.is_false(t:isContiguous())
        for _, f in ipairs { 'sum', 'mean', 'var', 'max' } do
          local got, indices = t[f](t, dim)
          local want, positions = copy[f](copy, dim)
          assert.is_true(got:equal(want), class .. ' ' .. f)
          assert.is_true(not indices or indices:equal(positions), class .. ' ' .. f)
        end
      end
    end)
  end
end)

it('reductions of strided tensors without elements have none', function()
  assert.are.same({ 1, 0 }, tensor.FloatTensor(4, 0, 2):select(3, 1):sum(1):size():totable())
end)
