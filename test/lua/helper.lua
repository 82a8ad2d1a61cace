-- Loaded by busted before the specs: finds the module in TENSOR_PREFIX, and with
-- TENSOR_TEST_GC=1 makes the collector run all the time, so that what is not anchored goes.

-- What the specs share is in test/lua/support.
local here = debug.getinfo(1, 'S').source:match('^@(.*[/\\])') or './'
package.path = here .. '?.lua;' .. package.path

local prefix = os.getenv('TENSOR_PREFIX')
if prefix then
  local folder = '/lua/' .. _VERSION:match '%d.%d' .. '/'
  local share, lib = prefix .. '/share' .. folder, prefix .. '/lib' .. folder
  package.path = share .. '?.lua;' .. share .. '?/init.lua;' .. package.path
  package.cpath = lib .. '?.so;' .. package.cpath
end
require 'support.dialect'

-- With TENSOR_ISA the tests are of that instruction set; without it in the CPU they are skipped.
local asked = os.getenv('TENSOR_ISA')
if asked then
  local chosen = require('tensor').info().isa:lower():gsub('-', '')
  if chosen ~= asked then
    print(('skipped: this CPU, or this build, has no %s'):format(asked))
    os.exit(77)
  end
end

if os.getenv('TENSOR_TEST_GC') == '1' then
  -- A collection begins when the last one ends, and ends after allocations of a twentieth of the
  -- heap. A larger step multiplier takes more time in proportion.
  collectgarbage('setpause', 0)
  collectgarbage('setstepmul', 2000)
end

-- With TENSOR_TEST_DEVICE every tensor of the specs is at home on that device, and what is drawn
-- there is what is drawn on the CPU.
local device = os.getenv('TENSOR_TEST_DEVICE')
if device then
  require('tensor').setDefaultDevice(device)
  require('tensor').setGenerator('philox')
end

-- With TENSOR_TEST_BROADCAST shapes pair as it says.
local mode = os.getenv('TENSOR_TEST_BROADCAST')
if mode then
  require('tensor').setBroadcast(mode)
end
