-- Calls body with LuaJIT's compiler disabled, then enabled; it remains enabled.

local jit = rawget(_G, 'jit')

return function(body)
  if not jit then
    body()
    return body()
  end
  for _, on in ipairs { false, true } do
    if on then jit.on() else jit.off() end
    local ok, message = pcall(body)
    jit.on()
    if not ok then error(message, 0) end
  end
end
