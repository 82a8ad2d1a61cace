-- Recognizes digits in images over HTTP, with the network that examples/digits.lua saved.
--
--   tensor examples/digits.lua --save digits.npz
--   tensor examples/http/serve.lua --model digits.npz [--port N]
--
-- It listens on 127.0.0.1, prints its address, and ends on SIGTERM or SIGINT. Each connection is a
-- coroutine of cqueues (Debian: lua-cqueues); there are no threads. It uses plain HTTP/1.1 and is
-- intended to run behind a proxy.

local here = debug.getinfo(1, 'S').source:match('^@(.*[/\\])') or './'
package.path = here .. '?.lua;' .. here .. '../?.lua;' .. package.path

local function log(...) io.stderr:write('serve.lua: ', table.concat({...}, ' '), '\n') end

local function give_up(message)
  log(tostring(message))
  os.exit(1)
end

local found, cqueues = pcall(require, 'cqueues')
if not found then
  give_up('the Lua module cqueues is not installed: apt-get install lua-cqueues')
end
local condition = require 'cqueues.condition'
local errno = require 'cqueues.errno'
local signal = require 'cqueues.signal'
local sockets = require 'cqueues.socket'

-- Before any thread is started: threads inherit the blocked signals, so only signal.listen gets
-- them.
signal.block(signal.SIGTERM, signal.SIGINT)

local json = require 'cjson'
local tensor = require 'tensor'
local connection = require 'connection'
local model = require 'model'
local options = require 'lib.options'

-- Limits of a client's memory, and of the time in each phase of a connection. A connection uses at
-- most about five times body-bytes: the buffer for a body, the body and the reply.
local limits = options.parse(arg, {
  {name = 'model', value = 'FILE', default = 'digits.npz',
   help = 'what examples/digits.lua saved (digits.npz)'},
  {name = 'port', value = 'N', least = 0, most = 65535, default = 8080,
   help = 'where to listen; 0: the system chooses (8080)'},
  {name = 'connections', value = 'N', least = 1, most = 10000, default = 100,
   help = 'open connections; further clients wait in the kernel (100)'},
  {name = 'header-bytes', value = 'N', least = 64, most = 2 ^ 20, default = 2 ^ 14,
   help = 'bytes of a request line and its header fields; browsers send 1000 (16384)'},
  {name = 'header-fields', value = 'N', least = 1, most = 10000, default = 100,
   help = 'header fields of a request; browsers send 20 (100)'},
  {name = 'body-bytes', value = 'N', least = 0, most = 2 ^ 30, default = 2 ^ 18,
   help = 'bytes of a body: 1000 images; replies are up to twice as long (262144)'},
  {name = 'idle-seconds', value = 'N', least = 1, most = 3600, default = 10,
   help = 'from the accept, or a reply, to the first byte of a request (10)'},
  {name = 'header-seconds', value = 'N', least = 1, most = 3600, default = 10,
   help = 'from the first byte of a request to the end of its header (10)'},
  {name = 'body-seconds', value = 'N', least = 1, most = 3600, default = 10,
   help = 'from the end of the header to the end of the body (10)'},
  {name = 'reply-seconds', value = 'N', least = 1, most = 3600, default = 10,
   help = 'for a client to read a reply (10)'},
  {name = 'close-seconds', value = 'N', least = 1, most = 3600, default = 1,
   help = 'for the last reply of a connection, and for requests after SIGTERM (1)'},
})

local net, failure = model.load(limits.model)
if not net then
  give_up(failure)
end

-- JSON numbers only: rejects NaN and hexadecimal numbers.
json.decode_invalid_numbers(false)

