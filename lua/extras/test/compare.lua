-- The comparisons of torch.Tester: numbers, tensors and storages with a tolerance, tables by entry,
-- other values by ==. Each function returns true if the test succeeds, otherwise false and a
-- message. If negate is true, the test succeeds if the values differ.

local types = require 'tensor.types'
local each = require 'tensor.versions'.each

local compare = {}

-- Returns the largest absolute difference of elements. Equal infinities differ by 0.
local function largest_difference(torch, a, b)
   if types.element_name(a) == 'Long' then
      -- Exact, but negative where the difference is 2^63 or more.
      local difference = torch.cmax(a, b) - torch.cmin(a, b)
      return difference:min() < 0 and math.huge or difference:max()
   end
   a, b = a:double(), b:double()
   local difference = (a - b):abs()
   difference[a:eq(b)] = 0
   return difference:max()
end

-- Compares two tensors of the same type and number of elements.
local function elements(torch, a, b, tolerance, negate, what)
   if a:nElement() == 0 then
      return not negate, ('Both %ss are empty'):format(what:lower())
   end
   local difference = largest_difference(torch, a, b)
   local success = difference <= tolerance
   if negate then
      success = not success
   end
   if success then
      return true
   end
   return false, ('%s%s violation: max diff=%s, tolerance=%s')
      :format(what, negate and 'NE(==)' or 'EQ(==)', tostring(difference), tostring(tolerance))
end

--- Compares tensors. If any_shape is true, only the number of elements must agree, not the shape.
function compare.tensors(torch, a, b, tolerance, negate, any_shape)
   if not any_shape and a:dim() ~= b:dim() then
      return negate, 'The tensors have different dimensions'
   end
   if a:type() ~= b:type() then
      return negate, 'The tensors have different types'
   end
   local same = any_shape and a:nElement() == b:nElement() or a:isSameSizeAs(b)
   if not same then
      return negate, 'The tensors have different sizes'
   end
   if any_shape and a:nElement() > 0 then
      a, b = a:contiguous():view(-1), b:contiguous():view(-1)
   end
   return elements(torch, a, b, tolerance, negate, 'Tensor')
end

local function storages(torch, a, b, tolerance, negate)
   if a:size() ~= b:size() then
      return negate, 'The storages have different sizes'
   end
   if torch.typename(a) ~= torch.typename(b) then
      return negate, 'The storages have different types'
   end
   local class = torch.getmetatable((torch.typename(a):gsub('Storage$', 'Tensor')))
   return elements(torch, class.new(a), class.new(b), tolerance, negate, 'Storage')
end

local function numbers(a, b, tolerance, negate)
   local difference = a < b and b - a or a - b
   -- Integers of Lua wrap around.
   local success = a == b or difference >= 0 and difference <= tolerance
   if negate then
      success = not success
   end
   if success then
      return true
   end
   local message = (negate and 'NE failed: %s == %s' or 'EQ failed: %s ~= %s')
      :format(tostring(a), tostring(b))
   if tolerance > 0 then
      message = message .. ' with tolerance=' .. tostring(tolerance)
   end
   return false, message
end

-- Compares tables breadth-first, so the message names the difference nearest to the root. Pairs
-- that were compared before are skipped, since tables may contain themselves.
local function tables(torch, a, b, tolerance, negate)
   local queue, first, last, met = {{a, b}}, 1, 1, {}
   while first <= last do
      local x, y, path = queue[first][1], queue[first][2], queue[first][3]
      queue[first], first = nil, first + 1
      local function at(key)
         return path and path .. '.' .. tostring(key) or tostring(key)
      end
      for key, value in each(x) do
         local other = y[key]
         if other == nil then
            return negate, ('Entry %s missing in second table (is %s in first)')
               :format(at(key), tostring(value))
         end
         if type(value) == 'table' and type(other) == 'table' then
            met[value] = met[value] or {}
            if not met[value][other] then
               met[value][other] = true
               last = last + 1
               queue[last] = {value, other, at(key)}
            end
         else
            local same, message = compare.values(torch, value, other, tolerance, false)
            if not same then
               return negate, ('At table location %s: %s'):format(at(key), message)
            end
         end
      end
      for key, value in each(y) do
         if x[key] == nil then
            return negate, ('Entry %s missing in first table (is %s in second)')
               :format(at(key), tostring(value))
         end
      end
   end
   return not negate, 'The tables are equal'
end

--- Compares two values of any type.
function compare.values(torch, a, b, tolerance, negate)
   if type(a) ~= type(b) then
      local message = 'EQ failed: values have different types (first: %s, second: %s)'
      return negate, not negate and message:format(type(a), type(b)) or nil
   end
   if type(a) == 'number' then
      return numbers(a, b, tolerance, negate)
   elseif type(a) == 'table' then
      return tables(torch, a, b, tolerance, negate)
   elseif torch.isTensor(a) and torch.isTensor(b) then
      return compare.tensors(torch, a, b, tolerance, negate)
   elseif torch.isStorage(a) and torch.isStorage(b) then
      return storages(torch, a, b, tolerance, negate)
   end
   local success = a == b
   if negate then
      success = not success
   end
   if success then
      return true
   end
   return false, (negate and 'NE failed: %s (%s) == %s (%s)' or 'EQ failed: %s (%s) ~= %s (%s)')
      :format(tostring(a), type(a), tostring(b), type(b))
end

return compare
