-- check_self(is_object, name): raises an error unless the first argument of the method `name` is an
-- object of its class.

local raise = require 'tensor.raise'

return function(is_object, name)
   if not is_object then
      raise(name .. ': a method is called with a colon')
   end
end
