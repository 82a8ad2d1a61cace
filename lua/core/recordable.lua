-- Functions that tensor.compile calls instead of others while it records: those return plain
-- numbers, which change from call to call.

local recorded_of = setmetatable({}, {__mode = 'kv'})
local recordable = {}

--- pair(plain, recorded): returns a function that calls `plain`, and that recording replaces by
-- `recorded`, which returns tracked numbers.
function recordable.pair(plain, recorded)
   -- The function refers to `recorded`. The table must not: before Lua 5.2, it would keep the
   -- function alive if `recorded` can reach it.
   local function pair(...)
      return (recorded and plain)(...)
   end
   recorded_of[pair] = recorded
   return pair
end

--- recorded(f): returns the function that recording calls for f, which is f itself for most.
function recordable.recorded(f)
   return recorded_of[f] or f
end

return recordable
