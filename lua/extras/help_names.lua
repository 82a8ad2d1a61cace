-- The names on which there is help: those of the op table and of the help texts, sorted.

local entries = require 'tensor.entries'
local native = require 'tensor.native'

return function()
   local list, seen = {}, {}
   local function add(name)
      if name ~= '' and not seen[name] then
         seen[name] = true
         list[#list + 1] = name
      end
   end
   for _, row in ipairs(native.operations()) do add(row.lua) end
   for _, section in ipairs(entries) do
      for k = 2, #section do add(section[k][1]) end
   end
   table.sort(list, function(a, b) return a:lower() < b:lower() end)
   return list
end
