-- HTTP/1.1 on a socket of cqueues, with limits.
--
-- Requests are processed one at a time: the next one is read after the previous reply has been
-- sent. So a client that sends many requests and reads no reply fills the kernel's buffers, not the
-- server's. A connection holds at most one header, body and reply.

local cqueues = require 'cqueues'
local errno = require 'cqueues.errno'

local connection = {}

local reasons = {
  [200] = 'OK', [400] = 'Bad Request', [404] = 'Not Found', [405] = 'Method Not Allowed',
  [408] = 'Request Timeout', [411] = 'Length Required', [413] = 'Content Too Large',
  [417] = 'Expectation Failed', [431] = 'Request Header Fields Too Large',
  [500] = 'Internal Server Error',
}

-- Returns a deadline for `receive`.
local function after(seconds) return cqueues.monotime() + seconds end

-- Reads a line (what: '*L'), n bytes (n) or 1 to n bytes (-n) before the deadline. Returns nil if
-- the client has left; nil, a status and a message after the deadline.
local function receive(socket, what, deadline)
  local data, why = socket:xread(what, math.max(0, deadline - cqueues.monotime()))
  if not data and why == errno.ETIMEDOUT then
    return nil, 408, 'the request did not arrive in time'
  end
  return data
end

--- Prepares an accepted socket.
function connection.prepare(socket, limits)
  socket:onerror(function(_, _, why) return why end)  -- return errors; do not raise them
  socket:setmode('b', 'bn')  -- binary, and no buffer for output
  socket:setmaxline(limits['header-bytes'])
end

--- Waits for a request. Returns its first byte, or nil if none arrives in time.
function connection.wait(socket, limits)
  cqueues.sleep(0)  -- a client with many requests does not keep other connections waiting
  return (receive(socket, -1, after(limits['idle-seconds'])))
end

-- Reads the request line and the header fields, whose names become lower case.
local function read_header(socket, first, limits)
  local deadline, left = after(limits['header-seconds']), limits['header-bytes']
  local function line()
    local text, status, message = receive(socket, '*L', deadline)
    left = left - #(text or '')
    if left <= 0 then
      return nil, 431, ('the header is longer than %d bytes'):format(limits['header-bytes'])
    end
    return text and text:match '^(.-)\r?\n$', status, message
  end

  local text, status, message = line()
  if not text then
    return nil, status, message
  end
  local method, path, minor = (first .. text):match '^(%u+) (%S+) HTTP/1%.([01])$'
  if not method then
    return nil, 400, 'the request line is invalid'
  end
  local request = {method = method, path = path, minor = minor, fields = {}}
  for count = 0, math.huge do
    text, status, message = line()
    if not text or text == '' then
      return text and request, status, message
    end
    local name, value = text:match "^([%w!#$%%&'*+.^_`|~-]+):[ \t]*(.-)[ \t]*$"
    if not name then
      return nil, 400, 'a header field is invalid'
    elseif count == limits['header-fields'] then
      return nil, 431, ('the header has more than %d fields'):format(count)
    end
    -- The values of a repeated field are joined, so a repeated Content-Length is invalid.
    local before = request.fields[name:lower()]
    request.fields[name:lower()] = before and before .. ', ' .. value or value
  end
end

--- Reads a request whose first byte has arrived. Returns a table with method, path, fields and
-- body. Returns nil if the client has left; nil, a status and a message for a refused request.
function connection.read(socket, first, limits)
  local request, status, message = read_header(socket, first, limits)
  if not request then
    return nil, status, message
  end
  local fields = request.fields
  local length = fields['content-length'] or '0'
  if fields['transfer-encoding'] then
    return nil, 411, 'a body needs a Content-Length; chunked bodies are not supported'
  elseif not length:match '^%d+$' then
    return nil, 400, 'the Content-Length is invalid'
  end
  length = tonumber(length)
  if length > limits['body-bytes'] then
    return nil, 413, ('the body has more than %d bytes'):format(limits['body-bytes'])
  end
  if fields.expect and length > 0 and request.minor == '1' then
    if fields.expect:lower() ~= '100-continue' then
      return nil, 417, 'only 100-continue can be expected'
    elseif not socket:xwrite('HTTP/1.1 100 Continue\r\n\r\n', limits['reply-seconds']) then
      return nil
    end
  end
  request.body, status, message = receive(socket, length, after(limits['body-seconds']))
  if not request.body or #request.body < length then
    return nil, status, message
  end
  request.close = request.minor == '0' or (fields.connection or ''):lower():find('close', 1, true)
  return request
end

-- Discards what the client still sends: if unread bytes are left when a socket is closed, the
-- kernel resets the connection, and the client may lose the reply.
local function discard(socket, limits)
  local deadline, left = after(limits['close-seconds']), limits['body-bytes']
  socket:shutdown 'w'
  socket:clearerr 'r'
  repeat
    local data = receive(socket, -2 ^ 16, deadline)
    left = left - #(data or '')
  until not data or left <= 0
end

--- Sends a reply in JSON. request: the result of `read`, or nil. Returns true if the connection can
-- be used for another request.
function connection.reply(socket, limits, request, status, text)
  local close = not request or request.close
  local head = ('HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n')
    :format(status, reasons[status], #text, close and 'Connection: close\r\n' or '')
  if request and request.method == 'HEAD' then
    text = ''
  end
  local sent = socket:xwrite(head .. text, limits['reply-seconds'])
  if sent and close then
    discard(socket, limits)
  end
  return sent and not close
end

return connection
