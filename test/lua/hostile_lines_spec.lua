-- examples/server, the server in C, against clients that break rules: each has to cost little, and
-- other clients are answered. All on 127.0.0.1. Skipped where cqueues or LuaJIT is not installed.

local examples = (debug.getinfo(1, 'S').source:match '^@(.*[/\\])' or './') .. '../../examples/'
local prefix = assert(os.getenv 'TENSOR_PREFIX')
local installed = pcall(require, 'cqueues')

describe('examples/server, with hostile clients,', function()
  if not installed or not rawget(_G, 'jit') then
    pending('is skipped: cqueues or LuaJIT is not there')
    return
  end
  local Server = require 'support.server'

  local THREADS, CONNECTIONS = 3, 5  -- of each thread
  local folder, server, impatient

  local function start(seconds, settings)
    return Server.start(('%s/server %s/weights.txt %d'):format(folder, folder, THREADS),
      ('export SERVER_CONNECTIONS=%d SERVER_IDLE_MS=%d SERVER_LINE_MS=%d SERVER_REPLY_MS=%d; %s')
      :format(CONNECTIONS, seconds * 1000, seconds * 1000, seconds * 1000, settings or ''))
  end

  local hostile = require 'support.hostile'(it, {
    start = start,
    ask = function(client)
      client:xwrite('0 1\n', 20)
      local reply = client:xread('*L', 20)
      if not reply then return false end
      assert.are.equal('1 0.8438\n', reply)
      return true
    end,
    request = '1 0\n0 1\n', step = 1,
    connections = THREADS * CONNECTIONS, descriptors = 16, long = ('1 0\n'):rep(10000),
    floods = THREADS, parts = {'', '1', ('1'):rep(9000), '1 0\n'},
    ended = '3 threads ended, left over: 0 bytes in 0 blocks\n',
  })
  local test, check_service = hostile.test, hostile.check_service

  -- All that a client gets up to the connection's end.
  local function converse(text)
    local client = server:connect()
    client:xwrite(text, 20)
    client:shutdown 'w'
    local replies = client:xread('*a', 20)
    client:close()
    return replies or ''
  end

  setup(function()
    folder = os.tmpname()
    os.remove(folder)
    Server.build(prefix, examples .. 'server', folder)
    server, impatient = hostile.start()
  end)
  teardown(function()
    server:stop()
    impatient:stop()
    os.execute(('rm -rf %s'):format(folder))
  end)

  test('refuses invalid lines', function()
    local refused = 'error: numbers are expected, at most 1024\n'
    for text, reply in pairs {
      [''] = '', ['1'] = '', ['1 0'] = '', ['\0'] = '', [('1'):rep(20000)] = '',
      ['1 0\n'] = '0 0.8438\n', ['1 0\r\n0 1\n'] = '0 0.8438\n1 0.8438\n',
      ['1\0000\n'] = refused, ['1 0\0\n'] = refused, ['\0\n'] = refused, ['\255\n'] = refused,
      ['nan 0\n'] = refused, ['inf 0\n'] = refused, ['-infinity 0\n'] = refused,
      ['1e999 0\n'] = refused, ['1 0 x\n'] = refused, [('1 '):rep(1025) .. '\n'] = refused,
      ['GET / HTTP/1.1\r\n'] = refused,
      ['\n'] = 'error: THFloatTensor_addmv: size mismatch, [3 x 2], [0]\n',
      [('1 '):rep(1024) .. '\n'] = 'error: THFloatTensor_addmv: size mismatch, [3 x 2], [1024]\n',
      [('1'):rep(8191) .. '\n'] = refused,
      [('1'):rep(8192) .. '\n1 0\n'] = 'error: the line is too long\n0 0.8438\n',
      [('1'):rep(100000) .. '\n1 0\n'] = 'error: the line is too long\n0 0.8438\n',
    } do
      assert.are.equal(reply, converse(text), text:sub(1, 50))
      check_service()
    end
  end)

  test('closes connections that are silent or slow, without using the CPU', function()
    local clients = {}
    for k, text in ipairs {'', '1 0', ('1'):rep(9000), '', '1 0', ('1'):rep(9000), '1 0\n1'} do
      clients[k] = function()
        local client = impatient:connect()
        client:xwrite(text, 20)
        client:xread('*a', 20)
        client:close()
      end
    end
    table.insert(clients, function()  -- byte by byte
      local client = impatient:connect()
      while client:xwrite('1', 20) and not client:xread(1, 0.05) do client:clearerr() end
      client:close()
    end)
    hostile.check_idle(impatient, unpack(clients))
  end)

  test('serves others while more clients than threads read nothing', function()
    local clients, floods = {}, {}
    for k = 1, 4 * THREADS do
      floods[k] = function()
        clients[k] = (k % 2 == 0 and server or impatient):flood(('1 0\n'):rep(10000))
      end
    end
    Server.run(60, unpack(floods))
    for _ = 1, 5 do
      check_service()
      check_service(impatient)
    end
    for _, client in ipairs(clients) do client:close() end
  end)

  it('refuses invalid limits', function()
    for _, value in ipairs {'x', '0', '-1', '1s', '99999999', '99999999999999999999', "''"} do
      local started, message = pcall(start, 60, 'export SERVER_LINE_MS=' .. value .. ';')
      assert.is_false(started)
      assert.is_truthy(message:find('a number from 1 to 3600000 is expected', 1, true), message)
    end
  end)

  hostile.specs()
end)
