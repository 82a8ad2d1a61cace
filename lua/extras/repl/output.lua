-- Flushes stdout and keeps the first error, as of a full disk. Lua's print reports none.

local versions = require 'tensor.versions'

local stdout = io.stdout

local output = {}

-- errno: stdout is closed, or a pipe whose reader has ended. Both are on purpose.
local EPIPE, EBADF = 32, 9

local failure

--- Flushes stdout.
function output.flush()
  -- Flushing raises an error if the program has closed stdout.
  local is_open, flushed, message, code = pcall(stdout.flush, stdout)
  if is_open and not flushed and code ~= EPIPE and code ~= EBADF then
    failure = failure or message
  end
end

-- If flushing fails in compiled code, LuaJIT flushes again and returns the second result, true.
versions.interpreted(output.flush)

--- Flushes stdout. Returns the first error, or nil if everything was written.
function output.finish()
  output.flush()
  return failure
end

return output
