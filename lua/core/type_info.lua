-- finfo, iinfo, resultType, canCast: the limits of element types, and the type of a result.

local types = require 'tensor.types'

-- The bits of each type and, of floating-point types, the bits of the fraction and the largest
-- exponent.
local bits = {Byte = 8, Char = 8, Short = 16, Int = 32, Long = 64}
local floats = {Half = {16, 10, 15}, BFloat16 = {16, 7, 127}, Float = {32, 23, 127},
                Double = {64, 52, 1023}}

-- The common type of two types that neither contains the other.
local wider = {
   Byte = {Char = 'Short'}, Char = {Byte = 'Short'},
   Half = {BFloat16 = 'Float'}, BFloat16 = {Half = 'Float'},
}

local order = {}
for k, element in ipairs(types) do
   order[element.name] = k
end

local function is_float(name)
   return floats[name] ~= nil
end

local function common(a, b)
   if wider[a] and wider[a][b] then
      return wider[a][b]
   elseif is_float(a) ~= is_float(b) then
      return is_float(a) and a or b
   end
   return order[a] > order[b] and a or b
end

return function(tensor)
   local files = require 'tensor.files'

   -- Returns the element type that a tensor or a name stands for.
   local function element_of(value, name)
      local row = types.by_class[value]
      local element = row and row.name or files.element(tensor, value) or files.element_named(value)
      if not element then
         error(("%s: a tensor or the name of an element type, such as 'Float', is expected, got %s")
               :format(name, type(value) == 'string' and value or tensor.type(value)), 3)
      end
      return element
   end

   --- finfo(type): returns the limits of a floating-point type as a table: bits; eps, the distance
   -- from 1 to the next number; max, min; tiny, the smallest number with full precision. type: a
   -- tensor, or a name such as 'Float'.
   function tensor.finfo(value)
      local element = element_of(value, 'finfo')
      local float = floats[element]
      if not float then
         error(('finfo: %s is an integer type: use iinfo'):format(element), 2)
      end
      local width, fraction, exponent = float[1], float[2], float[3]
      local max = (2 - 2 ^ -fraction) * 2 ^ exponent
      return {type = element, bits = width, eps = 2 ^ -fraction, max = max, min = -max,
              tiny = 2 ^ (1 - exponent)}
   end

   --- iinfo(type): returns the limits of an integer type as a table: bits, min, max. Those of Long
   -- are rounded to doubles in LuaJIT and Lua 5.1.
   function tensor.iinfo(value)
      local element = element_of(value, 'iinfo')
      local width = bits[element]
      if not width then
         error(('iinfo: %s is a floating-point type: use finfo'):format(element), 2)
      end
      local signed = element ~= 'Byte'
      local range = 2 ^ (signed and width - 1 or width)
      local largest = rawget(math, 'maxinteger')  -- since Lua 5.3
      if element == 'Long' and largest then
         return {type = element, bits = width, min = -largest - 1, max = largest}
      end
      return {type = element, bits = width, min = signed and -range or 0, max = range - 1}
   end

   -- Returns the class that a tensor or a name stands for.
   local function class_of(value, name)
      return types.by_class[value] and value or tensor.isTensor(value) and value:type()
             or ('torch.%sTensor'):format(element_of(value, name))
   end

   --- resultType(a, b, ...): returns the class name of the type to which operands are converted,
   -- such as 'torch.FloatTensor'. Arguments: tensors, or names of element types.
   function tensor.resultType(first, ...)
      local result, class = element_of(first, 'resultType'), class_of(first, 'resultType')
      for k = 1, select('#', ...) do
         local other = (select(k, ...))
         result = common(result, element_of(other, 'resultType'))
         class = types.beside(class, class_of(other, 'resultType'))
      end
      return types.beside(class, ('torch.%sTensor'):format(result))
   end

   --- canCast(from, to): returns true if the conversion of operands from one type to the other is
   -- done without a request: if `to` is their common type.
   function tensor.canCast(from, to)
      local a, b = element_of(from, 'canCast'), element_of(to, 'canCast')
      return common(a, b) == b
   end
end
