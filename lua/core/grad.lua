-- tensor.grad and its relatives: gradients of Lua functions. The core records the operations of a
-- function on a tape (lib/TH/grad/tape.h) and calls their rules in reverse order.

local versions = require 'tensor.versions'
local each, pack, unpack = versions.each, versions.pack, versions.unpack
local files = require 'tensor.files'
local losses = require 'tensor.losses'
local nested = require 'tensor.nested'
local raise = require 'tensor.raise'
local recordable = require 'tensor.recordable'
local type_name = require 'tensor.type_name'
local types = require 'tensor.types'

local function install(tensor)
   local native = tensor._grad
   if not native then
      return  -- the functions are there already
   end
   local istensor = tensor.isTensor
   local describe = require 'tensor.description' (tensor)

   local numbers = require 'tensor.tracked_number' (tensor, native)
   local wrap, isnumber, constant = numbers.wrap, numbers.isnumber, numbers.constant

   -- Forms in which callers get numbers: each is a function of the tensor of one element.
   -- As a number, or as a tracked number if an outer tape tracks it.
   local function as_number(t)
      return native.tracked(t) and wrap(t) or t[1]
   end
   local function as_tensor(t)
      return t
   end

   local function isblob(value)
      local name = type(value) == 'userdata' and tensor.typename(value)
      return name == 'torch.FloatBlob' or name == 'torch.DoubleBlob'
   end

   -- Calls visit(leaf) for each tensor, number and Blob of a nested table, and returns a table of
   -- the same form with the results. Other values stay.
   local function map(value, visit)
      if istensor(value) or type(value) == 'number' or isnumber(value) or isblob(value) then
         return visit(value)
      elseif type(value) == 'table' and getmetatable(value) == nil then
         local result = {}
         for key, field in each(value) do
            result[key] = map(field, visit)
         end
         return result
      end
      return value
   end

   -- The rules of customGradient, by number, of each function that is being recorded.
   local recordings = {}

   local function resumed(rules, ...)
      if rules then
         table.remove(recordings)
      end
      return pack(...)
   end
   local function resume(scope, rules, thread, ...)
      if rules then
         recordings[#recordings + 1] = rules
      end
      return resumed(rules, native.resume(scope, thread, ...))
   end

   -- The last error of a function that was called by run, and the frames of the coroutines that it
   -- ended. repl/trace.lua shows and removes them. The next outermost call of run removes others.
   local failed = {}
   local module = require 'tensor.native'
   module.failed_coroutines = failed
   local depth = 0  -- of calls of run inside of each other
   -- Returns the error.
   local function note_failure(thread, failure)
      local frames = module.frames_of and module.frames_of(thread)
      failure = versions.closed(thread, failure)
      if frames then
         if failed.value ~= failure or failed.depth ~= depth + 1 then
            for k = #failed, 1, -1 do failed[k] = nil end
         end
         failed.value, failed.depth = failure, depth
         failed[#failed + 1] = frames
      end
      return failure
   end

   -- Calls f with a list of arguments, in a coroutine of its own. scope: what its operations belong
   -- to, as in native.resume. Yields of f are passed on. While it is suspended, nothing is
   -- recorded. Returns the results as a list, or nil and an error.
   local function run(scope, rules, f, arguments)
      if depth == 0 and failed.value then for k in each(failed) do failed[k] = nil end end
      local thread = coroutine.create(versions.as_function(f))
      if rules then native.start(scope) end
      depth = depth + 1
      local results = resume(scope, rules, thread, unpack(arguments, 1, arguments.n))
      while results[1] == 'suspended' do
         results = resume(scope, rules, thread,
                          versions.yield(thread, unpack(results, 2, results.n)))
      end
      depth = depth - 1
      if results[1] == 'error' then
         return nil, note_failure(thread, results[2])
      end
      return pack(unpack(results, 2, results.n))
   end

   -- Runs the reverse pass. Calls ready(n) when the gradient of the n-th watched tensor is
   -- complete.
   local function reverse(tape, rules, ready)
      while true do
         local ok, number, gradients, results, operands = pcall(native.run, tape)
         if ok and not number then
            return
         end
         local found = number
         if ok and number < 0 then
            ok, found = pcall(ready, -number)
         elseif ok then
            ok, found = pcall(rules[number], gradients, results, operands)
         end
         if not ok then
            native.close(tape)
            error(found, 0)
         end
         for k, gradient in each(number > 0 and found or {}) do
            if gradient then
               native.give(tape, k, gradient)
            end
         end
      end
   end

   local function is_floating(t)
      return types.is_floating[t:type()]
   end

   -- Returns true for a value that has a gradient.
   local function is_differentiable(leaf)
      return type(leaf) == 'number' or isnumber(leaf) or isblob(leaf)
             or istensor(leaf) and is_floating(leaf)
   end

   -- Calls f(arguments), of which those for which chosen(k) is true are tracked. Returns the tape,
   -- a list of their tracked forms, the results, the rules of customGradient, and true if a tensor
   -- is at several places. name: that of the function that was called.
   local function record(name, f, arguments, chosen)
      for k = 1, arguments.n do
         if chosen(k) then
            nested.check(name, arguments[k])
         end
      end
      local tape = native.tape()
      local tracked = {}
      local given = { n = arguments.n }
      -- A tensor that is at several places remains one tensor.
      local copies, views, is_tied = {}, {}, false
      for k = 1, arguments.n do
         given[k] = arguments[k]
         if chosen(k) then
            given[k] = map(arguments[k], function(leaf)
               if isnumber(leaf) then
                  leaf = wrap(leaf.tensor:clone())
                  native.track(tape, leaf.tensor)
               elseif type(leaf) == 'number' then
                  leaf = wrap(constant(leaf))
                  native.track(tape, leaf.tensor)
               elseif isblob(leaf) then
                  local data = leaf:data()
                  if not native.can_track(data) then
                     native.close(tape)
                     raise('grad: the data of a Blob cannot be the argument of nested gradients')
                  end
                  native.track(tape, data)
               elseif is_floating(leaf) then
                  local copy = copies[leaf]
                  if copy then
                     is_tied = true
                  else
                     copy = native.can_track(leaf) and leaf or native.copied(leaf)
                     native.track(tape, copy)
                     copies[leaf] = copy
                  end
                  leaf = copy
               end
               return leaf
            end)
            -- f may resize its arguments.
            tracked[k] = map(given[k], function(leaf)
               if not istensor(leaf) then
                  return leaf
               end
               local view = is_tied and views[leaf] or leaf.new():set(leaf)
               views[leaf] = is_tied and view or nil
               return view
            end)
         end
      end
      local rules = {}
      local results, failure = run(tape, rules, f, given)
      local fine = results
      if fine then
         fine, failure = pcall(nested.check, name, results)
      end
      if not fine then
         native.close(tape)
         error(failure, 0)
      end
      return tape, tracked, results, rules, is_tied
   end

   -- The types of keys whose order is the same in all processes.
   local is_ordered = { boolean = true, number = true, string = true }

   -- Watches the tensors of a tracked argument. Returns a function for reverse, which calls
   -- visit(tensor, number).
   local function watch(tape, argument, visit)
      local leaves, seen = {}, {}
      -- In an order that is the same in all processes.
      local function add(value)
         if istensor(value) and is_floating(value) then
            if not seen[value] then
               seen[value] = true
               leaves[#leaves + 1] = value
               native.watch(tape, value)
            end
         elseif type(value) == 'table' and getmetatable(value) == nil then
            for _, key in ipairs(versions.sorted_keys(value, is_ordered)) do
               add(value[key])
            end
         end
      end
      add(argument)
      return function(number)
         visit(leaves[number], number)
      end
   end

   -- The gradients of a tracked argument, in its form.
   -- complete: the gradients that are known, by tensor; false: no tensor is at several places.
   local function gradients(tape, argument, form, complete)
      return map(argument, function(leaf)
         if complete and complete[leaf] then
            return complete[leaf]
         elseif isnumber(leaf) then
            return form(native.gradient(tape, leaf.tensor))
         elseif isblob(leaf) then
            return leaf:diff():copy(native.gradient(tape, leaf:data()))
         end
         local gradient = native.gradient(tape, leaf)
         if complete then
            complete[leaf] = gradient
         end
         return gradient
      end)
   end

   -- Tracked numbers get the form in which the caller expects them.
   local function settle(results, form)
      for k = 1, results.n do
         results[k] = map(results[k], function(leaf)
            return isnumber(leaf) and form(leaf.tensor) or leaf
         end)
      end
   end

   local function check_function(name, f)
      if not versions.is_callable(f) then
         raise(('%s: a function is expected, got %s'):format(name, type_name(f)))
      end
   end

   -- Raises an error unless the value is a table without a class.
   local function check_list(name, what, value)
      if type(value) ~= 'table' or getmetatable(value) then
         raise(('%s: %s is expected, got %s'):format(name, what, type_name(value)))
      end
   end

   -- The function that tensor.grad returns. name: that of the function that was called. form: of
   -- numbers among the gradients and results. ready: an option of tensor.grad. takes_constants: the
   -- first result may be any constant, whose gradients are 0.
   local function gradient_function(name, f, which, form, ready, takes_constants)
      return function(...)
         local arguments = pack(...)
         local x = arguments[which]
         if type(x) ~= 'number' and type(x) ~= 'table' and not istensor(x) and not isblob(x) then
            local got = which > arguments.n and 'none' or describe(x)
            raise(('%s: argument %d: a number, a tensor or a nested table of them is expected, '
                   .. 'got %s'):format(name, which, got))
         end
         local tape, tracked, results, rules, is_tied = record(name, f, arguments,
            function(k) return k == which end)
         local loss = results[1]
         local value = isnumber(loss) and loss.tensor or loss
         local is_number = type(loss) == 'number'
         local is_constant = is_number or istensor(loss) and not native.tracks(tape, loss)
         -- A loss of empty tensors is 0, and so are its gradients.
         local is_zero = is_constant and (native.lost_dependence(tape) or takes_constants
                                          and (is_number or loss:nElement() == 1))
         if is_zero then
            value = nil
            results[1] = is_number and form == as_tensor and tensor.DoubleTensor{loss} or loss
         elseif not is_number and (not istensor(value) or value:nElement() ~= 1) then
            local got = istensor(value) and ('a tensor with %d elements'):format(value:nElement())
               or type_name(loss)
            native.close(tape)
            raise(('%s: the first result of the function must be a number or a tensor with one '
               .. 'element that depends on argument %d; got %s'):format(name, which, got))
         end
         if value and (is_number or not native.tracks(tape, value)) then
            native.close(tape)
            raise(('%s: the first result of the function does not depend on argument %d%s')
               :format(name, which, nested.has_any(x, is_differentiable) and '' or
                       ', which has integers only: t:double() converts them'))
         elseif value then
            native.add_one(tape, value)
         end
         local complete = (ready or is_tied) and {}
         local visit = ready and watch(tape, tracked[which], function(leaf, number)
            complete[leaf] = native.gradient(tape, leaf)
            ready(complete[leaf], number)
         end)
         reverse(tape, rules, visit)
         local result = gradients(tape, tracked[which], form, complete)
         native.close(tape)
         settle(results, form)
         losses.note(result, results[1])
         return result, unpack(results, 1, results.n)
      end
   end

   --- Returns a function df. df(...) calls f(...) and returns the gradients of its first result, a
   -- number, with respect to its first argument, then all results of f. The gradients have the form
   -- of the argument: a tensor, a number, or a nested table of them. The gradient of a Blob is
   -- stored in its diff.
   -- options.argument: the number of the argument, instead of 1. options.tensors: true returns
   -- numbers that depend on the argument, and gradients of numbers, as tensors of one element, so
   -- that tensor.compile can record a function that calls df. options.ready: a function that is
   -- called with the gradient of each tensor in the argument as soon as it is complete. Its second
   -- argument is the number of this tensor, in an order of the keys: booleans, numbers, strings. It
   -- is not called for tensors with other keys. The last used tensors come first. tensor.compile
   -- does not record functions with it.
   function tensor.grad(f, options)
      check_function('grad', f)
      if options ~= nil then
         check_list('grad', 'a table of options', options)
         local fine, failure = pcall(files.check, options, {
            argument = 'number', tensors = 'boolean', ready = 'function',
         })
         if not fine then
            raise(('grad: %s%s'):format(failure, type(options.argument) == 'table' and
                   '; tensor.vjp returns the gradients of all arguments' or ''))
         end
      end
      local which = options and options.argument or 1
      if which < 1 or which % 1 ~= 0 then
         raise(('grad: option argument must be a whole number of at least 1, got %s'):format(
            which))
      end
      local ready = options and options.ready
      if options and options.tensors then
         return gradient_function('grad', f, which, as_tensor, ready)
      end
      local df = gradient_function('grad', f, which, as_number, ready)
      return ready and df or recordable.pair(df, gradient_function('grad', f, which, wrap))
   end

   -- Returns a gradient or tangent of `value`, a tensor or number, as a tensor. Raises an error
   -- unless it has the shape of the value. what: its name in errors.
   local function as_gradient(what, t, value)
      local is_number = isnumber(value) or type(value) == 'number'
      if is_number and (type(t) == 'number' or isnumber(t)) then
         return type(t) == 'number' and constant(t) or t.tensor
      elseif istensor(t) and (is_number and t:nElement() == 1
                              or istensor(value) and t:isSameSizeAs(value)) then
         return t
      end
      error(('%s: %s is expected, got %s'):format(
         what, is_number and 'a number' or describe(value),
         isnumber(t) and 'a number' or describe(t)), 0)
   end

   -- Calls visit(value, gradient) for the tensors and numbers of a nested value whose gradients are
   -- in `t`, which has the same form. Missing ones are nil or false.
   local function each_gradient(what, value, t, visit)
      if not t then
         return
      elseif istensor(value) or isnumber(value) or type(value) == 'number' then
         visit(value, as_gradient(what, t, value))
      elseif type(value) == 'table' and getmetatable(value) == nil then
         if type(t) ~= 'table' or getmetatable(t) then
            error(('%s: a table is expected, got %s'):format(what, describe(t)), 0)
         end
         for key, field in each(value) do
            each_gradient(('%s.%s'):format(what, tostring(key)), field, t[key], visit)
         end
         for key, field in each(t) do
            if value[key] == nil then
               each_gradient(('%s.%s'):format(what, tostring(key)), nil, field, visit)
            end
         end
      elseif value == nil then
         error(('%s: nothing is expected, got %s'):format(what, describe(t)), 0)
      end
   end

   -- tensor.vjp, for the function `name`. cotangents: the list, or a function that returns it and
   -- gets the list of the results.
   local function vjp(name, f, args, cotangents)
      local arguments = { n = args.n or #args }
      for k = 1, arguments.n do arguments[k] = args[k] end
      local tape, tracked, results, rules, is_tied = record(name, f, arguments,
         function() return true end)
      local function seed(value, gradient)
         if type(value) ~= 'number' then  -- a number is constant
            native.add_gradient(tape, isnumber(value) and value.tensor or value, gradient)
         end
      end
      local what = name .. ': the gradient of result '
      local fine, failure = pcall(function()
         if type(cotangents) == 'function' then cotangents = cotangents(results) end
         for k = 1, results.n do
            each_gradient(what .. k, results[k], cotangents[k], seed)
         end
         for k, cotangent in each(cotangents) do
            local is_result = type(k) == 'number' and k >= 1 and k <= results.n and k % 1 == 0
            if cotangent and not is_result and k ~= 'n' then
               error(('%s%s: the number of results is %d'):format(
                  what, tostring(k), results.n), 0)
            end
         end
      end)
      if not fine then
         native.close(tape)
         error(failure, 0)
      end
      reverse(tape, rules)
      local list, complete = {}, is_tied and {}
      for k = 1, arguments.n do
         list[k] = gradients(tape, tracked[k], as_number, complete)
      end
      native.close(tape)
      settle(results, as_number)
      for _, own in each(list) do losses.note(own, results[1]) end
      return list, unpack(results, 1, results.n)
   end

   --- Returns a list of the gradients of f's arguments, then the results of f. args: the list of
   -- arguments: tensors, numbers or nested tables. cotangents: the list of the gradients of the
   -- results, in their shapes, where nil or false means 0.
   function tensor.vjp(f, args, cotangents)
      check_function('vjp', f)
      check_list('vjp', 'a list of arguments', args)
      check_list('vjp', 'a list of gradients of the results', cotangents)
      return vjp('vjp', f, args, cotangents)
   end

   --- Returns x without its dependence on tracked tensors: a copy of a tensor, a plain number.
   function tensor.stopGradient(x)
      nested.check('stopGradient', x)
      return map(x, function(leaf)
         if isnumber(leaf) then
            return native.detached(leaf.tensor)[1]
         end
         return istensor(leaf) and native.detached(leaf) or leaf
      end)
   end

   local parts = {
      map = map, run = run, wrap = wrap, isnumber = isnumber, constant = constant,
      settle = settle, as_number = as_number, recordings = recordings,
      check_function = check_function, check_list = check_list, as_gradient = as_gradient,
      each_gradient = each_gradient, is_floating = is_floating, isblob = isblob,
      gradient_function = gradient_function, gradients = gradients, record = record,
      reverse = reverse, vjp = vjp,
   }
   require 'tensor.custom_gradient' (tensor, native, parts)
   require 'tensor.derivatives' (tensor, native, parts)
   tensor._grad = nil  -- private
end

return install
