-- Trains a recurrent network to predict the next character of the documentation of this repository,
-- and samples text from it.
--
--   tensor examples/text_lstm.lua [--steps N] [--seed N]

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

local WIDTH, HIDDEN, BATCH, LENGTH, TEMPERATURE = 32, 128, 32, 48, 0.6
local codes, characters, encode = text.read(here .. '../doc')

local embedding = nn.embedding(#characters, WIDTH)
local lstm = nn.lstm(WIDTH, HIDDEN)
local output = nn.linear(HIDDEN, #characters)
local params = {embedding = embedding.init(), lstm = lstm.init(), output = output.init()}
print(('%d characters, %d parameters'):format(codes:size(1), tree.count(params)))

-- The scores of the next characters and the states, for x of steps x batch characters.
local function predict(p, x, states)
  local y, last = lstm(p.lstm, embedding(p.embedding, x), {state = states})
  return output(p.output, y), last
end

local loss_gradient = tensor.grad(function(p, x, y)
  return nn.crossEntropy((predict(p, x)), y)
end)
local step = optim.adam{rate = optim.schedule.cosine(1e-2, chosen.steps)}
local show, mean = training.progress(chosen.steps), 0
for k = 1, chosen.steps do
  local part = text.parts(codes, BATCH, LENGTH + 1):t():contiguous()
  local gradients, loss = loss_gradient(params, part:narrow(1, 1, LENGTH),
                                        part:narrow(1, 2, LENGTH))
  optim.clipNorm(gradients, 1)
  step(params, gradients)
  mean = k == 1 and loss or 0.95 * mean + 0.05 * loss
  show(k, ('loss %.3f'):format(mean))
  if k % 100 == 0 or k == chosen.steps then
    print(('step %d: loss %.3f'):format(k, mean))
  end
end

-- Text that begins with a few given characters.
local sampled = {'The tensor'}
local logits, states = predict(params, encode(sampled[1]):view(-1, 1))
for k = 2, 400 do
  local code = text.sample(logits[{-1, 1}], TEMPERATURE)
  sampled[k] = characters[code]
  logits, states = predict(params, tensor.LongTensor{{code}}, states)
end
print(table.concat(sampled))
