-- Returns the module: the part in C++, with the core installed on it. The core needs no extras.

require 'tensor.libraries'
local versions = require 'tensor.versions'

local loaded, tensor = pcall(require, 'tensor.core')
if not loaded then
   -- The API of Lua 5.1 and LuaJIT lacks functions of later versions, and the other way around.
   if tensor:find('undefined symbol: lua', 1, true) then
      tensor = ('tensor: this module was built for another version of Lua than %s, which runs ' ..
                'it; build it with -DTH_LUA=%s\n%s')
               :format(versions.name, versions.arch and 'luajit' or _VERSION:match '[%d.]+$',
                       tensor)
   end
   error(tensor, 0)
end

-- If the program has cleared package.loaded, the functions of the core share state with the modules
-- that installed them.
local each = versions.each
local modules = rawget(tensor, '_modules')
if modules then
   for name, module in each(modules) do
      package.loaded[name] = module
   end
   return tensor
end

-- Errors get the position of the line that called into these files, not of a line in them.
local source = debug.getinfo(1, 'S').source
tensor._ownsource(source:match('^(.*[/\\])') or source)

local on_demand = require 'tensor.on_demand'

require 'tensor.class'(tensor)
require 'tensor.ffi'(tensor)
require 'tensor.dlpack'(tensor)
require 'tensor.methods'(tensor)
require 'tensor.split'(tensor)
require 'tensor.serialize'(tensor)
require 'tensor.arrange'(tensor)
require 'tensor.element'(tensor)
require 'tensor.fuse'(tensor)
require 'tensor.scope'(tensor)
require 'tensor.lists'(tensor)
require 'tensor.apply'(tensor)
require 'tensor.device'(tensor)
-- LuaJIT's table of strings grows with the garbage of parsing, and hardly ever shrinks. Each cycle
-- of the collector visits all its slots.
collectgarbage()
require 'tensor.refusals'(tensor)
require 'tensor.integer_operators'(tensor)
require 'tensor.environment'(tensor)
require 'tensor.printing'(tensor)
require 'tensor.packages'(tensor)
-- These have state that parts share which are loaded later.
require 'tensor.native'
require 'tensor.recordable'

-- Fields that are loaded when a program first reads them.
for name, fields in each {
   alias = 'multinomialAlias multinomialAliasSetup',
   compile = 'compile isCompiling',
   einsum = 'einsum',
   grad = 'grad vjp jvp jacobian hessian gradcheck customGradient checkpoint stopGradient',
   indices = 'trilIndices triuIndices unravelIndex ravelMultiIndex',
   profile = 'profile',
   summary = 'summary',
   type_info = 'finfo iinfo resultType canCast',
} do
   on_demand.add('tensor.' .. name, fields)
end
on_demand.add_functions('tensor.load', 'load loadobj save saveobj serialize serializeToStorage ' ..
                        'deserialize deserializeFromStorage')
setmetatable(tensor, {__index = function(_, name)
   return on_demand.load(name)
end})

tensor.setdefaulttensortype('torch.DoubleTensor')

modules = {}
for name, module in each(package.loaded) do
   -- Modules that are being loaded have a mark.
   if name:find '^tensor%.' and (type(module) == 'table' or type(module) == 'function') then
      modules[name] = module
   end
end
tensor._modules = modules  -- private

return tensor
