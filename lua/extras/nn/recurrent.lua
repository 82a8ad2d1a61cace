-- tensor.nn: LSTM and GRU, for whole sequences and as cells.

local tensor = require 'tensor'
local raise = require 'tensor.native'.raise
local layer = require 'tensor.nn.layer'
local describe = require('tensor.native').describe(tensor)

local recurrent = {}

-- A kind of cell: gates, the number of blocks of rows in its weights; names, those of its
-- parameters; state, the names of the tensors of its state, batch x hidden; step(params, xs,
-- state), where xs has the products of the input, which returns the output and the next state; and
-- steps, the same for a sequence of inputs, which returns all outputs and the last state.
local lstm = {gates = 4, names = {'weight', 'weightHidden', 'bias'}, state = {'h', 'c'}}
local gru = {gates = 3, names = {'weight', 'weightHidden', 'bias', 'biasHidden'}, state = {'h'}}

-- Returns the state before the first step: a checked state of the caller, or zeros in the type of
-- the input x. what: the layer.
local function start(what, kind, x, batch, hidden, state)
   local made = {}
   local function fits(t)
      return tensor.isTensor(t) and t:dim() == 2 and t:size(1) == batch and t:size(2) == hidden
   end
   if state ~= nil and type(state) ~= 'table' then
      raise(('nn.%s: a table is expected as the state, got %s'):format(
         what, describe(state or nil)))
   end
   for _, name in ipairs(kind.state) do
      local t = state and state[name]
      if not state then
         made[name] = x.new(batch, hidden):zero()
      elseif not fits(t) then
         raise(('nn.%s: the state %s must be a tensor of size [%d x %d], got %s'):format(
            what, name, batch, hidden, describe(t)))
      end
   end
   return state or made
end

-- The blocks are those of the input gate, the forget gate, the cell and the output gate.
function lstm.step(params, xs, state)
   local gates = tensor.addmm(xs, state.h, params.weightHidden:t())
   local h, c = tensor.lstmCell(gates, state.c)
   return h, {h = h, c = c}
end

function lstm.steps(params, xs, state)
   local h, c = tensor.lstm(xs, params.weightHidden, state.h, state.c)
   local last = xs:size(1)
   return h, last > 0 and {h = h:select(1, last), c = c:select(1, last)} or state
end

-- The blocks are those of the reset gate, the update gate and the candidate.
function gru.step(params, xs, state)
   local hs = tensor.addmm(params.biasHidden, state.h, params.weightHidden:t())
   local n = hs:size(2) / 3
   local gates = tensor.sigmoid(xs:narrow(2, 1, 2 * n) + hs:narrow(2, 1, 2 * n))
   local reset, update = gates:narrow(2, 1, n), gates:narrow(2, n + 1, n)
   local new = tensor.addcmul(xs:narrow(2, 2 * n + 1, n), reset, hs:narrow(2, 2 * n + 1, n)):tanh()
   local h = tensor.addcmul(new, update, state.h - new)
   return h, {h = h}
end

function gru.steps(params, xs, state)
   local outputs, steps = {}, xs:size(1)
   if steps == 0 then
      return xs:narrow(3, 1, xs:size(3) / 3):clone(), state
   end
   for k = 1, steps do
      outputs[k], state = gru.step(params, xs:select(1, k), state)
   end
   return tensor.stack(outputs, 1), state
end

local function init(kind, inputs, hidden)
   local rows, bound = kind.gates * hidden, 1 / math.sqrt(hidden)
   local params = {
      weight = tensor.Tensor(rows, inputs):uniform(-bound, bound),
      weightHidden = tensor.Tensor(rows, hidden):uniform(-bound, bound),
      bias = tensor.Tensor(rows):uniform(-bound, bound),
   }
   if kind == gru then
      params.biasHidden = tensor.Tensor(rows):uniform(-bound, bound)
   end
   return params
end

