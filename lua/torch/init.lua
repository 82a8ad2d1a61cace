-- require 'torch': the same module for programs written for Torch7. It is the global `torch`, too,
-- and shapes that differ pair as they did there.

local tensor = require 'tensor'

rawset(_G, 'torch', tensor)
tensor.setBroadcast('torch7')

return tensor
