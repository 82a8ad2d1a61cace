-- tensor.optim: optimizers of nested tables of tensors. A constructor returns an optimizer `step`:
-- step(params, gradients [, rate]) updates the tensors in params, except those whose gradient is
-- false. The rate is a number, or a tensor of one element, so that a compiled step can change it.
-- step.state holds what the optimizer remembers: the number of steps, as a tensor, and tensors for
-- each tensor in params. It can be saved and restored. A parameter is known by its path in params.
-- step:steps() returns the number of steps. optim.sgd(f, x, config, state) and so on are the
-- functions of Torch7's package optim.

local names = require 'tensor.names'
local tensor = require 'tensor'
local native = require 'tensor.native'
local raise, is_tracked = native.raise, native.is_tracked
local versions = require 'tensor.versions'
local is_callable = versions.is_callable
local parameters = require 'tensor.optim.parameters'
local options_of = require 'tensor.optim.options'
local states = require 'tensor.optim.state'
local with_defaults = options_of.with_defaults

-- The constructors' second argument `extras` is that of optim/flat.lua, which hides it.
local optim = {}

-- A step may run in a scope, which the state outlives.
local keep = tensor.keep

-- Parameters of 16 bits lose small updates by rounding. So the update applies to a copy of type
-- float, the master, which is then copied to the parameter.
local type_of_master, widened = states.type_of_master, states.widened

-- One step of an optimizer: its rate, a number or a tensor of one element, and its number. rates:
-- nil, or a tensor of factors of the rate, one for each element of the only parameter.
local Step = {}
Step.__index = Step

local function new_step(rate, number, rates)
   return setmetatable({rate = rate, number = number, rates = rates, values = {}}, Step)
end

-- Subtracts the rate times t from p.
function Step:descend(p, t)
   if self.rates then
      t = tensor.cmul(t, self:value('rates', p, self.rates))
   end
   if type(self.rate) == 'number' then
      return p:add(-self.rate, t)
   end
   return p:addcmul(-1, t, self:value('rate', p, self.rate))
end

-- Subtracts the rate times a / b from p. b is overwritten.
function Step:descend_by_quotient(p, a, b)
   if type(self.rate) == 'number' then
      return p:addcdiv(-self.rate, a, b)
   end
   return p:addcdiv(-1, a, b:cdiv(self:value('rate', p, self.rate)))
end

-- Returns a tensor of one element in the type of p.
function Step:value(name, p, value)
   local key = name .. p:type()
   if not self.values[key] then
      self.values[key] = value:type(p:type())
   end
   return self.values[key]
end

-- Returns the number of steps of a parameter, a tensor: own.step if it missed a step, otherwise the
-- number of steps of the optimizer.
function Step:count(own)
   return own.step or self.number
end

-- Returns 1 - beta ^ n, the factor by which an average of n elements is too small, n = count(own).
function Step:correction(beta, p, own)
   if own.step then
      return (1 - tensor.pow(beta, own.step)):type(p:type())
   end
   local name = 'correction' .. beta
   self.values[name] = self.values[name] or 1 - tensor.pow(beta, self.number)
   return self:value(name, p, self.values[name])
end

-- Counts a step. If counts_each is true, parameters that are not in all steps get a number of steps
-- of their own. The numbers are tensors, because a compiled step replays operations only.
local function count_step(state, places, counts_each)
   local is_first = not state.step
   if not tensor.isTensor(state.step) then
      state.step = keep(tensor.DoubleTensor(1):fill(state.step or 0))
   end
   if counts_each and not is_first then
      local present = {}
      for _, place in ipairs(places) do
         present[place] = true
         state[place] = state[place] or {step = keep(tensor.DoubleTensor(1):zero())}
      end
      for place, own in ipairs(state) do
         if own.step and present[place] then
            own.step:add(1)
         elseif not own.step and not present[place] then
            own.step = keep(state.step:clone())
         end
      end
   end
   state.step:add(1)