-- Returns the outputs of all steps and the last state. x: steps x batch x inputs.
local function run(kind, params, x, state)
   local steps, batch, inputs = x:size(1), x:size(2), x:size(3)
   local rows = params.weight:size(1)
   local xs = tensor.addmm(params.bias, x:reshape(steps * batch, inputs), params.weight:t())
   return kind.steps(params, xs:view(steps, batch, rows), state)
end

-- Does what run does from the last step to the first one. The last state is that after step 1.
local function run_reversed(kind, params, x, state)
   local y, last = run(kind, params, x:flip(1), state)
   return y:flip(1), last
end

local function check(name, inputs, hidden)
   layer.check_size(name, 'inputs', inputs)
   layer.check_size(name, 'hidden', hidden)
end

local function sequence(name, kind)
   recurrent[name] = function(inputs, hidden, options)
      check(name, inputs, hidden)
      options = layer.options(name, options, {
         layers = 'number', dropout = 'number', bidirectional = 'boolean',
      })
      local depth = layer.check_size(name, 'layers', options.layers or 1)
      local probability = layer.check_probability(name .. ': dropout', options.dropout or 0)
      return layer.new({name, inputs, hidden}, function()
         local params = {}
         for k = 1, depth do
            local width = k == 1 and inputs or options.bidirectional and 2 * hidden or hidden
            params[k] = init(kind, width, hidden)
            params[k].reverse = options.bidirectional and init(kind, width, hidden) or nil
         end
         return params
      end, function(params, x, call)
         layer.check_input(name, x, 3, inputs)
         local first = call.state
         if first ~= nil and (type(first) ~= 'table' or #first ~= depth) then
            raise(('nn.%s: a list of %d states is expected, one for each layer; got %s'):format(
               name, depth, type(first) == 'table' and #first or describe(first)))
         end
         local states = {}
         for k = 1, depth do
            if k > 1 and call.train then
               x = layer.drop(x, probability)
            end
            local what = ('%s: layer %d'):format(name, k)
            layer.check_params(what, params[k], kind.names)
            local given, reverse = first and first[k], params[k].reverse
            local state = start(what, kind, x, x:size(2), hidden, given)
            local y, last = run(kind, params[k], x, state)
            states[k] = last
            if options.bidirectional then
               what = what .. ', reverse'
               layer.check_params(what, reverse, kind.names)
               -- Not nil, which stands for zeros.
               given = given and (given.reverse or false)
               local back
               state = start(what, kind, x, x:size(2), hidden, given)
               back, state = run_reversed(kind, reverse, x, state)
               states[k] = {h = last.h, c = last.c, reverse = state}
               y = tensor.cat(y, back, 3)
            end
            x = y
         end
         return x, states
      end)
   end

   recurrent[name .. 'Cell'] = function(inputs, hidden)
      check(name .. 'Cell', inputs, hidden)
      return layer.new({name .. 'Cell', inputs, hidden}, function()
         return init(kind, inputs, hidden)
      end, function(params, x, call)
         layer.check_input(name .. 'Cell', x, 2, inputs)
         layer.check_params(name .. 'Cell', params, kind.names)
         local xs = tensor.addmm(params.bias, x, params.weight:t())
         local state = start(name .. 'Cell', kind, x, x:size(1), hidden, call.state)
         return kind.step(params, xs, state)
      end)
   end
end

--- lstm(inputs, hidden [, options]), gru(inputs, hidden [, options]): x is
-- steps x batch x inputs. Returns the outputs, steps x batch x hidden, and the last states, a list
-- with one for each layer: {h = t, c = t} of lstm, {h = t} of gru, with tensors of batch x hidden.
-- The call's options.state has the states before the first step; default: 0. They are the last
-- states of 0 steps. options: layers (1), dropout (0) between layers, bidirectional (false). If
-- bidirectional is true, each layer has a second set of parameters, the field reverse, for the
-- steps from the last one to the first one. The outputs of both are joined: 2 * hidden columns. The
-- field reverse of a state is that of the second set.
--- lstmCell(inputs, hidden), gruCell(inputs, hidden): one step, with one state. x is
-- batch x inputs. Returns the output, batch x hidden, and the next state.
sequence('lstm', lstm)
sequence('gru', gru)

return recurrent
