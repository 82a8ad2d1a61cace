-- Measures the efficiency of data-parallel training, with one thread for each rank:
--
--   OMP_NUM_THREADS=1 build/prefix/bin/tensor -n 2 bench/dist/scaling.lua [batch]
--
-- Blocks of steps with dist.grad alternate with blocks in which each rank trains alone, and with
-- blocks with the option `deterministic`. The efficiency is the ratio of the medians to that alone.
-- 1 means that the communication costs nothing. batch: the rows of each rank in a step (256).

local tensor = require 'tensor'
local dist = require 'tensor.dist'
local nn = require 'tensor.nn'
local optim = require 'tensor.optim'
local tree = require 'tensor.tree'

local BLOCKS, STEPS = 9, 5
local rank, ranks = dist.init()
tensor.setdefaulttensortype 'torch.FloatTensor'
tensor.manualSeed(1)
local batch = tonumber(arg[1] or 256)
local net = nn.sequential{nn.linear(784, 512), nn.relu, nn.linear(512, 512), nn.relu,
                          nn.linear(512, 10)}
local params = dist.synchronize(net.init())
local x, y = tensor.randn(batch, 784), tensor.LongTensor(batch):random(1, 10)
local function loss(p, a, b)
  return nn.crossEntropy(net(p, a), b)
end
local gradients = {alone = tensor.grad(loss), together = dist.grad(loss),
                   deterministic = dist.grad(loss, {deterministic = true})}
local step = optim.sgd{rate = 0.01, momentum = 0.9}

local ways = {'alone', 'together', 'deterministic'}
local times = {alone = {}, together = {}, deterministic = {}}
for block = 0, BLOCKS do
  for _, way in ipairs(ways) do
    dist.barrier()
    local start = tensor.tic()
    for _ = 1, STEPS do
      step(params, (gradients[way](params, x, y)))
    end
    local seconds = dist.allReduce(tensor.toc(start) / STEPS, 'max')
    -- The first block warms up.
    if block > 0 then
      table.insert(times[way], seconds)
    end
  end
  dist.synchronize(params)
end
if rank == 1 then
  print(('%d ranks, %d parameters, %d rows each'):format(ranks, tree.count(params), batch))
  local alone
  for _, way in ipairs(ways) do
    local list = times[way]
    table.sort(list)
    local median = list[math.ceil(BLOCKS / 2)]
    alone = alone or median
    print(('%-13s %6.2f ms, efficiency %.3f'):format(way, median * 1e3, alone / median))
  end
end
