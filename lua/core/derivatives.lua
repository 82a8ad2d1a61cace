-- Derivatives that are made of reverse passes: jvp, jacobian, hessian, gradcheck.

local files = require 'tensor.files'
local nested = require 'tensor.nested'
local type_name = require 'tensor.type_name'
local types = require 'tensor.types'
local versions = require 'tensor.versions'
local each, pack, unpack = versions.each, versions.pack, versions.unpack

-- native: the functions of generic/grad.cc. parts: functions of lua/core/grad.lua.
return function(tensor, native, parts)
   local istensor = tensor.isTensor
   local new = tensor.DoubleTensor
   local map, run, isnumber = parts.map, parts.run, parts.isnumber
   local check_function, check_list = parts.check_function, parts.check_list

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
   local function copies(args)
      return map(args, function(leaf) return istensor(leaf) and native.copied(leaf) or leaf end)
   end

   -- The results of f(args), as a list, without recording them. name: that of the function that was
   -- called.
   local function plain(name, f, args)
      local arguments = map(args, function(leaf)
         return istensor(leaf) and native.detached(leaf, true)
            or isnumber(leaf) and leaf:item() or leaf
      end)
      arguments.n = args.n or #args
      local results, failure = run(false, nil, f, arguments)
      if not results then
         error(failure, 0)
      end
      nested.check(name, results)
      return results
   end

   --- Returns a list of the derivatives of f's results along tangents, then the results. args: the
   -- list of arguments. tangents: a list of tensors of their shapes, where nil or false means 0.
   function tensor.jvp(f, args, tangents)
      check_function('jvp', f)
      check_list('jvp', 'a list of arguments', args)
      check_list('jvp', 'a list of tangents', tangents)
      nested.check('jvp', args)
      -- The gradients of the arguments are linear in those of the results, so their derivatives by
      -- the latter are those of the results by the arguments.
      local count = args.n or #args
      for k, tangent in each(tangents) do
         if k ~= 'n' then
            local argument = type(k) == 'number' and k <= count and args[k] or nil
            parts.each_gradient(('jvp: the tangent of argument %s'):format(tostring(k)), argument,
                                tangent, function() end)
         end
      end
      local tape, rules, cotangents, results = native.tape(), {}, {}, nil
      local function zeros(leaf)
         leaf = istensor(leaf) and leaf:clone():zero() or parts.wrap(parts.constant(0))
         local t = isnumber(leaf) and leaf.tensor or leaf
         if parts.is_floating(t) then
            native.track(tape, t)
         end
         return leaf
      end
      local sum, failure = run(tape, rules, function()
         results = pack(parts.vjp('jvp', f, copies(args), function(values)
            for k = 1, values.n do
               cotangents[k] = map(values[k], zeros)
            end
            return cotangents
         end))
         return inner(results[1], tangents)
      end, { n = 0 })
      if not sum then
         native.close(tape)
         error(failure, 0)
      end
      native.add_one(tape, sum[1])
      parts.reverse(tape, rules)
      local list = parts.gradients(tape, cotangents, parts.as_number)
      native.close(tape)
      return list, unpack(results, 2, results.n)
   end

   local function check_tensor(name, x)
      if not istensor(x) then
         error(('%s: a tensor is expected, got %s'):format(name, type_name(x)), 3)
      elseif types.is_integral[x:type()] then
         error(('%s: a %s has integers only: t:double() converts it'):format(name, x:type()), 3)
      end
   end

   --- Returns the matrix of the derivatives of the elements of the tensor f(x) by those of x: one
   -- row for each element of the result. f runs once, and the reverse pass once for each row.
   function tensor.jacobian(f, x)
      check_function('jacobian', f)
      check_tensor('jacobian', x)
      local tape, tracked, results, rules = parts.record('jacobian', f, { n = 1, native.copied(x) },
         function() return true end)
      local y = results[1]
      y = isnumber(y) and y.tensor or type(y) == 'number' and new{ y } or y
      if not istensor(y) then
         native.close(tape)
         error(('jacobian: the function must return a tensor or a number, got %s'):format(
            type_name(y)), 2)
      end
      local count = y:nElement()
      local rows = x.new(count, x:nElement())
      local cotangent = y:clone():zero()
      for k = 1, count do
         local element = cotangent:view(-1):narrow(1, k, 1)
         element:fill(1)
         native.rewind(tape)
         native.add_gradient(tape, y, cotangent)
         parts.reverse(tape, rules)
         rows[k]:copy(native.gradient(tape, tracked[1]):reshape(x:nElement()))
         element:zero()
      end
      native.close(tape)
      return rows
   end

   --- Returns the matrix of the second derivatives of the number f(x) by the elements of x.
   function tensor.hessian(f, x)
      check_function('hessian', f)
      check_tensor('hessian', x)
      local df = parts.gradient_function('hessian', f, 1, parts.as_number, nil, true)
      return tensor.jacobian(df, x)
   end

   -- The limits of the options of gradcheck.
   local limits = {
      order = { least = 1, most = 2, is_whole = true, text = '1 or 2' },
      directions = { least = 1, most = 2 ^ 53, is_whole = true,
                     text = 'a whole number of at least 1' },
      step = { least = 1e-300, most = 1e300, text = 'finite and above 0' },
      tolerance = { least = 0, most = 1e300, text = 'finite and at least 0' },
   }

   -- Raises an error unless one of the first `count` values has a number or a tensor of a
   -- floating-point type, so that there is a derivative to check.
   local function check_values(what, values, count)
      local found = false
      for k = 1, count do
         map(values[k], function(leaf)
            if parts.isblob(leaf) then
               error(('gradcheck: %s contain a Blob; use its data, a tensor'):format(what), 0)
            end
            found = found or not istensor(leaf) or parts.is_floating(leaf)
            return leaf
         end)
      end
      if not found then
         error(('gradcheck: %s contain no number and no tensor of a floating-point type'):format(
            what), 0)
      end
   end

   -- Returns a warning if a tensor is too coarse for differences, else "".
   local function precision_warning(args, count)
      local class
      for k = 1, count do
         map(args[k], function(leaf)
            local is_coarse = istensor(leaf) and parts.is_floating(leaf)
                              and types.element_name(leaf) ~= 'Double'
            class = class or is_coarse and tensor.type(leaf)
            return leaf
         end)
      end
      return class and ('; the arguments should be DoubleTensors, one is a %s'):format(class) or ''
   end

   -- Compares the derivative of f along random directions with differences.
   local function check_directions(f, args, options)
      local step, tolerance = options.step or 1e-6, options.tolerance or 1e-4
      -- A direction of a tensor or number; false for a tensor of integers, which is constant.
      local function random(leaf)
         if istensor(leaf) then
            return parts.is_floating(leaf) and leaf.new(leaf:size()):uniform(-1, 1)
         end
         return tensor.uniform(-1, 1)
      end
      -- The arguments moved along the directions.
      local function move(value, direction, by)
         if istensor(value) then
            local is_constant = not direction or value:nElement() == 0
            return is_constant and value or native.copied(value):add(direction * by)
         elseif type(value) == 'number' then
            return direction and value + direction * by or value
         elseif type(value) == 'table' and getmetatable(value) == nil then
            local result = {}
            for key, field in each(value) do
               result[key] = move(field, direction[key], by)
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
         local directions = { n = 0 }
         for k = 1, count do
            directions[k] = map(args[k], random)
         end
         local results = plain('gradcheck', f, args)
         check_values('the results', results, results.n)
         local cotangents = map(results, random)
         cotangents.n = nil
         local found = inner(tensor.vjp(f, copies(list), cotangents), directions)[1]
         local more = inner(plain('gradcheck', f, move(list, directions, step)), cotangents)[1]
         local less = inner(plain('gradcheck', f, move(list, directions, -step)), cotangents)[1]
         local expected = (more - less) / (2 * step)
         local agrees = math.abs(found - expected) <= tolerance * (1 + math.abs(expected))
         if not agrees then
            return false, ('the derivative is %.9g, but differences give %.9g%s')
               :format(found, expected, precision_warning(args, count))
         end
      end
      return true
   end

   --- Returns true if the gradients of f at args (a list) agree with differences of its results
   -- along random directions; else false and a message. The tensors should be DoubleTensors: others
   -- are too coarse for small differences. Those of integers are constant. manualSeed determines
   -- the directions. Errors: neither a number nor a tensor of a floating-point type among the
   -- arguments, or among the results; a Blob.
   -- options: order (2: also checks second derivatives), directions (their number, 1),
   -- step (1e-6), tolerance (1e-4).
   function tensor.gradcheck(f, args, options)
      check_function('gradcheck', f)
      check_list('gradcheck', 'a list of arguments', args)
      options = files.options('gradcheck', options, {
         order = 'number', directions = 'number', step = 'number', tolerance = 'number',
      })
      for name, value in each(options) do
         local limit = limits[name]
         if value ~= value or value < limit.least or value > limit.most
            or limit.is_whole and value % 1 ~= 0 then
            error(('gradcheck: option %s must be %s, got %s'):format(
               name, limit.text, tostring(value)), 2)
         end
      end
      nested.check('gradcheck', args)
      check_values('the arguments', args, args.n or #args)
      local ok, message = check_directions(f, args, options)
      if not ok or (options.order or 1) < 2 then
         return ok, message
      end
      local cotangents = map(plain('gradcheck', f, args), function(leaf)
         return not istensor(leaf) and 1
            or parts.is_floating(leaf) and leaf.new(leaf:size()):uniform(-1, 1)
      end)
      cotangents.n = nil
      ok, message = check_directions(function(...)
         local list = tensor.vjp(f, pack(...), cotangents)
         return unpack(list, 1, select('#', ...))
      end, args, options)
      return ok, message and 'second order: ' .. message
   end
end
