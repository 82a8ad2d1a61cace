-- Descriptions of values in errors.

local is_tracked = require 'tensor.is_tracked'

--- Returns a function that describes a value: 'a tensor of size [2 x 3]', 'a number', 'nil'.
return function(tensor)
   return function(value)
      if tensor.isTensor(value) then
         return ('a tensor of size [%s]'):format(table.concat(value:size():totable(), ' x '))
      elseif is_tracked(value) then
         return 'a tracked number'
      elseif value == nil then
         return 'nil'
      end
      return 'a ' .. (tensor.type(value) or type(value))
   end
end
