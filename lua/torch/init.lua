-- require 'torch': the same module for programs written for Torch7. It is the global `torch`, too,
-- shapes that differ pair as they did there, fractions are cut where integers are expected, and
-- fields that a tensor does not have are nil.

local tensor = require 'tensor'

rawset(_G, 'torch', tensor)
tensor.setBroadcast('torch7')
tensor._lenient(true)

return tensor
