-- autograd.model: functions that construct networks.

local tensor = require 'tensor'
local nn = require 'tensor.nn'
local util = require 'tensor.autograd.util'

local model = {}

local activations = {
   relu = tensor.relu, tanh = tensor.tanh, sigmoid = tensor.sigmoid, softplus = tensor.softplus,
}

-- Returns the list of layers, functions of (params, x), and the list of their parameters. Each
-- entry of params is the list of a layer's weight and bias.
local function build(options)
   local inputs = options.inputFeatures or 10
   local hidden = options.hiddenFeatures or {100, 2}
   local name = options.activations or 'ReLU'
   local activation = activations[name:lower()]
   if not activation then
      error(('autograd.model.NeuralNetwork: unknown activation %s'):format(name), 3)
   end
   local layers, params = {}, {}
   local function add(layer, settings)
      local own = layer.init()
      local k = #params + 1
      params[k] = {own.weight, own.bias}
      layers[#layers + 1] = function(p, x)
         return layer({weight = p[k][1], bias = p[k][2]}, x, settings)
      end
   end
   for k, outputs in ipairs(hidden) do
      local probability = (options.dropoutProbs or {})[k] or options.dropoutProb or 0
      if probability > 0 then
         layers[#layers + 1] = function(_, x) return util.dropout(x, probability) end
      end
      add(nn.linear(inputs, outputs))
      if not (options.classifier and k == #hidden) then
         if options.batchNormalization then
            add(nn.batchNorm(outputs), {train = true})
         end
         layers[#layers + 1] = function(_, x) return activation(x) end
      end
      inputs = outputs
   end
   return layers, params
end

--- NeuralNetwork(options): a network of fully connected layers. Returns a function f(params, x),
-- params, and the list of layers. x: a vector, or one row for each example. options: inputFeatures
-- (10), hiddenFeatures (the outputs of each layer; {100, 2}), activations ('ReLU', 'Tanh',
-- 'Sigmoid', 'SoftPlus'), classifier (no activation of the last layer), dropoutProb or dropoutProbs
-- (for each layer), batchNormalization, cuda (casts the parameters).
function model.NeuralNetwork(options)
   options = options or {}
   local layers, params = build(options)
   if options.cuda then
      params = util.cast(params, 'cuda')
   end
   local inputs = options.inputFeatures or 10
   return function(p, x)
      local is_vector = x:nElement() == inputs and x:size(1) ~= 1
      x = x:reshape(x:nElement() / inputs, inputs)
      for _, layer in ipairs(layers) do
         x = layer(p, x)
      end
      return is_vector and x:select(1, 1) or x
   end, params, layers
end

return setmetatable(model, {
   __index = function(_, name)
      error(('autograd.model.%s is not supported; tensor.nn has layers for such networks')
            :format(tostring(name)), 2)
   end,
})
