-- Calls of functions with another value of a setting of this Lua state, such as the default device.

local versions = require 'tensor.versions'

local function results(ok, ...)
   if not ok then
      error((...), 0)
   end
   return ...
end

local function restore(set, before, ...)
   set(before)
   return results(...)
end

-- In a coroutine, f runs in a coroutine of its own. This restores the setting whenever f yields,
-- because the caller may never resume it.
local function run(get, set, value, thread, ...)
   local before = get()
   set(value)
   local function stopped(...)
      value = get()
      set(before)
      if coroutine.status(thread) == 'suspended' then
         return run(get, set, value, thread, versions.yield(thread, select(2, ...)))
      elseif not ... then
         error(versions.closed(thread, (select(2, ...))), 0)
      end
      return results(...)
   end
   return stopped(coroutine.resume(thread, ...))
end

--- with_setting(get, set, value, f, ...): calls f(...) with another value of a setting. get()
-- returns the value of the setting, and set(value) changes it. While f is suspended, the setting
-- has the value of the caller. Returns f's results; errors of f pass unchanged.
return function(get, set, value, f, ...)
   local thread, is_main = coroutine.running()
   if thread and not is_main then
      return run(get, set, value, coroutine.create(versions.as_function(f)), ...)
   end
   local before = get()
   set(value)
   return restore(set, before, pcall(f, ...))
end
