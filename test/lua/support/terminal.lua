-- Runs a program in a separate terminal (script of util-linux): types input and reads the screen.

local files = require 'support.files'

local terminal = {}

local function shell(command) return os.execute(command) == 0 end

--- Returns true if terminals can be created.
function terminal.available() return shell 'command -v script >/dev/null 2>&1' end

--- Returns the shell command that runs the program tensor. variables: its environment; default:
-- NO_COLOR=1.
function terminal.program(variables)
  return ("env -u LUA_PATH -u LUA_CPATH -u HOME -u XDG_STATE_HOME TERM=xterm %s '%s/bin/tensor'")
         :format(variables or 'NO_COLOR=1', os.getenv 'TENSOR_PREFIX')
end

--- Returns `it` if lines can be edited in a terminal, which needs the FFI, otherwise `pending`.
function terminal.when_available(it, pending)
  return os.getenv 'TENSOR_PREFIX' and rawget(_G, 'jit') and terminal.available() and it or pending
end

--- Starts a shell command.
function terminal.open(command)
  local folder = files.new_folder()
  assert(shell(('mkfifo %s/keys'):format(folder)))
  files.write(folder .. '/command', 'exec ', command, '\n')
  -- The timeout limits the run to two minutes even if the test fails. exec: a shell between script
  -- and the program would also receive the terminal's Ctrl-C, and end.
  os.execute(("{ timeout 120 script -qefc 'exec sh %s/command' %s/screen <%s/keys " ..
              '>/dev/null 2>&1; echo $? >%s/status; } &'):format(folder, folder, folder, folder))
  local keys = assert(io.open(folder .. '/keys', 'w'))
  local self, seen = {}, 0

  local function shown()
    local screen = io.open(folder .. '/screen', 'rb')
    local text = screen and screen:read '*a' or ''
    if screen then screen:close() end
    return text
  end

  function self.type(text)
    keys:write(text)
    keys:flush()
  end

  --- Waits until a text appears after the last awaited one. Returns the output up to it.
  function self.await(text)
    for _ = 1, 1500 do
      local screen = shown()
      local first, last = screen:find(text, seen + 1, true)
      if first then
        local before = screen:sub(seen + 1, last)
        seen = last
        return before
      end
      os.execute 'sleep 0.02'
    end
    error(('%q is not shown, but %q'):format(text, shown():sub(seen + 1)), 2)
  end

  --- Types a key again and again, with growing pauses, until a text appears.
  function self.press_until(key, text)
    local pause = 0.1
    while not shown():find(text, seen + 1, true) and pause < 30 do
      self.type(key)
      for _ = 1, pause / 0.02 do
        if shown():find(text, seen + 1, true) then break end
        os.execute 'sleep 0.02'
      end
      pause = pause * 2
    end
    return self.await(text)
  end

  --- Waits for the program to end. Returns its exit status.
  function self.close()
    keys:close()
    for _ = 1, 1500 do
      local status = io.open(folder .. '/status')
      local number = status and status:read '*n'
      if status then status:close() end
      if number then
        shell('rm -r ' .. folder)
        return number
      end
      os.execute 'sleep 0.02'
    end
    error('the program does not end', 2)
  end

  --- Types Ctrl-D at the next prompt. Returns the exit status. Before the prompt, the terminal
  -- would drop the key: it still reads whole lines.
  function self.leave()
    self.await '> '
    self.type '\4'
    return self.close()
  end
  return self
end

return terminal
