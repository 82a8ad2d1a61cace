-- The options of the constructors of tensor.optim.

local files = require 'tensor.files'
local tensor = require 'tensor'

local each = require 'tensor.versions'.each

-- Limits of the options: at least the first number, and below the second.
local above, average, count = {0, math.huge}, {0, 1}, {1, math.huge}
local limits = {
   rate = above, momentum = above, decay = above, epsilon = above, gradientTolerance = above,
   changeTolerance = above, beta1 = average, beta2 = average, alpha = above,
   iterations = count, evaluations = count, history = count,
}

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
      local limit = limits[key]
      local is_number = limit and type(value) == 'number'
      if is_number and (value < limit[1] or value >= limit[2] or value ~= value) then
         error(('optim.%s: option %s must be at least %d%s, got %s'):format(name, key, limit[1],
            limit == average and ' and below 1' or '', tostring(value)), 0)
      end
      result[key] = value
   end
   if result.rate == nil then
      error(('optim.%s: the option rate is missing'):format(name), 0)
   end
   return result
end
