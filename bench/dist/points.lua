-- Measures points for model.lua, which runs this with several ranks of one thread. Prints lines
--
--   reduce bytes seconds       allReduce of floats, the best of several blocks of calls
--   step model bytes seconds   the fastest training step; bytes: the size of the gradients

local here = debug.getinfo(1, 'S').source:match('^@(.*[/\\])') or './'
package.path = here .. '../suite/?.lua;' .. package.path
local tensor = require 'tensor'
local dist = require 'tensor.dist'
local tree = require 'tensor.tree'
local training = require 'training'

local BLOCKS, SECONDS = 15, 1
local BATCHES = {lenet = 64, lstm = 50, transformer = 12}
local rank, ranks = dist.init()
tensor.setdefaulttensortype 'torch.FloatTensor'

-- The seconds of a call of f, which all ranks make together: those of the slowest rank.
local function measure(calls, f)
  dist.barrier()
  local start = tensor.tic()
  for _ = 1, calls do
    f()
  end
  return dist.allReduce(tensor.toc(start) / calls, 'max')
end

local function times(calls, blocks, f)
  f()
  local list = {}
  for k = 1, blocks do
    list[k] = measure(calls, f)
  end
  table.sort(list)
  return list
end

if ranks > 1 then
  for power = 2, 24, 2 do
    local bytes = 2 ^ power
    local t = tensor.FloatTensor(bytes / 4):fill(1)
    local calls = math.max(1, math.min(100, 2 ^ 20 / bytes))
    local best = times(calls, BLOCKS, function() dist.allReduce(t) end)[1]
    if rank == 1 then
      print(('reduce %d %.9f'):format(bytes, best))
    end
  end
end

local function rand(...) return tensor.rand(...) end
local function index(count, range) return tensor.LongTensor(count):random(1, range) end
for _, name in ipairs{'lenet', 'lstm', 'transformer'} do
  tensor.manualSeed(1)
  local step, _, params = training(rand, index, name, BATCHES[name], false, dist.grad)
  -- All ranks need the same number of blocks.
  local blocks = math.floor(SECONDS / measure(2, step))
  local list = times(1, math.max(5, math.min(blocks, 50)), step)
  if rank == 1 then
    print(('step %s %d %.9f'):format(name, 4 * tree.count(params), list[1]))
  end
end
