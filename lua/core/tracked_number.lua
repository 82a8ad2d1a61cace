-- Tracked numbers: numbers that depend on tensors that a gradient tape tracks.

local is_integral = require 'tensor.types'.is_integral
local raise = require 'tensor.raise'
local type_name = require 'tensor.type_name'
local versions = require 'tensor.versions'

local each, pack, unpack = versions.each, versions.pack, versions.unpack

-- native: the functions of generic/grad.cc. Returns wrap(t), which makes a number of a DoubleTensor
-- with one element, and isnumber(x).
return function(tensor, native)
   local istensor = tensor.isTensor
   local new = tensor.DoubleTensor

   -- A number that depends on tracked tensors: a DoubleTensor of one element with the operators of
   -- a number.
   local Number = { is_tracked_number = true }
   Number.__index = Number

   -- A DoubleTensor with the number x, made by an operation.
   local function constant(x)
      return new(1):fill(x)
   end
   local function wrap(t)
      -- Numbers may leave a scope in any way.
      return setmetatable({ tensor = tensor.keep(t) }, Number)
   end
   local function isnumber(x)
      return type(x) == 'table' and getmetatable(x) == Number
   end

   -- Returns the number as a plain number.
   function Number:item()
      return native.detached(self.tensor)[1]
   end
   --- Raise errors: they are methods of PyTorch's tensors.
   function Number.detach()
      raise 'detach: n:item() is the value, and tensor.stopGradient(t) a tensor without a gradient'
   end
   function Number.backward()
      raise 'backward: tensor.grad(f) returns a function that returns gradients'
   end
   function Number:__tostring()
      return tostring(self:item())
   end

   -- The operations of element-wise arithmetic whose second operand is a tensor, by the names of
   -- those whose second operand is a number.
   local of_tensors = {
      add = 'add', sub = 'csub', csub = 'csub', mul = 'cmul', div = 'cdiv', pow = 'cpow',
      fmod = 'cfmod', remainder = 'cremainder', mod = 'cfmod', clamp = 'cmax', clampMax = 'cmin',
      ['+'] = 'add', ['-'] = 'csub', ['*'] = 'cmul', ['/'] = 'cdiv', ['^'] = 'cpow',
      ['%'] = 'cremainder'
   }
   for name in each(native.element_wise()) do
      of_tensors[name] = name
   end

   -- types: those of the arguments, if no form accepts them.
   local function refused(name, types)
      local joins = name == 'cat' or name:find 'stack$' or name:find 'Stack$'
      raise(('%s: %sa number that depends on the arguments of a gradient is not accepted here; '
             .. '%s'):format(
         name, types and ('invalid arguments: (%s): '):format(table.concat(types, ', ')) or '',
         joins and 'tensor.Tensor{n, m} is a tensor of such numbers' or 'n:item() is its value'))
   end

   -- A number, in the type and shape of a tensor.
   local function expanded(a, like)
      a = isnumber(a) and a.tensor or constant(a)
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
      fullLike = function(result, t, rest)
         return (result or t.new()):resizeAs(t):copy(expanded(rest[1], t))
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

   local function is_floating(t)
      return istensor(t) and is_integral[t:type()] == false
   end

   -- Operations with another order of arguments. They return false if these fit no form.
   local of_arguments = {
      maskedFill = function(_, arguments)
         local t, mask, value = unpack(arguments, 1, 3)
         return arguments.n == 3 and istensor(mask) and is_floating(t)
            and t:maskedCopy(mask, expanded(value, t))
      end,
      indexPut = function(_, arguments)
         local t, indices, value, accumulate = unpack(arguments, 1, 4)
         return isnumber(value) and is_floating(t)
            and t:indexPut(indices, value.tensor:type(t:type()), accumulate or false)
      end,
      where = function(is_method, arguments)
         local mask, a, b = unpack(arguments, 1, 3)
         local like = istensor(a) and a or istensor(b) and b or tensor.Tensor()
         local function operand(x)
            return istensor(x) and x or (isnumber(x) and x.tensor or constant(x)):type(like:type())
         end
         return arguments.n == 3 and not is_method and istensor(mask) and is_floating(like)
            and tensor.where(mask, operand(a), operand(b))
      end
   }

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
      local operation = arguments.n == 2 and of_tensors[name] or name
      if not tensor[operation] then
         refused(name)
      end
      local types = {}
      for k = 1, arguments.n do
         local a = arguments[k]
         types[k] = type_name(a)
         arguments[k] = isnumber(a) and a.tensor or type(a) == 'number' and constant(a) or a
      end
      local fine, result = pcall(tensor[operation], unpack(arguments, 1, arguments.n))
      if not fine and tostring(result):find(': invalid arguments: ', 1, true) then
         refused(name, types)
      elseif not fine then
         error(result, 0)
      end
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
      elseif of_arguments[name] then
         return of_arguments[name](is_method, arguments) or refused(name)
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
         return into(result, operation, t, expanded(rest[1], t))
      end
      if not of_tensor[name] then
         refused(name)
      end
      return of_tensor[name](result, t, rest)
   end

   local function fail(other, name)
      error(('a tracked number and %s do not go together in %s'):format(
         type_name(other), name), 3)
   end
   local function operator(name)
      return function(a, b)
         local other = isnumber(a) and b or a
         if not (isnumber(other) or istensor(other) or type(other) == 'number') then
            fail(other, name)
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
   -- Concatenates text and plain values.
   function Number.__concat(a, b)
      local other = isnumber(a) and b or a
      if not (isnumber(other) or type(other) == 'string' or type(other) == 'number') then
         fail(other, '..')
      end
      return plain_value(a) .. plain_value(b)
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
      if rawget(tensor, name) then
         return function(self, ...)
            return call(name, false, self, ...)
         end
      end
   end })

   native.numbers(wrap, call, Number)
   return { wrap = wrap, isnumber = isnumber, constant = constant }
end
