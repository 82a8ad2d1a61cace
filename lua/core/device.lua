-- The device functions that are written in Lua.

local versions = require 'tensor.versions'

local function install(tensor)
   local function results(ok, ...)
      if not ok then
         error((...), 0)
      end
      return ...
   end

   local function restore(device, ...)
      tensor.setDefaultDevice(device)
      return results(...)
   end

   -- In a coroutine, f runs in a coroutine of its own. This restores the default device whenever f
   -- yields, because the caller may never resume it.
   local function run(device, thread, ...)
      local before = tensor.getDefaultDevice()
      tensor.setDefaultDevice(device)
      local function stopped(...)
         device = tensor.getDefaultDevice()
         tensor.setDefaultDevice(before)
         if coroutine.status(thread) == 'suspended' then
            return run(device, thread, versions.yield(thread, select(2, ...)))
         elseif not ... then
            error(versions.closed(thread, (select(2, ...))), 0)
         end
         return results(...)
      end
      return stopped(coroutine.resume(thread, ...))
   end

   --- withDevice(device, f, ...): calls f(...) with another default device for new tensors. Returns
   -- f's results; errors of f pass unchanged.
   function tensor.withDevice(device, f, ...)
      if not versions.is_callable(f) then
         error(('withDevice: a function is expected, got %s'):format(tensor.type(f)), 2)
      end
      local thread, ismain = coroutine.running()
      if thread and not ismain then
         return run(device, coroutine.create(versions.as_function(f)), ...)
      end
      local before = tensor.getDefaultDevice()
      tensor.setDefaultDevice(device)
      return restore(before, pcall(f, ...))
   end
end

return install
