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

--- multiStep(rate, ends, factor): multiplies the rate by factor after each step in the list `ends`.
function schedules.multiStep(rate, ends, factor)
   check('multiStep', 'rate', rate, 0)
   check('multiStep', 'factor', factor, 0)
   if type(ends) ~= 'table' then
      raise('optim.schedule.multiStep: ends: a list of steps is expected, got ' .. describe(ends))
   end
   for _, last in ipairs(ends) do
      check('multiStep', 'ends', last, 0)
   end
   return function(step)
      local count = 0
      for _, last in ipairs(ends) do
         count = count + (step > last and 1 or 0)
      end
      return rate * factor ^ count
   end
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

--- polynomial(rate, steps [, power = 1, least = 0]): from rate to `least` in `steps` steps: least +
-- (rate - least) * (1 - (step - 1) / steps) ^ power. It stays there.
function schedules.polynomial(rate, steps, power, least)
   power, least = power or 1, least or 0
   check('polynomial', 'rate', rate, 0)
   check('polynomial', 'steps', steps, 1)
   check('polynomial', 'power', power, 0)
   check('polynomial', 'least', least, 0)
   return function(step)
      local part = math.min(1, (step - 1) / steps)
      return least + (rate - least) * (1 - part) ^ power
   end
end

-- Half a cosine from the rate `first` to `last` in `steps` steps. Later steps have the rate `last`.
local function half_cosine(first, steps, last)
   return function(step)
      local part = math.min(1, (step - 1) / steps)
      return last + (first - last) * (1 + math.cos(math.pi * part)) / 2
   end
end

--- cosine(rate, steps [, least = 0]): half a cosine from rate to `least` in `steps` steps:
-- Loshchilov and Hutter, 2016. Later steps have the rate `least`.
function schedules.cosine(rate, steps, least)
   least = least or 0
   check('cosine', 'rate', rate, 0)
   check('cosine', 'steps', steps, 1)
   check('cosine', 'least', least, 0)
   return half_cosine(rate, steps, least)
end

--- cosineRestarts(rate, steps [, growth = 1, least = 0]): cosine from the beginning after `steps`
-- steps. Each cosine takes `growth` times the steps of the one before: Loshchilov and Hutter, 2016.
function schedules.cosineRestarts(rate, steps, growth, least)
   growth, least = growth or 1, least or 0
   check('cosineRestarts', 'rate', rate, 0)
   check('cosineRestarts', 'steps', steps, 1)
   check('cosineRestarts', 'growth', growth, 1)
   check('cosineRestarts', 'least', least, 0)
   if growth % 1 ~= 0 or steps % 1 ~= 0 then
      raise('optim.schedule.cosineRestarts: steps and growth are whole numbers')
   end
   local first = schedules.cosine(rate, steps, least)
   return function(step)
      if growth == 1 then
         return first((step - 1) % steps + 1)
      end
      local length = steps
      while step > length do
         step, length = step - length, length * growth
      end
      return schedules.cosine(rate, length, least)(step)
   end
end

--- oneCycle(rate, steps [, part = 0.3, first = rate / 25, last = first / 1e4]): half a cosine from
-- the rate `first` to `rate` in this part of the steps, and another one to `last`: Smith, 2018.
function schedules.oneCycle(rate, steps, part, first, last)
   part = part or 0.3
   check('oneCycle', 'rate', rate, 0)
   check('oneCycle', 'steps', steps, 1)
   check('oneCycle', 'part', part, 0)
   check('oneCycle', 'part * steps', part * steps, 1)
   check('oneCycle', '(1 - part) * steps', (1 - part) * steps, 1)
   first = first or rate / 25
   check('oneCycle', 'first', first, 0)
   last = last or first / 1e4
   check('oneCycle', 'last', last, 0)
   local rise = part * steps - 1
   local up, down = half_cosine(first, rise, rate), half_cosine(rate, steps - 1 - rise, last)
   return function(step)
      return step < rise + 1 and up(step) or down(step - rise)
   end
end

-- Returns a schedule that checks the rates of another one.
local function checked(name, schedule)
   if not is_callable(schedule) then
      raise(('optim.schedule.%s: a schedule is expected, got %s'):format(name, type(schedule)))
   end
   return function(step)
      local rate = schedule(step)
      if type(rate) ~= 'number' and not tensor.isTensor(rate) then
         raise(('optim.schedule.%s: the schedule must return a number, got %s'):format(
            name, describe(rate)))
      end
      return rate
   end
end

--- sequence(first, steps, second): the schedule `first` in `steps` steps, then `second` from its
-- first step on.
function schedules.sequence(first, steps, second)
   check('sequence', 'steps', steps, 0)
   first, second = checked('sequence', first), checked('sequence', second)
   return function(step)
      return step <= steps and first(step) or second(step - steps)
   end
end

--- Rises linearly to the first rate of another schedule in `steps` steps, and continues with it.
function schedules.warmup(steps, schedule)
   check('warmup', 'steps', steps, 0)
   local rate_of = checked('warmup', schedule)
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
   cosineannealingwarmrestarts =
      'instead of CosineAnnealingWarmRestarts, use cosineRestarts(rate, steps, growth, least)',
   multisteplr = 'instead of MultiStepLR, use multiStep(rate, ends, factor)',
   polynomiallr = 'instead of PolynomialLR, use polynomial(rate, steps, power)',
   constantlr = 'instead of ConstantLR, use sequence(constant(rate * factor), steps, ' ..
      'constant(rate))',
   sequentiallr = 'instead of SequentialLR, use sequence(first, steps, second)',
   onecyclelr = 'instead of OneCycleLR, use oneCycle(rate, steps)',
   lambdalr = 'instead of LambdaLR, use a function of the step as the rate',
   multiplicativelr = 'instead of MultiplicativeLR, use a function of the step as the rate',
   cycliclr = 'instead of CyclicLR, use a function of the step as the rate',
   chainedscheduler = 'instead of ChainedScheduler, use function(step) return f(step) * g(step) ' ..
      'end, where one of f and g returns factors',
}

return names.refuse_unknown(tensor, schedules, 'tensor.optim.schedule', others)
