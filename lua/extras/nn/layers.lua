-- tensor.nn: linear, embedding, dropout, the norms and sequential.

local tensor = require 'tensor'
local native = require 'tensor.native'
local raise, type_name = native.raise, native.type_name
local versions = require 'tensor.versions'
local layer = require 'tensor.nn.layer'
local tree = require 'tensor.tree'
local types = require 'tensor.types'
local initializer = require 'tensor.nn.initializers'

local each, is_callable = versions.each, versions.is_callable
local describe = native.describe(tensor)

local layers = {}

local linear_names = {'weight'}

--- linear(inputs, outputs [, options]): x * weight:t() + bias over the last dimension of x.
-- weight: outputs x inputs. options: bias (true), init (fills the weight; default: uniform within
-- 1 / sqrt(inputs), as is the bias).
function layers.linear(inputs, outputs, options)
   layer.check_size('linear', 'inputs', inputs)
   layer.check_size('linear', 'outputs', outputs)
   options = layer.options('linear', options, {bias = 'boolean', init = 'function'})
   local bound = 1 / math.sqrt(inputs)
   local fill = options.init or initializer.uniform(-bound, bound)

   local function init()
      local params = {weight = fill(tensor.Tensor(outputs, inputs))}
      if options.bias ~= false then
         params.bias = tensor.Tensor(outputs):uniform(-bound, bound)
      end
      return params
   end

   return layer.new({'linear', inputs, outputs}, init, function(params, x)
      layer.check_input('linear', x, nil, inputs)
      layer.check_params('linear', params, linear_names)
      local dim = x:dim()
      local rows = dim == 2 and x or x:reshape(x:nElement() / inputs, inputs)
      local y
      if params.bias then
         y = tensor.addmm(params.bias, rows, params.weight:t())
      else
         y = tensor.mm(rows, params.weight:t())
      end
      if dim ~= 2 then
         local size = x:size():totable()
         size[dim] = outputs
         y = y:view(versions.unpack(size))
      end
      return y
   end)
end

--- embedding(count, width [, options]): the rows of weight at the indices in x, a LongTensor of any
-- shape. weight: count x width. options: init (default: normal); padding, an index whose row is 0
-- at first and has no gradient.
function layers.embedding(count, width, options)
   layer.check_size('embedding', 'count', count)
   layer.check_size('embedding', 'width', width)
   options = layer.options('embedding', options, {init = 'function', padding = 'number'})
   local fill, padding = options.init or initializer.normal(), options.padding
   if padding and layer.check_size('embedding', 'padding', padding) > count then
      raise(('nn.embedding: the padding %d is not an index from 1 to %d'):format(padding, count))
   end
   return layer.new({'embedding', count, width}, function()
      local weight = fill(tensor.Tensor(count, width))
      if padding then
         weight[padding]:zero()
      end
      return {weight = weight}
   end, function(params, x)
      local rows = tensor.embedding(params.weight, x)
      if padding then
         -- Negative indices count from the end.
         local is_padding = tensor.cmax(tensor.eq(x, padding), tensor.eq(x, padding - count - 1))
         rows = tensor.where(is_padding:unsqueeze(-1), tensor.stopGradient(rows), rows)
      end
      return rows
   end)
end

--- dropout(probability): replaces elements by 0 with a probability, and divides the others by
-- 1 - probability. Without options.train it returns x.
function layers.dropout(probability)
   layer.check_probability('dropout', probability)
   return layer.new({'dropout', probability}, function() return {} end, function(_, x, options)
      return options.train and layer.drop(x, probability) or x
   end)
end

local norm_options = {epsilon = 'number', affine = 'boolean'}

local function scale_and_shift(options, ...)
   if options.affine == false then
      return {}
   end
   return {weight = tensor.ones(...), bias = tensor.zeros(...)}
end

