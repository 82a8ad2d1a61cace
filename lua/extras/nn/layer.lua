-- tensor.nn: what all layers share. A layer is a table that can be called:
-- layer(params, x [, options]) returns the result. layer.init() returns new parameters, a nested
-- table of tensors. layer.state is a nested table of tensors that training changes, or nil.

local files = require 'tensor.files'
local refuse_methods = require('tensor.names').refuse_methods
local tensor = require 'tensor'
local tree = require 'tensor.tree'
local versions = require 'tensor.versions'
local shown, unpack = versions.shown, versions.unpack
local native = require 'tensor.native'
local raise, refuse_extra = native.raise, native.refuse_extra
local describe = native.describe(tensor)

-- The options of calls of the layers of tensor.nn.
local call_options = {train = true, mask = true, memory = true, state = true}
local of_constructor = 'it is an option of the constructor'
local option_hints = {
   training = 'the option for training is train', is_training = 'the option for training is train',
   causal = of_constructor .. ' of attention and transformerBlock', dropout = of_constructor,
   is_causal = 'causal is an option of the constructor of attention and transformerBlock',
   attn_mask = 'use mask, which is 1 where a row may see a column',
   key_padding_mask = 'use mask, which is 1 where a row may see a column',
   states = 'use state', hidden = 'use state', hx = 'use state', h0 = 'use state',
}

-- False while a network with layers of nn.layer runs that has got options of its own, which these
-- layers pass to their children.
local is_checking = true

local function check_options(self, options)
   for option, value in versions.each(options) do
      if option == 'train' and type(value) ~= 'boolean' then
         raise(('nn.%s: the option train must be a boolean, got %s'):format(
            self.name, describe(value)))
      elseif option == 'training' or is_checking and not call_options[option]
         and not self.has_others then
         raise(("nn.%s: a call has no option '%s': %s"):format(
            self.name, tostring(option),
            option_hints[option] or 'the options are train, mask, memory and state'))
      end
   end
end

local function has_own_options(options)
   for option in versions.each(options) do
      if not call_options[option] then
         return true
      end
   end
   return false
end

-- Returns the results of pcall, or raises its error.
local function check_again(done, ...)
   is_checking = true
   if not done then
      error((...), 0)
   end
   return ...
end

local Layer = {__unwritable = {'layer', 'save its parameters, or use training.save'}}
Layer.__index = Layer

function Layer:__call(params, x, options, ...)
   refuse_extra('nn.' .. self.name, 3, params, x, options, ...)
   if type(params) ~= 'table' or x == nil or options ~= nil and type(options) ~= 'table' then
      raise(('nn.%s: the arguments are a table of parameters, an input and a table of '
             .. 'options; got %s, %s and %s'):format(
         self.name, describe(params), describe(x), describe(options)))
   end
   if options then
      check_options(self, options)
   end
   if not (is_checking and self.has_others and options and has_own_options(options)) then
      return self.compute(params, x, options or {})
   end
   is_checking = false
   return check_again(pcall(self.compute, params, x, options))
end

local function name_of(self)
   return 'nn.' .. (getmetatable(self) == Layer and self.name or 'layer')
end

--- Raises an error: layers have no methods.
function Layer:forward()
   raise(('%s: a layer is called as net(params, x), with params = net.init()'):format(
      name_of(self)))
end

local of_parameters = 'net.init() returns the parameters, a nested table of tensors'
refuse_methods(Layer, name_of, {
   parameters = of_parameters, named_parameters = of_parameters,
   train = 'net(params, x, {train = true}) is the call for training',
   eval = 'net(params, x) predicts; net(params, x, {train = true}) is the call for training',
   to = "for _, t in ipairs(tree.leaves{params, net.state}) do t:to 'gpu' end moves the tensors",
   cuda = "for _, t in ipairs(tree.leaves{params, net.state}) do t:to 'gpu' end moves the tensors",
   state_dict = 'the tables params and net.state are the state; training.save writes it',
   load_state_dict = 'training.load reads the state that training.save has written',
   zero_grad = 'each call of the function of tensor.grad returns new gradients',
})

-- Returns an argument of a constructor as text: a number, or a list of numbers.
local function argument_text(value)
   if type(value) ~= 'table' then return shown(value) end
   local parts = {}
   for k, part in ipairs(value) do parts[k] = shown(part) end
   return ('{%s}'):format(table.concat(parts, ', '))
end

local LINE = 80

local member_text

