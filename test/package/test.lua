-- Run by scripts/test-package, with the package installed as by LuaRocks.
local tensor = require 'tensor'
local rows = require 'rows'

local function close(a, b, what)
   assert(math.abs(a - b) < 1e-3, ('%s: %g and %g'):format(what, a, b))
end

local function check(Tensor, place)
   local function filled(m, n)
      local t = Tensor(m, n)
      for i = 1, m do
         for j = 1, n do
            t[i][j] = ((7 * i + 3 * j) % 11) / 5 - 1
         end
      end
      return place(t)
   end
   for _, t in ipairs {filled(4, 3), filled(3, 4):t(), filled(4, 6):narrow(2, 2, 3)} do
      local weight = Tensor {0.5, -1, 2}
      local out = rows.soft(t, weight, 0.25)
      assert(out:dim() == 1 and out:size(1) == 4)
      local other = filled(4, 3)
      local dots = rows.dots(t, other)
      for i = 1, 4 do
         local sum, dot = 0, 0
         for j = 1, 3 do
            sum = sum + math.exp(t[i][j] * weight[j])
            dot = dot + t[i][j] * other[i][j]
         end
         close(out[i], math.log(1 + sum) + 0.25, 'soft')
         close(dots[i][1], dot, 'dots')
      end
      local reflected = Tensor()
      rows.reflect(t, reflected)
      assert(reflected:equal(t:t()))
      local r = place(Tensor(4, 4):fill(2))
      local a, b = t:contiguous(), other
      rows.product(r, a, b, 3)
      assert((r - (a * b:t() + 6)):abs():max() < 1e-4)
   end
   local t = filled(4, 3)
   local ok, message = pcall(function() return (t.rows.soft(t, Tensor(2), 0, Tensor())) end)
   assert(not ok and message:find("bad argument #2 to 'soft' (a weight for each column", 1, true),
          message)
   ok, message = pcall(rows.beyond, t)
   local expected = 'get2d: index 4 is out of range of dimension 0 of size 4'
   assert(not ok and message:find(expected, 1, true), message)
   ok, message = pcall(rows.soft, 3, t, 0)
   assert(not ok, message)
end

for _, Tensor in ipairs {tensor.FloatTensor, tensor.DoubleTensor} do
   check(Tensor, function(t) return t end)
end
-- Device memory is copied to the CPU wherever the package accesses it.
if os.getenv('TENSOR_SOFT_PLUGIN') then
   check(tensor.FloatTensor, function(t) return t:to('soft') end)
end
print('the package works')
