-- Products that the CPU computes by panels of the factors.

local tensor = require 'tensor'
local same_on_threads = require 'support.same_on_threads'

-- Sizes that products by panels divide into parts: rows by 14, 56 and 224, columns by 32, 128 and
-- 1024 floats or half as many doubles, terms by 256. The result of the last size is written past
-- the caches. The elements are small integers, so that products are exact.
describe('products by panels', function()
  local sizes = { { 48, 30, 50 }, { 57, 260, 66 }, { 230, 129, 97 }, { 100, 513, 49 },
                  { 930, 256, 52 }, { 60, 40, 1100 }, { 33, 1200, 90 }, { 230, 270, 1060 },
                  { 1050, 9, 1040 } }
  local function matrix(class, rows, columns, transposed)
    local t = tensor.IntTensor(transposed and columns or rows, transposed and rows or columns)
    t:random(0, 6):add(-3)
    local m = t:type(class)
    return transposed and m:t() or m, transposed and t:t() or t
  end
  for _, name in ipairs { 'Float', 'Double' } do
    it(('of %ss, in all layouts, equal those of integers'):format(name), function()
      tensor.manualSeed(7)
      local class = 'torch.' .. name .. 'Tensor'
      for _, size in ipairs(sizes) do
        local m, k, n = unpack(size)
        for layout = 0, 7 do
          local a, ia = matrix(class, m, k, layout % 2 == 1)
          local b, ib = matrix(class, k, n, math.floor(layout / 2) % 2 == 1)
          local c, ic = matrix(class, m, n, layout > 3)
          local want = tensor.addmm(2, ic, 3, ia, ib)
          c = tensor.addmm(c, 2, c, 3, a, b)
          assert.is_true(c:int():equal(want), ('%d x %d x %d, %d'):format(m, k, n, layout))
          local r = matrix(class, m, n, layout > 3):fill(0 / 0)
          tensor.mm(r, a, b)
          assert.is_true(r:int():equal(tensor.mm(ia, ib)), 'without an operand')
          -- A part of a larger matrix.
          local large = tensor.zeros(m + 2, n + 3):type(class)
          large:narrow(1, 2, m):narrow(2, 3, n):addmm(1, a, b)
          assert.are.equal(tensor.mm(ia, ib):sum(), large:sum())
        end
      end
    end)
  end

  it('do not depend on the number of threads', function()
    local a, b = tensor.FloatTensor(500, 300):uniform(), tensor.FloatTensor(300, 400):uniform()
    same_on_threads({ 1, 2, 3, 6 }, function() return tensor.mm(a, b) end)
  end)
end)
