-- tensor.grad and its relatives: gradients of Lua functions. The core records the operations of a
-- function on a tape (lib/TH/grad/tape.h) and calls their rules in reverse order.

local versions = require 'tensor.versions'
local each, pack, unpack = versions.each, versions.pack, versions.unpack

local function install(tensor)
   -- Private.
   local native = tensor._grad
   tensor._grad = nil
   if not native then
      return  -- the functions are there already
   end
   local istensor = tensor.isTensor
   local new = tensor.DoubleTensor

   -- A number that depends on tracked tensors: a DoubleTensor of one element with the operators of
   -- a number.
   local Number = {}
   Number.__index = Number

   local function wrap(t)
      return setmetatable({ tensor = t }, Number)
   end
   local function isnumber(x)
      return type(x) == 'table' and getmetatable(x) == Number
   end

   -- Returns the number as a plain number.
   function Number:item()
      return native.detached(self.tensor)[1]
   end
   function Number:__tostring()
      return tostring(self:item())
   end

   -- The operations of element-wise arithmetic whose second operand is a tensor, by the names of
   -- those whose second operand is a number.
   local of_tensors = {
      add = 'add', sub = 'csub', csub = 'csub', mul = 'cmul', div = 'cdiv', pow = 'cpow',
      fmod = 'cfmod', remainder = 'cremainder', cmax = 'cmax', cmin = 'cmin', fill = 'copy',
      ['+'] = 'add', ['-'] = 'csub', ['*'] = 'cmul', ['/'] = 'cdiv', ['^'] = 'cpow',
      ['%'] = 'cremainder'
   }

   -- Calls an operation, some of whose arguments are tracked numbers. Returns nil if it cannot.
   local function call(name, ...)
      local arguments, like, any = pack(...), nil, false
      for k = 1, arguments.n do
         any = any or isnumber(arguments[k])
         like = like or istensor(arguments[k]) and arguments[k]
      end
      if not any then
         return
      end
      local operation = of_tensors[name] or not like and name
      if not operation or not tensor[operation] then
         return
      end
      for k = 1, arguments.n do
         local a = arguments[k]
         if type(a) == 'number' and not (like and k == 1) then
            a = new{ a }
         elseif isnumber(a) then
            a = a.tensor
         end
         if like and istensor(a) and a ~= like and a:nElement() == 1 then
            a = a:type(like:type()):view(1):expandAs(like:view(-1)):viewAs(like)
         end
         arguments[k] = a
      end
      local result = tensor[operation](unpack(arguments, 1, arguments.n))
      return like and result or wrap(result)
   end

   local function operator(name)
      return function(a, b)
         local result = call(name, a, b)
         if result == nil then
            error(('a tracked number and %s do not go together in %s'):format(
               tensor.type(b) or type(b), name), 2)
         end
         return result
      end
   end
   for _, name in ipairs{ '+', '-', '*', '/', '^', '%' } do
      local event = { ['+'] = '__add', ['-'] = '__sub', ['*'] = '__mul', ['/'] = '__div',
                      ['^'] = '__pow', ['%'] = '__mod' }
      Number[event[name]] = operator(name)
   end
   function Number.__unm(a)
      return wrap(-a.tensor)
   end
   function Number.__eq(a, b)
      return a:item() == b:item()
   end
   function Number.__lt(a, b)
      return a:item() < b:item()
   end
   function Number.__le(a, b)
      return a:item() <= b:item()
   end
   setmetatable(Number, { __index = function(_, name)
      if type(name) == 'string' and tensor[name] then
         return function(self, ...)
            return call(name, self, ...)
         end
      end
   end })
   native.numbers(wrap, call, Number)

   -- Calls visit(leaf) for each tensor and number of a nested table, and returns a table of the
   -- same form with the results. Other values stay.
   local function map(value, visit)
      if istensor(value) or type(value) == 'number' or isnumber(value) then
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

   -- The functions that are being recorded: tapes, each with the rules of customGradient, by number.
   local recordings, last_rule = {}, 0

   -- Runs the reverse pass.
   local function reverse(tape, rules)
      while true do
         local number, gradients = native.run(tape)
         if not number then
            return
         end
         for k, gradient in each(rules[number](gradients)) do
            if gradient then
               native.give(tape, k, gradient)
            end
         end
      end
   end

   -- Calls f(arguments), of which those for which chosen(k) is true are tracked. Returns the tape,
   -- a list of their tracked forms, the results, and the rules of customGradient.
   local function record(f, arguments, chosen)
      local tape = native.tape()
      local tracked = {}
      local given = { n = arguments.n }
      for k = 1, arguments.n do
         given[k] = arguments[k]
         if chosen(k) then
            given[k] = map(arguments[k], function(leaf)
               if isnumber(leaf) then
                  leaf = wrap(leaf.tensor:clone())
                  native.track(tape, leaf.tensor)
               elseif type(leaf) == 'number' then
                  leaf = wrap(new{ leaf })
                  native.track(tape, leaf.tensor)
               elseif leaf:type():match('Float') or leaf:type():match('Double')
                  or leaf:type():match('Half') then
                  leaf = native.can_track(leaf) and leaf or leaf:clone()
                  native.track(tape, leaf)
               end
               return leaf
            end)
            tracked[k] = given[k]
         end
      end
      local rules = {}
      recordings[#recordings + 1] = rules
      native.start(tape)
      local results = pack(pcall(f, unpack(given, 1, given.n)))
      native.stop(tape)
      table.remove(recordings)
      if not results[1] then
         native.close(tape)
         error(results[2], 0)
      end
      table.remove(results, 1)
      results.n = results.n - 1
      return tape, tracked, results, rules
   end

   -- The gradients of a tracked argument, in its form.
   local function gradients(tape, argument)
      return map(argument, function(leaf)
         if isnumber(leaf) then
            local gradient = native.gradient(tape, leaf.tensor)
            return native.tracked(gradient) and wrap(gradient) or gradient[1]
         end
         return native.gradient(tape, leaf)
      end)
   end

   -- Numbers that no tape tracks any more become plain numbers.
   local function settled(value)
      return map(value, function(leaf)
         if isnumber(leaf) and not native.tracked(leaf.tensor) then
            return leaf:item()
         end
         return leaf
      end)
   end
   local function settle(results)
      for k = 1, results.n do
         results[k] = settled(results[k])
      end
      return results
   end

   local function check_function(name, f)
      if type(f) ~= 'function' and not (type(f) == 'table' and getmetatable(f)
         and getmetatable(f).__call) then
         error(('%s: a function is expected, got %s'):format(name, tensor.type(f) or type(f)), 3)
      end
   end

   --- Returns a function df. df(...) calls f(...) and returns the gradients of its first result, a
   -- number, with respect to its first argument, then all results of f. The gradients have the form
   -- of the argument: a tensor, a number, or a nested table of them.
   -- options.argument: the number of the argument, instead of 1.
   function tensor.grad(f, options)
      check_function('grad', f)
      local which = options and options.argument or 1
      return function(...)
         local tape, tracked, results, rules = record(f, pack(...), function(k) return k == which end)
         local loss = results[1]
         local value = isnumber(loss) and loss.tensor or loss
         if not istensor(value) or value:nElement() ~= 1 then
            local got = istensor(value) and ('a tensor with %d elements'):format(value:nElement())
               or type(loss)
            native.close(tape)
            error(('grad: the first result of the function must be a number or a tensor with one '
               .. 'element that depends on argument %d; got %s'):format(which, got), 2)
         end
         if not native.tracks(tape, value) then
            native.close(tape)
            error(('grad: the first result of the function does not depend on argument %d')
               :format(which), 2)
         end
         native.add_gradient(tape, value, value.new{ 1 }:viewAs(value))
         reverse(tape, rules)
         local result = gradients(tape, tracked[which])
         native.close(tape)
         settle(results)
         return result, unpack(results, 1, results.n)
      end
   end

   --- Returns a list of the gradients of f's arguments, then the results of f. args: the list of
   -- arguments: tensors, numbers or nested tables. cotangents: the list of the gradients of the
   -- results, where nil or false means 0.
   function tensor.vjp(f, args, cotangents)
      check_function('vjp', f)
      local arguments = { n = args.n or #args }
      for k = 1, arguments.n do
         arguments[k] = args[k]
      end
      local tape, tracked, results, rules = record(f, arguments, function() return true end)
      local function seed(value, cotangent)
         if not cotangent then
            return
         elseif isnumber(value) then
            local g = cotangent
            if type(g) == 'number' then
               g = new{ g }
            elseif isnumber(g) then
               g = g.tensor
            end
            native.add_gradient(tape, value.tensor, g)
         elseif istensor(value) then
            native.add_gradient(tape, value, cotangent)
         elseif type(value) == 'table' then
            for key, field in each(value) do
               seed(field, cotangent[key])
            end
         end
      end
      for k = 1, results.n do
         seed(results[k], cotangents[k])
      end
      reverse(tape, rules)
      local list = {}
      for k = 1, arguments.n do
         list[k] = gradients(tape, tracked[k])
      end
      native.close(tape)
      settle(results)
      return list, unpack(results, 1, results.n)
   end

   --- Returns x without its dependence on tracked tensors: a copy of a tensor, a plain number.
   function tensor.stopGradient(x)
      return map(x, function(leaf)
         if isnumber(leaf) then
            return leaf:item()
         end
         return istensor(leaf) and native.detached(leaf) or leaf
      end)
   end

   --- Returns a function with the results of f, whose gradients are computed by rule.
   -- rule(gradients, results, arguments): gradients of the results (false: 0), the list of f's
   -- results and that of its arguments. It returns a list of gradients of the arguments. f's
   -- arguments and results that have gradients are tensors.
   function tensor.customGradient(f, rule)
      check_function('customGradient', f)
      check_function('customGradient', rule)
      return function(...)
         local arguments = pack(...)
         native.pause(true)
         local results = pack(pcall(f, ...))
         native.pause(false)
         if not results[1] then
            error(results[2], 0)
         end
         table.remove(results, 1)
         results.n = results.n - 1
         local operands, positions, outputs, of_output = {}, {}, {}, {}
         for k = 1, arguments.n do
            if istensor(arguments[k]) then
               operands[#operands + 1], positions[#positions + 1] = arguments[k], k
            end
         end
         for k = 1, results.n do
            if istensor(results[k]) then
               outputs[#outputs + 1], of_output[#of_output + 1] = results[k], k
            end
         end
         last_rule = last_rule + 1
         local function run(given)
            local cotangents = {}
            for k = 1, #outputs do
               cotangents[of_output[k]] = given[k]
            end
            local list, found = rule(cotangents, results, arguments), {}
            for k = 1, #operands do
               found[k] = list[positions[k]] or false
            end
            return found
         end
         for _, rules in ipairs(recordings) do
            rules[last_rule] = run
         end
         native.record(last_rule, operands, outputs)
         return unpack(results, 1, results.n)
      end
   end

   --- Returns a function with the results and gradients of f, which does not keep f's intermediate
   -- results: it calls f again for the gradients. Tensors that f uses must be its arguments.
   function tensor.checkpoint(f)
      check_function('checkpoint', f)
      return tensor.customGradient(f, function(cotangents, results, arguments)
         for k = 1, results.n do
            cotangents[k] = cotangents[k] or false
         end
         return (tensor.vjp(f, arguments, cotangents))
      end)
   end

   -- Calls visit(tensor, other) for the tensors and numbers of a nested value and the fields of
   -- `other` in the same places. Numbers are passed as tensors of one element.
   local function each_leaf(value, other, visit)
      if isnumber(value) then
         visit(value.tensor, isnumber(other) and other.tensor or other)
      elseif type(value) == 'number' then
         visit(new{ value }, isnumber(other) and other.tensor or other)
      elseif istensor(value) then
         visit(value, other)
      elseif type(value) == 'table' then
         for key, field in each(value) do
            each_leaf(field, other and other[key], visit)
         end
      end
   end

   -- The sum of the products of corresponding elements of two lists, as a tensor of one element. A
   -- missing tensor counts as 0.
   local function inner(a, b)
      local sum = new{ 0 }
      each_leaf(a, b, function(x, y)
         if type(y) == 'number' then
            sum = sum + x:double():view(1) * y
         elseif y and x:nElement() > 0 then
            sum = sum + tensor.cmul(x, y):double():view(-1):sum(1, true)
         end
      end)
      return sum
   end

   -- The results of f(args), as a list, without recording them.
   local function plain(f, args)
      native.pause(true)
      local results = pack(pcall(f, unpack(args, 1, args.n or #args)))
      native.pause(false)
      if not results[1] then
         error(results[2], 0)
      end
      table.remove(results, 1)
      results.n = results.n - 1
      return results
   end

   --- Returns a list of the derivatives of f's results along tangents, then the results. args: the
   -- list of arguments. tangents: a list of tensors of their shapes, where nil or false means 0.
   function tensor.jvp(f, args, tangents)
      check_function('jvp', f)
      -- The gradients of the arguments are linear in those of the results, so their derivatives by
      -- the latter are those of the results by the arguments.
      local results = plain(f, args)
      local cotangents = map(results, function(leaf)
         return istensor(leaf) and leaf:clone():zero() or 0
      end)
      local list = tensor.vjp(function(given)
         return inner((tensor.vjp(f, args, given)), tangents)
      end, { cotangents }, { new{ 1 } })
      list[1].n = nil
      return list[1], unpack(results, 1, results.n)
   end

   --- Returns the matrix of the derivatives of the elements of the tensor f(x) by those of x: one
   -- row for each element of the result.
   function tensor.jacobian(f, x)
      check_function('jacobian', f)
      local y = plain(f, { x })[1]
      y = type(y) == 'number' and new{ y } or y
      local count = y:nElement()
      local rows = x.new(count, x:nElement())
      for k = 1, count do
         local cotangent = y:clone():zero()
         cotangent:view(-1)[k] = 1
         rows[k]:copy(tensor.vjp(f, { x }, { cotangent })[1]:reshape(x:nElement()))
      end
      return rows
   end

   --- Returns the matrix of the second derivatives of the number f(x) by the elements of x.
   function tensor.hessian(f, x)
      check_function('hessian', f)
      local df = tensor.grad(f)
      return tensor.jacobian(function(t) return (df(t)) end, x)
   end

   -- Compares the derivative of f along random directions with differences.
   local function check_directions(f, args, options)
      local step, tolerance = options.step or 1e-6, options.tolerance or 1e-4
      local function moved(by)
         return function(leaf, direction)
            return leaf + direction * by
         end
      end
      local function random(leaf)
         if istensor(leaf) then
            return leaf.new(leaf:size()):uniform(-1, 1)
         end
         return type(leaf) == 'number' and 2 * math.random() - 1 or leaf
      end
      -- The arguments moved along the directions.
      local function move(value, direction, by)
         if istensor(value) or type(value) == 'number' then
            return istensor(value) and value:nElement() == 0 and value
               or moved(by)(value, direction)
         elseif type(value) == 'table' and getmetatable(value) == nil then
            local result = {}
            for key, field in each(value) do
               result[key] = key == 'n' and field or move(field, direction[key], by)
            end
            return result
         end
         return value
      end
      for _ = 1, options.directions or 1 do
         local count = args.n or #args
         local list = { n = count }
         for k = 1, count do
            list[k] = args[k]
         end
         local directions = {}
         for k = 1, count do
            directions[k] = map(args[k], random)
         end
         local results = plain(f, args)
         local cotangents = map(results, random)
         local found = inner(tensor.vjp(f, list, cotangents), directions)[1]
         local more = inner(plain(f, move(list, directions, step)), cotangents)[1]
         local less = inner(plain(f, move(list, directions, -step)), cotangents)[1]
         local expected = (more - less) / (2 * step)
         if not (math.abs(found - expected) <= tolerance * (1 + math.abs(expected))) then
            return false, ('the derivative is %.9g, but differences give %.9g')
               :format(found, expected)
         end
      end
      return true
   end

   --- Returns true if the gradients of f at args (a list) agree with differences of its results
   -- along random directions; else false and a message. The tensors should be DoubleTensors.
   -- options: order (2: also checks second derivatives), directions (their number, 1),
   -- step (1e-6), tolerance (1e-4).
   function tensor.gradcheck(f, args, options)
      check_function('gradcheck', f)
      options = options or {}
      local ok, message = check_directions(f, args, options)
      if not ok or (options.order or 1) < 2 then
         return ok, message
      end
      local cotangents = map(plain(f, args), function(leaf)
         return istensor(leaf) and leaf.new(leaf:size()):uniform(-1, 1) or 1
      end)
      ok, message = check_directions(function(...)
         return unpack((tensor.vjp(f, pack(...), cotangents)))
      end, args, options)
      return ok, message and 'second order: ' .. message
   end
end

return install
