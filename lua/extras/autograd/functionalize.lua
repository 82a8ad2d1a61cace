-- autograd.functionalize: modules and criterions of Torch7's package nn as functions. A call is one
-- operation of the gradient tape; its gradient is computed by the module.

local versions = require 'tensor.versions'
local tensor = require 'tensor'
local state = require 'tensor.autograd.state'
local type_name = require 'tensor.native'.type_name
local is_floating = require 'tensor.types'.is_floating

local each = versions.each

local function copied(value)
   if tensor.isTensor(value) then
      return value:clone()
   elseif type(value) == 'table' then
      local result = {}
      for key, field in each(value) do
         result[key] = copied(field)
      end
      return result
   end
   return value
end

-- Returns the class of the first tensor in a nested table.
local function element_type(value)
   if tensor.isTensor(value) then
      return value:type()
   end
   for _, field in ipairs(type(value) == 'table' and value or {}) do
      local found = element_type(field)
      if found then
         return found
      end
   end
end

-- Returns gradients in the form of values. Those that are missing are zeros.
local function completed(gradients, values)
   if tensor.isTensor(values) then
      return gradients or values:clone():zero()
   elseif type(values) == 'table' then
      local result = {}
      for key, value in each(values) do
         result[key] = completed(gradients and gradients[key], value)
      end
      return result
   end
   return gradients or 0
end

-- Returns the gradients of the inputs of a module, in the form of the input. Integers have none.
local function gradients_of(input, found)
   if tensor.isTensor(input) then
      return is_floating[input:type()] and tensor.isTensor(found) and found:nElement() > 0
         and found:clone():viewAs(input) or false
   elseif type(input) == 'table' then
      local result = {}
      for key, field in each(input) do
         result[key] = gradients_of(field, type(found) == 'table' and found[key] or nil)
      end
      return result
   end
   return false
end

-- A module with what is needed to call it several times before its gradients are computed.
local Wrapped = {}
Wrapped.__index = Wrapped

local function parameters_of(module)
   if not module.parameters then
      return {}, {}
   end
   local weights, gradients = module:parameters()
   return weights or {}, gradients or {}
end

