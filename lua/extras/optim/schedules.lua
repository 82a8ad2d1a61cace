-- tensor.optim.schedule: learning rates as functions of the step, which counts from 1.

local names = require 'tensor.names'
local tensor = require 'tensor'
local native = require 'tensor.native'
local raise, describe = native.raise, native.describe(tensor)
local is_callable = require 'tensor.versions'.is_callable

local schedules = {}

-- Raises an error unless the value is a number of at least `least`.
local function check(name, what, value, least)
   if type(value) ~= 'number' or value < least or value ~= value then
      raise(('optim.schedule.%s: %s: a number of at least %d is expected, got %s'):format(
         name, what, least, tostring(value)))
   end
end

--- The same rate in all steps.
function schedules.constant(rate)
   check('constant', 'rate', rate, 0)
   return function() return rate end
end

--- Multiplies the rate by factor every `every` steps.
function schedules.step(rate, every, factor)
   check('step', 'rate', rate, 0)
   check('step', 'every', every, 1)
   check('step', 'factor', factor, 0)
   return function(step) return rate * factor ^ math.floor((step - 1) / every) end
end

--- Multiplies the rate by factor in each step.
function schedules.exponential(rate, factor)
   check('exponential', 'rate', rate, 0)
   check('exponential', 'factor', factor, 0)
   return function(step) return rate * factor ^ (step - 1) end
end

--- Changes linearly from the rate `first` to the rate `last` in `steps` steps, and stays there.
function schedules.linear(first, last, steps)
   check('linear', 'first', first, 0)
   check('linear', 'last', last, 0)
   check('linear', 'steps', steps, 1)
   return function(step) return first + (last - first) * math.min(1, (step - 1) / steps) end
end

--- cosine(rate, steps [, least = 0]): half a cosine from rate to `least` in `steps` steps:
-- Loshchilov and Hutter, 2016. Later steps have the rate `least`.
function schedules.cosine(rate, steps, least)
   least = least or 0
   check('cosine', 'rate', rate, 0)
   check('cosine', 'steps', steps, 1)
   check('cosine', 'least', least, 0)
   return function(step)
      local part = math.min(1, (step - 1) / steps)
      return least + (rate - least) * (1 + math.cos(math.pi * part)) / 2
   end
end

--- Rises linearly to the first rate of another schedule in `steps` steps, and continues with it.
function schedules.warmup(steps, schedule)
   check('warmup', 'steps', steps, 0)
   if not is_callable(schedule) then
      raise(('optim.schedule.warmup: a schedule is expected, got %s'):format(type(schedule)))
   end
   local function rate_of(step)
      local rate = schedule(step)
      if type(rate) ~= 'number' and not tensor.isTensor(rate) then
         raise('optim.schedule.warmup: the schedule must return a number, got ' .. describe(rate))
      end
      return rate
   end
   return function(step)
      return step <= steps and rate_of(1) * step / steps or rate_of(step - steps)
   end
end

-- Names of PyTorch.
local others = {
   steplr = 'instead of StepLR, use step(rate, every, factor)',
   exponentiallr = 'instead of ExponentialLR, use exponential(rate, factor)',
   linearlr = 'instead of LinearLR, use linear(first, last, steps)',
   cosineannealinglr = 'instead of CosineAnnealingLR, use cosine(rate, steps, least)',
   cosineannealingwarmrestarts = 'instead of CosineAnnealingWarmRestarts, use function(step) ' ..
      'return one((step - 1) % n + 1) end, for one = cosine(rate, n)',
   multisteplr = 'instead of MultiStepLR, use a function of the step: rate * factor ^ (step > b ' ..
      'and 2 or step > a and 1 or 0)',
   lambdalr = 'instead of LambdaLR, use a function of the step as the rate',
   onecyclelr = 'instead of OneCycleLR, use warmup(steps, cosine(rate, steps))',
}

return names.refuse_unknown(tensor, schedules, 'tensor.optim.schedule', others)
