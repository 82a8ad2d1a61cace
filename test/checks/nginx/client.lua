-- Requests to the nginx that scripts/test-nginx started, and checks of the replies.
-- Usage: tensor test/checks/nginx/client.lua <folder of nginx>

package.path = arg[1] .. '/?.lua;' .. package.path
local cqueues = require 'cqueues'
local json = require 'cjson'
local sockets = require 'cqueues.socket'
local tensor = require 'tensor'
local model = require 'model'

local folder = arg[1]

-- Sends a request. Returns the status and the body of the reply.
local function request(method, path, body)
  local client = sockets.connect{path = folder .. '/socket'}
  client:setmode('b', 'b')
  client:settimeout(60)
  client:write(('%s %s HTTP/1.0\r\nContent-Length: %d\r\n\r\n%s'):format(
    method, path, #(body or ''), body or ''))
  local reply = client:read '*a'
  client:close()
  return tonumber(reply:match '^HTTP/1%.1 (%d+)'), reply:match '\r\n\r\n(.*)$'
end

local function equal(expected, got)
  if expected ~= got then
    error(('expected %s, got %s'):format(expected, got), 2)
  end
end

local function get(path)
  local status, body = request('GET', path)
  equal(200, status)
  return json.decode(body)
end

-- The example.
local net = assert(model.load(folder .. '/digits.npz'))
local images = tensor.rand(3, 64):mul(16):floor():totable()
local labels, probabilities = model.predict(net, images)
for _ = 1, 20 do
  local status, body = request('POST', '/predict', json.encode{images = images})
  equal(200, status)
  equal(json.encode{labels, probabilities}, json.encode{json.decode(body).digits,
                                                        json.decode(body).probabilities})
end
local function refused(status, text, ...)
  local got, body = request(...)
  equal(status, got)
  if text then
    equal(text, json.decode(body).error)
  end
end
refused(400, 'image 1 has 2; 64 numbers are expected', 'POST', '/predict', '{"images": [[1, 2]]}')
refused(400, 'the body is not a JSON object', 'POST', '/predict', '{"images": [[nan]]}')
refused(400, 'the body is not a JSON object', 'POST', '/predict')
refused(405, 'POST is expected', 'GET', '/predict')
refused(413, nil, 'POST', '/predict', (' '):rep(300 * 1024))

-- Two workers: one waits until the other has answered.
local held, released
local loop = cqueues.new()
loop:wrap(function() held = get '/hold' end)
loop:wrap(function()
  cqueues.sleep(0.1)
  released = get '/release'
end)
assert(loop:loop())
assert(held and released and held.pid ~= released.pid, 'one worker answered both')
-- The elements of the master: 32 MiB, which only the worker that wrote them has copied.
local MIB = 1024
assert(held.private < MIB, held.private)
assert(released.private >= 32 * MIB, released.private)
equal(8 * 2 ^ 20, held.sum)
equal(16 * 2 ^ 20, released.sum)

local function check(worker)
  equal(true, worker.same)
  equal(1, worker.threads)
  equal(2 * 2 ^ 20, worker.scope)
  local mismatch = '*: tensors of size [300 x 300] and [3] have no product'
  for k = 1, 2 do
    assert(worker.errors[k]:find(mismatch, 1, true), worker.errors[k])
  end
  assert(worker.errors[3]:find('out of memory: 8796093022208 bytes requested', 1, true),
         worker.errors[3])
  -- 100 tensors of 4 MiB are garbage now; 33 MiB are those of the master.
  assert(worker.growth < 33 + 64, worker.growth)
end
check(held)
for _ = 1, 5 do
  check(get '/hold')
end
-- The workers inherit the generator: without a new seed, all have the same numbers.
equal(held.inherited, released.inherited)
assert(held.own ~= released.own, 'two workers have the same numbers')

-- A reload starts a new Lua state in the same master, and new workers.
local before = {[held.pid] = true, [released.pid] = true}
local master = io.open(folder .. '/nginx.pid'):read '*n'
assert(os.execute(('kill -HUP %d'):format(master)) == 0)
local deadline = cqueues.monotime() + 60
while before[get '/pid'] do
  assert(cqueues.monotime() < deadline, 'nginx does not reload')
  cqueues.sleep(0.02)
end
check(get '/hold')
equal(200, (request('POST', '/predict', json.encode{images = images})))
