-- Training steps for bench/cases.txt: forward pass, backward pass and update.

local tensor = require 'tensor'
local nn, optim = require 'tensor.nn', require 'tensor.optim'

local models = {}

function models.mlp(rand, index, batch)
  local model = nn.sequential{nn.linear(784, 512), tensor.relu, nn.linear(512, 10)}
  return model, optim.sgd{rate = 0.01, momentum = 0.9}, rand(batch, 784),
    index(batch, 10)
end

function models.lenet(rand, index, batch)
  local model = nn.sequential{
    nn.conv2d(1, 6, 5, {padding = 2}), tensor.relu, nn.maxPool2d(2),
    nn.conv2d(6, 16, 5), tensor.relu, nn.maxPool2d(2),
    function(x) return x:reshape(batch, 400) end,
    nn.linear(400, 120), tensor.relu, nn.linear(120, 84), tensor.relu, nn.linear(84, 10),
  }
  return model, optim.sgd{rate = 0.01, momentum = 0.9}, rand(batch, 1, 28, 28),
    index(batch, 10)
end

-- 50 steps of 64 characters.
function models.lstm(_, index, batch)
  local steps, letters, width = 50, 64, 128
  local lstm = nn.lstm(width, width, {layers = 2})
  local parts = {embedding = nn.embedding(letters, width), lstm = lstm,
                 output = nn.linear(width, letters)}
  local model = nn.layer('characters', parts, function(params, x)
    local y = parts.lstm(params.lstm, parts.embedding(params.embedding, x))
    return parts.output(params.output, y)
  end)
  return model, optim.sgd{rate = 0.01, momentum = 0.9},
    index(steps * batch, letters):view(steps, batch), index(steps * batch, letters)
end

-- 64 characters each, 4 layers of 4 heads.
function models.transformer(_, index, batch)
  local block, letters, width = 64, 64, 128
  local parts = {letters = nn.embedding(letters, width), places = nn.embedding(block, width),
                 norm = nn.layerNorm(width), output = nn.linear(width, letters)}
  for k = 1, 4 do
    parts['block' .. k] = nn.transformerBlock(width, 4, {causal = true})
  end
  local places = tensor.linspace(1, block, block):long()
  local model = nn.layer('transformer', parts, function(params, x, options)
    local y = parts.letters(params.letters, x) + parts.places(params.places, places)
    for k = 1, 4 do
      y = parts['block' .. k](params['block' .. k], y, options)
    end
    return parts.output(params.output, parts.norm(params.norm, y))
  end)
  return model, optim.adamW{rate = 0.001}, index(batch * block, letters):view(batch, block),
    index(batch * block, letters)
end

--- Returns a function that trains a model for one step, the step as a function of parameters and
-- input, and the parameters. compiled: the step is compiled. grad: instead of tensor.grad.
return function(rand, index, name, batch, compiled, grad)
  local model, optimizer, x, classes = models[name](rand, index, batch)
  local params = model.init()
  local gradient = (grad or tensor.grad)(function(p, input)
    return nn.crossEntropy(model(p, input, {train = true}), classes)
  end, {tensors = true})
  local function step(p, input)
    local gradients, loss = gradient(p, input)
    optimizer(p, gradients)
    return loss
  end
  if compiled then
    step = tensor.compile(step)
  end
  return function() return step(params, x)[1] end, step, params
end