end

local Optimizer = {__unwritable = {'optimizer', 'save its state, or use training.save'}}
Optimizer.__index = Optimizer

function Optimizer:__call(params, gradients, rate)
   local state = self.state
   local leaves, found, paths, all = parameters.of(self.name, params, gradients)
   local places, known = states.places_of(self.name, paths, all, state)
   local is_elsewhere = states.check(self.name, state, leaves, paths, places)
   if rate == nil or native.losses.is_loss(gradients, rate) then
      rate = self.rate
   end
   if is_callable(rate) then
      native.refuse_recording('computes the rate of optim.' .. self.name .. ' from the number of '
         .. 'the step; pass the rate as a tensor of one element: step(params, gradients, rate)')
      rate = rate(self:steps() + 1)
   end
   if is_tracked(rate) then
      rate = tensor.DoubleTensor{rate}
   end
   local is_tensor = tensor.isTensor(rate)
   if is_tensor and rate:nElement() ~= 1 or not is_tensor and type(rate) ~= 'number' then
      raise(('optim.%s: the rate must be a number or a tensor of one element, got %s'):format(
         self.name, is_tensor and ('%d elements'):format(rate:nElement())
                    or native.type_name(rate)))
   elseif is_tensor and rate:dim() ~= 1 then
      rate = rate:view(-1)
   end
   count_step(state, places, self.counts_each)
   if state.paths ~= known then
      state.paths = known
   end
   local step = new_step(rate, state.step, self.rates)
   for k, place in ipairs(places) do
      state[place] = state[place] or {}
      local p, g, own = leaves[k], found[k], state[place]
      if is_elsewhere then
         states.move(own, p, type_of_master[p:type()] or p:type())
      end
      -- Tensors of one element do not broadcast to a tensor without dimensions.
      local has_elements = p:nElement() > 0
      if has_elements and type_of_master[p:type()] then
         if own.master then
            -- The program may have changed elements of the parameter.
            local is_same = own.master:type(p:type()):eq(p)
            own.master:copy(tensor.where(is_same, own.master, widened(p)))
         else
            own.master = keep(widened(p))
         end
         self.update(own.master, g:type(own.master:type()), own, step)
         p:copy(own.master)
      elseif has_elements then
         self.update(p, g, own, step)
      end
   end
   return params
end

local function name_of(self)
   return 'optim' .. (getmetatable(self) == Optimizer and '.' .. self.name or '')
end

--- Raises an error: the optimizer itself is the step.
function Optimizer:step()
   raise(name_of(self) .. ': a step is called as step(params, gradients)')
end

names.refuse_methods(Optimizer, name_of, {
   zero_grad = 'each call of the function of tensor.grad returns new gradients',
   state_dict = 'step.state is the state; training.save writes it',
   load_state_dict = 'training.load reads the state that training.save has written',
})

function Optimizer:__tostring()
   return options_of.text_of(self.name, self.options, self.rate)
end

--- Returns the number of steps.
function Optimizer:steps()
   native.check_self(getmetatable(self) == Optimizer, 'steps')
   local step = self.state.step
   return tensor.isTensor(step) and step[1] or step or 0
end

-- Creates an optimizer. update(p, g, own, step) updates the tensor p; `own` is the table of what is
-- remembered about p. counts_each: update reads the number of steps of p. rates: those of new_step.
local function new(name, options, update, counts_each, rates)
   return setmetatable({
      name = name, options = options, rate = options.rate, update = update, state = {},
      counts_each = counts_each, rates = rates,
   }, Optimizer)
end

-- Returns a tensor that is remembered, at first filled with `value`, by default 0.
local function remembered(own, name, like, value)
   local t = own[name]
   if not t then
      t = keep(like:clone():fill(value or 0))
      own[name] = t
   end
   return t
end

