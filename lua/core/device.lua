-- The device functions that are written in Lua.

local files = require 'tensor.files'
local raise = require 'tensor.raise'
local type_name = require 'tensor.type_name'
local versions = require 'tensor.versions'
local with_setting = require 'tensor.with_setting'

local function install(tensor)
   -- Sets the default device for withDevice, which errors name.
   local function set(device)
      local is_known, message = pcall(tensor.setDefaultDevice, device)
      if not is_known then
         raise('withDevice: ' .. files.cause(message))
      end
   end

   --- withDevice(device, f, ...): calls f(...) with another default device for new tensors. Returns
   -- f's results; errors of f pass unchanged.
   function tensor.withDevice(device, f, ...)
      if type(device) ~= 'string' then
         error(('withDevice: the name of a device is expected, got %s')
               :format(type_name(device)), 2)
      elseif not versions.is_callable(f) then
         error(('withDevice: a function is expected, got %s'):format(type_name(f)), 2)
      end
      return with_setting(tensor.getDefaultDevice, set, device, f, ...)
   end
end

return install
