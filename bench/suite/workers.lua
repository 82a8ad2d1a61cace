-- The processes that time cases: one for each library and number of threads. All but the active one
-- are stopped, so that their spinning threads take no CPU time.

local ffi = require 'ffi'

ffi.cdef [[
int kill(int pid, int signal);
void (*signal(int number, void (*handler)(int)))(int);
]]
local SIGPIPE, SIGCONT, SIGSTOP = 13, 18, 19
ffi.C.signal(SIGPIPE, ffi.cast('void (*)(int)', 1))

local Worker = {}
Worker.__index = Worker
local workers = {}

function Worker:start()
  local fifo = ('%s/%s.%d'):format(self.folder, self.library, self.threads)
  os.remove(fifo)
  assert(os.execute('mkfifo ' .. fifo) == 0)
  local variables = ''
  for _, name in ipairs { 'OMP', 'OPENBLAS', 'MKL' } do
    variables = ('%s%s_NUM_THREADS=%d '):format(variables, name, self.threads)
  end
  self.input = assert(io.popen(('%s exec %s %d > %s'):format(variables, self.command, self.threads,
                                                           fifo), 'w'))
  self.input:setvbuf('line')
  self.output = assert(io.open(fifo))
  os.remove(fifo)
  local line = self.output:read('*l') or ''
  local pid, probe, description = line:match('^ready\t(%d+)\t(%S+)\t(.*)$')
  if not pid then
    self:close()
    return false
  end
  self.pid, self.probe, self.description = tonumber(pid), tonumber(probe), description
  ffi.C.kill(self.pid, SIGSTOP)
  return true
end

function Worker:close()
  if self.pid then
    ffi.C.kill(self.pid, SIGCONT)
  end
  self.pid = nil
  self.input:close()
  self.output:close()
end

-- Sends a request. Returns a number, or nil and an error message.
function Worker:ask(...)
  if not self.pid and not self:start() then
    return nil, 'the worker does not start'
  end
  local fields = { ... }
  for k, field in ipairs(fields) do
    fields[k] = tostring(field)
  end
  ffi.C.kill(self.pid, SIGCONT)
  self.input:write(table.concat(fields, '\t'), '\n')
  self.input:flush()
  local line = self.output:read('*l')
  if not line then
    self:close()
    return nil, 'the worker died'
  end
  ffi.C.kill(self.pid, SIGSTOP)
  local status, rest = line:match('^(%l+)\t(.*)$')
  if status == 'ok' then
    return tonumber(rest)
  end
  return nil, rest
end

function workers.new(folder, library, command, threads)
  local worker = setmetatable({ folder = folder, library = library, command = command,
                                threads = threads }, Worker)
  return worker:start() and worker or nil
end

return workers