-- The gradient plus decay times the parameter.
local function decayed(g, decay, p)
   return decay == 0 and g or tensor.add(g, decay, p)
end

--- sgd{rate, momentum = 0, nesterov = false, dampening = 0, decay = 0}: gradient descent.
-- v = momentum * v + (1 - dampening) * g; p = p - rate * v, or p - rate * (g + momentum * v) with
-- nesterov (Sutskever et al., 2013). The first v is g.
function optim.sgd(options, extras)
   options = with_defaults('sgd', options,
                           {momentum = 0, nesterov = false, dampening = 0, decay = 0})
   local momentum, dampening, decay = options.momentum, options.dampening, options.decay
   if options.nesterov and (momentum == 0 or dampening ~= 0) then
      raise('optim.sgd: nesterov needs a momentum above 0, and a dampening of 0')
   end
   return new('sgd', options, function(p, g, own, step)
      g = decayed(g, decay, p)
      if momentum ~= 0 then
         local v = own.velocity
         if not v then
            v = keep(g:clone())
            own.velocity = v
         elseif dampening == 0 then
            tensor.add(v, g, momentum, v)  -- one pass
         else
            v:mul(momentum):add(1 - dampening, g)
         end
         g = options.nesterov and tensor.add(g, momentum, v) or v
      end
      step:descend(p, g)
   end, false, extras and extras.rates)
end

-- Updates the running mean of the gradients, and returns it.
local function mean_of(g, own, p, beta)
   return remembered(own, 'mean', p):lerp(g, 1 - beta)
end

-- Updates the running mean of the squares of the gradients, at first `first`, and returns it.
local function mean_square_of(g, own, p, beta, first)
   return remembered(own, 'square', p, first):mul(beta):addcmul(1 - beta, g, g)
end

-- Returns the options of adam and similar optimizers, and those that they share. own: the defaults
-- of the others.
local function adam_options(name, options, own)
   local defaults = {beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, decay = 0}
   for key, value in versions.each(own or {}) do
      defaults[key] = value
   end
   options = with_defaults(name, options, defaults)
   return options, options.beta1, options.beta2, options.epsilon, options.decay
end

-- Updates the averages m and v of Adam, and p. epsilon_first: adds epsilon to the root before the
-- correction of v.
local function adam(name, arguments, is_decoupled, epsilon_first)
   local options, beta1, beta2, epsilon, decay = adam_options(
      name, arguments, {decay = is_decoupled and 0.01 or 0, amsgrad = false})
   return new(name, options, function(p, g, own, step)
      if is_decoupled then
         step:descend(p, p * decay)
      else
         g = decayed(g, decay, p)
      end
      local m, v = mean_of(g, own, p, beta1), mean_square_of(g, own, p, beta2)
      if options.amsgrad then
         local largest = remembered(own, 'largest', p)
         v = tensor.cmax(largest, largest, v)
      end
      local correction = step:correction(beta2, p, own)
      local root = epsilon_first and tensor.sqrt(v):add(epsilon):cdiv(tensor.sqrt(correction))
         or tensor.cdiv(v, correction):sqrt():add(epsilon)
      step:descend_by_quotient(p, m, root:cmul(step:correction(beta1, p, own)))
   end, true)
end

--- adam{rate, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, decay = 0, amsgrad = false}: divides the
-- running mean of the gradients by the root of that of their squares (Kingma and Ba, 2014). decay
-- times the parameter is added to the gradient. amsgrad: divides by the root of the largest mean of
-- squares so far (Reddi et al., 2018).
function optim.adam(options, extras)
   return adam('adam', options, false, extras and extras.epsilon_first)
end

--- adamW{..., decay = 0.01}: adam whose decay shrinks the parameters instead: Loshchilov and
-- Hutter, 2017.
function optim.adamW(options)
   return adam('adamW', options, true)
end

