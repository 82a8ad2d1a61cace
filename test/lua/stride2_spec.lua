-- Operands with stride 2 give the same results as contiguous copies, for all remainders of block
-- and vector sizes.

local tensor = require 'tensor'

local classes = { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'BFloat16', 'Float', 'Double' }

-- Returns every other element. The storage ends with the last of them.
local function stride2(class, n, step)
  local whole = tensor[class .. 'Tensor'](2 * n - 1)
  for i = 1, 2 * n - 1 do whole[i] = (i * step) % 23 + 1 end
  return whole:unfold(1, 1, 2):select(2, 1)
end

local operations = {
  add = function(a, b) return tensor.add(a, b) end,
  ['add a multiple'] = function(a, b) return tensor.add(a, 2, b) end,
  cmul = function(a, b) return tensor.cmul(a, b) end,
  cdiv = function(a, b) return tensor.cdiv(a, b) end,
  ['add a number'] = function(a) return tensor.add(a, 3) end,
  lt = function(a, b) return tensor.lt(a, b) end,
  copy = function(a) return a:clone() end,
}
local floating = {
  exp = function(a) return tensor.exp(a) end,
  cpow = function(a, b) return tensor.cpow(a, b) end,
}

describe('every second element', function()
  for _, class in ipairs(classes) do
    it('of a ' .. class .. 'Tensor', function()
      local all = { operations }
      if class == 'Float' or class == 'Double' then all[2] = floating end
      for _, n in ipairs { 1, 15, 16, 17, 255, 256, 257, 1000 } do
        local a, b = stride2(class, n, 5), stride2(class, n, 7)
        assert.are.equal(n > 1 and 2 or a:stride(1), a:stride(1))
        local packed_a, packed_b = a:clone(), b:clone()
        for _, list in ipairs(all) do
          for name, f in pairs(list) do
            local want = f(packed_a, packed_b):totable()
            for _, got in ipairs { f(a, b), f(a, packed_b), f(packed_a, b) } do
              assert.are.same(want, got:totable(), name .. ' of ' .. n)
            end
          end
        end
      end
    end)
  end
end)

-- Beyond 131,072 elements, elements of 8 bytes are not copied to buffers.
it('every second one of many elements of 8 bytes is added as contiguous ones are', function()
  for _, class in ipairs { 'Double', 'Long' } do
    for _, n in ipairs { 131072, 131073, 140001 } do
      local a = tensor[class .. 'Tensor'](n, 2):copy(tensor.range(1, 2 * n):view(n, 2)):select(2, 1)
      local b = a:clone():mul(3)
      local strided = tensor[class .. 'Tensor'](n, 2):select(2, 2):copy(b)
      assert.is_true(tensor.add(a, strided):equal(tensor.mul(a:clone(), 4)), class .. n)
      assert.is_true(tensor.cmax(a, strided):equal(b), class .. n)
    end
  end
end)
