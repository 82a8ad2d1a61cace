-- tensor.optim.lbfgs: limited-memory BFGS (Liu and Nocedal, 1989) with a fixed step length.

local tensor = require 'tensor'
local native = require 'tensor.native'
local raise, is_tracked = native.raise, native.is_tracked
local tree = require 'tensor.tree'
local types = require 'tensor.types'
local parameters = require 'tensor.optim.parameters'
local is_callable = require 'tensor.versions'.is_callable
local options_of = require 'tensor.optim.options'
local states = require 'tensor.optim.state'
local with_defaults = options_of.with_defaults
local describe = native.describe(tensor)

-- A step may run in a scope, which the state outlives.
local keep = tensor.keep

local Optimizer = {__unwritable = {'optimizer', 'save its state, or use training.save'}}
Optimizer.__index = Optimizer

-- Returns all elements of a list of gradients, at least one, as a vector.
local function flatten(list)
   local parts = {}
   for k, leaf in ipairs(list) do
      parts[k] = leaf:contiguous():view(-1)
   end
   local vector = tensor.cat(parts, 1)
   if is_tracked(vector[1]) then
      raise('optim.lbfgs: the gradients depend on the arguments of tensor.grad; this is not '
            .. 'supported')
   end
   return vector
end

-- Adds factor * vector to the elements of a list of tensors.
local function add(list, factor, vector)
   local first = 1
   for _, leaf in ipairs(list) do
      local count = leaf:nElement()
      leaf:add(factor, vector:narrow(1, first, count):viewAs(leaf):type(leaf:type()))
      first = first + count
   end
end

-- Adds the last move and the change of the gradient to the history, unless the curvature is too
-- small.
local function remember(state, gradient, limit)
   local change, move = gradient - state.gradient, state.direction * state.length
   local curvature = change:dot(move)
   if curvature > 1e-10 then
      while #state.history >= limit do
         table.remove(state.history, 1)
      end
      table.insert(state.history, keep{change = change, move = move, factor = 1 / curvature})
      state.scale = curvature / change:dot(change)
   end
end

-- Returns minus the product of the approximate inverse Hessian and the gradient: the two loops of
-- Nocedal, 1980.
local function direction_of(state, gradient)
   local direction, factors = -gradient, {}
   for k = #state.history, 1, -1 do
      local pair = state.history[k]
      factors[k] = pair.factor * pair.move:dot(direction)
      direction:add(-factors[k], pair.change)
   end
   direction:mul(state.scale)
   for k, pair in ipairs(state.history) do
      direction:add(factors[k] - pair.factor * pair.change:dot(direction), pair.move)
   end
   return direction
end

-- Raises an error unless the state is empty or that of a step with vectors like the gradient.
local function check_state(state, gradient)
   local function fail(...)
      raise('optim.lbfgs: ' .. string.format(...))
   end
   local function check_vector(name, t)
      if not tensor.isTensor(t) or not t:isSameSizeAs(gradient) then
         fail('the parameters have %d elements, but %s of the last step is %s',
              gradient:nElement(), name, describe(t))
      elseif not types.have_same_elements(t, gradient) then
         fail('the gradient is a %s, but %s of the last step is a %s', gradient:type(), name,
              t:type())
      end
   end
   if type(state) ~= 'table' then
      fail('a table is expected as the state, got %s', describe(state))
   elseif state.step == nil then
      return
   end
   for _, name in ipairs{'step', 'scale', 'length'} do
      if type(state[name]) ~= 'number' then
         fail('a number is expected as the %s in the state, got %s', name, describe(state[name]))
      end
   end
   check_vector('the gradient', state.gradient)
   check_vector('the direction', state.direction)
   if type(state.history) ~= 'table' then
      fail('a table is expected as the history in the state, got %s', describe(state.history))
   end
   for _, pair in ipairs(state.history) do
      if type(pair) ~= 'table' or type(pair.factor) ~= 'number' then
         fail('the history in the state is invalid')
      end
      check_vector('a change', pair.change)
      check_vector('a move', pair.move)
   end
