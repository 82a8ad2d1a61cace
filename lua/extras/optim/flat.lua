-- The form of Torch7's package optim: optim.sgd(f, x, config, state) and so on. f(x) returns the
-- loss and its gradient; x is a tensor, which is updated in place. The results are x and the list
-- of losses.

local tensor = require 'tensor'
local native = require 'tensor.native'
local keep = tensor.keep  -- a step may run in a scope, which the state outlives
local types = require 'tensor.types'
local versions = require 'tensor.versions'
local describe = native.describe(tensor)

-- Our options by those of Torch7's package.
local names = {
   learningRate = 'rate', weightDecay = 'decay', momentum = 'momentum', dampening = 'dampening',
   nesterov = 'nesterov', beta1 = 'beta1', beta2 = 'beta2', epsilon = 'epsilon', alpha = 'alpha',
   amsgrad = 'amsgrad',
   maxIter = 'iterations', maxEval = 'evaluations', nCorrection = 'history',
   tolFun = 'gradientTolerance', tolX = 'changeTolerance',
}
local accepted = {
   sgd = 'momentum dampening nesterov', adam = 'beta1 beta2 epsilon amsgrad',
   adamW = 'beta1 beta2 epsilon amsgrad',
   rmsprop = 'alpha epsilon', adagrad = '',
   lbfgs = 'iterations evaluations history gradientTolerance changeTolerance',
}
local default_rates = {rmsprop = 1e-2, lbfgs = 1}

-- The fields of a state of ours by those of Torch7's package. `step` is the number of steps; the
-- others are tensors that are remembered about x.
local fields = {
   sgd = {evalCounter = 'step', dfdx = 'velocity'},
   adam = {t = 'step', m = 'mean', v = 'square'},
   adamW = {t = 'step', m = 'mean', v = 'square'},
   rmsprop = {m = 'square'},
   adagrad = {evalCounter = 'step', paramVariance = 'sum'},
   lbfgs = {},
}

-- Options of Torch7's package that are not supported.
local unsupported = {lbfgs = {'lineSearch'}}

local function fail(name, ...)
   native.raise(('optim.%s: '):format(name) .. string.format(...))
end

-- Returns the option `key`, a value for each element of x, in the type and shape of x.
local function values_of(name, config, key, x)
   local values = config[key]
   if not tensor.isTensor(values) or values:nElement() ~= x:nElement() then
      fail(name, 'option %s: a tensor of %d elements is expected, got %s', key, x:nElement(),
           describe(values))
   end
   return values:type(x:type()):contiguous():viewAs(x)
end

-- Returns the values of options that the constructors do not have.
local function extras_of(name, config, x)
   local extras = {
      -- adam adds epsilon before the correction of the mean of squares.
      epsilon_first = name == 'adam',
      -- lbfgs compares its tolerances with sums of absolute values.
      norm = 1,
   }
   for _, key in ipairs(unsupported[name] or {}) do
      if config[key] then
         fail(name, 'option %s of Torch7 is not supported', key)
      end
   end
   if name == 'sgd' then
      if config.learningRates then
         extras.rates = values_of(name, config, 'learningRates', x)
      end
      if config.weightDecays then
         if config.weightDecay and config.weightDecay ~= 0 then
            fail(name, 'only one of the options weightDecay and weightDecays is expected')
         end
         extras.decays = values_of(name, config, 'weightDecays', x)
      end
   elseif name == 'rmsprop' and config.initialMean ~= nil then
      extras.mean = config.initialMean
      if type(extras.mean) ~= 'number' or extras.mean < 0 or extras.mean ~= extras.mean then
         fail(name, 'option initialMean must be a number of at least 0, got %s',
              tostring(extras.mean))
      end
   end
   return extras
end

