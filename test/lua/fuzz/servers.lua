-- Random hostile clients for the servers of examples/, on 127.0.0.1 only. A server has to answer
-- valid requests with what is known, anything else with well-formed replies, and other clients all
-- the time; it must not grow, leak descriptors, use the CPU without clients, or print errors.
-- Usage: luajit test/lua/fuzz/servers.lua [server=http] [seconds=60] [clients=1000000] [seed=1]
-- server: http or lines. It ends after the seconds or the clients, whichever is first.
-- In the environment: as of the specs (TENSOR_PREFIX, LD_PRELOAD).

local here = debug.getinfo(1, 'S').source:match '^@(.*[/\\])'
package.path = here .. '?.lua;' .. here .. '../?.lua;' .. package.path
dofile(here .. '../helper.lua')

local installed, cqueues = pcall(require, 'cqueues')
if not installed or not rawget(_G, 'jit') then
  print 'skipped: cqueues or LuaJIT is not there'
  os.exit(77)
end
local json = require 'cjson'
local Random = require 'random'
local requests = require 'requests'
local Server = require 'support.server'
local tensor = require 'tensor'

local given = {server = 'http', seconds = '60', clients = '1000000', seed = '1'}
for _, text in ipairs(arg) do
  local key, value = text:match '^(%l+)=(.*)$'
  assert(given[key], 'unknown option ' .. text)
  given[key] = value
end

local AT_ONCE = 8  -- clients
local examples, prefix = here .. '../../../examples/', assert(os.getenv 'TENSOR_PREFIX')

-- Starting a server, a valid request, and reading a reply: nil at the end.
local kinds = {
  http = {
    valid = requests.http,
    ended = 'ended\n',
    start = function(name)
      local random = tensor.rand
      tensor.save(name .. '.npz', {
        w1 = random(64, 8), b1 = random(1, 8), w2 = random(8, 10), b2 = random(1, 10),
        mean = random(1, 64), deviation = tensor.Tensor{2}})
      return Server.start(("'%s/bin/tensor' %shttp/serve.lua --model %s.npz --port 0 "
        .. '--connections 20 --body-bytes 65536'):format(prefix, examples, name))
    end,
    reply = function(client, seconds)
      local status, body = Server.reply(client, seconds)
      if status and status ~= 100 and body ~= '' then
        local object = json.decode(body)
        assert(status == 200 or type(object.error) == 'string')
      end
      assert(not status or status < 500, status)
      return status
    end,
  },
  lines = {
    valid = requests.lines,
    ended = '3 threads ended, left over: 0 bytes in 0 blocks\n',
    start = function(name)
      Server.build(prefix, examples .. 'server', name .. '.d')
      return Server.start(('%s.d/server %s.d/weights.txt 3'):format(name, name),
        'export SERVER_CONNECTIONS=7;')
    end,
    reply = function(client, seconds)
      local line = client:xread('*L', seconds)
      assert(not line or line:match '^%d %d%.%d%d%d%d\n$' or line:match '^error: [%g ]+\n$', line)
      return line
    end,
  },
}
local kind = assert(kinds[given.server], 'server=' .. given.server)

-- A client: the text in pieces, pauses, and how it leaves.
local function make_client(random)
  local client = {pieces = {}, pauses = random:once_in(20) and 20 or 0}
  local text, replies = requests.make(kind.valid, random)
  local first = 1
  local length = random:once_in(4) and 1 or random:once_in(2) and random:int(100) or #text + 1
  while first <= #text and #client.pieces < 300 do
    table.insert(client.pieces, text:sub(first, first + length - 1))
    first = first + length
  end
  table.insert(client.pieces, text:sub(first))
  client.replies = replies
  client.leave = replies and 'read' or random:of {'read', 'read', 'close', 'reset', 'shutdown'}
  return client
end

local counts = {clients = 0, replies = 0, valid = 0}

local function act(server, client)
  local connection = server:connect()
  for k, piece in ipairs(client.pieces) do
    if not connection:xwrite(piece, 5) then break end
    if k <= client.pauses then cqueues.sleep(0.001) end
  end
  if client.leave == 'reset' then
    return Server.reset(connection)
  elseif client.leave == 'read' then
    for _, wanted in ipairs(client.replies or {}) do
      local got = kind.reply(connection, 20)
      assert(got == wanted, ('%s instead of %s'):format(got, wanted))
      counts.replies = counts.replies + 1
    end
    connection:shutdown 'w'
    while kind.reply(connection, client.replies and 20 or 0.1) do
      assert(not client.replies, 'more replies than requests')
      counts.replies = counts.replies + 1
    end
  elseif client.leave == 'shutdown' then
    connection:shutdown 'w'
  end
  connection:close()
end

-- A client that keeps the rules.
local function check_service(server)
  local text, wanted = kind.valid(Random(1))
  local connection = server:connect()
  connection:xwrite(text, 20)
  assert(kind.reply(connection, 20) == wanted, 'a valid request is not answered')
  connection:close()
end

local function round(server, clients)
  local acts = {}
  for k, client in ipairs(clients) do
    acts[k] = function()
      local done, message = pcall(act, server, client)
      if not done then
        error(('%s\nafter %s, of a client that sent %q'):format(
          message, client.leave, table.concat(client.pieces)), 0)
      end
    end
  end
  Server.run(120, unpack(acts))
  Server.run(60, function() check_service(server) end)
  assert(server:memory() < server.before + Server.MOST_GROWTH, 'the server has grown')
end

local function descriptors(server)
  local pipe = io.popen(('ls /proc/%s/fd | wc -l'):format(server.pid))
  local count = tonumber(pipe:read '*l')
  pipe:close()
  return count
end

local name = os.tmpname()
local server = kind.start(name)
Server.run(60, function() check_service(server) end)
server.before = server:memory()
cqueues.sleep(1.5)
local open = descriptors(server)

local seed, ends = tonumber(given.seed), cqueues.monotime() + tonumber(given.seconds)
local done, message = true, nil
while done and cqueues.monotime() < ends and counts.clients < tonumber(given.clients) do
  local random, clients = Random(seed), {}
  for k = 1, AT_ONCE do
    clients[k] = make_client(random)
    counts.valid = counts.valid + (clients[k].replies and 1 or 0)
  end
  done, message = pcall(round, server, clients)
  counts.clients = counts.clients + AT_ONCE
  seed = seed + 1
end

if done then
  done, message = pcall(function()
    cqueues.sleep(1.5)  -- the server has closed the connections that it keeps after a last reply
    local cpu = server:cpu()
    cqueues.sleep(0.5)
    assert(server:cpu() - cpu < 0.2, 'the server uses the CPU without clients')
    local count = descriptors(server)
    assert(count <= open, ('%d descriptors instead of %d'):format(count, open))
  end)
end
local output, rest = server:stop()
os.execute(("rm -rf '%s' '%s.npz' '%s.d'"):format(name, name, name))
if not done then
  print(('seed=%d: %s\n%s'):format(seed - 1, message, rest))
  os.exit(1)
end
assert(output == kind.ended, output or 'the server did not end: ' .. rest)
print(('%s: %d clients, %d of them valid, %d replies'):format(
      given.server, counts.clients, counts.valid, counts.replies))
