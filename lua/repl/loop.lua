-- The read-eval-print loop. What it reads from and writes to is given to it.

local interrupt = require 'tensor.repl.interrupt'
local show = require 'tensor.repl.show'
local trace = require 'tensor.repl.trace'

local loop = {}

local function incomplete(message)
  return message:find("'<eof>'$") ~= nil
end

--- Gives its arguments.
function loop.pass(...)
  return ...
end

--- Compiles a piece of input, as an expression where it is one. Gives the function, to be called
-- with loop.pass; or nil and the message of an error; or nil, nil where more lines are needed.
function loop.compile(text)
  -- As in Lua's own REPL, a leading `=` asks for the value.
  local expression = text:gsub('^%s*=', '', 1)
  local chunk, expression_error = loadstring('return ' .. expression, '=stdin')
  if chunk then
    -- Not as a tail call, which would hide the line in tracebacks. A comment or a `;` at the end
    -- forbids it.
    return loadstring('return (...)(' .. expression .. ')', '=stdin') or chunk
  end
  local statement, statement_error = loadstring(text, '=stdin')
  if statement then
    return statement
  end
  if incomplete(expression_error) or incomplete(statement_error) then
    return nil, nil
  end
  return nil, expression ~= text and expression_error or statement_error
end

-- Runs a chunk and writes its values. Gives whether there was no error.
local function evaluate(chunk, io)
  local results, message = trace.call(chunk, loop.pass)
  if results and results.n > 0 then
    results, message = trace.call(show.values, results.n, unpack(results, 1, results.n))
    if results then
      io.write(results[1], '\n')
    end
  end
  if message then
    io.write_error(message, '\n')
  end
  return message == nil
end

--- Reads, evaluates and prints until the input ends. Gives the number of inputs that failed. io has
-- read(prompt)       a line; nil at the end; false where the input so far is to be dropped
-- write(...)         for values
-- write_error(...)   for messages
-- remember(line)     called with each line read; optional
-- environment        the globals of the code; optional
function loop.run(io)
  local lines, failures = {}, 0

  local function handle(line)
    if io.remember then
      io.remember(line)
    end
    lines[#lines + 1] = line
    local chunk, message = loop.compile(table.concat(lines, '\n'))
    if not chunk and not message then
      return
    end
    lines = {}
    if message then
      failures = failures + 1
      io.write_error(message, '\n')
      return
    end
    if io.environment then
      setfenv(chunk, io.environment)
    end
    if not interrupt.call(evaluate, chunk, io) then
      failures = failures + 1
    end
  end

  while true do
    local line = io.read(#lines == 0 and '> ' or '>> ')
    if line == nil then
      break
    elseif line == false then
      lines = {}
    else
      handle(line)
    end
  end
  if #lines > 0 then
    failures = failures + 1
    local _, message = loadstring(table.concat(lines, '\n'), '=stdin')
    io.write_error(message, '\n')
  end
  return failures
end

return loop
