-- tensor.data: transforms of batches of images, batch x channels x height x width. Each constructor
-- returns a function of a batch that returns a new one.

local tensor = require 'tensor'
local raise = require 'tensor.native'.raise
local describe = require('tensor.native').describe(tensor)
local types = require 'tensor.types'
local shown = require 'tensor.versions'.shown

local transforms = {}

local function check(name, what, value, is_valid)
   if not is_valid then
      raise(('data.%s: %s is expected, got %s'):format(name, what,
            type(value) == 'table' and describe(value) or shown(value)))
   end
end

-- Raises an error unless x is a batch: a tensor of at least `least` dimensions.
local function check_batch(name, x, least)
   if not tensor.isTensor(x) or x:dim() < least then
      raise(('data.%s: a tensor of %d or more dimensions is expected, got %s'):format(
         name, least, describe(x)))
   end
end

-- Returns images of integers in the default tensor type, or as doubles if that has integers, too.
-- Images on a GPU stay there.
local function floating(x)
   if types.is_floating[x:type()] then
      return x
   end
   local class = tensor.getdefaulttensortype()
   local wanted = types.is_integral[class] and 'torch.DoubleTensor' or class
   return x:type(types.beside(x:type(), wanted))
end

--- normalize(mean, deviation): (x - mean) / deviation. Both are numbers, or tensors with one
-- element for each channel. The result has the type of x, or the default tensor type, on the device
-- of x, if x has integers.
function transforms.normalize(mean, deviation)
   local function shape(value)
      check('normalize', 'a number or a tensor', value,
            type(value) == 'number' or tensor.isTensor(value))
      return tensor.isTensor(value) and value:view(-1, 1, 1) or value
   end
   mean, deviation = shape(mean), shape(deviation)
   local function in_type_of(x, value)
      return tensor.isTensor(value) and value:typeAs(x) or value
   end
   return function(x)
      check('normalize', 'a tensor', x, tensor.isTensor(x))
      x = floating(x)
      local y, divisor = x - in_type_of(x, mean), in_type_of(x, deviation)
      return tensor.isTensor(divisor) and y:cdiv(divisor) or y:div(divisor)
   end
end

--- mirror([probability = 0.5]): exchanges left and right in some of the images, chosen at random.
function transforms.mirror(probability)
   probability = probability or 0.5
   check('mirror', 'a probability from 0 to 1', probability,
         type(probability) == 'number' and probability >= 0 and probability <= 1)
   return function(x)
      check_batch('mirror', x, 2)
      local chosen = tensor.ByteTensor(x:size(1)):bernoulli(probability):nonzero():view(-1)
      local y = x:clone()
      if chosen:nElement() > 0 then
         y:indexCopy(1, chosen, x:index(1, chosen):flip(x:dim()))
      end
      return y
   end
end

--- shift(most): moves each image by a random number of pixels, up to `most` in both directions.
-- Pixels from outside are 0.
function transforms.shift(most)
   check('shift', 'a whole number of pixels', most,
         type(most) == 'number' and most >= 0 and most % 1 == 0)
   return function(x)
      check_batch('shift', x, 3)
      local rows, columns = x:size(x:dim() - 1), x:size(x:dim())
      local widths = {}
      for d = 1, x:dim() do
         local width = d > x:dim() - 2 and most or 0
         widths[2 * d - 1], widths[2 * d] = width, width
      end
      local padded, y = tensor.pad(x, widths), tensor.emptyLike(x)
      for k = 1, x:size(1) do
         local top, left = tensor.random(0, 2 * most), tensor.random(0, 2 * most)
         local image = padded[k]
         local d = image:dim()
         y[k]:copy(image:narrow(d - 1, top + 1, rows):narrow(d, left + 1, columns))
      end
      return y
   end
end

return transforms
