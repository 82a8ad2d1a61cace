-- Known failures found by random calls. Remove an entry when the failure is fixed.
return {
  -- Patterns of what does not hold.
  texts = {},
  -- Functions and methods that are not called.
  names = {},
}
