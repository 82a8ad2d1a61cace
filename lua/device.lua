-- What of devices is best written in Lua.

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

   -- Inside of a coroutine f gets one of its own, so that the device is set while f runs, and not
   -- while it waits after a yield, from which nobody may ever come back.
   local function run(device, thread, ...)
      local before = tensor.getDefaultDevice()
      tensor.setDefaultDevice(device)
      local function stopped(...)
         device = tensor.getDefaultDevice()
         tensor.setDefaultDevice(before)
         if coroutine.status(thread) == 'dead' then
            return results(...)
         end
         return run(device, thread, coroutine.yield(select(2, ...)))
      end
      return stopped(coroutine.resume(thread, ...))
   end

   --- withDevice(device, f, ...): f(...), during which new tensors are at home on the device. Gives
   -- f's results; its errors pass unchanged.
   function tensor.withDevice(device, f, ...)
      if type(f) ~= 'function' then
         error(('withDevice: a function is expected, got %s'):format(tensor.type(f)), 2)
      end
      local thread, ismain = coroutine.running()
      if thread and not ismain then
         return run(device, coroutine.create(f), ...)
      end
      local before = tensor.getDefaultDevice()
      tensor.setDefaultDevice(device)
      return restore(before, pcall(f, ...))
   end
end

return install
