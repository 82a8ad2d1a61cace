-- Shared by the specs of tensors on a device.

local assert = require 'luassert'
local tensor = require 'tensor'

local support = {}

-- The device of the test's settings, else the software device. Its name is "gpu:1" if the
-- environment makes the software device the GPU.
support.kind = require('support.settings').device or 'soft'
support.device = tensor.FloatTensor():to(support.kind):device()
-- True for a real GPU. CUDA's functions have other rounding errors than those of the C library.
support.is_gpu = support.kind:find('^gpu') ~= nil and not os.getenv 'TENSOR_DEVICE'

--- Around each example: saves and restores the default device, and resets the counters.
function support.around(before_each, after_each)
  local default
  before_each(function()
    default = tensor.getDefaultDevice()
    tensor.setDefaultDevice 'cpu'
    tensor.resetStats()
  end)
  after_each(function() tensor.setDefaultDevice(default) end)
end

--- Return the numbers 1 to n: in CPU memory; in both memories; only on the device, each plus 1.
function support.numbers(n, class)
  return (class or tensor.FloatTensor)(n):copy(tensor.range(1, n))
end
function support.on_device(n, class)
  local t = support.numbers(n, class):to(support.device)
  tensor.resetStats()
  return t
end
function support.made_on_device(n, class)
  local t = support.on_device(n, class)
  t:add(1)
  tensor.resetStats()
  return t
end

function support.head(t) return t:storage():head() end

function support.assert_copied(to_device, to_host)
  local stats = tensor.stats()
  assert.are.equal(to_device, stats.h2d.bytes, 'bytes to the device')
  assert.are.equal(to_host, stats.d2h.bytes, 'bytes to the host')
end

return support
