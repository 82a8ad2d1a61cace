-- What specs of tensors on a device share.

local assert = require 'luassert'
local tensor = require 'tensor'

local support = {}

-- "gpu:1" where the environment makes the software device that.
support.device = tensor.FloatTensor():to('soft'):device()

--- Around each example: another home that was chosen for new tensors, and counters at 0.
function support.around(before_each, after_each)
  local default
  before_each(function()
    default = tensor.getDefaultDevice()
    tensor.setDefaultDevice 'cpu'
    tensor.resetStats()
  end)
  after_each(function() tensor.setDefaultDevice(default) end)
end

--- 1 to n on the host; on both sides; on the device only, and each 1 more.
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
