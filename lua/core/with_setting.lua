-- Calls of functions with another value of a setting of this Lua state, such as the default device.

local resume = require 'tensor.core'._resume
local versions = require 'tensor.versions'

local function restore(set, before, ok, ...)
   set(before)
   if not ok then
      error((...), 0)
   end
   return ...
end

-- In a coroutine, f runs in a coroutine of its own, which belongs to the open scope of the caller.
-- This restores the setting whenever f yields, because the caller may never resume it.
local function run(get, set, value, thread, ...)
   local before = get()
   set(value)
   local function stopped(status, ...)
      value = get()
      set(before)
      if status == 'suspended' then
         return run(get, set, value, thread, versions.yield(thread, ...))
      elseif status == 'error' then
         error(versions.closed(thread, (...)), 0)
      end
      return ...
   end
   return stopped(resume(thread, ...))
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
