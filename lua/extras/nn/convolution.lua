-- tensor.nn: convolutions and pools of signals, images and volumes: batch x channels x size.

local tensor = require 'tensor'
local raise = require 'tensor.native'.raise
local layer = require 'tensor.nn.layer'
local initializer = require 'tensor.nn.initializers'
local versions = require 'tensor.versions'
local unpack = versions.unpack

local convolution = {}

local expected = {'', ' or a pair of them', ' or a list of three of them'}

-- Returns a list with a number for each dimension of an option: a number or a list.
local function each(name, what, dims, value, least)
   local list, is_valid = {}, type(value) ~= 'table' or #value == dims
   for d = 1, dims do
      local n = type(value) == 'table' and value[d] or value
      is_valid = is_valid and type(n) == 'number' and n >= least and n % 1 == 0
      list[d] = n
   end
   if not is_valid then
      raise(('nn.%s: %s: a whole number of at least %d%s is expected'):format(
         name, what, least, expected[dims]))
   end
   return list
end

local function product(list)
   local n = 1
   for _, x in ipairs(list) do n = n * x end
   return n
end

local numbers = 'number table'  -- one, or one for each dimension
local convolution_options = {
   stride = numbers, padding = numbers .. ' string', dilation = numbers, groups = 'number',
   bias = 'boolean', init = 'function',
}
local transposed_options = {padding = numbers, outputPadding = numbers}
for option, types in versions.each(convolution_options) do
   transposed_options[option] = transposed_options[option] or types
end

-- The options that a convolution and its transpose share, with a number for each dimension.
local function steps(name, dims, size, options)
   local same = type(options.padding) == 'string'
   return {
      size = each(name, 'size', dims, size, 1),
      stride = each(name, 'stride', dims, options.stride or 1, 1),
      padding = each(name, 'padding', dims, same and 0 or options.padding or 0, 0),
      dilation = each(name, 'dilation', dims, options.dilation or 1, 1),
   }
end

-- The padding 'same': sets s.padding so that the result has the size of the input. Returns the
-- widths of what else is padded, for tensor.pad, or nil. If an odd number of elements is added to a
-- dimension, one more of them is behind the input.
local function pad_to_same_size(name, dims, padding, s)
   if padding ~= 'same' then
      raise(("nn.%s: padding: numbers or 'same' are expected, got '%s'"):format(name, padding))
   end
   local widths, is_odd = {0, 0, 0, 0}, false
   for d = 1, dims do
      if s.stride[d] ~= 1 then
         raise(("nn.%s: the padding 'same' needs a stride of 1"):format(name))
      end
      local added = s.dilation[d] * (s.size[d] - 1)
      s.padding[d] = math.floor(added / 2)
      widths[2 * d + 3], widths[2 * d + 4] = 0, added % 2
      is_odd = is_odd or added % 2 == 1
   end
   return is_odd and widths or nil
end

local function check_channels(name, inputs, outputs, groups)
   layer.check_size(name, 'inputs', inputs)
   layer.check_size(name, 'outputs', outputs)
   layer.check_size(name, 'groups', groups)
   if inputs % groups ~= 0 or outputs % groups ~= 0 then
      raise(('nn.%s: %d inputs and %d outputs are not multiples of %d groups'):format(
         name, inputs, outputs, groups))
   end
end

-- A function that returns new parameters: a weight of first x second x size, and a bias.
local function parameters(first, second, size, outputs, options)
   local bound = 1 / math.sqrt(second * product(size))
   local fill = options.init or initializer.uniform(-bound, bound)
   return function()
      local params = {weight = fill(tensor.Tensor(first, second, unpack(size)))}
      if options.bias ~= false then
         params.bias = tensor.Tensor(outputs):uniform(-bound, bound)
      end
      return params
   end
end

