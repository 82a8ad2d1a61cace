-- require 'torch': the same module for programs written for Torch7. It is the global `torch`, too,
-- shapes that differ pair as they did there, fractions are cut where integers are expected, and
-- fields that a tensor does not have are nil. Beside it is what Torch7 set: include, paths,
-- string.gfind, table.unpack.

local tensor = require 'tensor'

rawset(_G, 'torch', tensor)
tensor.setBroadcast('torch7')
tensor._lenient(true)
tensor._trustfiles(true)

local function provide(library, name, value)
   if library[name] == nil then
      library[name] = value
   end
end
provide(string, 'gfind', string.gmatch)
provide(table, 'unpack', require 'tensor.versions'.unpack)

require 'tensor.compat.searcher'
local paths = require 'paths'

if type(rawget(_G, 'paths')) ~= 'table' then
   rawset(_G, 'paths', paths)
end

-- include(file): runs a file of the folder of the file that calls it.
rawset(_G, 'include', function(file, depth)
   -- Not a tail call, which would hide who calls.
   local result = paths.dofile(file, 3 + (depth or 0))
   return result
end)

return tensor