-- Functions that return a status and an object to encode as JSON.
local routes = {
  ['GET /'] = function()
    return 200, {service = 'digits', tensor = tensor.info().version,
                 predict = 'POST /predict {"images": [[64 numbers from 0 to 16], ...]}'}
  end,
  ['POST /predict'] = function(body)
    local read, request = pcall(json.decode, body)
    if not read or type(request) ~= 'table' then
      return 400, {error = 'the body is not a JSON object'}
    end
    local done, digits, probabilities = pcall(model.predict, net, request.images)
    if not done then
      return 400, {error = digits}
    end
    return 200, {digits = digits, probabilities = probabilities}
  end,
}

local paths = {}
for route in pairs(routes) do paths[route:match('%S+$')] = true end

-- Returns the status and the text of the reply to a request.
local function respond(request)
  local path = request.path:match '^[^?]*'
  local handler = routes[request.method .. ' ' .. path]
  if not handler then
    return paths[path] and 405 or 404, '{"error":"GET / tells what there is"}\n'
  end
  local done, status, text = pcall(function()
    local status, object = handler(request.body)
    return status, json.encode(object) .. '\n'
  end)
  if not done then
    log(status)
    return 500, '{"error":"internal error"}\n'
  end
  return status, text
end

local loop = cqueues.new()
local ending, deadline = false, math.huge  -- set by a signal; deadline: for all requests
local changed = condition.new()            -- signaled when a connection closes, or a signal arrives
local count = 0                            -- the number of connections
local open, busy = {}, {}  -- for each connection's coroutine: its socket; true if it has a request

local function close(thread)
  open[thread]:close()
  open[thread], busy[thread], count = nil, nil, count - 1
  changed:signal()
end

local stop = signal.listen(signal.SIGTERM, signal.SIGINT)

-- Handles SIGTERM and SIGINT. Without a timeout, waits for one.
local function check_signals(timeout)
  if stop:wait(timeout) and not ending then
    ending, deadline = true, cqueues.monotime() + limits['close-seconds']
    changed:signal()
  end
end

-- Answers a request whose first byte has arrived. Returns true if another one may follow.
local function answer(client, first)
  local request, status, message = connection.read(client, first, limits)
  check_signals(0)  -- here, too, because the loop may answer many requests before its next check
  if cqueues.monotime() > deadline then
    return false
  elseif request then
    return connection.reply(client, limits, request, respond(request))
  elseif status then
    connection.reply(client, limits, nil, status, json.encode {error = message} .. '\n')
  end
  return false
end

-- Serves a connection until the client leaves or breaks a limit, or the server ends.
local function serve(client)
  local thread = coroutine.running()
  open[thread] = client
  connection.prepare(client, limits)
  repeat
    local first = connection.wait(client, limits)
    busy[thread] = first
  until not first or not answer(client, first) or ending
  close(thread)
end

local function accept_clients(listener)
  while not ending do
    local client, why
    if count < limits.connections then
      client, why = listener:accept({nodelay = true}, 0)
    end
    if client then
      count = count + 1
      loop:wrap(serve, client)
    elseif why == errno.ETIMEDOUT then
      cqueues.poll(listener, changed)
    else  -- too many connections, or no descriptors or memory left
      cqueues.poll(changed, 0.1)
    end
  end
  listener:close()
end

-- An error in one connection ends that connection only.
local function step(seconds)
  local done, message, _, thread = loop:step(seconds)
  if not done and not open[thread] then
    give_up(message)
  elseif not done then
    log(message)
    close(thread)
  end
end

local listener = sockets.listen {host = '127.0.0.1', port = limits.port}
listener:onerror(function(_, _, why) return why end)
local listening, trouble = listener:listen()
if not listening then
  give_up(errno.strerror(trouble))
end
local _, _, port = listener:localname()
print(('listening on http://127.0.0.1:%d'):format(port))
io.stdout:flush()

loop:wrap(accept_clients, listener)
loop:wrap(check_signals)
while not ending do
  step()
end
-- Requests that have begun are answered; idle connections are not waited for.
while next(busy) and cqueues.monotime() < deadline do
  step(deadline - cqueues.monotime())
end
print('ended')
