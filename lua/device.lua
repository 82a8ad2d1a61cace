-- What of devices is best written in Lua.

local function install(tensor)
   local function restore(device, ok, ...)
      tensor.setDefaultDevice(device)
      if not ok then
         error((...), 0)
      end
      return ...
   end

   --- withDevice(device, f, ...): f(...), during which new tensors are at home on the device. Gives
   -- f's results; its errors pass unchanged.
   function tensor.withDevice(device, f, ...)
      if type(f) ~= 'function' then
         error(('withDevice: a function is expected, got %s'):format(tensor.type(f)), 2)
      end
      local before = tensor.getDefaultDevice()
      tensor.setDefaultDevice(device)
      return restore(before, pcall(f, ...))
   end
end

return install
