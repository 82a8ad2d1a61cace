-- Descriptions of values in errors.

local type_name = require 'tensor.type_name'

--- Returns a function that describes a value: 'a tensor of size [2 x 3]', 'a number', 'nil'.
return function(tensor)
   return function(value)
      if tensor.isTensor(value) then
         return ('a tensor of size [%s]'):format(table.concat(value:size():totable(), ' x '))
      elseif value == nil then
         return 'nil'
      end
      return 'a ' .. type_name(value)
   end
end
