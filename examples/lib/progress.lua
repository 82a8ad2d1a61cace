-- A progress bar, redrawn in place on a terminal. Otherwise prints a line now and then.

local ffi = require 'ffi'

ffi.cdef 'int isatty(int descriptor);'

local progress = {}
progress.__index = progress

local WIDTH = 15
local LINES = 6
local STANDARD_OUTPUT = 1

--- Creates a progress bar for a number of steps.
function progress.new(steps)
  local terminal = ffi.C.isatty(STANDARD_OUTPUT) == 1
  return setmetatable({steps = steps, terminal = terminal, width = 0}, progress)
end

--- Shows that `step` steps are done, and a text.
function progress:update(step, text)
  local digits = #tostring(self.steps)
  local count = ('%' .. digits .. 'd/%d'):format(step, self.steps)
  if self.terminal then
    local full = math.floor(WIDTH * step / self.steps)
    local bar = ('='):rep(full) .. ('.'):rep(WIDTH - full)
    local line = ('[%s] %s  %s'):format(bar, count, text)
    -- Spaces overwrite the rest of a longer previous line.
    self.width = math.max(self.width, #line)
    io.stdout:write('\r', line, (' '):rep(self.width - #line), step == self.steps and '\n' or '')
    io.stdout:flush()
  elseif step == self.steps or step % math.ceil(self.steps / LINES) == 0 then
    io.stdout:write(count, '  ', text, '\n')
    io.stdout:flush()
  end
end

return progress
