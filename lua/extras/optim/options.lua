-- The options of the constructors of tensor.optim.

local files = require 'tensor.files'
local native = require 'tensor.native'
local raise, type_name = native.raise, native.type_name

local versions = require 'tensor.versions'
local each, shown = versions.each, versions.shown

-- Limits of the options: at least the first number, and below the second, or at most it if
-- has_most is true. Without the second the option may be infinite. Velocities with a momentum above
-- 1 grow without limit, and the direction with a dampening above 1 is uphill.
local finite, average, part = {0, math.huge}, {0, 1}, {0, 1, has_most = true}
local count, tolerance = {1}, {0}
local limits = {
   rate = finite, momentum = part, dampening = part, decay = finite, epsilon = finite,
   momentumDecay = finite, alpha = average, beta1 = average, beta2 = average,
   iterations = count, evaluations = count, history = count,
   gradientTolerance = tolerance, changeTolerance = tolerance,
}

-- Raises an error unless the value, a number, is within the limits of the option.
local function check_limits(name, key, value)
   local limit, problem = limits[key], nil
   if value == math.huge and limit == finite then
      problem = 'finite'
   elseif value < limit[1] or value ~= value
      or limit[2] and (value > limit[2] or value == limit[2] and not limit.has_most) then
      problem = ('at least %d%s'):format(limit[1], limit == average and ' and below 1'
                                                   or limit == part and ' and at most 1' or '')
   elseif key == 'history' and value ~= math.huge and value % 1 ~= 0 then
      problem = 'a whole number'
   end
   if problem then
      raise(('optim.%s: option %s must be %s, got %s'):format(name, key, problem,
                                                              shown(value)))
   end
end

-- Returns the options with defaults. The rate is a number or a function of the step.
local function with_defaults(name, options, defaults)
   local result, known = {}, {rate = 'number function'}
   for key, value in each(defaults) do
      result[key], known[key] = value, known[key] or type(value)
   end
   for key, value in each(files.options('optim.' .. name, options, known)) do
      if type(value) == 'number' then
         check_limits(name, key, value)
      end
      result[key] = value
   end
   if result.rate == nil then
      raise(('optim.%s: the option rate is missing'):format(name))
   end
   return result
end

-- Returns an optimizer as the call that makes it, the rate first.
local function text_of(name, options, rate)
   local parts = {}
   for key, value in each(options) do
      parts[#parts + 1] = key ~= 'rate' and ('%s = %s'):format(key, shown(value)) or nil
   end
   table.sort(parts)
   table.insert(parts, 1, 'rate = ' .. (type(rate) == 'number' and shown(rate) or type_name(rate)))
   return ('optim.%s{%s}'):format(name, table.concat(parts, ', '))
end

return {text_of = text_of, with_defaults = with_defaults}
