-- tensor.nn: convolutions and pools of images: batch x channels x height x width. They consist of
-- views of the windows and a matrix product.

local tensor = require 'tensor'
local layer = require 'tensor.nn.layer'
local initializer = require 'tensor.nn.initializers'

local convolution = {}

-- Returns the height and the width of an option: a number or a pair.
local function pair(name, what, value, least)
   local list = type(value) == 'table' and value or {value, value}
   for k = 1, 2 do
      local n = list[k]
      if #list ~= 2 or type(n) ~= 'number' or n < least or n % 1 ~= 0 then
         error(('nn.%s: %s: a whole number of at least %d or a pair of them is expected'):format(
            name, what, least), 0)
      end
   end
   return list
end

local function pad(x, padding, value)
   if padding[1] == 0 and padding[2] == 0 then
      return x
   end
   local h, w = padding[1], padding[2]
   return tensor.pad(x, {0, 0, 0, 0, h, h, w, w}, value)
end

-- Returns the windows of an image: a view of batch x channels x rows x columns x size.
local function windows(name, x, size, stride, dilation)
   for d = 1, 2 do
      local extent = (size[d] - 1) * dilation[d] + 1
      if extent > x:size(2 + d) then
         error(('nn.%s: the window of %d is larger than the image of %d'):format(
            name, extent, x:size(2 + d)), 0)
      end
      x = x:unfold(2 + d, extent, stride[d])
   end
   for d = 1, 2 do
      if dilation[d] > 1 then
         x = x:unfold(4 + d, 1, dilation[d]):squeeze(7)
      end
   end
   return x
end

--- conv2d(inputs, outputs, size [, options]): the cross-correlation with kernels of `size`, plus a
-- bias. weight: outputs x inputs / groups x height x width. options: stride (1), padding (0, with
-- zeros), dilation (1): each a number or {height, width}; groups (1), bias (true), init.
function convolution.conv2d(inputs, outputs, size, options)
   layer.check_size('conv2d', 'inputs', inputs)
   layer.check_size('conv2d', 'outputs', outputs)
   options = options or {}
   size = pair('conv2d', 'size', size, 1)
   local stride = pair('conv2d', 'stride', options.stride or 1, 1)
   local padding = pair('conv2d', 'padding', options.padding or 0, 0)
   local dilation = pair('conv2d', 'dilation', options.dilation or 1, 1)
   local groups = options.groups or 1
   layer.check_size('conv2d', 'groups', groups)
   if inputs % groups ~= 0 or outputs % groups ~= 0 then
      error(('nn.conv2d: %d inputs and %d outputs are not multiples of %d groups'):format(
         inputs, outputs, groups), 0)
   end
   local length = inputs / groups * size[1] * size[2]
   local bound = 1 / math.sqrt(length)
   local fill = options.init or initializer.uniform(-bound, bound)

   return layer.new('conv2d', function()
      local params = {weight = fill(tensor.Tensor(outputs, inputs / groups, size[1], size[2]))}
      if options.bias ~= false then
         params.bias = tensor.Tensor(outputs):uniform(-bound, bound)
      end
      return params
   end, function(params, x)
      local view = windows('conv2d', pad(x, padding, 0), size, stride, dilation)
      local batch, rows, columns = x:size(1), view:size(3), view:size(4)
      local count = batch * rows * columns
      -- One column for each window of each image.
      view = view:permute(2, 5, 6, 1, 3, 4):reshape(groups, length, count)
      local weight = params.weight:view(groups, outputs / groups, length)
      local y = tensor.bmm(weight, view):view(outputs, count)
      if params.bias then
         y:add(params.bias:view(outputs, 1))
      end
      return y:view(outputs, batch, rows, columns):transpose(1, 2):contiguous()
   end)
end

local function pool(name, value, reduce)
   convolution[name] = function(size, options)
      options = options or {}
      size = pair(name, 'size', size, 1)
      local stride = pair(name, 'stride', options.stride or size, 1)
      local padding = pair(name, 'padding', options.padding or 0, 0)
      return function(x)
         local view = windows(name, pad(x, padding, value), size, stride, {1, 1})
         local batch, channels, rows, columns = x:size(1), x:size(2), view:size(3), view:size(4)
         view = view:reshape(batch, channels, rows, columns, size[1] * size[2])
         return reduce(view):view(batch, channels, rows, columns)
      end
   end
end

--- maxPool2d(size [, options]): a function of x that returns the maximum of each window. options:
-- stride (the size), padding (0), each a number or {height, width}. Padding is never the maximum.
pool('maxPool2d', -math.huge, function(view)
   return (view:max(5))
end)

--- avgPool2d(size [, options]): the mean of each window, where padding counts as zeros.
pool('avgPool2d', 0, function(view)
   return view:mean(5)
end)

return convolution
