-- tensor.nn: layers, losses and initializers of networks that tensor.grad differentiates.

local versions = require 'tensor.versions'
local tensor = require 'tensor'
local layer = require 'tensor.nn.layer'

local nn = {
   initializer = require 'tensor.nn.initializers',
   relu = tensor.relu, sigmoid = tensor.sigmoid, tanh = tensor.tanh, gelu = tensor.gelu,
   silu = tensor.silu, softplus = tensor.softplus, elu = tensor.elu, leakyRelu = tensor.leakyRelu,
}

for _, part in ipairs {'layers', 'losses', 'recurrent', 'attention', 'convolution'} do
   for name, value in versions.each(require('tensor.nn.' .. part)) do
      nn[name] = value
   end
end

--- Rows of x as vectors: keeps dimension 1, and joins the others.
function nn.flatten(x)
   layer.check_tensor('flatten', x)
   local width = 1
   for d = 2, x:dim() do
      width = width * x:size(d)
   end
   return x:reshape(x:size(1), width)
end

return require 'tensor.native'.limit_arguments(nn)
