-- The operators that Lua has from version 5.3 on: // and those of bits.

local classes = require 'tensor.classes'
local types = require 'tensor.types'
local versions = require 'tensor.versions'

-- The functions of a tensor and a number, and of two tensors.
local operators = {
   __idiv = {'floorDivide', 'floorDivide'}, __band = {'bitand', 'cbitand'},
   __bor = {'bitor', 'cbitor'}, __bxor = {'bitxor', 'cbitxor'}, __shl = {'lshift', 'clshift'},
   __shr = {'rshift', 'crshift'},
}

return function(tensor)
   local function operator(of_number, of_tensor)
      return function(a, b)
         return tensor[type(b) == 'number' and of_number or of_tensor](a, b)
      end
   end

   local methods = {}
   for event, names in versions.each(operators) do
      methods[event] = operator(names[1], names[2])
   end
   function methods.__bnot(t)
      return tensor.bitxor(t, types.element_name(t) == 'Byte' and 255 or -1)
   end
   classes.extend('Tensor', function(class)
      for event, method in versions.each(methods) do
         class[event] = method
      end
   end)
end
