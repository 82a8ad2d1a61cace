-- examples/http/serve.lua against clients that break rules: each has to cost little, and other
-- clients are answered. All on 127.0.0.1. Skipped where cqueues or LuaJIT is not installed.

local examples = (debug.getinfo(1, 'S').source:match '^@(.*[/\\])' or './') .. '../../examples/'
local launcher = assert(os.getenv 'TENSOR_PREFIX') .. '/bin/tensor'
local installed = pcall(require, 'cqueues')

describe('examples/http/serve.lua, with hostile clients,', function()
  if not installed or not rawget(_G, 'jit') then
    pending('is skipped: cqueues or LuaJIT is not there')
    return
  end
  local Server = require 'support.server'
  local tensor = require 'tensor'
  local json = require 'cjson'

  local CONNECTIONS = 20
  local image = '{"images":[[' .. ('1,'):rep(63) .. '1]]}'
  local file, server, impatient

  local function post(body, fields)
    return ('POST /predict HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n%s\r\n%s')
      :format(#body, fields or '', body)
  end

  local list = image:match '%[(%[.*%])%]'
  local many = post('{"images":[' .. list .. (',' .. list):rep(400) .. ']}')

  -- seconds: the limit of each phase.
  local function start(seconds, settings, weight)
    local random = tensor.rand
    local w1 = weight and random(64, 8):fill(weight) or random(64, 8)
    tensor.save(file, {w1 = w1, b1 = random(1, 8), w2 = random(8, 10), b2 = random(1, 10),
                       mean = random(1, 64), deviation = tensor.Tensor{2}})
    return Server.start(("'%s' %shttp/serve.lua --model %s --port 0 --connections %d "
      .. '--body-bytes 65536 --idle-seconds %d --header-seconds %d --body-seconds %d '
      .. '--reply-seconds %d'):format(launcher, examples, file, CONNECTIONS, seconds, seconds,
                                      seconds, seconds), settings)
  end

  local hostile = require 'support.hostile'(it, {
    start = start,
    ask = function(client)
      client:xwrite(post(image), 20)
      local status, body = Server.reply(client)
      if not status then return false end
      assert.are.equal(200, status)
      assert.are.equal(1, #json.decode(body).digits)
      return true
    end,
    request = post(image, 'Expect: 100-continue\r\n'), step = 9,
    connections = CONNECTIONS, descriptors = 24, long = many, floods = 1,
    parts = {'', 'GET /', post(image):sub(1, -2), post(image)}, ended = 'ended\n',
  })
  local test, check_service = hostile.test, hostile.check_service

  -- The statuses of the replies to a text up to the connection's end.
  local function replies(client)
    local got = {}
    repeat
      local status, body = Server.reply(client)
      got[#got + 1] = status
      if status and status >= 400 then
        assert.is_string(json.decode(body).error)
      end
    until not status
    client:close()
    return table.concat(got, ' ')
  end

  local function converse(text)
    local client = server:connect()
    client:xwrite(text, 20)
    client:shutdown 'w'
    return replies(client)
  end

  local function all(cases)
    for name, case in pairs(cases) do
      assert.are.equal(case[1], converse(case[2]), name)
      check_service()
    end
  end

  setup(function()
    file = os.tmpname() .. '.npz'
    server, impatient = hostile.start()
  end)
  teardown(function()
    server:stop()
    impatient:stop()
    os.remove(file)
    os.remove((file:gsub('%.npz$', '')))
  end)

  test('refuses an invalid Content-Length', function()
    for text, status in pairs {
      ['-1'] = '400', ['1e9'] = '400', ['0x10'] = '400', ['+5'] = '400', [''] = '400',
      ['5, 5'] = '400', ['5 5'] = '400', ['nan'] = '400', ['inf'] = '400', ['5.0'] = '400',
      ['5\r\nContent-Length: 5'] = '400', ['65537'] = '413', ['4294967296'] = '413',
      ['18446744073709551617'] = '413', [('9'):rep(400)] = '413',
    } do
      local head = ('POST /predict HTTP/1.1\r\nContent-Length: %s\r\n\r\n'):format(text)
      assert.are.equal(status, converse(head .. '12345'), text)
      check_service()
    end
  end)

  test('refuses chunked bodies and invalid headers', function()
    local chunked = 'POST /predict HTTP/1.1\r\nTransfer-Encoding: chunked\r\n'
    all {
      chunked = {'411', chunked .. '\r\n5\r\n12345\r\n0\r\n\r\n'},
      ['chunk of -1 bytes'] = {'411', chunked .. '\r\n-1\r\n\r\n'},
      ['chunk of 4 GiB'] = {'411', chunked .. '\r\nffffffff\r\n12345'},
      ['chunked with a length'] = {'411', chunked .. 'Content-Length: 5\r\n\r\n12345'},
      ['unknown coding'] = {'411', 'POST / HTTP/1.1\r\nTransfer-Encoding: x\r\n\r\n'},
      ['line of 20000 bytes'] = {'431', 'GET /' .. ('a'):rep(20000) .. ' HTTP/1.1\r\n\r\n'},
      ['line without end'] = {'431', 'GET /' .. ('a'):rep(20000)},
      ['field of 20000 bytes'] = {'431', 'GET / HTTP/1.1\r\na: ' .. ('a'):rep(20000) .. '\r\n\r\n'},
      ['101 fields'] = {'431', 'GET / HTTP/1.1\r\n' .. ('a: b\r\n'):rep(101) .. '\r\n'},
      ['20000 bytes of fields'] = {
        '431', 'GET / HTTP/1.1\r\n' .. (('a: %s\r\n'):format(('b'):rep(296))):rep(66) .. '\r\n'},
      ['space before the colon'] = {'400', 'GET / HTTP/1.1\r\nContent-Length : 5\r\n\r\n'},
      ['continued field'] = {'400', 'GET / HTTP/1.1\r\na: b\r\n c\r\n\r\n'},
      ['no colon'] = {'400', 'GET / HTTP/1.1\r\nabc\r\n\r\n'},
      ['no version'] = {'400', 'GET /\r\n\r\n'},
      ['another version'] = {'400', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'},
      ['garbage'] = {'400', '\0\1\2\255\n\0\0\r\n\r\n'},
      ['garbage without a line'] = {'', ('\0\1\2\255'):rep(1000)},
      ['TLS'] = {'', '\22\3\1\2\0\1\0\1\252\3\3'},
      ['nothing'] = {'', ''},
      ['no end of the header'] = {'', 'GET / HTTP/1.1\r\na: b\r\n'},
      ['half a body'] = {'', post(image):sub(1, -20)},
      ['unknown expectation'] = {'417', post(image, 'Expect: more\r\n')},
      ['100 fields, and HTTP/1.0'] = {'200', 'GET / HTTP/1.0\n' .. ('a: b\n'):rep(100) .. '\n'},
      ['Expect without a body'] = {
        '400 400', ('POST /predict HTTP/1.1\r\nExpect: 100-continue\r\n\r\n'):rep(2)},
      ['Expect'] = {'100 200 100 200', post(image, 'Expect: 100-continue\r\n'):rep(2)},
      ['close'] = {'200', post(image, 'Connection: Close\r\n'):rep(2)},
    }
  end)

  test('refuses JSON that is deep, or has no numbers from 0 to 16', function()
    for name, body in pairs {
      ['deep'] = ('['):rep(60000),
      ['deep and closed'] = '{"images":' .. ('['):rep(30000) .. (']'):rep(30000) .. '}',
      ['deep objects'] = ('{"images":'):rep(6000),
      ['empty images'] = '{"images":[' .. ('[],'):rep(20000) .. '[]]}',
      ['numbers'] = '{"images":[' .. ('1,'):rep(30000) .. '1]}',
      ['long digits'] = '{"images":[[' .. ('1'):rep(60000) .. ']]}',
      ['an object'] = '{"images":{"1":[1]}}',
      ['NUL'] = '\0' .. image,
      ['not UTF-8'] = '"\255\254',
    } do
      assert.are.equal('400', converse(post(body)), name)
    end
    for _, number in ipairs {'NaN', '-NaN', 'nan', 'Infinity', '1e999', '-1e999', '1e-999999999x',
                             '0x1', '17', '-1', 'null', '"1"', '[1]', '1e99999999999999999999'} do
      local body = image:gsub('%[1,', '[' .. number .. ',', 1)
      assert.are.equal('400', converse(post(body)), number)
    end
  end)

  test('closes connections that are silent or slow, without using the CPU', function()
    local clients, ended = {}, {}
    for k, text in ipairs {
      '', 'G', 'GET / HT', 'GET / HTTP/1.1\r\na', 'GET / HTTP/1.1\r\na: b\r\n\r',
      post(image):sub(1, -2), post(image, 'Expect: 100-continue\r\n'):sub(1, 90),
    } do
      clients[k] = function()
        local client = impatient:connect()
        client:xwrite(text, 20)
        ended[k] = replies(client)
      end
    end
    for _, text in ipairs {'GET /', post(image):sub(1, -#image)} do
      table.insert(clients, function()  -- byte by byte
        local client = impatient:connect()
        client:xwrite(text, 20)
        while client:xwrite('1', 20) and not client:xread(-1, 0.05) do client:clearerr() end
        client:close()
      end)
    end
    hostile.check_idle(impatient, unpack(clients))
    assert.are.same({'', '408', '408', '408', '408', '408', '100 408'}, ended)
  end)

  test('answers a client that sends byte by byte in time', function()
    local client = server:connect()
    for byte in ('GET / HTTP/1.1\r\nConnection: close\r\n\r\n'):gmatch '.' do
      client:xwrite(byte, 20)
    end
    assert.are.equal('200', replies(client))
  end)

  test('sends no body in reply to HEAD', function()
    local client = server:connect()
    client:xwrite('HEAD / HTTP/1.1\r\nConnection: close\r\n\r\n', 20)
    assert.is_truthy(client:xread('*a', 20):match '^HTTP/1.1 405 .*\r\n\r\n$')
    client:close()
  end)

  test('answers many requests of a connection in their order', function()
    local text = post(image) .. 'GET /nowhere HTTP/1.1\r\n\r\n'
    assert.are.equal((('200 404 '):rep(200):gsub(' $', '')), converse(text:rep(200)))
  end)

  test('holds one reply for a client that reads none', function()
    assert.are.equal('200', converse(many))
    local clients, floods = {}, {}
    for k, one in ipairs {server, server, impatient, impatient} do
      floods[k] = function() clients[k] = one:flood(many) end
    end
    Server.run(60, unpack(floods))
    for _, one in ipairs {server, impatient} do
      hostile.check_memory(one)
      check_service(one)
    end
    for _, client in ipairs(clients) do client:close() end
  end)

  it('answers 500 if a prediction fails, and goes on', function()
    local broken = start(60, nil, 0 / 0)
    Server.run(60, function()
      local client = broken:connect()
      for _ = 1, 2 do
        client:xwrite(post(image), 20)
        assert.are.equal(500, (Server.reply(client)))
      end
      client:xwrite('GET / HTTP/1.1\r\n\r\n', 20)
      assert.are.equal(200, (Server.reply(client)))
    end)
    assert.is_truthy(broken:stop():find('\nended\n', 1, true))
  end)

  hostile.specs()
end)
