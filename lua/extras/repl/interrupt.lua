-- Ctrl-C raises an error in the running code. In interpreted code, a debug hook raises it.
-- JIT-compiled code ignores hooks, so tensor.repl.stops inserts a call into each loop and function
-- of the input, which checks for Ctrl-C.

local interrupt = {}

local versions = require 'tensor.versions'
local ffi, unpack = versions.ffi, versions.unpack
local catch, pressed, session_only

--- setup(tensor): from now on Ctrl-C outside of interrupt.call is ignored. Does nothing without the
-- module.
function interrupt.setup(tensor)
  local native = tensor and require 'tensor.native'
  catch = native and native.catch_interrupts
  if catch then
    session_only = native.session_only
    pressed = ffi and ffi.cast('int (*)(void)', native.interrupt_pressed())
    catch(false)
  end
end

--- stop_function(): returns the function to call in the loops of the input. Returns nil if Ctrl-C
-- is not caught, or if all code is interpreted.
function interrupt.stop_function()
  if not catch or not pressed then
    return nil
  end
  local look = pressed
  local function stop()
    if look() ~= 0 then
      -- The hook has already raised the error, except in a finalizer, where hooks do not run.
      error('interrupted', 0)
    end
  end
  session_only.add(stop)
  return stop
end

--- call(f, ...): calls f(...) so that Ctrl-C raises an error in it. f must catch its own errors:
-- any error that leaves f counts as an interruption. Returns f's result, or false after an
-- interruption.
function interrupt.call(f, ...)
  if not catch then
    return f(...)
  end
  local arguments, count = {...}, select('#', ...)
  local function run()
    catch(true)
    local result = f(unpack(arguments, 1, count))
    catch(false)
    return result
  end
  local ok, result = pcall(run)
  catch(false)
  return ok and result
end

versions.interpreted(interrupt.setup)
versions.interpreted(interrupt.call)

return interrupt
