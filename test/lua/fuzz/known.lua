-- What random calls have found and is not mended yet; an entry goes with the mending.
return {
  -- Patterns of what does not hold.
  texts = {},
  -- Functions and methods that are not called.
  names = {},
}