local function options_of(name, config)
   local options = {rate = default_rates[name] or 1e-3}
   for key, value in versions.each(config) do
      local own = names[key]
      if own == 'rate' or own == 'decay' and name ~= 'lbfgs'
         or own and (' ' .. accepted[name] .. ' '):find(' ' .. own .. ' ', 1, true) then
         options[own] = value
      end
   end
   if name == 'sgd' then
      -- As in Torch7: without `dampening`, the gradient is damped by the momentum.
      options.dampening = options.dampening or options.momentum
   elseif name == 'lbfgs' then
      options.gradientTolerance = options.gradientTolerance or 1e-5
   end
   return options
end

-- Returns a state of ours with the fields of a state of Torch7's package.
local function take_over(name, state, x)
   local updates = {}
   for field, key in versions.each(fields[name]) do
      local value = state[field]
      if value ~= nil and key == 'step' then
         if type(value) ~= 'number' or value < 0 or value % 1 ~= 0 then
            fail(name, 'the state of Torch7: %s must be a whole number of at least 0, got %s',
                 field, type(value) == 'number' and tostring(value) or describe(value))
         end
         updates.step = value
      elseif value ~= nil then
         if not tensor.isTensor(value) or not tensor.isTensor(x) or not value:isSameSizeAs(x) then
            fail(name, 'the state of Torch7: %s must have the size of x, %s, got %s', field,
                 describe(x), describe(value))
         end
         -- Our states of 16-bit parameters are of type float.
         local like = types.widened[x:type()] or x:type()
         updates[1] = updates[1] or {}
         updates[1][key] = keep(value:type(like))
      end
   end
   return updates
end

-- Writes the fields of Torch7's package, which programs read and save. The tensors are those of our
-- state.
local function write_fields(name, state, count, x)
   local own = tensor.isTensor(x) and state.updates[1] or {}
   for field, key in versions.each(fields[name]) do
      state[field] = key == 'step' and count or own[key]
   end
end

-- Refuses values that are not tables. Absent ones are nil or false.
local function check_table(name, what, value)
   if value and type(value) ~= 'table' then
      fail(name, '%s must be a table, got %s', what, describe(value))
   end
end

-- The rate of lbfgs may be a function of the step, which its optimizer calls.
local function check_rates(name, config)
   for _, key in ipairs(name == 'lbfgs' and {} or {'learningRate', 'learningRateDecay'}) do
      local value = config[key]
      if value and type(value) ~= 'number' then
         fail(name, 'option %s must be a number, got %s', key, describe(value))
      end
   end
end

local function call(name, construct, f, x, config, state)
   check_table(name, 'config', config)
   check_table(name, 'state', state)
   config = config or {}
   check_rates(name, config)
   state = state or config
   local extras = extras_of(name, config, x)
   local step = construct(options_of(name, config), extras)
   if not state.updates or state.updatesOf and state.updatesOf ~= name then
      state.updates = take_over(name, state, x)
   end
   state.updatesOf = name
   step.state = state.updates
   if name == 'lbfgs' then
      return step(x, function()
         local loss, gradient = f(x)
         return gradient, loss
      end)
   end
   local loss, gradient = f(x)
   if extras.decays then
      gradient = tensor.addcmul(gradient, 1, extras.decays, x)
   end
   local count, rate = step:steps(), config.learningRate or default_rates[name] or 1e-3
   if name ~= 'rmsprop' then
      rate = rate / (1 + count * (config.learningRateDecay or 0))
   end
   step(x, gradient, rate)
   write_fields(name, state, count + 1, x)
   return x, {loss}
end

-- Lets the constructors accept a function as their first argument.
return function(optim)
   for name in versions.each(accepted) do
      local construct = optim[name]
      optim[name] = function(first, ...)
         local is_flat = versions.is_callable(first)
         local has_rate = type(first) == 'table' and rawget(first, 'rate') ~= nil
         if not is_flat and not has_rate and select('#', ...) > 0 then
            fail(name, 'the options are the only argument: step = optim.%s{rate = ...}, then ' ..
                 'step(params, gradients)', name)
         end
         native.refuse_extra('optim.' .. name, is_flat and 4 or 1, first, ...)
         if is_flat then
            return call(name, construct, first, ...)
         end
         return construct(first)
      end
   end
end