--- conv2d(inputs, outputs, size [, options]), convTranspose2d(inputs, outputs, size [, options]):
-- the cross-correlation with kernels of `size`, plus a bias, or its transpose. weight: outputs x
-- inputs / groups x size; of the transpose: inputs x outputs / groups x size. options: stride (1),
-- padding (0, with zeros), dilation (1), outputPadding (0, of the transpose): each a number or one
-- for each dimension; groups (1), bias (true), init. The padding 'same' of a convolution gives a
-- result of the size of x.
local function add_convolutions(dims)
   local name = ('conv%dd'):format(dims)
   convolution[name] = function(inputs, outputs, size, options)
      options = layer.options(name, options, convolution_options)
      local groups = options.groups or 1
      check_channels(name, inputs, outputs, groups)
      local s = steps(name, dims, size, options)
      local widths
      if type(options.padding) == 'string' then
         widths = pad_to_same_size(name, dims, options.padding, s)
      end
      local init = parameters(outputs, inputs / groups, s.size, outputs, options)
      local call = tensor[name]
      return layer.new({name, inputs, outputs, size}, init, function(params, x)
         local others = x:dim() - dims  -- the channels, and the batch if there is one
         if widths and (others == 1 or others == 2) then
            x = tensor.pad(x, {unpack(widths, 2 * (3 - others) - 1)})
         end
         return call(x, params.weight, params.bias, s.stride, s.padding, s.dilation, groups)
      end)
   end

   local transposed = ('convTranspose%dd'):format(dims)
   convolution[transposed] = function(inputs, outputs, size, options)
      options = layer.options(transposed, options, transposed_options)
      local groups = options.groups or 1
      check_channels(transposed, inputs, outputs, groups)
      local s = steps(transposed, dims, size, options)
      local more = each(transposed, 'outputPadding', dims, options.outputPadding or 0, 0)
      local init = parameters(inputs, outputs / groups, s.size, outputs, options)
      local call = tensor[transposed]
      return layer.new({transposed, inputs, outputs, size}, init, function(params, x)
         return call(x, params.weight, params.bias, s.stride, s.padding, more, groups, s.dilation)
      end)
   end
end

--- maxPool2d(size [, options]), avgPool2d(size [, options]), adaptiveMaxPool2d(size),
-- adaptiveAvgPool2d(size): a function of x that returns the maximum or the mean of each window.
-- Windows of an adaptive pool divide x into `size` parts. options: stride (the size), padding (0):
-- each a number or one for each dimension; ceilMode; dilation (maxPool2d); countIncludePad
-- (avgPool2d).
local function add_pools(dims)
   local function add(kind, known, apply)
      local name = ('%s%dd'):format(kind, dims)
      local call = tensor[name]
      convolution[name] = function(size, options)
         options = layer.options(name, options, known)
         size = each(name, 'size', dims, size, 1)
         local stride = each(name, 'stride', dims, options.stride or size, 1)
         local padding = each(name, 'padding', dims, options.padding or 0, 0)
         return apply(name, call, size, stride, padding, options)
      end
   end
   add('maxPool', {stride = numbers, padding = numbers, ceilMode = 'boolean', dilation = numbers},
       function(name, call, size, stride, padding, options)
      local dilation = each(name, 'dilation', dims, options.dilation or 1, 1)
      return function(x)
         return (call(x, size, stride, padding, dilation, options.ceilMode == true))
      end
   end)
   add('avgPool', {stride = numbers, padding = numbers, ceilMode = 'boolean',
                   countIncludePad = 'boolean'}, function(_, call, size, stride, padding, options)
      local counts = options.countIncludePad ~= false
      return function(x)
         return call(x, size, stride, padding, options.ceilMode == true, counts)
      end
   end)
   for _, kind in ipairs {'adaptiveMaxPool', 'adaptiveAvgPool'} do
      local name = ('%s%dd'):format(kind, dims)
      local call = tensor[name]
      convolution[name] = function(size)
         size = each(name, 'size', dims, size, 1)
         return function(x)
            return (call(x, size))
         end
      end
   end
end

for dims = 1, 3 do
   add_convolutions(dims)
   add_pools(dims)
end

return convolution
