-- The allocations that fail: what test/failing/failing_malloc.c offers to a process that it was
-- preloaded into.

local ffi = require 'ffi'

ffi.cdef [[
  void failing_malloc_arm(long first, int all_that_follow);
  long failing_malloc_disarm(void);
  const char* failing_malloc_place(void);
]]

local failing = {}

--- Returns whether the library is preloaded.
function failing.is_loaded()
  return pcall(function() return ffi.C.failing_malloc_arm end)
end

--- Calls f(...) while its first-th allocation fails, and with `all` every later one. Returns the
-- number of its allocations and what pcall returns.
function failing.call(first, all, f, ...)
  ffi.C.failing_malloc_arm(first, all and 1 or 0)
  local results = { pcall(f, ...) }
  return tonumber(ffi.C.failing_malloc_disarm()), results
end

--- The code whose allocation failed.
function failing.place()
  return ffi.string(ffi.C.failing_malloc_place())
end

return failing
