-- Error messages for unsupported operators, which name the function to use instead.

local classes = require 'tensor.classes'
local each = require 'tensor.versions'.each

local operators = {
   __add__ = 'addition', __sub__ = 'subtraction', __mul__ = 'multiplication', __div__ = 'division',
   __mod__ = 'modulo', __pow__ = 'power',
}

return function(tensor)
   -- Level 3 is the line with the operator: luaT's metamethod lies between it and this function.
   local function refuse(operator, advice)
      return function(a, b)
         error(('both %s and %s have no %s operator: %s')
               :format(tensor.type(a), tensor.type(b), operator, advice), 3)
      end
   end

   local compared = 'lt, le, gt, ge, eq and ne compare elements, as a:lt(b)'
   local sized = 'the size of a dimension is t:size(d), the number of elements t:nElement()'
   classes.extend('Tensor', function(class)
      class.__lt__ = refuse('less than', compared)
      class.__le__ = refuse('less or equal', compared)
      class.__concat__ = refuse('concat', 'tostring(t) is a tensor as text, and cat joins tensors')
      class.__call__ = function(self)
         error(('a %s cannot be called: t[i] is an element, t[{...}] is a view, ' ..
                'and for i = 1, t:size(1) is a loop')
               :format(tensor.type(self)), 3)
      end
   end)
   classes.extend('Storage', function(class, element)
      local advice = element.name == 'Long' and sized
                     or ('torch.%sTensor(storage) is a tensor that has one'):format(element.name)
      for event, operator in each(operators) do
         class[event] = refuse(operator, advice)
      end
      class.__concat__ = refuse('concat', 'tostring(s) is a storage as text')
   end)
end