--- adamax{rate, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, decay = 0}: divides the running mean of
-- the gradients by the largest of their absolute values, earlier ones times powers of beta2 (Kingma
-- and Ba, 2014).
function optim.adamax(arguments)
   local options, beta1, beta2, epsilon, decay = adam_options('adamax', arguments)
   return new('adamax', options, function(p, g, own, step)
      g = decayed(g, decay, p)
      local m, largest = mean_of(g, own, p, beta1), remembered(own, 'largest', p)
      tensor.cmax(largest, largest:mul(beta2), tensor.abs(g):add(epsilon))
      step:descend_by_quotient(p, m, tensor.cmul(largest, step:correction(beta1, p, own)))
   end, true)
end

--- nadam{rate, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, momentumDecay = 4e-3, decay = 0}: adam
-- with Nesterov's momentum, which is beta1 * (1 - 0.96 ^ (n * momentumDecay) / 2) in step n (Dozat,
-- 2016).
function optim.nadam(arguments)
   local options, beta1, beta2, epsilon, decay = adam_options('nadam', arguments,
                                                              {momentumDecay = 4e-3})
   local function momentum_of(n)
      return (1 - tensor.pow(0.96, n * options.momentumDecay) / 2) * beta1
   end
   return new('nadam', options, function(p, g, own, step)
      g = decayed(g, decay, p)
      local m, v = mean_of(g, own, p, beta1), mean_square_of(g, own, p, beta2)
      local n = step:count(own)
      local momentum, following = momentum_of(n), momentum_of(n + 1)
      local product = remembered(own, 'product', n, 1):cmul(momentum)
      local of_mean = tensor.cdiv(following, 1 - tensor.cmul(product, following)):type(p:type())
      local of_gradient = tensor.cdiv(1 - momentum, 1 - product):type(p:type())
      step:descend_by_quotient(
         p, tensor.cmul(m, of_mean) + tensor.cmul(g, of_gradient),
         tensor.cdiv(v, step:correction(beta2, p, own)):sqrt():add(epsilon))
   end, true)
end

--- radam{rate, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, decay = 0}: adam with a factor for the
-- variance of the mean of squares. In the first steps, in which this is too large, p moves by the
-- mean of the gradients: Liu et al., 2019.
function optim.radam(arguments)
   local options, beta1, beta2, epsilon, decay = adam_options('radam', arguments)
   local limit = 2 / (1 - beta2) - 1
   return new('radam', options, function(p, g, own, step)
      g = decayed(g, decay, p)
      local m, v = mean_of(g, own, p, beta1), mean_square_of(g, own, p, beta2)
      local n = step:count(own)
      local power = tensor.pow(beta2, n)
      -- The length of a simple moving average with the same center of mass.
      local length = limit - tensor.cdiv(tensor.cmul(n, power) * 2, 1 - power)
      local ratio = tensor.cdiv(tensor.cmul(length - 4, length - 2), length)
         * (limit / ((limit - 4) * (limit - 2)))
      local factor = tensor.sqrt(tensor.cmul(ratio, 1 - power))
      local root = tensor.sqrt(v):add(epsilon):cdiv(factor:type(p:type()))
      local divisor = tensor.where(tensor.gt(length, 5):expandAs(root), root, 1)
      step:descend_by_quotient(p, m, divisor:cmul(step:correction(beta1, p, own)))
   end, true)
end

--- lion{rate, beta1 = 0.9, beta2 = 0.99, decay = 0}: moves each element by the rate, against the
-- sign of beta1 * m + (1 - beta1) * g; m is the running mean of the gradients g, with beta2. decay
-- shrinks the parameters, as that of adamW: Chen et al., 2023.
function optim.lion(options)
   options = with_defaults('lion', options, {beta1 = 0.9, beta2 = 0.99, decay = 0})
   local beta1, beta2, decay = options.beta1, options.beta2, options.decay
   return new('lion', options, function(p, g, own, step)
      if decay ~= 0 then
         step:descend(p, p * decay)
      end
      local m = remembered(own, 'mean', p)
      step:descend(p, tensor.lerp(m, g, 1 - beta1):sign())
      m:lerp(g, 1 - beta2)
   end)
