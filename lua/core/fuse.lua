-- tensor.fuse(expression): returns a function of the operands, by position or by name. The core's
-- fuse, which takes a table of operands, does the work.

local is_tracked = require 'tensor.is_tracked'
local type_name = require 'tensor.type_name'
local raise = require 'tensor.raise'
local types = require 'tensor.types'
local versions = require 'tensor.versions'
local each, format_number = versions.each, versions.format_number

local function install(tensor)
   local evaluate, operands_of, call = tensor.fuse, tensor._fuseoperands, tensor._fusecall

   local function fail(...)
      raise('fuse: ' .. string.format(...))
   end

   -- Returns true if operations of a type compute with numbers that the type cannot hold.
   local function is_narrow(class)
      return types.is_integral[class] or types.widened[class] ~= nil
   end

   -- Returns the expression with the numbers among the operands written in it, and the other ones.
   local function with_literals(expression, tensors, names)
      local literals, others = {}, {}
      for k, value in ipairs(tensors) do
         local literal = type(value) == 'number' and format_number('%.17g', value)
         if literal then
            literals[names[k]] = '(' .. literal .. ')'
         else
            others[#others + 1] = value
         end
      end
      -- Names that a parenthesis follows are functions.
      return (expression:gsub('([%w_.]+)(%s*%(?)', function(name, tail)
         local literal = not tail:find('(', 1, true) and literals[name]
         return literal and literal .. tail
      end)), others
   end

   -- Returns the expression and tensors for its operands. Numbers become tensors of 1 element, or
   -- parts of the expression. Raises an error if tensor types differ.
   local function tensors_of(expression, tensors, names)
      local own, alike = getmetatable(tensors[1]), tensor.isTensor(tensors[1])
      for k = 2, #tensors do
         alike = alike and getmetatable(tensors[k]) == own and tensor.isTensor(tensors[k])
      end
      if alike then
         return expression, tensors
      end
      local class, first, exact
      for k, value in ipairs(tensors) do
         if tensor.isTensor(value) then
            local name = tensor.typename(value)
            class, first = class or name, first or names[k]
            if name ~= class then
               fail("'%s' is a %s and '%s' a %s: convert one of them", first, class, names[k], name)
            end
         elseif type(value) ~= 'number' and not is_tracked(value) then
            fail("a tensor or a number is expected for '%s', got %s", names[k],
                 type_name(value))
         elseif type(value) == 'number' then
            -- Not infinite, NaN or an integer of more than 53 bits.
            exact = exact ~= false and value - value == 0 and value + 0.0 == value
         end
      end
      for k, value in ipairs(tensors) do
         if is_tracked(value) then
            tensors[k] = value.tensor:type(class or tensor.getdefaulttensortype())
         end
      end
      if exact and class and is_narrow(class) then
         local text, others = with_literals(expression, tensors, names)
         -- An expression cannot have functions of numbers only.
         if pcall(operands_of, text) then
            return text, others
         end
      end
      local new = class and tensor.getmetatable(class).new or tensor.Tensor
      for k, value in ipairs(tensors) do
         if type(value) == 'number' then
            tensors[k] = new(1):fill(value)
         end
      end
      return expression, tensors
   end

   local function by_name(names, values)
      local tensors, known = {}, {}
      for k, name in ipairs(names) do
         tensors[k] = values[name]
         if tensors[k] == nil then
            fail("operand '%s' is missing", name)
         end
         known[name] = true
      end
      for name in each(values) do
         if not known[name] then
            fail("the expression has no operand '%s': its operands are %s", tostring(name),
                 table.concat(names, ', '))
         end
      end
      return tensors
   end

   local Fused = {}
   Fused.__index = Fused

   -- The general case: everything except positional tensors of one type, which _fusecall handles.
   local function evaluate_any(self, ...)
      local names, count, tensors = self.operands, select('#', ...), { ... }
      local last, result = tensors[count], nil
      if type(last) == 'table' and count <= 2 and not is_tracked(last) then
         if count == 2 then
            result = tensors[1]
         end
         tensors = by_name(names, last)
      elseif count == #names + 1 then
         result = table.remove(tensors, 1)
      elseif count ~= #names then
         fail('the expression has %d operands (%s), got %d', #names, table.concat(names, ', '),
              count)
      end
      for k = 1, #names do
         if tensors[k] == nil then
            fail("operand '%s' is nil", names[k])
         end
      end
      local expression
      expression, tensors = tensors_of(self.expression, tensors, names)
      if result ~= nil then
         if tensor.isTensor(result) and not types.have_same_elements(result, tensors[1]) then
            fail('the result is a %s and the operands have the type %s: convert one of them',
                 result:type(), tensors[1]:type())
         end
         return evaluate(result, expression, tensors)
      end
      return evaluate(expression, tensors)
   end

   --- Call forms: f(a, b, ...), f(result, a, b, ...), f{a = a, b = b, ...} and f(result, {...}).
   function Fused:__call(...)
      local result = call(self.expression, #self.operands, ...)
      if result ~= nil then
         return result
      end
      return evaluate_any(self, ...)
   end

   function Fused:__tostring()
      return ('fuse(%q)'):format(self.expression)
   end

   --- Returns the function of the module that makes such an object, and its argument: for copies
   -- in other threads.
   function Fused:__remake()
      return 'fuse', self.expression
   end

   -- A C function that pcall calls has no name in errors.
   local function checked(fine, ...)
      if not fine and type((...)) ~= 'string' then
         error((...), 0)
      elseif not fine then
         error(((...):gsub('(bad argument #%d+) %(', "%1 to 'fuse' (", 1)), 0)
      end
      return ...
   end

   function tensor.fuse(...)
      local text = ...
      if select('#', ...) ~= 1 or type(text) ~= 'string' then
         -- For invalid arguments, Lua 5.4 would blame this line and its local function.
         return checked(pcall(evaluate, ...))
      end
      local names = {}
      for name in operands_of(text):gmatch '%S+' do
         names[#names + 1] = name
      end
      return setmetatable({ expression = text, operands = names }, Fused)
   end
end

return install
