-- Measures the efficiency of data-parallel training, with one thread for each rank:
--
--   OMP_NUM_THREADS=1 build/prefix/bin/tensor -n 2 bench/dist/scaling.lua [network batch]...
--
-- Steps with dist.grad alternate with steps in which each rank trains alone, and with steps with
-- the option `deterministic`. The time of a step is that of the slowest rank. The efficiency is the
-- ratio of the medians to that alone: 1 means that the communication costs nothing. `network` is
-- one of bench/suite/training.lua, `batch` the number of rows of each rank. By default, all of them
-- are measured.

local here = debug.getinfo(1, 'S').source:match('^@(.*[/\\])') or './'
package.path = here .. '../suite/?.lua;' .. package.path
local tensor = require 'tensor'
local dist = require 'tensor.dist'
local tree = require 'tensor.tree'
local training = require 'training'

local SECONDS = 6
local WAYS = {'alone', 'together', 'deterministic'}
local networks = {{'mlp', 256}, {'mlp', 1024}, {'lenet', 64}, {'lstm', 50}, {'transformer', 12}}
if arg[1] then
  networks = {}
  for k = 1, #arg, 2 do
    networks[#networks + 1] = {arg[k], tonumber(arg[k + 1])}
  end
end
local rank, ranks = dist.init()
tensor.setdefaulttensortype 'torch.FloatTensor'

local function rand(...) return tensor.rand(...) end
local function index(count, range) return tensor.LongTensor(count):random(1, range) end
local function deterministic(f, options)
  return dist.grad(f, {deterministic = true, tensors = options.tensors})
end

local function median(list)
  table.sort(list)
  return list[math.ceil(#list / 2)]
end

for _, network in ipairs(networks) do
  local name, batch = network[1], network[2]
  local steps, times, params = {}, {}, nil
  for _, way in ipairs(WAYS) do
    tensor.manualSeed(1)
    local grads = {together = dist.grad, deterministic = deterministic}
    local step, _, all = training(rand, index, name, batch, false, grads[way])
    steps[way], params, times[way] = step, all, {}
  end
  local function measure(way)
    dist.barrier()
    local start = tensor.tic()
    steps[way]()
    return tensor.toc(start)
  end
  local slowest = 0
  for _ = 1, 5 do
    for _, way in ipairs(WAYS) do
      slowest = measure(way)
    end
  end
  -- All ranks need the same number of rounds.
  local rounds = dist.allReduce(math.max(9, math.floor(SECONDS / 3 / slowest)), 'min')
  for k = 1, rounds do
    for _, way in ipairs(WAYS) do
      times[way][k] = measure(way)
    end
  end
  local medians = {}
  for _, way in ipairs(WAYS) do
    medians[way] = median(dist.allReduce(tensor.DoubleTensor(times[way]), 'max'):totable())
  end
  if rank == 1 then
    print(('%s, %d ranks, %d parameters, %d rows each'):format(name, ranks, tree.count(params),
                                                               batch))
    for _, way in ipairs(WAYS) do
      print(('%-13s %7.2f ms, efficiency %.3f'):format(way, medians[way] * 1e3,
                                                       medians.alone / medians[way]))
    end
  end
end