-- Returns the text of a table of members after a head, in one line if it is short.
local function members_text(head, members)
   local parts = {}
   for _, key in ipairs(tree.keys(members)) do
      local text = member_text(members[key])
      parts[#parts + 1] = type(key) == 'number' and text or ('%s = %s'):format(key, text)
   end
   local line = ('%s{%s}'):format(head, table.concat(parts, ', '))
   if #line <= LINE and not line:find '\n' then
      return line
   end
   local lines = ('{\n' .. table.concat(parts, ',\n')):gsub('\n', '\n  ')
   return head .. lines .. '\n}'
end

-- Returns the text of a member: a layer, a parameter, a table of members, or a function, with its
-- name in tensor.nn if it has one.
function member_text(member)
   local nn, found = package.loaded['tensor.nn'], nil
   if getmetatable(member) == Layer then
      return tostring(member)
   elseif tensor.isTensor(member) then
      return (describe(member):gsub('^a tensor of size ', 'tensor '))
   elseif type(member) == 'table' and getmetatable(member) == nil and member.init == nil then
      return members_text('', member)
   end
   for name, value in versions.each(type(nn) == 'table' and nn or {}) do
      if rawequal(value, member) and (not found or name < found) then
         found = name
      end
   end
   return found and 'nn.' .. found or type(member)
end

--- Returns the layer as the call that makes it, without options, and with its members.
function Layer:__tostring()
   local arguments = {}
   for k, value in ipairs(self.arguments or {}) do
      arguments[k] = argument_text(value)
   end
   local head = ('nn.%s'):format(self.name)
   if arguments[1] then
      head = ('%s(%s)'):format(head, table.concat(arguments, ', '))
   end
   return self.members and members_text(head, self.members) or head
end

local layer = {}

--- Creates a layer. forward(params, x, options), init(). name: a string, or a list of it and the
-- arguments that the printed form shows. members: the table of its layers and functions, or nil, if
-- x must be a tensor. has_others: a call may have options that no layer of tensor.nn has.
function layer.new(name, init, forward, state, members, has_others)
   local arguments
   if type(name) == 'table' then
      name, arguments = name[1], {unpack(name, 2)}
   end
   local compute = forward
   if not members then
      function compute(params, x, options)
         layer.check_tensor(name, x, 0)
         return forward(params, x, options)
      end
   end
   return setmetatable({name = name, init = init, compute = compute, state = state,
                        arguments = arguments, members = members,
                        has_others = has_others or false}, Layer)
end

function layer.is(value)
   return getmetatable(value) == Layer
end

--- Returns the options of a constructor, {} instead of nil. Raises an error unless all are known:
-- known[name] has the names of the types that the option may have.
function layer.options(name, options, known)
   return files.options('nn.' .. name, options, known)
end

--- Raises an error unless x is a tensor of this number of dimensions (nil: any), the last of which
-- has this size.
function layer.check_input(name, x, dims, last)
   local count = tensor.isTensor(x) and x:dim() or 0
   if count == 0 or dims and count ~= dims or x:size(count) ~= last then
      raise(('nn.%s: a tensor %swhose last dimension has size %d is expected, got %s'):format(
         name, dims and ('of %d dimensions '):format(dims) or '', last, describe(x)))
   end
end

--- Raises an error unless x is a tensor of at least `least` dimensions, by default 1.
function layer.check_tensor(name, x, least)
   least = least or 1
   if not tensor.isTensor(x) or x:dim() < least then
      raise(('nn.%s: a tensor %sis expected, got %s'):format(
         name, least > 0 and ('of %d or more dimensions '):format(least) or '', describe(x)))
   end
end

--- Raises an error unless the value is a whole number of at least 1.
function layer.check_size(name, what, value)
   if type(value) ~= 'number' or value < 1 or value % 1 ~= 0 then
      raise(('nn.%s: %s: a whole number of at least 1 is expected, got %s'):format(
         name, what, shown(value)))
   end
   return value
end

--- Returns the value, a number from 0 to 1; otherwise raises an error. what: the layer and the
-- option.
function layer.check_probability(what, value)
   if type(value) ~= 'number' or value < 0 or value > 1 or value ~= value then
      raise(('nn.%s: a probability from 0 to 1 is expected, got %s'):format(
         what, shown(value)))
   end
   return value
end

--- Replaces elements by 0 with a probability, and divides the others by 1 - probability.
function layer.drop(x, probability)
   if probability == 0 then
      return x
   end
   return tensor.dropout(x, probability)
end

--- Raises an error unless params is a table with tensors of these names, a list. what: the layer.
function layer.check_params(what, params, names)
   if type(params) ~= 'table' then
      raise(('nn.%s: a table of parameters is expected, got %s'):format(what, describe(params)))
   end
   for _, name in ipairs(names) do
      if not tensor.isTensor(params[name]) then
         raise(('nn.%s: the parameter %s must be a tensor, got %s'):format(
            what, name, describe(params[name])))
      end
   end
end

return layer
