-- Trains a convolutional network to read the handwritten digits in examples/data.
--
--   tensor examples/convolutional_digits.lua [--epochs N] [--seed N]
--
-- Prints the loss of each epoch and the accuracy on 360 digits that are not used for training.

local here = debug.getinfo(1, 'S').source:match('^@(.*[/\\])') or './'
package.path = here .. '?.lua;' .. package.path

local tensor = require 'tensor'
local data = require 'tensor.data'
local nn = require 'tensor.nn'
local optim = require 'tensor.optim'
local training = require 'tensor.training'
local tree = require 'tensor.tree'
local options = require 'lib.options'

local chosen = options.parse(arg, {
  {name = 'epochs', value = 'N', least = 1, most = 10000, default = 25,
   help = 'how often to go through the training images (25)'},
  {name = 'seed', value = 'N', least = 0, most = 2 ^ 32 - 1, default = 1,
   help = 'the seed of all randomness (1)'},
})
tensor.setdefaulttensortype 'torch.FloatTensor'
tensor.manualSeed(chosen.seed)

-- Each row of the file has 64 pixels from 0 to 16, and a digit.
local TEST = 360
local rows = tensor.load(here .. 'data/digits.csv'):float()
rows = rows:index(1, tensor.randperm(rows:size(1)))
local count = rows:size(1) - TEST
local images = (rows:narrow(2, 1, 64) / 8 - 1):view(-1, 1, 8, 8)
local classes = rows:select(2, 65):long() + 1

local net = nn.sequential{
  nn.conv2d(1, 16, 3, {padding = 1}), nn.batchNorm(16), nn.relu,
  nn.conv2d(16, 32, 3, {padding = 1}), nn.batchNorm(32), nn.relu, nn.maxPool2d(2),
  nn.conv2d(32, 64, 3, {padding = 1}), nn.batchNorm(64), nn.relu, nn.maxPool2d(2),
  nn.flatten, nn.dropout(0.3), nn.linear(64 * 2 * 2, 10),
}
local params = net.init()
print(('%d images, %d parameters'):format(count, tree.count(params)))

-- Images move by half a pixel at random, and get noise: both reduce overfitting.
local batches = data.batches({images:narrow(1, 1, count), classes:narrow(1, 1, count)}, {
  size = 32, seed = chosen.seed,
  transform = function(x, y)
    local neighbors = x:roll(tensor.random(0, 1) * 2 - 1, tensor.random(3, 4))
    local part = tensor.rand(x:size(1), 1, 1, 1):mul(0.5)
    return (neighbors - x):cmul(part):add(x):add(0.2, tensor.randn(x:size())), y
  end,
})
local loss_gradient = tensor.grad(function(p, x, y)
  return nn.crossEntropy(net(p, x, {train = true}), y)
end)
local steps = chosen.epochs * batches.count
local schedule = optim.schedule
local step = optim.adamW{rate = schedule.warmup(20, schedule.cosine(3e-3, steps - 20))}

local show = training.progress(steps)
for epoch = 1, chosen.epochs do
  local sum = 0
  for x, y in batches(epoch) do
    local loss = tensor.scope(function()
      local gradients, value = loss_gradient(params, x, y)
      step(params, gradients)
      return value
    end)
    sum = sum + loss
    show(step:steps(), ('loss %.4f'):format(loss))
  end
  print(('epoch %d: loss %.4f'):format(epoch, sum / batches.count))
end

local guesses = net(params, images:narrow(1, count + 1, TEST)):argmax(2):view(-1)
local correct = guesses:eq(classes:narrow(1, count + 1, TEST)):sum()
print(('test accuracy %.2f %%'):format(100 * correct / TEST))
