-- require 'torch': the same module with Torch7's behaviour, for programs written for Torch7. Sets
-- the globals that Torch7 sets: torch, include, paths, string.gfind and table.unpack. Makes the
-- symbols of libTH and libluaT global, for packages that use them by ffi.C, or that are not linked
-- with these libraries.

local tensor = require 'tensor'
local native = require 'tensor.native'

rawset(_G, 'torch', tensor)
tensor.setRules 'torch7'
native.make_global()
-- Programs list the fields of torch.
native.on_demand.load_all()

-- Remove methods that Torch7 does not have if their existence changes what a package does.
-- torch-autograd wraps a tensor in an object with a method flatten, but looks up each name in the
-- tensor first. The functions of these names remain.
local probed = {'flatten'}
native.extend_classes('Tensor', function(class)
   for _, name in ipairs(probed) do
      rawset(class, name, nil)
   end
end)

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

-- include(file): runs a file in the folder of the calling file.
rawset(_G, 'include', function(file, depth)
   -- Not a tail call, which would hide the caller from debug.getinfo.
   local result = paths.dofile(file, 3 + (depth or 0))
   return result
end)

return tensor
