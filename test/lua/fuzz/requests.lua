-- Random requests for the servers of examples/: valid ones, whose replies are known, and damaged
-- ones. All choices come from a generator of fuzz/random.lua.

local requests = {}

local function bytes(random, count)
  local list = {}
  for i = 1, count do list[i] = string.char(random:int(256) - 1) end
  return table.concat(list)
end

local numbers = {'-1', '0', '1', '16', '17', '255', '65535', '65536', '65537', '2147483648',
                 '4294967295', '4294967296', '9223372036854775808', '18446744073709551616', '1e9',
                 '1e999', '-1e-999', '0x10', '007', '+1', '1.5', 'nan', 'inf', '', ('9'):rep(400)}
local pieces = {'\r\n', '\n', '\r', '\0', ' ', '\t', ':', ',', '[', ']', '{', '}', '"', '\\', '/',
                '\255', '\r\n\r\n', 'HTTP/1.1', '"images":', 'null', 'Content-Length: 5\r\n'}
local fields = {'Content-Length: 0', 'Content-Length: 5', 'Content-Length: -1', 'Content-Length:',
                'Content-Length: 99999', 'Transfer-Encoding: chunked', 'Transfer-Encoding: gzip, x',
                'Expect: 100-continue', 'Expect: x', 'Connection: close', 'Connection: keep-alive',
                'Connection: upgrade, CLOSE', 'Upgrade: h2c', 'TE: gzip', 'Host: a', 'a:', ':',
                ' a: b', 'a : b', 'a', 'a: b\r\n c', 'Content-Encoding: gzip'}

-- Each returns a damaged text.
local damages = {
  function(s, random) return s:sub(1, random:int(#s + 1) - 1) end,
  function(s, random)
    local at = random:int(#s)
    return s:sub(1, at - 1) .. bytes(random, 1) .. s:sub(at + 1)
  end,
  function(s, random)
    local at = random:int(#s)
    return s:sub(1, at) .. random:of(pieces):rep(random:once_in(20) and 20000 or random:int(3))
           .. s:sub(at + 1)
  end,
  function(s, random)
    local at = random:int(#s)
    return s:sub(1, at) .. s:sub(at + random:int(40))
  end,
  function(s, random)
    local at = random:int(#s)
    return s:sub(1, at) .. s:sub(math.max(1, at - random:int(100)))
  end,
  function(s, random)
    local first, last = s:find('[%d.]+', random:int(#s))
    return first and s:sub(1, first - 1) .. random:of(numbers) .. s:sub(last + 1) or s
  end,
  function(s, random)  -- another header field
    local _, last = s:find('\r\n', random:int(#s), true)
    return last and s:sub(1, last) .. random:of(fields) .. '\r\n' .. s:sub(last + 1) or s
  end,
  function(_, random) return bytes(random, random:int(200)) end,
  function(s, random) return bytes(random, random:int(20)) .. s end,
}

local function join(valid, random)
  local texts, replies = {}, {}
  for i = 1, random:once_in(4) and random:int(20) or random:int(2) do
    texts[i], replies[i] = valid(random)
  end
  return table.concat(texts), replies
end

--- A text of one or more requests, and the replies to them, or nil if the text is damaged.
-- valid: makes a request, and returns its reply, too.
function requests.make(valid, random)
  local text, replies = join(valid, random)
  if random:once_in(3) then
    return text, replies
  end
  for _ = 1, random:int(3) do
    if #text > 0 then text = random:of(damages)(text, random) end
  end
  return text
end

--- A valid request for examples/http, and its status.
function requests.http(random)
  local kind = random:int(6)
  local extra = random:once_in(4) and 'Accept: */*\r\nUser-Agent: x\r\n' or ''
  if kind == 1 then
    return ('GET /?%d HTTP/1.1\r\n%s\r\n'):format(random:int(1000), extra), 200
  elseif kind == 2 then
    return ('GET /%d HTTP/1.1\r\n%s\r\n'):format(random:int(1000), extra), 404
  elseif kind == 3 then
    return ('PUT /predict HTTP/1.1\r\nContent-Length: 2\r\n%s\r\n{}'):format(extra), 405
  end
  local images = {}
  for k = 1, random:int(3) do
    local image = {}
    for i = 1, 64 do image[i] = random:int(17) - 1 end
    images[k] = '[' .. table.concat(image, ',') .. ']'
  end
  local body = '{"images":[' .. table.concat(images, ',') .. ']}'
  local head = ('POST /predict HTTP/1.1\r\n%sContent-Length: %d\r\n\r\n'):format(extra, #body)
  return head .. body, 200
end

--- A valid line for examples/server, and its reply.
function requests.lines(random)
  local kind = random:int(3)
  if kind == 1 then
    return '1 0\n', '0 0.8438\n'
  elseif kind == 2 then
    return (' '):rep(random:int(3000)) .. '0\t1e0\r\n', '1 0.8438\n'
  end
  local count = random:int(40) + 2
  return ('7.5 '):rep(count) .. '\n',
         ('error: THFloatTensor_addmv: size mismatch, [3 x 2], [%d]\n'):format(count)
end

return requests
