-- The lines typed in earlier sessions: one a line in a plain text file, the newest last.

local history = {}

local MAX_LINES = 1000

local found, ffi = pcall(require, 'ffi')
if found then
  ffi.cdef 'int tensor_repl_mkdir(const char *, unsigned int) __asm__("mkdir");'
end

-- Makes the folder of a file and those it lies in, readable by the user alone.
local function make_folders(path)
  if not found then
    return
  end
  for slash in path:gmatch('()/') do
    if slash > 1 then
      ffi.C.tensor_repl_mkdir(path:sub(1, slash - 1), 448)
    end
  end
end

--- The name of the history file, or nil where there is no home folder.
function history.path()
  local state, home = os.getenv('XDG_STATE_HOME'), os.getenv('HOME')
  -- The XDG specification has relative paths ignored.
  if state and state:sub(1, 1) == '/' then
    return state .. '/tensor/history'
  elseif home and home ~= '' then
    return home .. '/.local/state/tensor/history'
  end
  return nil
end

-- The newest lines of a file, and whether there were more.
local function load(path)
  local lines = {}
  local file = path and io.open(path, 'r')
  if not file then
    return lines, false
  end
  -- Nil where it is a folder.
  local text = file:read('*a') or ''
  file:close()
  for line in text:gmatch('[^\n]+') do
    lines[#lines + 1] = line
  end
  if #lines <= MAX_LINES then
    return lines, false
  end
  local newest = {}
  for i = #lines - MAX_LINES + 1, #lines do
    newest[#newest + 1] = lines[i]
  end
  return newest, true
end

--- Opens the history kept in a file. Gives an object with the lines so far, and add(line), which
-- keeps a line that is not blank and differs from the last. A file that cannot be written is no
-- error: the lines are then kept for this session only.
function history.open(path)
  local lines, shortened = load(path)
  local self = {lines = lines}
  if shortened then
    local file = io.open(path, 'w')
    if file then
      file:write(table.concat(lines, '\n'), '\n')
      file:close()
    end
  elseif path and #lines == 0 then
    make_folders(path)
  end

  function self.add(line)
    if not line:find('%S') or line == lines[#lines] or line:find('\n', 1, true) then
      return false
    end
    lines[#lines + 1] = line
    -- Opened for each line, so that sessions that run at once add to one file.
    local file = path and io.open(path, 'a')
    if file then
      file:write(line, '\n')
      file:close()
    end
    return true
  end
  return self
end

return history
