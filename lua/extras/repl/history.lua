-- The inputs of earlier sessions, in a plain text file with the newest last. All lines of an input
-- except the first begin with a tab there.

local files = require 'tensor.files'

local history = {}

local MAX_INPUTS = 1000

-- Creates the directory of a file and its parents, readable by the user alone.
local function make_folders(path)
  local found, native = pcall(require, 'tensor.native')
  if not found then
    return
  end
  for slash in path:gmatch('()/') do
    if slash > 1 then
      native.make_folder(path:sub(1, slash - 1))
    end
  end
end

--- path(): returns the name of the history file, or nil without a home directory.
function history.path()
  local state, home = os.getenv('XDG_STATE_HOME'), os.getenv('HOME')
  -- The XDG specification requires that relative paths are ignored.
  if state and state:sub(1, 1) == '/' then
    return state .. '/tensor/history'
  elseif home and home ~= '' then
    return home .. '/.local/state/tensor/history'
  end
  return nil
end

-- Returns an input as it is written to the file.
local function written(input)
  return input:gsub('^%s+', ''):gsub('\n', '\n\t') .. '\n'
end

-- Returns the newest inputs of a file, and true if there were more.
local function load(path)
  local lines = {}
  local file = path and io.open(path, 'r')
  if not file then
    return lines, false
  end
  -- nil if it is a directory
  local text = file:read('*a') or ''
  file:close()
  for line in text:gmatch('[^\n]+') do
    if line:sub(1, 1) == '\t' and lines[1] then
      lines[#lines] = lines[#lines] .. '\n' .. line:sub(2)
    else
      lines[#lines + 1] = line
    end
  end
  if #lines <= MAX_INPUTS then
    return lines, false
  end
  local newest = {}
  for i = #lines - MAX_INPUTS + 1, #lines do
    newest[#newest + 1] = lines[i]
  end
  return newest, true
end

--- open(path): opens a history file. Returns an object with the inputs in `lines`, and add(input),
-- which adds an input that is not blank and differs from the last. If the file cannot be written,
-- inputs are kept for this session only.
function history.open(path)
  local lines, shortened = load(path)
  local self = {lines = lines}
  if shortened then
    local texts = {}
    for k, line in ipairs(lines) do
      texts[k] = written(line)
    end
    -- If the file cannot be replaced, it stays as it is.
    pcall(function()
      files.write_file(require 'tensor', path, function(file)
        file:writeString(table.concat(texts))
      end)
    end)
  elseif path and #lines == 0 then
    make_folders(path)
  end

  function self.add(line)
    if not line:find '%S' or line == lines[#lines] then
      return false
    end
    lines[#lines + 1] = line
    -- Opened for each input, so that sessions that run at once add to one file.
    local file = path and io.open(path, 'a')
    if file then
      file:write((written(line)))
      file:close()
    end
    return true
  end
  return self
end

return history
