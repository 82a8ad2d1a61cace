-- require 'tensor': the C++ module, and on top of it what is best written in Lua.

local tensor = require 'tensor.core'
local versions = require 'tensor.versions'

-- Errors are blamed on the line that called into these files, not on a line in them.
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
require 'tensor.einsum'(tensor)
require 'tensor.element'(tensor)
require 'tensor.fuse'(tensor)
require 'tensor.compile'(tensor)
require 'tensor.apply'(tensor)
require 'tensor.device'(tensor)
require 'tensor.profile'(tensor)
require 'tensor.refusals'(tensor)
require 'tensor.environment'(tensor)
require 'tensor.printing'(tensor)
require 'tensor.summary'(tensor)
require 'tensor.plot'(tensor)
require 'tensor.image'(tensor)
require 'tensor.load'(tensor)
require 'tensor.packages'(tensor)
require 'tensor.cmdline'(tensor)
require 'tensor.test.tester'(tensor)

--- help([name or function]): prints how it is called, and what it does.
function tensor.help(what)
   versions.require 'tensor.help'(tensor, what)
end

--- A table for tests, which refuses to define one twice.
tensor.TestSuite = require 'tensor.test.suite'

--- test([names]): checks what is installed by tests of a second or less.
function tensor.test(names)
   return versions.require 'tensor.test.installed'(tensor, names)
end

tensor.setdefaulttensortype('torch.DoubleTensor')

return tensor
