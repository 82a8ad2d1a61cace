-- The read-eval-print loop. The caller passes the functions for input and output.

local commands = require 'tensor.repl.commands'
local hints = require 'tensor.repl.hints'
local interrupt = require 'tensor.repl.interrupt'
local locals = require 'tensor.repl.locals'
local paint = require 'tensor.repl.paint'
local show = require 'tensor.repl.show'
local stops = require 'tensor.repl.stops'
local syntax = require 'tensor.repl.syntax'
local trace = require 'tensor.repl.trace'
local versions = require 'tensor.versions'

local loop = {}

-- Returns true if the error of a text means that more lines are needed. A string in quotes ends
-- with its line, unless a backslash continues it.
local function incomplete(message, text)
  local is_quoted = message:find 'unfinished string'
  return message:find("<eof>'?$") ~= nil and (not is_quoted or text:find '\\$' ~= nil)
end

-- Passes the values of an expression on: a tail call would be missing from tracebacks.
local function pass(...)
  return ...
end

-- Returns the length of the shortest start of the text that has the same syntax error as the text.
local function length_until(message, text)
  local low, high = 0, #text
  while low < high do
    local middle = math.floor((low + high) / 2)
    local _, other = versions.load(text:sub(1, middle), '=stdin')
    if other == message then
      high = middle
    else
      low = middle + 1
    end
  end
  return low
end

-- The incomplete text that was compiled last.
local compiled = ''

