-- type_name(value): the type of a value in errors: 'number', 'torch.DoubleTensor', or, if
-- tensor.scope or a finalizer has freed it, 'freed torch.DoubleTensor'.

local core = require 'tensor.core'
local is_tracked = require 'tensor.is_tracked'

return function(value)
   if is_tracked(value) then
      return 'tracked number'
   end
   return (core._isfreed(value) and 'freed ' or '') .. (core.type(value) or type(value))
end
