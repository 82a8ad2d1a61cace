-- Loaded by busted before the specs. Finds the module in TENSOR_PREFIX, and applies the settings in
-- TENSOR_TEST (support/settings.lua).

-- Shared files of the specs are in test/lua/support.
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
local settings = require 'support.settings'

-- TENSOR_ISA selects an instruction set; the tests are skipped if the CPU does not support it.
local asked = os.getenv('TENSOR_ISA')
if asked then
  local chosen = require('tensor').info().isa:lower():gsub('-', '')
  if chosen ~= asked then
    print(('skipped: this CPU, or this build, has no %s'):format(asked))
    os.exit(77)
  end
end

if settings.gc then
  -- A collection starts when the last one ends, and ends after allocations of 5 % of the heap, so
  -- objects without references are freed early. A larger step multiplier takes proportionally more
  -- time.
  collectgarbage('setpause', 0)
  collectgarbage('setstepmul', 2000)
end

if settings.device then
  require('tensor').setDefaultDevice(settings.device)
  -- This generator gives the same numbers there as on the CPU.
  require('tensor').setGenerator('philox')
end

if settings.broadcast then
  require('tensor').setBroadcast(settings.broadcast)
end
