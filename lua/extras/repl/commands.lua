-- The commands of the prompt: `?name`, and lines that start with a colon.

local trace = require 'tensor.repl.trace'

local commands = {}

local TEXT = [[
?name          prints the help on a function or method: signatures, description, example
?              lists all names
:time code     runs code and prints the elapsed time and the CPU time of all threads
:profile code  runs code and prints the time of each operation
:help          prints this text
:quit          ends the session, as do exit, quit and Ctrl-D]]

local function tensor()
  return package.loaded.tensor or {}
end

local function milliseconds(seconds)
  if seconds >= 1 then
    return ('%.3f s'):format(seconds)
  elseif seconds >= 1e-3 then
    return ('%.3f ms'):format(seconds * 1e3)
  end
  return ('%.1f us'):format(seconds * 1e6)
end

-- Compiles the code after a command. If it is invalid, reports the error and returns nil.
local function compiled(session, code)
  local chunk, message = session.compile(code)
  if not chunk then
    session.fail(message or 'stdin:1: the code is incomplete: a command is one line')
  end
  return chunk
end

local function failed(session, message)
  session.fail(message)
  return false
end

local run = {}

function run.help(session)
  session.write(TEXT, '\n')
  return true
end

function run.time(session, code)
  local chunk = compiled(session, code)
  if not chunk then
    return false
  end
  local module = tensor()
  local clock = module.tic or os.clock
  local wall, cpu = clock(), os.clock()
  local results, message = trace.call(chunk)
  -- Device operations are asynchronous: wait for them before reading the clock.
  if results and module.synchronize then
    module.synchronize()
  end
  wall, cpu = clock() - wall, os.clock() - cpu
  if not results then
    return failed(session, message)
  end
  local ok = session.show(results)
  session.write(milliseconds(wall), ', ', milliseconds(cpu), ' of all processors\n')
  return ok
end

function run.profile(session, code)
  local chunk = compiled(session, code)
  if not chunk then
    return false
  end
  local results, message
  local ok, problem = pcall(tensor().profile, function()
    results, message = trace.call(chunk)
  end)
  if not ok then
    return failed(session, tostring(problem))
  elseif not results then
    return failed(session, message)
  end
  return session.show(results)
end

-- A line with nothing after the command does not get here: see commands.leaves.
function run.quit(session)
  return failed(session, ':quit takes no argument')
end

local function unknown(session, subject)
  return failed(session, 'help: unknown name: ' .. subject)
end

-- Prints help on a name, with or without the module or object it is a field of, on a command, or on
-- the value of an expression.
function run.ask(session, subject)
  local help = tensor().help
  if not help then
    return failed(session, 'help needs the module, which is not loaded')
  end
  local argument
  if subject:find '^[%a_][%w_%.:]*$' then
    argument = subject:gsub('^tensor%.', ''):gsub('^torch%.', '')
    if argument == 'tensor' then
      argument = subject  -- torch.tensor is not the module
    end
  elseif subject:find '^:' then
    local line = ('\n' .. TEXT):match('\n(' .. subject:gsub('%W', '%%%0') .. ' [^\n]*)')
    if not line then
      return unknown(session, subject)
    end
    session.write(line, '\n')
    return true
  elseif subject ~= '' then
    local chunk = session.compile(subject)
    if not chunk then
      return unknown(session, subject)
    end
    local results, message = trace.call(chunk)
    if not results then
      return failed(session, message)
    end
    argument = results[1]
    if argument == nil then
      return unknown(session, subject)
    end
  end
  local ok, message = pcall(help, argument)
  if not ok then
    return failed(session, (tostring(message):gsub('^[^\n]-:%d+: ', '')))
  end
  return true
end

--- The names of commands, for completion.
commands.words = {'help', 'profile', 'quit', 'time'}

local names = {h = 'help', help = 'help', time = 'time', t = 'time', profile = 'profile',
               p = 'profile', quit = 'quit', q = 'quit', exit = 'quit'}

--- Returns the function for a command line, to be called with the session, or nil for a line of
-- Lua.
function commands.find(line)
  local subject = line:match '^%s*%?%s*(.-)%s*$' or line:match '^%s*([%a_][%w_%.:]*)%s*%?%s*$'
  if subject then
    return function(session)
      return run.ask(session, subject)
    end
  end
  local name, code = line:match '^%s*:(%a+)%s*(.-)%s*$'
  if not name then
    return nil
  end
  return function(session)
    local f = run[names[name]]
    if not f then
      return failed(session, ("unknown command ':%s'; :help lists the commands"):format(name))
    end
    return f(session, code)
  end
end

--- Returns true if a line asks to quit. `exit` and `quit` do so only if no such global exists.
function commands.leaves(line, environment)
  local word = line:match '^%s*(:?%a+)%s*$' or line:match '^%s*(%a+)%s*%(%s*%)%s*;?%s*$'
  if word == ':quit' or word == ':q' or word == ':exit' then
    return true
  end
  return (word == 'exit' or word == 'quit') and rawget(environment, word) == nil
end

return commands
