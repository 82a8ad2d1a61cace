-- Functions that only the running session can call, such as the prompt's check for Ctrl-C. In files
-- and in other threads, a function without effect replaces them as upvalues.

local known = setmetatable({}, {__mode = 'k'})
local session_only = {}

local function nothing() end

function session_only.add(f)
   known[f] = true
end

--- replace(value): returns the function without effect for such a function, otherwise the value.
function session_only.replace(value)
   if value ~= nil and known[value] then
      return nothing
   end
   return value
end

return session_only
