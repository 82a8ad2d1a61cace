-- What optimizers step with rounds as its formula does from left to right, with every instruction
-- set: no fused multiply-add, no other order. Sums, products of matrices and transcendental
-- functions are not among it.

local tensor = require 'tensor'
local elements = require 'support.elements'

local formulas = {
  ['x + 0.3 * y'] = { function(x, y) return x:clone():add(0.3, y) end,
                      function(x, y) return x + 0.3 * y end },
  ['x - 0.3 * y'] = { function(x, y) return x:clone():csub(0.3, y) end,
                      function(x, y) return x - 0.3 * y end },
  ['x + 0.7 * y * z'] = { function(x, y, z) return x:clone():addcmul(0.7, y, z) end,
                          function(x, y, z) return x + 0.7 * y * z end },
  ['x + 0.7 * y / z'] = { function(x, y, z) return x:clone():addcdiv(0.7, y, z) end,
                          function(x, y, z) return x + 0.7 * y / z end },
  ['x * 0.3'] = { function(x) return x * 0.3 end, function(x) return x * 0.3 end },
  ['x / 0.3'] = { function(x) return x / 0.3 end, function(x) return x / 0.3 end },
  ['y / z'] = { function(_, y, z) return tensor.cdiv(y, z) end,
                function(_, y, z) return y / z end },
  ['sqrt z'] = { function(_, _, z) return tensor.sqrt(z) end,
                 function(_, _, z) return math.sqrt(z) end },
  ['x ^ 2'] = { function(x) return tensor.pow(x, 2) end, function(x) return x * x end },
}

describe('doubles', function()
  local random, n = elements.generator(3), 500
  local x, y, z = tensor.DoubleTensor(n), tensor.DoubleTensor(n), tensor.DoubleTensor(n)
  for i = 1, n do x[i], y[i], z[i] = random() - 0.5, 8 * random() - 4, random() + 0.25 end

  for formula, functions in pairs(formulas) do
    it('are ' .. formula, function()
      local ours, wanted = unpack(functions)
      -- Where LuaJIT compiles for ARM64 it fuses products and sums.
      require 'tensor.versions'.interpreted(wanted)
      local result = ours(x, y, z):totable()
      for i = 1, n do assert(result[i] == wanted(x[i], y[i], z[i]), i) end
    end)
  end
end)
