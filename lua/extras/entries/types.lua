-- Help texts on element types: a section of entries.lua.

return {'element types',
   {'finfo', 'tensor.finfo(type)',
      'Returns the limits of a floating-point type as a table: `bits`; `eps`, the distance from ' ..
      '1 to the next number; `max` and `min`; and `tiny`, the smallest number with full ' ..
      'precision. `type` is a tensor or a name, such as "Float".'},
   {'iinfo', 'tensor.iinfo(type)',
      'Returns the limits of an integer type as a table: `bits`, `min` and `max`. `type` is a ' ..
      'tensor or a name, such as "Int". In LuaJIT the `max` of Long is rounded to 2^63.'},
   {'resultType', 'tensor.resultType(a, b, ...)',
      'Returns the class name of the common type to which operands are converted. The arguments ' ..
      'are tensors, or names such as "Int".'},
   {'canCast', 'tensor.canCast(from, to)',
      'Returns true if `to` is the common type of both, so that operands are converted to it ' ..
      'without a request. The arguments are tensors, or names such as "Int".'},
}
