require 'librows'

local rows = {}

function rows.soft(input, weight, bias)
   return input.rows.soft(input, weight, bias, input.new())
end

for _, name in ipairs {'dots', 'reflect', 'product', 'beyond'} do
   rows[name] = function(t, ...)
      return t.rows[name](t, ...)
   end
end

return rows
