-- Trains a convolutional network with several processes.
--
--   tensor -n 4 examples/parallel_digits.lua [--epochs N] [--seed N] [--deterministic]
--
-- Each process (rank) computes the gradients of its part of each batch. The mean of the gradients
-- over the ranks is the gradient of the batch, so the program trains like one process. With
-- --deterministic the result has the same bits for any number of ranks up to 8. Without `-n`, the
-- program is one process.

local here = debug.getinfo(1, 'S').source:match('^@(.*[/\\])') or './'
package.path = here .. '?.lua;' .. package.path

local tensor = require 'tensor'
local data = require 'tensor.data'
local dist = require 'tensor.dist'
local nn = require 'tensor.nn'
local optim = require 'tensor.optim'
local options = require 'lib.options'

local chosen = options.parse(arg, {
  {name = 'epochs', value = 'N', least = 1, most = 10000, default = 12,
   help = 'how often to go through the training images (12)'},
  {name = 'seed', value = 'N', least = 0, most = 2 ^ 32 - 1, default = 1,
   help = 'the seed of all randomness (1)'},
  {name = 'deterministic', help = 'the same bits for any number of ranks'},
})
local rank, ranks = dist.init()
tensor.setdefaulttensortype 'torch.FloatTensor'
-- All ranks shuffle alike, and each takes its part of each batch.
tensor.manualSeed(chosen.seed)

local TEST, CHUNKS = 360, 8
local rows = tensor.load(here .. 'data/digits.csv'):float()
rows = rows:index(1, tensor.randperm(rows:size(1)):long())
local count = rows:size(1) - TEST
local images = (rows:narrow(2, 1, 64) / 8 - 1):view(-1, 1, 8, 8)
local classes = rows:select(2, 65):long() + 1

local net = nn.sequential{
  nn.conv2d(1, 16, 3, {padding = 1}), nn.relu,
  nn.conv2d(16, 32, 3, {padding = 1}), nn.relu, nn.maxPool2d(2),
  nn.conv2d(32, 64, 3, {padding = 1}), nn.relu, nn.maxPool2d(2),
  nn.flatten, nn.linear(64 * 2 * 2, 10),
}
local params = dist.synchronize(net.init())

local function loss_of(p, x, y)
  return nn.crossEntropy(net(p, x), y)
end
-- Means over the ranks, reduced while the backward pass goes on.
local averaged_gradient = dist.grad(loss_of)
local own_gradient = tensor.grad(loss_of)

-- Returns the gradients and the loss of a batch, which has the same number of rows for each rank.
local function gradient_of(x, y)
  if chosen.deterministic then
    local size = x:size(1) / CHUNKS
    return dist.averageChunks(CHUNKS, function(k)
      local first = (k - 1) * size + 1
      return own_gradient(params, x:narrow(1, first, size), y:narrow(1, first, size))
    end)
  end
  local grads, loss = averaged_gradient(params, dist.shard(x), dist.shard(y))
  return grads, dist.allReduce(loss, 'mean')
end

local function print_once(...)
  if rank == 1 then
    print(...)
  end
end

print_once(('%d images, %d rank%s'):format(count, ranks, ranks == 1 and '' or 's'))
local batches = data.batches({images:narrow(1, 1, count), classes:narrow(1, 1, count)},
                             {size = 64, seed = chosen.seed, partial = false})
local schedule = optim.schedule
local step = optim.adamW{
  rate = schedule.warmup(20, schedule.cosine(4e-3, chosen.epochs * batches.count - 20))}
for epoch = 1, chosen.epochs do
  local sum = 0
  for x, y in batches(epoch) do
    local gradients, loss = gradient_of(x, y)
    step(params, gradients)
    sum = sum + loss
  end
  print_once(('epoch %d: loss %.4f'):format(epoch, sum / batches.count))
end
dist.check(params)

local x = dist.shard(images:narrow(1, count + 1, TEST))
local y = dist.shard(classes:narrow(1, count + 1, TEST))
local correct = dist.allReduce(net(params, x):argmax(2):view(-1):eq(y):sum())
print_once(('test accuracy %.2f %%, weights %.17g'):format(100 * correct / TEST,
                                                         params[1].weight:norm()))
