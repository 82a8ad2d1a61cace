-- The device functions that are written in Lua.

local versions = require 'tensor.versions'
local with_setting = require 'tensor.with_setting'

local function install(tensor)
   --- withDevice(device, f, ...): calls f(...) with another default device for new tensors. Returns
   -- f's results; errors of f pass unchanged.
   function tensor.withDevice(device, f, ...)
      if not versions.is_callable(f) then
         error(('withDevice: a function is expected, got %s'):format(tensor.type(f)), 2)
      end
      return with_setting(tensor.getDefaultDevice, tensor.setDefaultDevice, device, f, ...)
   end
end

return install
