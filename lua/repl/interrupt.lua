-- Ctrl-C while code runs. The program luajit handles SIGINT by a hook that raises an error in the
-- running code, and takes its handler away once it was used: it is kept here and put back for each
-- piece of code. A compiled loop looks at no hook; a second Ctrl-C then ends the process.

local interrupt = {}

local found, ffi = pcall(require, 'ffi')

local SIGINT = 2
local handler, ignore, signal

if found and jit.os ~= 'Windows' then
  -- Under a name of our own, so that a declaration by the user does not clash.
  ffi.cdef [[
    typedef void (*tensor_repl_handler)(int);
    tensor_repl_handler tensor_repl_signal(int, tensor_repl_handler) __asm__("signal");
  ]]
  local handler_type = ffi.typeof('tensor_repl_handler')
  ignore = ffi.cast(handler_type, 1)
  signal = ffi.C.tensor_repl_signal
end

--- From now on Ctrl-C outside of interrupt.call is ignored. Does nothing where no handler is set.
function interrupt.setup()
  if not signal or handler then
    return
  end
  local current = signal(SIGINT, ignore)
  if current == nil or current == ignore then
    signal(SIGINT, current)
  else
    handler = current
  end
end

-- Ends the time in which code may be interrupted.
local function finish()
  signal(SIGINT, ignore)
  if debug.gethook() == 'external hook' then
    debug.sethook()
  end
end

--- Calls f(...), which Ctrl-C interrupts by an error. Errors are f's to catch: one that comes out
-- of it is an interruption. Gives false then, and f's result otherwise.
function interrupt.call(f, ...)
  if not handler then
    return f(...)
  end
  signal(SIGINT, handler)
  local ok, result = pcall(f, ...)
  finish()
  return ok and result
end

jit.off(interrupt.setup)
jit.off(finish)
jit.off(interrupt.call)

return interrupt
