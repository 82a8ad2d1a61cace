-- What random calls have found and is not mended yet; an entry goes with the mending.
return {
  -- Patterns of what does not hold.
  texts = {
    -- t:cmul(t, t:view(-1, 1)): with a copy as the last operand the elements pair in order.
    "do not broadcast to the result's",
  },
  -- Functions and methods that are not called.
  names = {},
}
