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
      add = 'add', sub = 'csub', csub = 'csub', mul = 'cmul', cmul = 'cmul', div = 'cdiv',
      cdiv = 'cdiv', pow = 'cpow', cpow = 'cpow', fmod = 'cfmod', cfmod = 'cfmod',
      remainder = 'cremainder', mod = 'cfmod', cremainder = 'cremainder', cmax = 'cmax',
      cmin = 'cmin', atan2 = 'atan2', lt = 'lt', le = 'le', gt = 'gt', ge = 'ge', eq = 'eq',
      ne = 'ne', ['+'] = 'add', ['-'] = 'csub', ['*'] = 'cmul', ['/'] = 'cdiv', ['^'] = 'cpow',
      ['%'] = 'cremainder'
   }

   local function refused(name)
      error(('%s: a number that depends on the arguments of a gradient is not accepted here; '
         .. 'n:item() is its value'):format(name), 0)
   end

   -- A number, in the type and shape of a tensor.
   local function expanded(a, like)
      a = isnumber(a) and a.tensor or new{ a }
      return a:type(like:type()):view(1):expand(like:nElement()):viewAs(like)
   end
   -- A number times a tensor.
   local function times(a, t)
      return isnumber(a) and tensor.cmul(t, expanded(a, t)) or t * a
   end

   -- Calls an operation with or without a given result.
   local function into(result, operation, ...)
      if result then
         return tensor[operation](result, ...)
      end
      return tensor[operation](...)
   end

   -- Operations of a tensor t and a list of arguments, the first of which is a number. They call
   -- the same operation with another number, so that shapes pair in the same way.
   local of_tensor = {
      fill = function(result, t, rest)
         return (result or t.new():resizeAs(t)):copy(expanded(rest[1], t))
      end,
      clamp = function(result, t, rest)
         return into(result, 'cmin', tensor.cmax(t, expanded(rest[1], t)), expanded(rest[2], t))
      end,
      addcmul = function(result, t, rest)
         return into(result, 'addcmul', t, times(rest[1], rest[2]), rest[3])
      end,
      addcdiv = function(result, t, rest)
         return into(result, 'addcdiv', t, times(rest[1], rest[2]), rest[3])
      end,
      add = function(result, t, rest)
         return into(result, 'add', t, times(rest[1], rest[2]))
      end,
      sub = function(result, t, rest)
         return into(result, 'add', t, times(-rest[1], rest[2]))
      end
   }
   of_tensor.cadd, of_tensor.csub = of_tensor.add, of_tensor.sub

   -- beta * t + alpha * P, where P is a product of two matrices or vectors.
   local products = { addmm = true, addmv = true, addr = true, baddbmm = true, addbmm = true }
   local function accumulate(name, is_method, arguments)
      local tensors, numbers, first = {}, {}, nil  -- first: numbers before the last of `tensors`
      for k = 1, arguments.n - 2 do
         local a = arguments[k]
         if istensor(a) then
            tensors[#tensors + 1], first = a, #numbers
         else
            numbers[#numbers + 1] = a
         end
      end
      local mat1, mat2 = arguments[arguments.n - 1], arguments[arguments.n]
      if #tensors == 0 or not istensor(mat1) or not istensor(mat2) then
         refused(name)
      end
      if is_method and #tensors == 1 then
         first = #numbers - 1
      end
      local result = (is_method or #tensors > 1) and tensors[1] or nil
      local beta, alpha = first > 0 and numbers[1] or 1, numbers[first + 1] or 1
      return into(result, name, times(beta, tensors[#tensors]), times(alpha, mat1), mat2)
   end

   -- Calls an operation of numbers only.
   local function call_with_numbers(name, arguments)
      local operation = of_tensors[name] or name
      if not tensor[operation] then
         refused(name)
      end
      for k = 1, arguments.n do
         local a = arguments[k]
         arguments[k] = isnumber(a) and a.tensor or type(a) == 'number' and new{ a } or a
      end
      local result = tensor[operation](unpack(arguments, 1, arguments.n))
      return istensor(result) and wrap(result) or result
   end

   -- Calls an operation, some of whose arguments are tracked numbers. The result is the first
   -- argument if it is a method, or if two tensors are before the first number.
   local function call(name, is_method, ...)
      local arguments, first, any = pack(...), nil, false
      for k = 1, arguments.n do
         if istensor(arguments[k]) then
            any = true
         elseif not first then
            first = k
         end
      end
      if not any then
         return call_with_numbers(name, arguments)
      elseif products[name] then
         return accumulate(name, is_method, arguments)
      end
      local operation = of_tensors[name]
      if first == 1 then  -- a number and a tensor, as in 2 ^ t
         if is_method or arguments.n ~= 2 or not operation then
            refused(name)
         end
         return tensor[operation](expanded(arguments[1], arguments[2]), arguments[2])
      elseif first > 3 or first == 3 and not istensor(arguments[2]) then
         refused(name)
      end
      local result = (is_method or first == 3) and arguments[1] or nil
      local rest, t = { n = arguments.n - first + 1 }, arguments[first - 1]
      for k = 1, rest.n do
         rest[k] = arguments[first + k - 1]
      end
      if operation and rest.n == 1 then
         local other = expanded(rest[1], t)
         return result and tensor[operation](result, t, other) or tensor[operation](t, other)
      end
      if not of_tensor[name] then
         refused(name)
      end
      return of_tensor[name](result, t, rest)
   end

   local function operator(name)
      return function(a, b)
         local other = isnumber(a) and b or a
         if not (isnumber(other) or istensor(other) or type(other) == 'number') then
            error(('a tracked number and %s do not go together in %s'):format(
               tensor.type(other) or type(other), name), 2)
         end
         return call(name, false, a, b)
      end
   end
   for name, event in each{ ['+'] = '__add', ['-'] = '__sub', ['*'] = '__mul', ['/'] = '__div',
                            ['^'] = '__pow', ['%'] = '__mod' } do
      Number[event] = operator(name)
   end
   function Number.__unm(a)
      return wrap(-a.tensor)
   end
   local function plain_value(a)
      return isnumber(a) and a:item() or a
   end
   function Number.__eq(a, b)
      return plain_value(a) == plain_value(b)
   end
   function Number.__lt(a, b)
      return plain_value(a) < plain_value(b)
   end
   function Number.__le(a, b)
      return plain_value(a) <= plain_value(b)
   end
   setmetatable(Number, { __index = function(_, name)
      if type(name) == 'string' and tensor[name] then
         return function(self, ...)
            return call(name, false, self, ...)
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

   -- The rules of customGradient, by number, of each function that is being recorded.
   local recordings, last_rule = {}, 0

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

   -- Calls f with a list of arguments, in a coroutine of its own. scope: what its operations belong
   -- to, as in native.resume. What f yields is passed on. While it is suspended, nothing is
   -- recorded. Returns the results as a list, or nil and an error.
   local function run(scope, rules, f, arguments)
      local thread = coroutine.create(type(f) == 'function' and f
         or function(...) return f(...) end)
      local results = resume(scope, rules, thread, unpack(arguments, 1, arguments.n))
      while results[1] == 'suspended' do
         results = resume(scope, rules, thread, coroutine.yield(unpack(results, 2, results.n)))
      end
      if results[1] == 'error' then
         return nil, results[2]
      end
      table.remove(results, 1)
      results.n = results.n - 1
      return results
   end

   -- Runs the reverse pass.
   local function reverse(tape, rules)
      while true do
         local number, gradients, results, operands = native.run(tape)
         if not number then
            return
         end
         for k, gradient in each(rules[number](gradients, results, operands)) do
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
            -- f may resize its arguments.
            tracked[k] = map(given[k], function(leaf)
               return istensor(leaf) and leaf.new():set(leaf) or leaf
            end)
         end
      end
      local rules = {}
      local results, failure = run(tape, rules, f, given)
      if not results then
         native.close(tape)
         error(failure, 0)
      end
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
         local tape, tracked, results, rules = record(f, pack(...),
            function(k) return k == which end)
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

   -- Stores the tensors and numbers of `value`, which has the given form, in `list`.
   local function read_slots(form, value, list)
      if is_slot(form) then
         list[form.index] = isnumber(value) and value.tensor
            or type(value) == 'number' and new{ value } or value or false
      elseif type(form) == 'table' and getmetatable(form) == nil and value then
         for key, field in each(form) do
            if key ~= 'n' then
               read_slots(field, value[key], list)
            end
         end
      end
   end

   -- customGradient and checkpoint. distinct: f is called as if it were neither if two arguments
   -- share memory.
   local function custom(f, rule, distinct)
      return function(...)
         local arguments = pack(...)
         if not native.is_active() then
            return f(...)
         end
         local operands = {}
         local form = form_of(arguments, operands)
         if distinct and native.share_storage(nil, operands) then
            return f(...)
         end
         last_rule = last_rule + 1
         local number = last_rule
         native.begin(number, operands)
         local results, failure = run(true, nil, f, arguments)
         if not results then
            native.finish(number, {})
            error(failure, 0)
         end
         for k = 1, results.n do
            results[k] = map(results[k], function(leaf)
               if istensor(leaf) then
                  return native.is_operand(leaf) and native.detached(leaf) or leaf
               end
               return type(leaf) == 'number' and wrap(new{ leaf }) or leaf
            end)
         end
         local outputs = {}
         local form_of_results = form_of(results, outputs)
         native.finish(number, outputs)
         local function run_rule(cotangents, values, given)
            local list, found = rule(values_of(form_of_results, cotangents),
               values_of(form_of_results, values), values_of(form, given)), {}
            read_slots(form, list, found)
            return found
         end
         for _, rules in ipairs(recordings) do
            rules[number] = run_rule
         end
         for k = 1, results.n do
            results[k] = settled(results[k])
         end
         return unpack(results, 1, results.n)
      end
   end

   --- Returns a function with the results of f, whose gradients are computed by rule.
   -- rule(gradients, results, arguments): lists of the gradients of the results (false: 0), of f's
   -- results and of its arguments. It returns a list of gradients of the arguments. f must not use
   -- other tensors that depend on the arguments of tensor.grad.
   function tensor.customGradient(f, rule)
      check_function('customGradient', f)
      check_function('customGradient', rule)
      return custom(f, rule)
   end

   --- Returns a function with the results and gradients of f, which does not keep f's intermediate
   -- results: it calls f again for the gradients. f must not use other tensors than its arguments
   -- that depend on the arguments of tensor.grad.
   function tensor.checkpoint(f)
      check_function('checkpoint', f)
      return custom(f, function(cotangents, _, arguments)
         return (tensor.vjp(f, arguments, cotangents))
      end, true)
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

   -- A copy of arguments that f may overwrite.
   local function copied(args)
      return map(args, function(leaf) return istensor(leaf) and leaf:clone() or leaf end)
   end

   -- The results of f(args), as a list, without recording them.
   local function plain(f, args)
      local arguments = map(args, function(leaf)
         return istensor(leaf) and native.detached(leaf) or isnumber(leaf) and leaf:item() or leaf
      end)
      arguments.n = args.n or #args
      local results, failure = run(false, nil, f, arguments)
      if not results then
         error(failure, 0)
      end
      return results
   end

   --- Returns a list of the derivatives of f's results along tangents, then the results. args: the
   -- list of arguments. tangents: a list of tensors of their shapes, where nil or false means 0.
   function tensor.jvp(f, args, tangents)
      check_function('jvp', f)
      -- The gradients of the arguments are linear in those of the results, so their derivatives by
      -- the latter are those of the results by the arguments.
      local cotangents, results = {}, nil
      for k, result in ipairs(plain(f, args)) do
         cotangents[k] = map(result, function(leaf)
            return istensor(leaf) and leaf:clone():zero() or 0
         end)
      end
      local list = tensor.vjp(function(given)
         results = pack(tensor.vjp(f, copied(args), given))
         return inner(results[1], tangents)
      end, { cotangents }, { new{ 1 } })
      return list[1], unpack(results, 2, results.n)
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
         rows[k]:copy(tensor.vjp(f, { x:clone() }, { cotangent })[1]:reshape(x:nElement()))
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
         local found = inner(tensor.vjp(f, copied(list), cotangents), directions)[1]
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
         local list = tensor.vjp(f, pack(...), cotangents)
         return unpack(list, 1, select('#', ...))
      end, args, options)
      return ok, message and 'second order: ' .. message
   end
end

return install
