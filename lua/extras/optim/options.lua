-- The options of the constructors of tensor.optim.

local files = require 'tensor.files'
local tensor = require 'tensor'

local each = require 'tensor.versions'.each

-- Returns the options with defaults. The rate is a number or a function of the step.
return function(name, options, defaults)
   local result, known = {}, {rate = 'number function'}
   for key, value in each(defaults) do
      result[key], known[key] = value, known[key] or type(value)
   end
   if type(options) ~= 'table' then
      error(('optim.%s: a table of options is expected, got %s'):format(
         name, tensor.type(options) or type(options)), 0)
   end
   local fine, failure = pcall(files.check, options, known)
   if not fine then
      error(('optim.%s: %s'):format(name, failure), 0)
   end
   for key, value in each(options) do
      result[key] = value
   end
   if result.rate == nil then
      error(('optim.%s: the option rate is missing'):format(name), 0)
   end
   return result
end
