-- tensor.customGradient and tensor.checkpoint: functions whose gradients a rule computes.

local nested = require 'tensor.nested'
local versions = require 'tensor.versions'
local with_setting = require 'tensor.with_setting'
local each, pack, unpack = versions.each, versions.pack, versions.unpack

-- native: the functions of generic/grad.cc. parts: functions of lua/core/grad.lua.
return function(tensor, native, parts)
   local istensor = tensor.isTensor
   local map, isnumber, wrap, constant = parts.map, parts.isnumber, parts.wrap, parts.constant
   local as_gradient = parts.as_gradient
   local describe = require 'tensor.description' (tensor)

   -- The place of a tensor or number in a list.
   local Slot = {}

   -- Returns the form of a list of values: the same with slots for the tensors and numbers. Appends
   -- these, as tensors, to `found`.
   local function form_of(values, found)
      local form = {}
      for k = 1, values.n do
         form[k] = map(values[k], function(leaf)
            local is_number = isnumber(leaf)
            if not is_number and not istensor(leaf) then
               return leaf
            end
            found[#found + 1] = is_number and leaf.tensor or leaf
            return setmetatable({ index = #found, number = is_number }, Slot)
         end)
      end
      form.n = values.n
      return form
   end

   local function is_slot(value)
      return type(value) == 'table' and getmetatable(value) == Slot
   end

   -- Returns the values of a form whose slots have the tensors in `list`; false stays.
   local function values_of(form, list)
      if is_slot(form) then
         local t = list[form.index]
         if t and form.number then
            return native.tracked(t) and wrap(t) or native.detached(t)[1]
         end
         return t
      elseif type(form) == 'table' and getmetatable(form) == nil then
         local values = {}
         for key, field in each(form) do
            values[key] = values_of(field, list)
         end
         return values
      end
      return form
   end

   -- Stores the gradients in `value`, which has the given form, in `list`; those of value that are
   -- missing are false. operands: the tensors of the slots.
   local function read_slots(what, form, value, operands, list)
      if is_slot(form) then
         local operand = operands[form.index]
         list[form.index] = value
            and as_gradient(what, value, form.number and wrap(operand) or operand)
      elseif value and type(form) == 'table' and getmetatable(form) == nil then
         if type(value) ~= 'table' or getmetatable(value) then
            error(('%s: a table is expected, got %s'):format(what, describe(value)), 0)
         end
         for key, field in each(form) do
            read_slots(('%s.%s'):format(what, tostring(key)), field, value[key], operands, list)
         end
      end
   end

   local last_rule = 0

   -- customGradient and checkpoint. name: that of the function. again: the rule calls f again, so
   -- it gets the state of the random generator, too. If two arguments share memory, f is called as
   -- usual.
   local function custom(name, f, rule, again)
      return function(...)
         local arguments = pack(...)
         if not native.is_active() or again and tensor.isCompiling() then
            return f(...)
         end
         nested.check(name, arguments)
         local operands = {}
         local form = form_of(arguments, operands)
         if again and native.share_storage(nil, operands) then
            return f(...)
         end
         last_rule = last_rule + 1
         local number = last_rule
         -- The reverse pass may run after a scope in the recorded function has ended.
         local state = again and tensor.keep(tensor.getRNGState())
         native.begin(number, operands, name)
         local results, failure = parts.run(true, nil, f, arguments)
         local fine = results
         if fine then
            fine, failure = pcall(nested.check, name, results)
         end
         if not fine then
            native.finish(number, {}, name)
            error(failure, 0)
         end
         for k = 1, results.n do
            results[k] = map(results[k], function(leaf)
               if istensor(leaf) then
                  return native.is_operand(leaf) and native.detached(leaf, true) or leaf
               end
               return type(leaf) == 'number' and wrap(constant(leaf)) or leaf
            end)
         end
         local outputs = {}
         local form_of_results = form_of(results, outputs)
         native.finish(number, outputs, name)
         local function run_rule(cotangents, values, given)
            local list, found = rule(values_of(form_of_results, cotangents),
               values_of(form_of_results, values), values_of(form, given), state), {}
            if type(list) ~= 'table' or getmetatable(list) then
               error(('customGradient: the rule must return a list of gradients, got %s'):format(
                  describe(list)), 0)
            end
            for k = 1, form.n do
               read_slots(('customGradient: the gradient of argument %d'):format(k), form[k],
                          list[k], given, found)
            end
            return found
         end
         for _, rules in ipairs(parts.recordings) do
            rules[number] = run_rule
         end
         parts.settle(results, parts.as_number)
         return unpack(results, 1, results.n)
      end
   end

   --- Returns a function with the results of f, whose gradients are computed by rule.
   -- rule(gradients, results, arguments): lists of the gradients of the results (false: 0), of f's
   -- results and of its arguments. It returns a list of gradients of the arguments. f must not use
   -- other tensors that depend on the arguments of tensor.grad.
   function tensor.customGradient(f, rule)
      parts.check_function('customGradient', f)
      parts.check_function('customGradient', rule)
      return custom('customGradient', f, rule)
   end

   -- Raises an error unless a result of the second run of a checkpointed function has the form of
   -- that of the first.
   local function check_same(what, value, again)
      local function is_number(x)
         return type(x) == 'number' or isnumber(x)
      end
      local is_same = is_number(value) == is_number(again) and istensor(value) == istensor(again)
      if is_same and istensor(value) then
         is_same = value:type() == again:type() and value:isSameSizeAs(again)
      elseif is_same and not is_number(value) then
         is_same = type(value) == type(again) and getmetatable(value) == getmetatable(again)
      end
      if not is_same then
         local function text(x)
            return is_number(x) and 'a number' or istensor(x) and ('%s of type %s'):format(
               describe(x), x:type()) or describe(x)
         end
         error(('checkpoint: the second run of the function returned other results: %s: %s is '
                .. 'expected, got %s'):format(what, text(value), text(again)), 0)
      elseif type(value) == 'table' and getmetatable(value) == nil then
         for key, field in each(value) do
            check_same(('%s.%s'):format(what, tostring(key)), field, again[key])
         end
         for key, field in each(again) do
            check_same(('%s.%s'):format(what, tostring(key)), value[key], field)
         end
      end
   end

   --- Returns a function with the results and gradients of f, which does not keep f's intermediate
   -- results: it calls f again for the gradients. f must not use other tensors than its arguments
   -- that depend on the arguments of tensor.grad. Only the default random generator draws the same
   -- numbers again.
   function tensor.checkpoint(f)
      parts.check_function('checkpoint', f)
      return custom('checkpoint', f, function(cotangents, values, arguments, state)
         local function checked(...)
            local results = pack(f(...))
            for k = 1, math.max(results.n, values.n) do
               check_same(('result %d'):format(k), values[k], results[k])
            end
            return unpack(results, 1, results.n)
         end
         return (with_setting(tensor.getRNGState, tensor.setRNGState, state,
                              tensor.vjp, checked, arguments, cotangents))
      end, true)
   end
end
