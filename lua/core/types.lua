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

--- is_integral[class]: whether the elements of a tensor class, by its name, are integers.
types.is_integral = {}
for _, element in ipairs(types) do
   types.is_integral[('torch.%sTensor'):format(element.name)] = element.integral or false
end

return types
