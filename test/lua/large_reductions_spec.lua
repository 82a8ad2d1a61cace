-- Reductions of tensors of 16 MiB or more, whose elements are prefetched: compared with those of
-- their parts. Reductions of expanded tensors of more elements than fit into memory.

local tensor = require 'tensor'

-- Sums of integers are exact in any order.
describe('reductions of large tensors', function()
  for _, name in ipairs { 'Float', 'Double', 'Int' } do
    it('are those of their parts, for ' .. name .. 'Tensors', function()
      local rows, columns = 44, 100003
      local t = tensor[name .. 'Tensor'](rows, columns):random(-1000, 1000)
      t[31][4567], t[44][columns] = 1001, -1001
      local total = 0
      for k = 1, rows do total = total + t[k]:sum() end
      assert.are.equal(total, t:sum())
      assert.are.same({ 1001, -1001 }, { t:max(), t:min() })
      local sums, largest = t:sum(2), t:max(2)
      for k = 1, rows do
        assert.are.same({ t[k]:sum(), t[k]:max() }, { sums[k][1], largest[k][1] })
      end
      if name ~= 'Int' then
        assert.are.equal(math.sqrt(tensor.cmul(t, t):sum()), t:norm())
      end
      -- Short rows are reduced in fewer lanes.
      for _, width in ipairs { 20, 40, 70, 120, 130, 300 } do
        local short = t:view(-1):narrow(1, 1, 4300000 - 4300000 % (8 * width)):view(-1, width)
        local count = short:size(1) / 8
        for _, f in ipairs { 'max', 'min', 'sum' } do
          local all = short[f](short, 2)
          for k = 0, 7 do
            local part = short:narrow(1, k * count + 1, count)
            assert.is_true(part[f](part, 2):equal(all:narrow(1, k * count + 1, count)), f .. width)
          end
        end
      end
    end)
  end
end)

it('reductions of expanded tensors need little memory', function()
  local row = tensor.FloatTensor(1):fill(2):expand(2 ^ 33)
  assert.are.equal(2 ^ 34, row:sum(1)[1])
  assert.are.equal(2, row:mean(1)[1])
  assert.is_true(math.abs(row:norm(2, 1)[1] / 2 ^ 17.5 - 1) < 1e-6)
  local value, index = row:max(1)
  assert.are.same({ 2, 1 }, { value[1], index[1] })
  local columns = tensor.DoubleTensor(1):fill(2):expand(2 ^ 31 + 1, 4)
  assert.are.same({ { 2 ^ 32 + 2, 2 ^ 32 + 2, 2 ^ 32 + 2, 2 ^ 32 + 2 } }, columns:sum(1):totable())
end)
