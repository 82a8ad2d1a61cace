-- Calls body with LuaJIT's compiler off, then on, where it is left.

local jit = require 'jit'

return function(body)
  for _, on in ipairs { false, true } do
    if on then jit.on() else jit.off() end
    local ok, message = pcall(body)
    jit.on()
    if not ok then error(message, 0) end
  end
end
