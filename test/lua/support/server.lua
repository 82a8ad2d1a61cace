-- A server process of examples/ and clients for it, on 127.0.0.1 only. Needs LuaJIT and cqueues.

local ffi = require 'ffi'
local cqueues = require 'cqueues'
local errno = require 'cqueues.errno'
local sockets = require 'cqueues.socket'

local Server = {}
Server.__index = Server

-- busted loads this once for each spec; the FFI takes a declaration once.
pcall(ffi.cdef, [[
  struct tensor_test_linger { int on, seconds; };
  int setsockopt(int fd, int level, int name, const void* value, unsigned int size);
]])
-- The MiB by which a server may grow. AddressSanitizer keeps 256 MiB of freed memory.
local sanitized = (os.getenv 'LD_PRELOAD' or ''):find('libasan', 1, true)
Server.MOST_GROWTH = sanitized and 512 or 64

local SOL_SOCKET, SO_LINGER = 1, 13  -- Linux

--- Calls functions that wait as coroutines of cqueues, at the same time. Raises the first error of
-- one, and an error if they take longer than the seconds.
function Server.run(seconds, ...)
  local loop, failed = cqueues.new(), nil
  for _, code in ipairs {...} do
    loop:wrap(function()
      local done, message = pcall(code)
      if not done then failed = failed or {message} end
    end)
  end
  assert(loop:loop(seconds))
  if failed then
    error(failed[1], 0)
  end
  assert(loop:empty(), 'not done after ' .. seconds .. ' seconds')
end

--- Builds examples/server in a new folder; with sanitizers if the tests run with them.
function Server.build(prefix, source, folder)
  local flags = '-O1 -Wall -Wextra -Werror'
  if sanitized then
    flags = flags .. ' -g -fsanitize=address,undefined -fno-sanitize-recover=all'
  end
  local pipe = assert(io.popen(([[ { unset LD_PRELOAD MAKEFLAGS MAKELEVEL; cp -r '%s' '%s' &&
    make -s -B -C '%s' server CFLAGS='%s' PKG_CONFIG_PATH='%s/lib/pkgconfig'; } 2>&1 ]])
    :format(source, folder, folder, flags, prefix)))
  local output = pipe:read '*a'
  pipe:close()
  assert(output == '', output)
end

--- Starts a server by a command of the shell, and reads its port from its first line of output.
-- before: settings of the shell and variables for the command.
function Server.start(command, before)
  local pipe = assert(io.popen(('echo $$; %s exec %s 2>&1 </dev/null')
                               :format(before or '', command)))
  local self = setmetatable({pipe = pipe, pid = pipe:read '*l'}, Server)
  local line = pipe:read '*l'
  self.port = line and tonumber(line:match '^listening on .*127%.0%.0%.1[: ](%d+)$')
  if not self.port then
    error(('the server does not listen: %s\n%s'):format(line, pipe:read '*a'))
  end
  return self
end

local function proc(self, name)
  local file = io.open(('/proc/%s/%s'):format(self.pid, name))
  local text = file and file:read '*a' or ''
  if file then file:close() end
  return text
end

--- The resident memory in MiB.
function Server:memory() return proc(self, 'status'):match 'VmRSS:%s*(%d+)' / 1024 end

--- The CPU time used so far, in seconds.
function Server:cpu()
  local pattern = '^%d+ %b() %a' .. (' %-?%d+'):rep(10) .. ' (%d+) (%d+)'
  local user, system = proc(self, 'stat'):match(pattern)
  return (user + system) / 100
end

--- Sends SIGTERM. Returns all output, or nil if the process runs on after the seconds; it is then
-- ended by SIGKILL.
function Server:stop(seconds)
  if not self.pipe then
    return nil
  end
  os.execute('kill -TERM ' .. self.pid)
  local deadline = cqueues.monotime() + (seconds or 20)
  local function runs() return not proc(self, 'stat'):match '^%d+ %b() Z' end
  while runs() and cqueues.monotime() < deadline do
    cqueues.sleep(0.02)
  end
  local late = runs()
  if late then
    os.execute('kill -KILL ' .. self.pid)
  end
  local output = self.pipe:read '*a'
  self.pipe:close()
  self.pipe = nil
  return not late and output or nil, output
end

--- Connects a client. Its calls return errors and raise none.
function Server:connect()
  local client = sockets.connect {host = '127.0.0.1', port = self.port, nodelay = true}
  client:onerror(function(_, _, why) return why end)
  client:setmode('b', 'bn')
  client:setmaxline(2 ^ 20)
  assert(client:connect(20))
  return client
end

--- Connects a client that sends a text again and again and reads nothing, until the server takes no
-- more of it and does nothing. The client is still connected then, unless the server closed it.
function Server:flood(text)
  local client, sent = self:connect(), 0
  while true do
    local count, why = client:send(text, sent % #text + 1, #text)
    sent = sent + count
    assert(sent < 2 ^ 26, 'the server reads on without a client that reads')
    if why == errno.EAGAIN then
      local cpu, started = self:cpu(), cqueues.monotime()
      cqueues.poll(client, 0.5)
      if cqueues.monotime() - started >= 0.5 and self:cpu() - cpu < 0.05 then
        return client
      end
    elseif why then
      return client
    end
  end
end

--- Reads a reply of HTTP. Returns its status and its body; or nil if the connection ends before a
-- reply begins, or none comes in time. Raises an error if the reply is malformed.
function Server.reply(client, seconds)
  local line = client:xread('*L', seconds or 20)
  if not line then return nil end
  local status = assert(line:match '^HTTP/1%.1 (%d%d%d) %u[%a ]+\r\n$', line)
  local fields = {}
  while true do
    line = assert(client:xread('*L', 20), 'the header of a reply is cut')
    if line == '\r\n' then break end
    local name, value = line:match '^([%a-]+): (.*)\r\n$'
    fields[assert(name, line):lower()] = value
  end
  if status == '100' then return 100 end
  local length = assert(tonumber(fields['content-length']), 'a reply has no Content-Length')
  local body = client:xread(length, 20)
  assert(body and #body == length, 'the body of a reply is cut')
  return tonumber(status), body
end

--- Closes a client's socket by a reset of the connection.
function Server.reset(client)
  local linger = ffi.new('struct tensor_test_linger', 1, 0)
  ffi.C.setsockopt(client:pollfd(), SOL_SOCKET, SO_LINGER, linger, ffi.sizeof(linger))
  client:close()
end

return Server
