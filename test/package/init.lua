require 'torch'
require 'librows'
rows.kernels = require 'rows.kernels'

function rows.soft(input, weight, bias)
   return input.rows.soft(input, weight, bias, input.new())
end

for _, name in ipairs {'dots', 'reflect', 'product', 'beyond'} do
   rows[name] = function(t, ...)
      return t.rows[name](t, ...)
   end
end

return rows
