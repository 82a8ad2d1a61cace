-- Shared by the cutorch specs: loads the module and undoes its global changes for other specs.

local tensor = require 'tensor'

local support = {}

local default, pairing = tensor.getDefaultDevice(), tensor.getBroadcast()
tensor.setDefaultDevice 'cpu'
support.torch, support.cutorch = require 'torch', require 'cutorch'
tensor.setBroadcast(pairing)
tensor.setDefaultDevice(default)

--- Before each example, sets the state of a program that has just required cutorch.
function support.around(before_each, after_each)
  local before
  before_each(function()
    before = tensor.getDefaultDevice()
    tensor.setDefaultDevice 'cpu'
    tensor.setBroadcast 'torch7'
    support.cutorch.setDevice(1)
    tensor.resetStats()
  end)
  after_each(function()
    support.torch.setdefaulttensortype 'torch.DoubleTensor'
    tensor.setBroadcast(pairing)
    tensor.setDefaultDevice(before)
  end)
end

return support