-- Calls f while the parameters of the module share the memory of those in `params`, and their
-- gradients, if wanted, are new zeros. Returns the result of f, and the list of gradients.
function Wrapped:with(params, wants_gradients, f)
   local weights, gradients = parameters_of(self.module)
   local kept, results = {}, {}
   for k, weight in ipairs(params and weights or {}) do
      local own = params[k]
      if not tensor.isTensor(own) or own:type() ~= weight:type()
         or own:nElement() ~= weight:nElement() then
         error(('autograd.functionalize: parameter %d of %s must be a %s with %d elements, got %s')
               :format(k, type_name(self.module), weight:type(), weight:nElement(),
                       tensor.isTensor(own) and ('a %s with %d'):format(
                          own:type(), own:nElement()) or type_name(own)), 0)
      end
   end
   local function share(t, other)
      kept[#kept + 1] = {t, t.new():set(t)}
      t:set(other)
   end
   for k, weight in ipairs(params and weights or {}) do
      if not rawequal(weight, params[k]) then
         share(weight, params[k]:isSameSizeAs(weight) and params[k]
               or params[k]:contiguous():viewAs(weight))
      end
   end
   for k, gradient in ipairs(wants_gradients and gradients or {}) do
      results[k] = gradient:clone():zero()
      share(gradient, results[k])
   end
   local ok, result = pcall(f)
   for k = #kept, 1, -1 do
      kept[k][1]:set(kept[k][2])
   end
   if not ok then
      error(result, 0)
   end
   return result, results
end

-- Prepares the module for a call. If the gradients of an earlier call may still be wanted, that
-- call gets a copy of the module's state.
function Wrapped:prepare(input)
   local earlier = self.last.call
   if earlier and earlier.recorded and not earlier.done then
      local keep = {}
      for _, list in ipairs {parameters_of(self.module)} do
         for _, t in ipairs(list) do
            keep[t] = true
         end
      end
      earlier.state = state.capture(self.module, keep)
   end
   self.last.call = nil
   local class = element_type(input)
   if not class then
      error(('autograd.functionalize: the input of %s must be a tensor or a table of tensors, '
             .. 'got %s'):format(type_name(self.module), type_name(input)), 0)
   end
   if is_floating[class] and self.module.type and self.module:type() ~= class then
      self.module:type(class)
   end
end

-- Calls f with the module in the state after a call.
function Wrapped:resume(call, f)
   if self.last.call == call then
      return f()
   elseif not call.state then
      error(('autograd.functionalize: %s was called again after its gradients were computed, so '
             .. 'they cannot be computed once more'):format(type_name(self.module)), 0)
   end
   local live = state.capture(self.module)
   state.restore(call.state)
   local ok, first, second = pcall(f)
   state.restore(live)
   if not ok then
      error(first, 0)
   end
   return first, second
end

-- Gradients of gradients would need the derivatives of the module's own gradients.
local function only_first_order(f, name)
   return tensor.customGradient(f, function()
      error(('autograd.functionalize: second derivatives of %s are not available'):format(name), 0)
   end)
end

-- Calls the module as one operation of the tape. forward(...) and backward(gradient, ...) get the
-- arguments of the call. `input` is the module's input.
function Wrapped:apply(input, forward, backward, ...)
   local call = {}
   local function run(...)
      self:prepare(input)
      -- The number is a tracked number if and only if the call is recorded.
      return forward(...), 0
   end
   local function rule(gradients, results, arguments)
      local compute = only_first_order(function(gradient, ...)
         local given = versions.pack(...)
         return self:resume(call, function()
            return backward(gradient, versions.unpack(given, 1, given.n))
         end)
      end, type_name(self.module))
      local found = {compute(completed(gradients[1], results[1]),
                             versions.unpack(arguments, 1, arguments.n))}
      call.done = true
      return found
   end
   local result, mark = tensor.customGradient(run, rule)(...)
   call.recorded = type(mark) == 'table'
   self.last.call = call
   return result
end

local function forward(module, ...)
   return (module.forward or module.updateOutput)(module, ...)
end

local function backward(module, input, gradient)
   if module.backward then
      return module:backward(input, gradient, 1)
   end
   local result = module:updateGradInput(input, gradient)
   if module.accGradParameters then
      module:accGradParameters(input, gradient, 1)
   end
   return result
end

function Wrapped:module_call(params, input)
   local module = self.module
   local function run(p, x)
      return copied((self:with(p, false, function() return forward(module, x) end)))
   end
   if not params then
      return self:apply(input, function(x) return run(nil, x) end, function(gradient, x)
         return gradients_of(x, (self:with(nil, true, function()
            return backward(module, x, gradient)
         end)))
      end, input)
   end
   return self:apply(input, run, function(gradient, p, x)
      local found, gradients = self:with(p, true, function()
         return backward(module, x, gradient)
      end)
      for k in ipairs(gradients) do
         gradients[k] = gradients[k]:viewAs(p[k])
      end
      return gradients, gradients_of(x, found)
   end, params, input)
end

function Wrapped:criterion_call(input, target)
   local module = self.module
   return self:apply(input, function(x, y)
      return forward(module, x, y)
   end, function(gradient, x, y)
      local update = module.backward or module.updateGradInput
      local found = gradients_of(x, update(module, x, y))
      -- The gradient of the loss is 1 unless the loss is a part of an expression.
      gradient = type(gradient) == 'table' and gradient:item() or gradient
      local function scale(value)
         if tensor.isTensor(value) then
            value:mul(gradient)
         elseif type(value) == 'table' then
            for _, field in each(value) do
               scale(field)
            end
         end
      end
      scale(found)
      return found, false
   end, input, target)
end

local function is_criterion(object)
   return tensor.isTypeOf(object, 'nn.Criterion') or not object.accGradParameters
      and not object.parameters and not tensor.isTypeOf(object, 'nn.Module')
end

local functionalize = {}

-- functionalize(module): returns a function of (params, x), and the list of params. If the module
-- has no parameters, it returns a function of x. If the module is a criterion, it returns a
-- function of (x, target). A call with other parameters leaves those of the module unchanged.
local function wrap(object)
   if type(object) ~= 'table' or not object.updateOutput then
      error(('autograd.functionalize: a module of nn or the name of a package is expected, got %s')
            :format(type_name(object)), 3)
   end
   -- The last call is weak: its state is not needed if nothing refers to its rule.
   local wrapped = setmetatable({
      module = object, last = setmetatable({}, {__mode = 'v'}),
   }, Wrapped)
   local params = parameters_of(object)
   local call
   if is_criterion(object) then
      params = nil
      function call(_, x, target) return wrapped:criterion_call(x, target) end
   elseif #params == 0 then
      params = nil
      function call(_, x) return wrapped:module_call(nil, x) end
   else
      function call(_, own, x) return wrapped:module_call(own, x) end
   end
   local result = {module = object}
   function result.entry(...) return call(nil, ...) end
   result.forward = result.entry
   return setmetatable(result, {__call = call}), params
end

--- package(name): returns a table of the constructors of a package's modules. They return what
-- functionalize returns. The package is loaded when a field is read.
function functionalize.package(name)
   return setmetatable({}, {
      __index = function(constructors, class)
         if class == 'AutoModule' or class == 'AutoCriterion' then
            error(('autograd.%s.%s is not supported: classes of nn cannot be made from functions')
                  :format(name, class), 2)
         end
         local found, package = pcall(versions.require, name)
         if not found then
            error(('autograd.%s.%s: the package %s could not be loaded: %s')
                  :format(name, tostring(class), name, tostring(package):match '[^\n]*'), 2)
         elseif package[class] == nil then
            error(('autograd.%s.%s: the package %s has no such class')
                  :format(name, tostring(class), name), 2)
         end
         constructors[class] = function(...)
            return wrap(package[class](...))
         end
         return constructors[class]
      end,
   })
end

return setmetatable(functionalize, {
   __call = function(_, object)
      if type(object) == 'string' then
         return functionalize.package(object)
      end
      return wrap(object)
   end,
})
