-- Returns the module: the part in C++, with the core installed on it. The core needs no extras.

local tensor = require 'tensor.core'

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
require 'tensor.einsum'(tensor)
require 'tensor.element'(tensor)
require 'tensor.fuse'(tensor)
require 'tensor.compile'(tensor)
require 'tensor.grad'(tensor)
require 'tensor.apply'(tensor)
require 'tensor.device'(tensor)
require 'tensor.profile'(tensor)
require 'tensor.refusals'(tensor)
require 'tensor.environment'(tensor)
require 'tensor.printing'(tensor)
require 'tensor.summary'(tensor)
require 'tensor.load'(tensor)
require 'tensor.packages'(tensor)

tensor.setdefaulttensortype('torch.DoubleTensor')

return tensor
