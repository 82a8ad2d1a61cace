-- Trains a small transformer to predict the next character of the documentation of this repository,
-- and samples text from it.
--
--   tensor examples/text_transformer.lua [--steps N] [--seed N]

local here = debug.getinfo(1, 'S').source:match('^@(.*[/\\])') or './'
package.path = here .. '?.lua;' .. package.path

local tensor = require 'tensor'
local nn = require 'tensor.nn'
local optim = require 'tensor.optim'
local training = require 'tensor.training'
local tree = require 'tensor.tree'
local options = require 'lib.options'
local text = require 'lib.text'

local chosen = options.parse(arg, {
  {name = 'steps', value = 'N', least = 1, most = 1e6, default = 600,
   help = 'the number of training steps (600)'},
  {name = 'seed', value = 'N', least = 0, most = 2 ^ 32 - 1, default = 1,
   help = 'the seed of all randomness (1)'},
})
tensor.setdefaulttensortype 'torch.FloatTensor'
tensor.manualSeed(chosen.seed)

local WIDTH, HEADS, LAYERS, BATCH, LENGTH, TEMPERATURE = 64, 4, 2, 16, 64, 0.6
local codes, characters, encode = text.read(here .. '../doc')

local small = {init = nn.initializer.normal(0, 0.05)}
local characters_of, position_of = nn.embedding(#characters, WIDTH, small),
                                   nn.embedding(LENGTH, WIDTH, small)
local blocks = {}
for k = 1, LAYERS do
  blocks[k] = nn.transformerBlock(WIDTH, HEADS, {causal = true})
end
local body = nn.sequential(blocks)
local head = nn.sequential{nn.layerNorm(WIDTH), nn.linear(WIDTH, #characters)}
local params = {characters = characters_of.init(), positions = position_of.init(),
                body = body.init(), head = head.init()}
print(('%d characters, %d parameters'):format(codes:size(1), tree.count(params)))

-- The scores of the next characters, for x of batch x at most LENGTH characters.
local function predict(p, x)
  local positions = tensor.range(1, x:size(2)):long()
  local y = characters_of(p.characters, x) + position_of(p.positions, positions)
  return head(p.head, body(p.body, y))
end

local loss_gradient = tensor.grad(function(p, x, y)
  return nn.crossEntropy(predict(p, x), y)
end)
local schedule = optim.schedule
local step = optim.adamW{rate = schedule.warmup(20, schedule.cosine(5e-3, chosen.steps))}
local show, mean = training.progress(chosen.steps), 0
for k = 1, chosen.steps do
  local part = text.parts(codes, BATCH, LENGTH + 1)
  local gradients, loss = loss_gradient(params, part:narrow(2, 1, LENGTH),
                                        part:narrow(2, 2, LENGTH))
  optim.clipNorm(gradients, 1)
  step(params, gradients)
  mean = k == 1 and loss or 0.95 * mean + 0.05 * loss
  show(k, ('loss %.3f'):format(mean))
  if k % 100 == 0 or k == chosen.steps then
    print(('step %d: loss %.3f'):format(k, mean))
  end
end

-- Text that begins with a few given characters.
local sampled, window = {'The tensor'}, encode('The tensor')
for k = 2, 400 do
  local count = math.min(window:size(1), LENGTH)
  local seen = window:narrow(1, window:size(1) - count + 1, count)
  local code = text.sample(predict(params, seen:view(1, -1))[{1, -1}], TEMPERATURE)
  sampled[k], window = characters[code], tensor.cat(window, tensor.LongTensor{code}, 1)
end
print(table.concat(sampled))
