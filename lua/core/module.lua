-- Returns the module: the part in C++, with the core installed on it. The core needs no extras.

local versions = require 'tensor.versions'

local loaded, tensor = pcall(require, 'tensor.core')
if not loaded then
   -- The API of Lua 5.1 and LuaJIT lacks functions of later versions, and the other way around.
   if tensor:find('undefined symbol: lua', 1, true) then
      tensor = ('tensor: this module was built for another version of Lua than %s, which runs ' ..
                'it; build it with -DTH_LUA=%s\n%s')
               :format(versions.name, jit and 'luajit' or _VERSION:match '[%d.]+$', tensor)
   end
   error(tensor, 0)
end

-- Errors get the position of the line that called into these files, not of a line in them.
local source = debug.getinfo(1, 'S').source
tensor._ownsource(source:match('^(.*[/\\])') or source)

require 'tensor.class'(tensor)
require 'tensor.ffi'(tensor)
require 'tensor.dlpack'(tensor)
require 'tensor.methods'(tensor)
require 'tensor.split'(tensor)
require 'tensor.serialize'(tensor)
require 'tensor.alias'(tensor)
require 'tensor.arrange'(tensor)
require 'tensor.indices'(tensor)
require 'tensor.einsum'(tensor)
require 'tensor.element'(tensor)
require 'tensor.fuse'(tensor)
require 'tensor.compile'(tensor)
require 'tensor.grad'(tensor)
require 'tensor.apply'(tensor)
require 'tensor.device'(tensor)
require 'tensor.profile'(tensor)
require 'tensor.scope'(tensor)
require 'tensor.refusals'(tensor)
require 'tensor.environment'(tensor)
require 'tensor.printing'(tensor)
require 'tensor.summary'(tensor)
require 'tensor.load'(tensor)
require 'tensor.type_info'(tensor)
require 'tensor.packages'(tensor)

tensor.setdefaulttensortype('torch.DoubleTensor')

return tensor
