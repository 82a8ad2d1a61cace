-- Measures the efficiency of data-parallel training, with one thread for each rank:
--
--   OMP_NUM_THREADS=1 build/prefix/bin/tensor -n 2 bench/dist/scaling.lua [batch]
--
-- Blocks of steps with dist.grad alternate with blocks in which each rank trains alone. The
-- efficiency is the ratio of the medians: 1 means that the communication costs nothing. batch: the
-- rows of each rank in a step (256).

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
local gradients = {alone = tensor.grad(loss), together = dist.grad(loss)}
local step = optim.sgd{rate = 0.01, momentum = 0.9}

local times = {alone = {}, together = {}}
for block = 0, BLOCKS do
  for _, way in ipairs{'alone', 'together'} do
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
  for _, list in ipairs{times.alone, times.together} do
    table.sort(list)
  end
  local middle = math.ceil(BLOCKS / 2)
  local alone, together = times.alone[middle], times.together[middle]
  print(('%d ranks, %d parameters, %d rows each: %.2f ms alone, %.2f ms together, efficiency %.3f')
    :format(ranks, tree.count(params), batch, alone * 1e3, together * 1e3, alone / together))
end