end

--- rmsprop{rate, alpha = 0.99, epsilon = 1e-8, momentum = 0, decay = 0}: divides the gradient by
-- the root of an average of its squares: Tieleman and Hinton, 2012.
function optim.rmsprop(options, extras)
   options = with_defaults('rmsprop', options,
                           {alpha = 0.99, epsilon = 1e-8, momentum = 0, decay = 0})
   local alpha, epsilon, mean = options.alpha, options.epsilon, extras and extras.mean
   local momentum, decay = options.momentum, options.decay
   return new('rmsprop', options, function(p, g, own, step)
      g = decayed(g, decay, p)
      local root = tensor.sqrt(mean_square_of(g, own, p, alpha, mean)):add(epsilon)
      if momentum == 0 then
         step:descend_by_quotient(p, g, root)
      else
         local velocity = remembered(own, 'velocity', p)
         velocity:mul(momentum):addcdiv(1, g, root)
         step:descend(p, velocity)
      end
   end)
end

--- adagrad{rate, epsilon = 1e-10, decay = 0}: divides the gradient by the root of the sum of all
-- its squares: Duchi et al., 2011.
function optim.adagrad(options)
   options = with_defaults('adagrad', options, {epsilon = 1e-10, decay = 0})
   local epsilon, decay = options.epsilon, options.decay
   return new('adagrad', options, function(p, g, own, step)
      g = decayed(g, decay, p)
      local sum = remembered(own, 'sum', p)
      sum:addcmul(1, g, g)
      step:descend_by_quotient(p, g, tensor.sqrt(sum):add(epsilon))
   end)
end

--- adadelta{rate = 1, alpha = 0.9, epsilon = 1e-6, decay = 0}: multiplies the gradient by the root
-- of an average of the squares of the earlier changes, and divides it by that of its own squares:
-- Zeiler, 2012.
function optim.adadelta(options)
   options = with_defaults('adadelta', options, {rate = 1, alpha = 0.9, epsilon = 1e-6, decay = 0})
   local alpha, epsilon, decay = options.alpha, options.epsilon, options.decay
   return new('adadelta', options, function(p, g, own, step)
      g = decayed(g, decay, p)
      local v, changes = mean_square_of(g, own, p, alpha), remembered(own, 'changes', p)
      local change = tensor.sqrt(changes + epsilon):cdiv((v + epsilon):sqrt()):cmul(g)
      changes:mul(alpha):addcmul(1 - alpha, change, change)
      step:descend(p, change)
   end)
end

--- Learning rates as functions of the step, which counts from 1.
optim.schedule = require 'tensor.optim.schedules'

optim.lbfgs = require 'tensor.optim.lbfgs'

for name, f in versions.each(require 'tensor.optim.clipping') do
   optim[name] = f
end

require 'tensor.optim.flat'(optim)

local missing = 'it is not included; doc/from-pytorch.md lists the optimizers'

-- Names of PyTorch and of its schedulers.
local others = setmetatable({
   clip_grad_norm_ = 'instead of clip_grad_norm_, use clipNorm(gradients, limit)',
   clip_grad_value_ = 'instead of clip_grad_value_, use clipValue(gradients, limit)',
   adafactor = missing, asgd = missing, muon = missing, rprop = missing, sparseadam = missing,
}, {__index = function(_, lower)
   local is_schedule = lower:find 'lr$' or lower:find 'scheduler$' or lower:find 'restarts$'
   return is_schedule and 'the rate may be a function of the step; optim.schedule has some, such '
          .. 'as schedule.step(rate, every, factor); doc/training.md' or nil
end})

names.refuse_unknown(tensor, optim, 'tensor.optim', others)
return native.limit_arguments(optim, 'optim.')