-- Returns a value of stops.open, or nil if the text must be compiled. Compiling all of a long input
-- after each line would take quadratic time. So if it cannot be complete, it is compiled only after
-- it has grown by an eighth, for the sake of syntax errors.
local function still_open(text)
  return #text > 4096 and #text < #compiled * 9 / 8
         and text:sub(1, #compiled) == compiled and stops.open(text) or nil
end

-- Checks an input, which is compiled as an expression if possible. Returns its source; or nil and
-- an error message; or nil, nil and the error of the incomplete text if more lines are needed.
local function source_of(text)
  -- As in Lua's own REPL, a leading `=` prints the value.
  local expression = text:gsub('^%s*=', '', 1)
  local chunk, expression_error = versions.load('return ' .. expression, '=stdin')
  if chunk then
    -- Fails if the expression ends with a comment or `;`.
    local call = 'return __pass(' .. expression .. ')'
    return versions.load(call, '=stdin') and call or 'return ' .. expression
  end
  local statement, statement_error = versions.load(text, '=stdin')
  if statement then
    return text
  end
  local reason = incomplete(statement_error, text) and statement_error
                 or incomplete(expression_error, text) and expression_error
  if reason then
    compiled = text
    return nil, nil, reason
  end
  -- The attempt that understood more of the text has the more useful error.
  local is_expression = expression ~= text
                        or length_until(expression_error, 'return ' .. text) - #'return '
                           > length_until(statement_error, text)
  return nil, is_expression and expression_error or statement_error
end

--- incomplete(text): returns 'code' if more lines are needed, 'text' if the input ends inside a
-- string or comment, otherwise nil.
function loop.incomplete(text)
  local kind = still_open(text)
  if kind then
    return kind
  end
  local source, message, reason = source_of(text)
  if source or message or text:find '^%s*[:?]%a' then
    return nil
  end
  return reason:find 'unfinished' and 'text' or 'code'
end

-- Returns the function of a source, or nil and an error message. It is called without arguments, so
-- that `...` is empty. Its loops and functions call `stop`, if that is not nil.
local function compile(source, stop, environment)
  local function load_inside(text)
    local outer, message = versions.load('local __pass, __stop = ... return function(...) ' ..
                                         text .. '\nend', '=stdin', environment)
    return outer and outer(pass, stop), message
  end
  local stoppable = stop and stops.insert(source, '__stop();')
  local chunk = stoppable and load_inside(stoppable)
  if chunk then
    return chunk
  end
  return load_inside(source)
end

--- session(io): returns a session, which evaluates inputs. io: see loop.run.
function loop.session(io)
  local self = {environment = io.environment or _G}
  local stop = interrupt.stop_function()
  local earlier, warned = locals.new(io.is_piped), {}

  -- Returns a hint or nil. Hints use functions of the module, which the program may have replaced.
  local function hint_of(find, text)
    local ok, hint = pcall(find, text, self.environment)
    return ok and hint or nil
  end

  --- fail(message [, code]): writes an error with a hint. code: an input that cannot be compiled.
  function self.fail(message, code)
    local first, rest = message:match '^(.-)(\nstack traceback:.*)$'
    if io.drop_paste and (first or message):find 'interrupted$' then
      io.drop_paste()
    end
    local hint = earlier.of_error(message) or hint_of(hints.of, message)
                 or code and hint_of(syntax, code)
    warned[hint or ''] = true
    io.write_error(paint.error_text('error', first or message),
                   hint and '\n' .. paint.error_text('hint', hint) or '',
                   paint.error_text('dim', rest or ''), '\n')
  end

  function self.write(...)
    io.write(...)
  end

  --- warn(text): writes a hint if Lua accepts an input that does not mean what it seems to. Each
  -- hint is written once.
  function self.warn(text)
    local hint = earlier.of_code(text, self.environment) or hint_of(hints.of_code, text)
    earlier.note(text)
    if hint and not warned[hint] then
      warned[hint] = true
      io.write_error(paint.error_text('hint', hint), '\n')
    end
  end

  --- compile(text): returns the function of an input, or nil and an error message. The message is
  -- nil if more lines are needed.
  function self.compile(text)
    if still_open(text) then
      return nil, nil
    end
    local source, message = source_of(text)
    if not source then
      return nil, message
    end
    return compile(source, stop, io.environment)
  end

  --- show(results): stores the values in _, _1, _2, ... for later inputs, and prints them.
  function self.show(results)
    if results.n == 0 then
      return true
    end
    if results[1] ~= nil or results.n > 1 then
      rawset(self.environment, '_', results[1])
      for i = 1, math.max(results.n, self.kept or 0) do
        rawset(self.environment, '_' .. i, results[i])
      end
      self.kept = results.n
    end
    -- A single figure is drawn as a picture if the terminal supports it.
    local picture = results.n == 1 and show.graphics(results[1])
    local kind = picture and io.graphics and io.graphics()
    local texts, message
    if kind then
      texts, message = trace.call(picture, results[1], kind)
    else
      texts, message = trace.call(show.values, results.n, versions.unpack(results, 1, results.n))
    end
    if texts then
      io.write(texts[1], '\n')
    else
      self.fail(message)
    end
    return texts ~= nil
  end

  --- evaluate(chunk): runs a chunk and prints its values. Returns true if there was no error.
  function self.evaluate(chunk)
    local results, message = trace.call(chunk)
    if not results then
      self.fail(message)
      return false
    end
    return self.show(results)
  end
  return self
end

--- run(io): reads, evaluates and prints until the input ends. Returns the number of inputs that
-- failed. Fields of io:
-- read(prompt)       returns a line; nil at the end; false to discard the current input
-- write(...)         writes values
-- write_error(...)   writes messages
-- remember(text)     called with each input; optional
-- drop_paste()       drops pasted lines; called after Ctrl-C has interrupted an input; optional
-- environment        the globals of the code; optional
-- is_piped           stdin is not a terminal; optional
-- graphics()         returns the terminal's graphics protocol or nil; optional
function loop.run(io)
  local lines, failures = {}, 0
  local session = loop.session(io)

  local function remember(text)
    if io.remember then
      io.remember(text)
    end
  end

  -- Calls f(...). Reports an error, as of a function of the module that the program has replaced.
  local function try(f, ...)
    local results, message = trace.call(f, ...)
    if not results then
      session.fail(message)
      return false
    end
    return results[1]
  end

  -- Returns false if the session ends.
  local function handle(line)
    if #lines == 0 and commands.leaves(line, session.environment) then
      return false
    end
    local command = #lines == 0 and commands.find(line)
    lines[#lines + 1] = line
    local text = table.concat(lines, '\n')
    local chunk, message = nil, nil
    if not command then
      chunk, message = session.compile(text)
      if not chunk and not message then
        return true
      end
    end
    lines = {}
    remember(text)
    local ok = false
    if command then
      ok = interrupt.call(try, command, session)
    elseif message then
      session.fail(message, text)
    else
      ok = interrupt.call(session.evaluate, chunk)
      session.warn(text)
    end
    failures = failures + (ok and 0 or 1)
    return true
  end

  while true do
    local line = io.read(#lines == 0 and '> ' or '>> ')
    if line == nil then
      break
    elseif line == false then
      lines = {}
    elseif not handle(line) then
      return failures
    end
  end
  if #lines > 0 then
    failures = failures + 1
    local text = table.concat(lines, '\n')
    local _, message, reason = source_of(text)
    session.fail(message or reason, text)
  end
  return failures
end

return loop
