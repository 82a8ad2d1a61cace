-- Calls f while string.format writes a decimal comma, as in PUC Lua in many locales. LuaJIT writes
-- a point in all locales.

return function(f)
  local format = string.format
  string.format = function(text, ...)  -- luacheck: ignore
    local result = format(text, ...)
    return text:find '%%%.%d+[efg]' and (result:gsub('(%d)%.(%d)', '%1,%2')) or result
  end
  local fine, failure = pcall(f)
  string.format = format  -- luacheck: ignore
  if not fine then
    error(failure, 0)
  end
end
