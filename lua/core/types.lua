-- The list of the element types: name, conversion method and C type.

local types = {
   {name = 'Byte', method = 'byte', ctype = 'uint8_t', integral = true},
   {name = 'Char', method = 'char', ctype = 'int8_t', integral = true},
   {name = 'Short', method = 'short', ctype = 'int16_t', integral = true},
   {name = 'Int', method = 'int', ctype = 'int32_t', integral = true},
   {name = 'Long', method = 'long', ctype = 'int64_t', integral = true},
   {name = 'Half', method = 'half', ctype = 'THHalf', packed = true},
   {name = 'BFloat16', method = 'bfloat16', ctype = 'THBFloat16', packed = true},
   {name = 'Float', method = 'float', ctype = 'float'},
   {name = 'Double', method = 'double', ctype = 'double'},
}

--- class_name(element, kind [, on_gpu]): returns the name of a class of tensors or storages. kind:
-- 'Tensor' or 'Storage'. on_gpu: the class is that of objects on a GPU, which have the class names
-- of cutorch after require 'cutorch' (doc/cutorch.md).
function types.class_name(element, kind, on_gpu)
   local name = element.name
   if on_gpu then
      name = 'Cuda' .. (name == 'Float' and '' or name)
   end
   return ('torch.%s%s'):format(name, kind)
end

--- by_name[name]: the element type with that name, such as 'Float'.
types.by_name = {}

--- Tables by the name of a tensor class, with nil for other names:
-- by_class[class]: the element type. is_integral[class], is_floating[class]: a boolean.
-- widened[class]: for elements of 16 bits, the class of floats on the same device; otherwise nil.
types.by_class, types.is_integral, types.is_floating, types.widened = {}, {}, {}, {}

local is_on_gpu = {}
for _, element in ipairs(types) do
   types.by_name[element.name] = element
   for _, on_gpu in ipairs {false, true} do
      local class = types.class_name(element, 'Tensor', on_gpu)
      is_on_gpu[class] = on_gpu
      types.by_class[class] = element
      types.is_integral[class] = element.integral or false
      types.is_floating[class] = not element.integral
      types.widened[class] = element.packed
         and types.class_name({name = 'Float'}, 'Tensor', on_gpu) or nil
   end
end

--- element_name(t): returns the name of the element type of a tensor, such as 'Float', on GPUs too;
-- nil if a program has derived its class.
function types.element_name(t)
   local element = types.by_class[t:type()]
   return element and element.name
end

--- have_same_elements(a, b): returns true if two tensors have the same element type. One may be on
-- a GPU and the other on the CPU.
function types.have_same_elements(a, b)
   return types.by_class[a:type()] == types.by_class[b:type()]
end

--- beside(class, other): returns the name of the class with the elements of the tensor class
-- `other`, on the GPU if one of the classes is. A class that a program has derived is returned.
function types.beside(class, other)
   local element = types.by_class[other]
   return element and types.class_name(element, 'Tensor', is_on_gpu[class] or is_on_gpu[other])
          or other
end

return types
