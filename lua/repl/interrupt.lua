-- Ctrl-C while code runs: an error in the running code. Lua's hook raises it in what is
-- interpreted. Compiled code looks at no hook, so that the code which is typed in gets a call into
-- each loop and function (tensor.repl.stops), which sees that Ctrl-C was pressed.

local interrupt = {}

local versions = require 'tensor.versions'
local ffi, unpack = versions.ffi, versions.unpack
local catch, pressed

--- From now on Ctrl-C outside of interrupt.call is ignored. Does nothing without the module.
function interrupt.setup(tensor)
  catch = tensor and tensor._catchinterrupts
  if catch then
    pressed = ffi and ffi.cast('int (*)(void)', tensor._interruptpressed())
    catch(false)
  end
end

--- What the code that is typed in calls from its loops; nil where Ctrl-C is not caught, or all code
-- is interpreted.
function interrupt.stop_function()
  if not catch or not pressed then
    return nil
  end
  local look = pressed
  return function()
    if look() ~= 0 then
      -- The hook has raised an error by now, unless this is a finalizer, which has none.
      error('interrupted', 0)
    end
  end
end

--- Calls f(...), which Ctrl-C interrupts by an error. Errors are f's to catch: one that comes out
-- of it is an interruption. Gives false then, and f's result otherwise.
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
