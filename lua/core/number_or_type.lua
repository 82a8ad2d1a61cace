-- number_or_type(value): a value that should have been another number, in errors: a number as text,
-- the type of any other value.

local type_name = require 'tensor.type_name'
local shown = require 'tensor.versions'.shown

return function(value)
   return type(value) == 'number' and shown(value) or type_name(value)
end
