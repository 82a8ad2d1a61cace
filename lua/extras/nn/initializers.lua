-- tensor.nn.initializer: functions that fill a parameter with its first values. Each constructor
-- returns a function fill(t) that fills the tensor t and returns it. For a weight of
-- outputs x inputs x ..., fan_in is inputs times the product of further sizes, and fan_out outputs
-- times that product.

local names = require 'tensor.names'
local tensor = require 'tensor'
local native = require 'tensor.native'
local raise, describe = native.raise, native.describe(tensor)
local layer = require 'tensor.nn.layer'

local initializer = {}

local function fans(t)
   layer.check_tensor('initializer', t, 2)
   local field = 1
   for d = 3, t:dim() do
      field = field * t:size(d)
   end
   return t:size(2) * field, t:size(1) * field
end

-- Returns t, if it is a tensor. Otherwise raises an error.
local function checked(t)
   layer.check_tensor('initializer', t, 0)
   return t
end

--- constant(value): the same value for all elements.
function initializer.constant(value)
   return function(t) return checked(t):fill(value) end
end

--- uniform([low = 0] [, high = 1]): uniformly distributed numbers from low to high.
function initializer.uniform(low, high)
   return function(t) return checked(t):uniform(low or 0, high or 1) end
end

--- normal([mean = 0] [, deviation = 1]): normally distributed numbers of a mean and a standard
-- deviation.
function initializer.normal(mean, deviation)
   return function(t) return checked(t):normal(mean or 0, deviation or 1) end
end

local function check_distribution(distribution)
   if distribution ~= nil and distribution ~= 'normal' and distribution ~= 'uniform' then
      raise(("nn.initializer: the distribution is 'normal' or 'uniform', got %s"):format(
         tostring(distribution)))
   end
end

-- Returns the gain, a number, or the default instead of nil. Raises an error for other values.
local function checked_gain(gain, default)
   if gain ~= nil and type(gain) ~= 'number' then
      raise(('nn.initializer: a number is expected as the gain, got %s'):format(describe(gain)))
   end
   return gain or default
end

-- Fills t with mean 0 and a standard deviation, normally or uniformly distributed.
local function spread(t, deviation, distribution)
   if distribution == 'uniform' then
      local bound = math.sqrt(3) * deviation
      return t:uniform(-bound, bound)
   end
   return t:normal(0, deviation)
end

--- xavier([distribution = 'normal'] [, gain = 1]): mean 0 and variance
-- gain^2 * 2 / (fan_in + fan_out): Glorot and Bengio, 2010. distribution: 'normal' or 'uniform'.
function initializer.xavier(distribution, gain)
   check_distribution(distribution)
   gain = checked_gain(gain, 1)
   return function(t)
      local fan_in, fan_out = fans(t)
      return spread(t, gain * math.sqrt(2 / (fan_in + fan_out)), distribution)
   end
end

--- kaiming([distribution = 'normal'] [, gain = math.sqrt(2)]): mean 0 and variance gain^2 / fan_in.
-- The default gain is for layers before a relu: He et al., 2015. distribution: 'normal' or
-- 'uniform'.
function initializer.kaiming(distribution, gain)
   check_distribution(distribution)
   gain = checked_gain(gain, math.sqrt(2))
   return function(t)
      local fan_in = fans(t)
      return spread(t, gain / math.sqrt(fan_in), distribution)
   end
end

--- orthogonal([gain = 1]): a matrix with orthonormal rows or columns, whichever are fewer, times
-- gain: Saxe et al., 2013. Dimensions after the first count as one.
function initializer.orthogonal(gain)
   gain = checked_gain(gain, 1)
   return function(t)
      fans(t)
      local rows, columns = t:size(1), t:nElement() / t:size(1)
      local tall = tensor.DoubleTensor(math.max(rows, columns), math.min(rows, columns)):normal()
      local q, r = tensor.qr(tall)
      -- Without the signs of R's diagonal, Q is not uniformly distributed.
      q:cmul(tensor.sign(r:diag()):view(1, -1):expandAs(q))
      if rows < columns then
         q = q:t()
      end
      return t:copy(q:contiguous():viewAs(t)):mul(gain)
   end
end

-- Names of PyTorch.
local others = {
   calculate_gain = 'gain is an argument, such as math.sqrt(2) before a relu',
   kaiming_normal_ = 'use kaiming()', kaiming_uniform_ = "use kaiming('uniform')",
   xavier_normal_ = 'use xavier()', xavier_uniform_ = "use xavier('uniform')",
   ones_ = 'use constant(1)', zeros_ = 'use constant(0)',
   trunc_normal_ = 'it is not included', sparse_ = 'it is not included',
   dirac_ = 'it is not included',
}

return names.refuse_unknown(tensor, initializer, 'tensor.nn.initializer', others)
