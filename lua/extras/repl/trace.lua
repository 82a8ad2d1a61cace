-- Calls user code. After an error, returns its message with a traceback of the user's frames.

local versions = require 'tensor.versions'
local error, xpcall = error, xpcall

local trace = {}

local FIRST, LAST = 12, 10

-- Formats a frame like debug.traceback. f: the function that `call` calls.
local function describe(frame, f)
  local position = frame.short_src
  if frame.currentline > 0 then
    position = position .. ':' .. frame.currentline
  end
  if frame.what == 'main' or frame.func == f and frame.what == 'Lua' then
    return position .. ': in main chunk'
  elseif frame.namewhat ~= '' then
    return ("%s: in function '%s'"):format(position, frame.name)
  elseif frame.what == 'C' then
    return position .. ': in a C function'
  end
  return ('%s: in function <%s:%d>'):format(position, frame.short_src, frame.linedefined)
end

local module_folder = debug.getinfo(1, 'S').source:match '^(.*[/\\])repl[/\\]'

-- Removes the frames of a function of the module that raised an error on purpose: its message
-- names the place of the call.
local function remove_raising_frames(frames)
  local is_refusal = frames[2] and frames[2].source:find '[/\\]extra_arguments%.lua$'
  if not frames[1] or frames[1].func ~= error and not is_refusal or not module_folder then
    return
  end
  local first = 2
  while frames[first] and frames[first].source:sub(1, #module_folder) == module_folder do
    first = first + 1
  end
  for _ = 1, first > 2 and first - 1 or 0 do
    table.remove(frames, 1)
  end
end

-- Returns the frames from a level on, up to that of the function `last`. thread: nil for the
-- running one, where level 1 is the caller. Omits the inserted check for Ctrl-C, and the extra
-- frames of Lua 5.1 for tail calls.
local function frames_from(thread, level, last)
  local function next_frame()
    -- Not a tail call, which would remove a level.
    local frame
    if thread then
      frame = debug.getinfo(thread, level, 'Slnf')
    else
      frame = debug.getinfo(level + 2, 'Slnf')
    end
    level = level + 1
    return frame
  end
  local frames, frame = {}, next_frame()
  while frame and frame.func ~= last do
    if frame.what ~= 'tail' and not frame.source:find 'repl[/\\]interrupt%.lua$' then
      frames[#frames + 1] = frame
    end
    frame = next_frame()
  end
  return frames
end

-- For tensor.grad. In Lua 5.4, closing a coroutine removes its stack.
local function frames_of(thread)
  return frames_from(thread, 0)
end

-- Frames refer to functions, and thereby to tensors.
local function forget_coroutines()
  local native = package.loaded['tensor.native']
  local failed = type(native) == 'table' and rawget(native, 'failed_coroutines') or {}
  for key in versions.each(failed) do
    failed[key] = nil
  end
end

-- Returns the frames of the coroutines in which tensor.grad called functions that raised the error.
local function frames_of_coroutines(value)
  local native = package.loaded['tensor.native']
  local failed = type(native) == 'table' and rawget(native, 'failed_coroutines')
  local all = {}
  for _, frames in ipairs(failed and rawequal(failed.value, value) and failed or {}) do
    remove_raising_frames(frames)
    for _, frame in ipairs(frames) do
      all[#all + 1] = frame
    end
  end
  return all
end

-- Formats the frames from the error to f, which `caller` calls through xpcall.
local function traceback(caller, f, value)
  local frames = frames_from(nil, 3, caller)
  local is_raised_again = frames[2] and frames[1].func == error
                          and frames[2].source:find '[/\\]grad%.lua$'
  local inner = is_raised_again and frames_of_coroutines(value) or {}
  -- Remove the frames below f: xpcall and, in Lua 5.1, the function that calls it.
  repeat
    local last = table.remove(frames)
  until not last or last.func == xpcall
  remove_raising_frames(frames)
  for _, frame in ipairs(frames) do
    inner[#inner + 1] = frame
  end
  frames = inner
  if #frames == 0 then
    return ''
  end
  local lines = {'\nstack traceback:'}
  for i, each in ipairs(frames) do
    if i <= FIRST or i > #frames - LAST then
      lines[#lines + 1] = '\t' .. describe(each, f)
    elseif i == FIRST + 1 then
      lines[#lines + 1] = '\t...'
    end
  end
  return table.concat(lines, '\n')
end

-- Returns the text of an error value.
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

--- call(f, ...): calls f(...). Returns its results as a table with their number n, or nil and the
-- error message with a traceback.
function trace.call(f, ...)
  local caller = debug.getinfo(1, 'f').func
  local native = package.loaded['tensor.native']
  if type(native) == 'table' then
    native.frames_of = frames_of
  end
  local function pack(ok, ...)
    return ok, {n = select('#', ...), ...}
  end
  local ok, results = pack(versions.xpcall(f, function(value)
    return message(value) .. traceback(caller, f, value)
  end, ...))
  forget_coroutines()
  if ok then
    return results
  end
  return nil, tostring(results[1])
end

return trace
