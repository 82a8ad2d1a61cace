-- tensor.nn: layers, losses and initializers of networks that tensor.grad differentiates.

local names = require 'tensor.names'
local native = require 'tensor.native'
local versions = require 'tensor.versions'
local tensor = require 'tensor'
local layer = require 'tensor.nn.layer'

-- Equivalents of PyTorch's layers and losses.
local others = setmetatable({
   identity = 'use function(x) return x end',
   init = 'the functions that fill parameters are in nn.initializer',
   parameter = 'a tensor among the children of nn.layer is the initial value of a parameter',
   modulelist = 'instead of ModuleList, use a list of layers among the children of nn.layer',
   moduledict = 'instead of ModuleDict, use a table of layers among the children of nn.layer',
   parameterlist = 'instead of ParameterList, use a list of tensors among the children of nn.layer',
   parameterdict =
      'instead of ParameterDict, use a table of tensors among the children of nn.layer',
   buffer = 'a constant of a layer is a local variable that forward uses',
   crossentropyloss = 'instead of CrossEntropyLoss, use crossEntropy(logits, classes)',
   bcewithlogitsloss = 'instead of BCEWithLogitsLoss, use binaryCrossEntropy(logits, targets)',
   mseloss = 'instead of MSELoss, use mse(x, y)',
   nllloss = 'instead of NLLLoss, use nll(logs, classes)',
   huberloss = 'instead of HuberLoss, use huber(x, y, delta)',
   multiheadattention = 'instead of MultiheadAttention, use attention(width, heads), whose mask is '
      .. '1 where a row may see a column',
   transformerencoderlayer = 'transformerBlock(width, heads) is TransformerEncoderLayer(width, '
      .. "heads, 4 * width, 0, 'gelu', batch_first=True, norm_first=True)",
   transformerencoder =
      'instead of TransformerEncoder, use sequential{transformerBlock(width, heads), ...}',
   rnn = 'there are lstm and gru', rnncell = 'there are lstmCell and gruCell',
   syncbatchnorm = 'batchNorm has the statistics of one process',
}, {__index = function(_, lower)
   if lower:find '^lazy' then
      return 'layers need their sizes, because init() makes parameters before there is an input'
   elseif lower:find '^instancenorm%dd$' then
      return 'use groupNorm(width, width, {affine = false})'
   elseif lower:find 'pad%dd$' then
      return "use function(x) return tensor.pad(x, widths, mode) end, with the mode 'constant', "
             .. "'edge', 'reflect' or 'wrap'"
   elseif lower:find '^upsampl' then
      return 'use function(x) return tensor.upsample(x, factor, mode) end'
   elseif lower:find '^transformer' then
      return 'there is transformerBlock(width, heads); its option memory in a call is another input'
   end
end})

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

--- softmax(x [, dim]), logSoftmax(x [, dim]): the functions of the module over dimension dim, by
-- default the last one.
function nn.softmax(x, dim)
   layer.check_tensor('softmax', x)
   return tensor.softmax(x, dim or -1)
end

function nn.logSoftmax(x, dim)
   layer.check_tensor('logSoftmax', x)
   return tensor.logSoftmax(x, dim or -1)
end

names.refuse_unknown(tensor, nn, 'tensor.nn', others)
return native.limit_arguments(nn, 'nn.')
