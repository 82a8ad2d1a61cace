-- Calls code of the user, and on an error gives its message with a traceback of the user's frames.

local versions = require 'tensor.versions'
local xpcall = xpcall

local trace = {}

local FIRST, LAST = 12, 10

-- A frame as debug.traceback shows it.
local function describe(frame)
  local place = frame.short_src
  if frame.currentline > 0 then
    place = place .. ':' .. frame.currentline
  end
  if frame.what == 'main' then
    return place .. ': in main chunk'
  elseif frame.namewhat ~= '' then
    return ("%s: in function '%s'"):format(place, frame.name)
  elseif frame.what == 'C' then
    return place .. ': in a C function'
  end
  return ('%s: in function <%s:%d>'):format(place, frame.short_src, frame.linedefined)
end

-- The frames from the error down to f, which is called through xpcall by the function `caller`.
local function traceback(caller)
  local frames, level = {}, 3
  local frame = debug.getinfo(level, 'Slnf')
  while frame and frame.func ~= caller do
    -- What sees Ctrl-C was put into the user's code by us. Lua 5.1 has frames for tail calls.
    if frame.what ~= 'tail' and not frame.source:find 'repl[/\\]interrupt%.lua$' then
      frames[#frames + 1] = frame
    end
    level = level + 1
    frame = debug.getinfo(level, 'Slnf')
  end
  -- Below f is xpcall, and in Lua 5.1 what calls that.
  repeat
    local last = table.remove(frames)
  until not last or last.func == xpcall
  if #frames == 0 then
    return ''
  end
  local lines = {'\nstack traceback:'}
  for i, each in ipairs(frames) do
    if i <= FIRST or i > #frames - LAST then
      lines[#lines + 1] = '\t' .. describe(each)
    elseif i == FIRST + 1 then
      lines[#lines + 1] = '\t...'
    end
  end
  return table.concat(lines, '\n')
end

-- The text of an error value.
local function message(value)
  if type(value) == 'string' or type(value) == 'number' then
    return tostring(value)
  end
  local metatable = debug.getmetatable(value)
  if type(metatable) == 'table' and rawget(metatable, '__tostring') then
    local ok, text = pcall(tostring, value)
    if ok then
      return text
    end
  end
  return ('(error object is a %s value)'):format(type(value))
end

--- Calls f(...). Gives its results as a table with their number n, or nil and the text of the error
-- with its traceback.
function trace.call(f, ...)
  local caller = debug.getinfo(1, 'f').func
  local function pack(ok, ...)
    return ok, {n = select('#', ...), ...}
  end
  local ok, results = pack(versions.xpcall(f, function(value)
    return message(value) .. traceback(caller)
  end, ...))
  if ok then
    return results
  end
  return nil, tostring(results[1])
end

return trace
