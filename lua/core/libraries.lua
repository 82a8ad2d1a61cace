-- Checks that the Lua state has the libraries that the module needs: a host may open only some.

local function is_missing(name)
   if name == 'ffi' then
      return not pcall(require, name)
   end
   local library = rawget(_G, name)
   return type(library) ~= 'table' or name == 'debug' and not library.getinfo
end

local needed = {'string', 'table', 'math', 'coroutine', 'debug', 'package'}
if rawget(_G, 'jit') then
   needed[#needed + 1] = 'ffi'
end

-- Without functions of the libraries, which may be missing.
local missing
for _, name in ipairs(needed) do
   if is_missing(name) then
      missing = missing and missing .. ', ' .. name or name
   end
end
if missing then
   error('tensor: this Lua state lacks standard libraries that the module needs: ' .. missing, 0)
end
