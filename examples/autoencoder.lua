-- Trains a variational autoencoder (Kingma and Welling, 2013): a network that describes each digit
-- in examples/data by two numbers, and another one that draws a digit from two numbers.
--
--   tensor examples/autoencoder.lua [--epochs N] [--seed N] [--out FOLDER]
--
-- Plots the loss, the two numbers of each digit, and digits drawn from a grid of numbers: in the
-- terminal, and as SVG files with --out.

local here = debug.getinfo(1, 'S').source:match('^@(.*[/\\])') or './'
package.path = here .. '?.lua;' .. package.path

local tensor = require 'tensor'
local data = require 'tensor.data'
local nn = require 'tensor.nn'
local optim = require 'tensor.optim'
local training = require 'tensor.training'
local options = require 'lib.options'

local chosen = options.parse(arg, {
  {name = 'epochs', value = 'N', least = 1, most = 10000, default = 60,
   help = 'how often to go through the images (60)'},
  {name = 'seed', value = 'N', least = 0, most = 2 ^ 32 - 1, default = 1,
   help = 'the seed of all randomness (1)'},
  {name = 'out', value = 'FOLDER', help = 'where the plots go, as SVG files (nowhere)'},
})
tensor.setdefaulttensortype 'torch.FloatTensor'
tensor.manualSeed(chosen.seed)

local PIXELS, HIDDEN, CODE = 64, 256, 2
local rows = tensor.load(here .. 'data/digits.csv'):float()
local images, digits = rows:narrow(2, 1, PIXELS) / 16, rows:select(2, PIXELS + 1)

local encoder = nn.sequential{nn.linear(PIXELS, HIDDEN), nn.relu, nn.linear(HIDDEN, 2 * CODE)}
local decoder = nn.sequential{nn.linear(CODE, HIDDEN), nn.relu, nn.linear(HIDDEN, HIDDEN), nn.relu,
                              nn.linear(HIDDEN, PIXELS)}
local params = {encoder = encoder.init(), decoder = decoder.init()}

-- Returns the means of the codes of images, and the logarithms of their variances.
local function encode(p, x)
  local y = encoder(p.encoder, x)
  return y:narrow(2, 1, CODE), y:narrow(2, CODE + 1, CODE)
end

-- The loss of an image: the cross-entropy of the pixels drawn from a random code, and the
-- divergence of the distribution of the code from a normal one.
local function loss_of(p, x)
  local mean, log_variance = encode(p, x)
  local code = mean + tensor.cmul(tensor.exp(log_variance / 2), tensor.randn(x:size(1), CODE))
  local pixels = nn.binaryCrossEntropy(decoder(p.decoder, code), x) * PIXELS
  local divergence = tensor.exp(log_variance) + tensor.cmul(mean, mean) - log_variance
  return pixels + (divergence:mean() - 1) * (CODE / 2)
end

local batches = data.batches(images, {size = 64, seed = chosen.seed})
local steps = chosen.epochs * batches.count
local step = optim.adam{rate = optim.schedule.cosine(3e-3, steps)}
local loss_gradient, show, losses = tensor.grad(loss_of), training.progress(steps), {}
for epoch = 1, chosen.epochs do
  local sum = 0
  for x in batches(epoch) do
    local loss = tensor.scope(function()
      local gradients, value = loss_gradient(params, x)
      step(params, gradients)
      return value
    end)
    sum = sum + loss
    show(step:steps(), ('loss %.2f'):format(loss))
  end
  losses[epoch] = sum / batches.count
end
print(('loss %.2f in the first epoch, %.2f in the last'):format(losses[1], losses[#losses]))

local function plot(figure, name)
  print(figure)
  if chosen.out then
    figure:save(('%s/%s.svg'):format(chosen.out, name))
  end
end

plot(tensor.plot.line(losses, {title = 'Loss', xlabel = 'epoch'}), 'loss')

local codes = encode(params, images)
local figure = tensor.plot.figure{title = 'Codes of the digits 0, 1, 4 and 6'}
for _, digit in ipairs{0, 1, 4, 6} do
  local own = codes:index(1, digits:eq(digit):nonzero():view(-1))
  figure:scatter(own:select(2, 1), own:select(2, 2), {name = tostring(digit)})
end
plot(figure, 'codes')

-- Digits drawn from codes at the quantiles of the normal distribution.
local COUNT = 8
local places = (tensor.range(1, COUNT) - 0.5) / COUNT
places = tensor.erfinv(places * 2 - 1) * math.sqrt(2)
local grid = tensor.zeros(COUNT * 8, COUNT * 8)
for row = 1, COUNT do
  for column = 1, COUNT do
    local code = tensor.Tensor{{places[row], places[column]}}
    local drawn = tensor.sigmoid(decoder(params.decoder, code)):view(8, 8)
    grid:narrow(1, row * 8 - 7, 8):narrow(2, column * 8 - 7, 8):copy(drawn)
  end
end
plot(tensor.plot.heatmap(grid, {title = 'Digits drawn from codes', aspect = 'equal'}), 'drawn')