end

-- Calls df. Returns the tensors in params, their gradients and the loss, a number.
local function evaluate(df, params)
   local gradients, loss = df(params)
   if tensor.isTensor(loss) and loss:nElement() == 1 then
      loss = loss:contiguous():view(-1)[1]
   elseif type(loss) ~= 'number' then
      raise(('optim.lbfgs: a number or a tensor of one element is expected as the loss, got %s')
            :format(describe(loss)))
   end
   local leaves, found = parameters.of('lbfgs', params, gradients, true)
   return leaves, found, loss
end

-- step(params, df): df(params) returns gradients and loss, a number or a tensor of one element.
-- Returns params and the list of losses, numbers.
function Optimizer:__call(params, df)
   local options, state = self.options, self.state
   if not is_callable(df) then
      raise(('optim.lbfgs: a function that returns gradients and loss is expected, got %s'):format(
         describe(df)))
   end
   local leaves, found, loss = evaluate(df, params)
   if tree.count(leaves) == 0 then
      return params, {loss}
   end
   local gradient, losses = flatten(found), {loss}
   check_state(state, gradient)
   states.move(state, gradient, gradient:type())
   for _, pair in ipairs(state.history or {}) do
      states.move(pair, gradient, gradient:type())
   end
   local rate = options.rate
   if is_callable(rate) then
      rate = rate((state.step or 0) + 1)
   end
   if type(rate) ~= 'number' then
      raise(('optim.lbfgs: the rate must be a number, got %s'):format(describe(rate)))
   end
   for k = 1, options.iterations do
      if gradient:norm(self.norm) <= options.gradientTolerance then
         break
      end
      state.step = (state.step or 0) + 1
      if state.step == 1 then
         state.history, state.scale = {}, 1
         state.length = math.min(1, 1 / gradient:norm(1)) * rate
      else
         remember(state, gradient, options.history)
         state.length = rate
      end
      state.direction, state.gradient = keep(direction_of(state, gradient), gradient)
      if gradient:dot(state.direction) > -options.changeTolerance then
         break
      end
      add(leaves, state.length, state.direction)
      if k == options.iterations then
         break
      end
      leaves, found, loss = evaluate(df, params)
      gradient = flatten(found)
      losses[#losses + 1] = loss
      local moved = state.length * state.direction:norm(self.norm)
      if #losses >= options.evaluations or moved <= options.changeTolerance
         or math.abs(loss - losses[#losses - 1]) < options.changeTolerance then
         break
      end
   end
   return params, losses
end

function Optimizer:__tostring()
   return options_of.text_of('lbfgs', self.options, self.options.rate)
end

--- Returns the number of iterations so far.
function Optimizer:steps()
   native.check_self(getmetatable(self) == Optimizer, 'steps')
   return self.state.step or 0
end

--- lbfgs{rate = 1, iterations = 20, evaluations, history = 100, gradientTolerance = 1e-7,
-- changeTolerance = 1e-9}: returns step(params, df), where df(params) returns gradients and loss.
-- A step makes several iterations, and returns params and the list of losses. evaluations: the
-- number of calls of df after which a step ends, at least 2; default: 5 / 4 of iterations.
-- All options but the rate may be infinite.
return function(options, extras)
   local own = options or {}
   options = with_defaults('lbfgs', own, {
      rate = 1, iterations = 20, evaluations = math.huge, history = 100, gradientTolerance = 1e-7,
      changeTolerance = 1e-9,
   })
   if own.evaluations == nil then
      options.evaluations = math.floor(options.iterations * 5 / 4)
   end
   -- The tolerances limit this norm, by default the largest absolute value. optim/flat.lua hides
   -- extras.
   local norm = extras and extras.norm or math.huge
   return setmetatable({name = 'lbfgs', options = options, state = {}, norm = norm}, Optimizer)
end
