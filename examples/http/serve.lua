-- Answers over HTTP which digits are in images, with the network that examples/digits.lua saved.
--
--   tensor examples/digits.lua --save digits.npz
--   tensor examples/http/serve.lua --model digits.npz [--port N]
--
-- It listens on 127.0.0.1, prints its address, and ends with SIGTERM or SIGINT. HTTP is done by
-- lua-http (Debian has it by this name), which needs no threads: each connection is a coroutine.

local here = debug.getinfo(1, 'S').source:match('^@(.*[/\\])') or './'
package.path = here .. '?.lua;' .. here .. '../?.lua;' .. package.path

local json = require 'cjson'
local tensor = require 'tensor'
local model = require 'model'
local options = require 'lib.options'

local chosen = options.parse(arg, {
  {name = 'model', value = 'FILE', default = 'digits.npz',
   help = 'what examples/digits.lua saved (digits.npz)'},
  {name = 'port', value = 'N', least = 0, most = 65535, default = 8080,
   help = 'where to listen; 0: the system chooses (8080)'},
})

local function give_up(message)
  io.stderr:write('serve.lua: ', tostring(message), '\n')
  os.exit(1)
end

local found, http_server = pcall(require, 'http.server')
if not found then
  give_up('the Lua module http is not installed: apt-get install lua-http')
end
local cqueues = require 'cqueues'
local signal = require 'cqueues.signal'
local headers = require 'http.headers'

-- Numbers of JSON only: not NaN, which nothing could be compared with.
json.decode_invalid_numbers(false)

local net, failure = model.load(chosen.model)
if not net then
  give_up(failure)
end

local MOST_BYTES, PATIENCE = 2 ^ 20, 10  -- of a body; seconds for it to come

-- Each gives a status and what becomes JSON.
local routes = {
  ['GET /'] = function()
    return 200, {service = 'digits', tensor = tensor.info().version,
                 predict = 'POST /predict {"images": [[64 numbers from 0 to 16], ...]}'}
  end,
  ['POST /predict'] = function(body)
    local read, request = pcall(json.decode, body)
    if not read or type(request) ~= 'table' then
      return 400, {error = 'the body is no JSON object'}
    end
    local done, digits, probabilities = pcall(model.predict, net, request.images)
    if not done then
      return 400, {error = digits}
    end
    return 200, {digits = digits, probabilities = probabilities}
  end,
}

-- The body of a request, or nil where it is too long or too late.
local function body_of(stream)
  local parts, bytes, deadline = {}, 0, cqueues.monotime() + PATIENCE
  while true do
    local part, trouble = stream:get_next_chunk(deadline - cqueues.monotime())
    if not part then
      return not trouble and table.concat(parts) or nil
    end
    parts[#parts + 1], bytes = part, bytes + #part
    if bytes > MOST_BYTES then
      return nil
    end
  end
end

local function reply(stream, status, object, last)
  local head = headers.new()
  head:append(':status', tostring(status))
  head:append('content-type', 'application/json')
  if last then
    head:append('connection', 'close')
  end
  stream:write_headers(head, false, PATIENCE)
  stream:write_body_from_string(json.encode(object) .. '\n', PATIENCE)
end

local paths = {}
for route in pairs(routes) do paths[route:match('%S+$')] = true end

local function answer(_, stream)
  local head = stream:get_headers(PATIENCE)
  if not head then
    return
  end
  local path = (head:get(':path') or ''):match('^[^?]*')
  local handler = routes[(head:get(':method') or '') .. ' ' .. path]
  if not handler then
    local status = paths[path] and 405 or 404
    return reply(stream, status, {error = 'GET / tells what there is'})
  end
  local body = body_of(stream)
  if not body then
    return reply(stream, 413, {error = 'a body has at most 1 MiB, and comes in 10 seconds'}, true)
  end
  reply(stream, handler(body))
end

local server = assert(http_server.listen {
  host = '127.0.0.1', port = chosen.port, tls = false, onstream = answer,
  -- A client that went away is not the server's trouble.
  onerror = function(_, _, action, message)
    io.stderr:write(('serve.lua: %s: %s\n'):format(action, tostring(message)))
  end,
})
local listening, trouble = server:listen(PATIENCE)
if not listening then
  give_up(trouble)
end
local _, _, port = server:localname()
print(('listening on http://127.0.0.1:%d'):format(port))
io.stdout:flush()

-- The signals stay blocked but where they are waited for.
signal.block(signal.SIGTERM, signal.SIGINT)
local ends = signal.listen(signal.SIGTERM, signal.SIGINT)
local loop, ended = cqueues.new(), false
loop:wrap(function()
  ends:wait()
  ended = true
end)
loop:wrap(function() assert(server:loop()) end)
while not ended do
  assert(loop:step())
end
-- Requests that are under way have a second to be answered; connections without any keep nobody.
server:close()
loop:loop(1)
print('ended')