-- Returns the sizes of the last dimensions as a list. width: a number or a list of them.
local function last_sizes(name, width)
   local sizes = type(width) == 'table' and {versions.unpack(width)} or {width}
   for k = 1, math.max(#sizes, 1) do
      layer.check_size(name, 'width', sizes[k])
   end
   return sizes
end

--- layerNorm(width [, options]): subtracts the mean of the last dimension and divides by its
-- standard deviation; then weight and bias apply. width: the size of the last dimension, or a list
-- of the sizes of the last dimensions, which count as one. options: epsilon (1e-5), affine (true).
function layers.layerNorm(width, options)
   local sizes = last_sizes('layerNorm', width)
   options = layer.options('layerNorm', options, norm_options)
   local epsilon = options.epsilon or 1e-5
   return layer.new({'layerNorm', width}, function()
      return scale_and_shift(options, versions.unpack(sizes))
   end, function(params, x)
      return tensor.layerNorm(x, sizes, params.weight, params.bias, epsilon)
   end)
end

--- rmsNorm(width [, options]): divides by the root of the mean square of the last dimension; then
-- weight applies. width: as for layerNorm. options: epsilon (1e-5), affine (true).
function layers.rmsNorm(width, options)
   local sizes = last_sizes('rmsNorm', width)
   options = layer.options('rmsNorm', options, norm_options)
   local epsilon = options.epsilon or 1e-5
   return layer.new({'rmsNorm', width}, function()
      return {weight = scale_and_shift(options, versions.unpack(sizes)).weight}
   end, function(params, x)
      return tensor.rmsNorm(x, sizes, params.weight, epsilon)
   end)
end

--- groupNorm(groups, width [, options]): divides the channels, dimension 2 of x, into groups, and
-- normalizes each group of each element of the batch; then weight and bias apply. options: epsilon
-- (1e-5), affine (true).
function layers.groupNorm(groups, width, options)
   layer.check_size('groupNorm', 'groups', groups)
   layer.check_size('groupNorm', 'width', width)
   if width % groups ~= 0 then
      raise(('nn.groupNorm: the width %d is not a multiple of %d groups'):format(width, groups))
   end
   options = layer.options('groupNorm', options, norm_options)
   local epsilon = options.epsilon or 1e-5
   return layer.new({'groupNorm', groups, width}, function()
      return scale_and_shift(options, width)
   end, function(params, x)
      return tensor.groupNorm(x, groups, params.weight, params.bias, epsilon)
   end)
end

--- batchNorm(width [, options]): normalizes each index of dimension 2 over all other dimensions.
-- With options.train it uses the mean and variance of x, and updates the running ones in
-- layer.state; otherwise it uses those. layer.init() does not change them. options: epsilon
-- (1e-5), momentum (0.1), affine (true).
function layers.batchNorm(width, options)
   layer.check_size('batchNorm', 'width', width)
   options = layer.options('batchNorm', options,
                           {epsilon = 'number', affine = 'boolean', momentum = 'number'})
   local epsilon, momentum = options.epsilon or 1e-5, options.momentum or 0.1
   local state = {mean = tensor.zeros(width), variance = tensor.ones(width)}

   local function init()
      return scale_and_shift(options, width)
   end

   return layer.new({'batchNorm', width}, init, function(params, x, call)
      -- The state keeps its type, whatever that of x is. Statistics of 16 bits would lose small
      -- updates by rounding, so x is converted to float, unless the state has 16 bits, too.
      local own, given = state.mean:type(), x:type()
      local is_widened = types.widened[given] and not types.widened[own]
      local kind = is_widened and types.widened[given] or given
      local function converted(t)
         return is_widened and t and t:type(kind) or t
      end
      local converts = kind ~= own
      local mean = converts and state.mean:type(kind) or state.mean
      local variance = converts and state.variance:type(kind) or state.variance
      local y = tensor.batchNorm(converted(x), mean, variance, converted(params.weight),
                                 converted(params.bias), call.train == true, momentum, epsilon)
      if converts and call.train then
         state.mean:copy(mean)
         state.variance:copy(variance)
      end
      return is_widened and y:type(given) or y
   end, state)
end

--- sequential{a, b, ...}: calls the members one after the other. A member is a layer or a function
-- of x. The parameters are a list; those of a function are an empty table.
function layers.sequential(members, ...)
   if select('#', ...) > 0 then
      raise('nn.sequential: the members are one list: nn.sequential{a, b}')
   end
   if type(members) ~= 'table' or getmetatable(members) then
      raise(('nn.sequential: a list of layers is expected, got %s'):format(
         layer.is(members) and 'nn.' .. members.name or type(members)))
   end
   local state, any, has_others = {}, false, false
   for k, member in ipairs(members) do
      if layer.is(member) then
         has_others = has_others or member.has_others
         state[k] = member.state or {}
         any = any or member.state ~= nil
      elseif is_callable(member) then
         state[k] = {}
      else
         raise(('nn.sequential: member %d: a layer or a function is expected, got %s'):format(
            k, type_name(member)))
      end
   end
   for key in each(members) do
      if type(key) == 'number' and key > #state then
         raise(('nn.sequential: member %d: a layer or a function is expected, got nil'):format(
            #state + 1))
      end
   end
   return layer.new('sequential', function()
      local params = {}
      for k, member in ipairs(members) do
         params[k] = layer.is(member) and member.init() or {}
      end
      return params
   end, function(params, x, options)
      for k, member in ipairs(members) do
         if layer.is(member) then
            if type(params[k]) ~= 'table' then
               raise(('nn.sequential: the parameters of member %d, nn.%s, are missing'):format(
                  k, member.name))
            end
            x = member.compute(params[k], x, options)
         else
            x = member(x)
         end
      end
      return x
   end, any and state or nil, members, has_others)
end

-- True for a layer, or a table of a program with a function init.
local function has_init(child)
   return type(child) == 'table' and is_callable(child.init)
end

-- True for a list of children, or a table of them by name.
local function is_group(child)
   return type(child) == 'table' and getmetatable(child) == nil and not has_init(child)
end

-- Returns the name of a function of tensor.nn, or nil.
local function name_in_nn(f)
   for name, own in each(require 'tensor.nn') do
      if rawequal(own, f) then
         return name
      end
   end
end

-- Raises an error unless the children are layers, tensors, functions and tables of these.
local function check_children(path, children, enclosing)
   tree.enter(enclosing, children, 'nn.layer')
   for key, child in each(children) do
      local own = path .. tostring(key)
      local known = type(child) == 'function' and name_in_nn(child)
      if type(key) ~= 'string' and type(key) ~= 'number' then
         raise(('nn.layer: the names of children are strings or numbers, got %s')
               :format(describe(key)))
      elseif known then
         raise(('nn.layer: the child %s must be a function that returns a parameter, got nn.%s; '
                .. 'call it in forward'):format(own, known))
      elseif is_group(child) then
         check_children(own .. '.', child, enclosing)
      elseif not has_init(child) and not tensor.isTensor(child) and not is_callable(child) then
         raise(('nn.layer: a layer, a tensor or a function is expected as the child %s, got %s')
               :format(own, describe(child)))
      end
   end
   enclosing[children] = nil
end

-- Returns new parameters of children. In a fixed order, so that a seed gives the same parameters
-- each time.
local function parameters_of(path, children)
   local params = {}
   for _, key in ipairs(tree.keys(children)) do
      local child, own = children[key], path .. tostring(key)
      if tensor.isTensor(child) then
         params[key] = child:clone()
      elseif is_group(child) then
         params[key] = parameters_of(own .. '.', child)
      elseif has_init(child) then
         params[key] = child.init()
      else
         local fine, value = pcall(child)
         if not fine then
            raise(('nn.layer: the function of the child %s failed: %s'):format(
               own, tostring(value)))
         elseif not tensor.isTensor(value) then
            raise(('nn.layer: the function of the child %s must return a tensor: got %s'):format(
               own, describe(value)))
         end
         params[key] = value
      end
   end
   return params
end

-- Returns the states of children by key, or nil if none has a state.
local function states_of(children)
   local states, any = {}, false
   for key, child in each(children) do
      if is_group(child) then
         states[key] = states_of(child)
      elseif has_init(child) then
         states[key] = child.state
      end
      any = any or states[key] ~= nil
   end
   return any and states or nil
end

--- layer(name, children, forward): a layer of other layers and parameters, by name.
-- forward(params, x, options) calls children[name](params[name], x, options). A child is a layer; a
-- tensor, of which init makes a copy as a parameter; a function that returns a parameter; or a
-- table of such children, whose parameters are a table of the same form.
function layers.layer(name, children, forward)
   if type(children) ~= 'table' or not is_callable(forward) then
      raise(('nn.layer: a table of layers and a function are expected, got %s and %s'):format(
         describe(children), describe(forward)))
   end
   check_children('', children, {})
   return layer.new(name, function()
      return parameters_of('', children)
   end, forward, states_of(children), children, true)
end

return layers
