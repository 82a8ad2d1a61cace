-- What random calls have found and is not mended yet; an entry goes with the mending.
return {
  -- Patterns of what does not hold.
  texts = {
    -- Operators between what has no class.
    '%(null%)',
    -- A result is taken to the device of an operand before shapes are compared.
    'changed the place of',
  },
  -- Functions and methods that are not called.
  names = {
    data = 'tensor.data(tensor) never ends',
    cdata = 'tensor.cdata(tensor) never ends',
  },
}
