-- examples/http: what examples/digits.lua saved is served, over the loopback interface. Skipped
-- where lua-http is not installed.

local tensor = require 'tensor'

local examples = (debug.getinfo(1, 'S').source:match '^@(.*[/\\])' or './') .. '../../examples/'
local launcher = ("'%s/bin/tensor'"):format(assert(os.getenv 'TENSOR_PREFIX'))
local installed, request = pcall(require, 'http.request')

local function shell(command)
  local pipe = assert(io.popen(('{ %s; } 2>&1 </dev/null; echo "status=$?"'):format(command)))
  local output, status = pipe:read '*a':match '^(.*)status=(%d+)\n$'
  pipe:close()
  return output, tonumber(status)
end

describe('examples/http/serve.lua', function()
  local file, server, process, address

  if not installed or not rawget(_G, 'jit') then
    pending('is skipped: lua-http, or LuaJIT for examples/digits.lua, is not there')
    return
  end
  local cqueues = require 'cqueues'
  local json = require 'cjson'

  setup(function()
    file = os.tmpname()
    local output, status = shell(
      ('%s %sdigits.lua --epochs 2 --quiet --out %s.png --save %s.npz')
      :format(launcher, examples, file, file))
    assert.are.equal(0, status, output)
    server = assert(io.popen(
      ('echo $$; exec %s %shttp/serve.lua --model %s.npz --port 0 2>&1 </dev/null')
      :format(launcher, examples, file)))
    process = server:read '*l'
    local line = server:read '*l'
    address = line and line:match '^listening on (http://127.0.0.1:%d+)$'
    assert.is_truthy(address, line)
  end)
  teardown(function()
    if address then os.execute('kill ' .. process) end
    if server then server:close() end
    os.remove(file)
    os.remove(file .. '.npz')
    os.remove(file .. '.png')
  end)

  -- Returns the status and the decoded JSON of the answer.
  local function ask(path, body)
    local question = request.new_from_uri(address .. path)
    if body then
      question.headers:upsert(':method', 'POST')
      question:set_body(body)
    end
    local head, stream = assert(question:go(60))
    local text = assert(stream:get_body_as_string(60))
    stream:shutdown()
    return tonumber(head:get ':status'), json.decode(text)
  end

  local data = tensor.load(examples .. 'data/digits.csv')
  local function images(first, count)
    return data:narrow(1, first, count):narrow(2, 1, 64):totable()
  end

  it('reads digits', function()
    local status, found = ask('/predict', json.encode{images = images(1, 200)})
    assert.are.equal(200, status)
    local right = tensor.Tensor(found.digits):eq(data:select(2, 65):narrow(1, 1, 200)):sum()
    assert.is_true(right > 180, right .. ' of 200')
    local probabilities = tensor.Tensor(found.probabilities)
    assert.are.same({200, 10}, probabilities:size():totable())
    assert.is_true((probabilities:sum(2) - 1):abs():max() < 1e-5)
    local _, best = probabilities:max(2)
    assert.are.same(found.digits, (best:view(-1) - 1):totable())
  end)

  it('answers several clients at a time', function()
    local queue, answers = cqueues.new(), {}
    local _, wanted = ask('/predict', json.encode{images = images(7, 3)})
    for k = 1, 5 do
      queue:wrap(function()
        answers[k] = select(2, ask('/predict', json.encode{images = images(7, 3)}))
      end)
    end
    assert(queue:loop())
    for k = 1, 5 do assert.are.same(wanted, answers[k]) end
  end)

  it('says what is wrong with a request', function()
    local function fails(status, message, ...)
      local got, answer = ask(...)
      assert.are.equal(status, got)
      assert.is_truthy(answer.error:find(message, 1, true), answer.error)
    end
    fails(404, 'GET /', '/nowhere')
    fails(405, 'GET /', '/predict')
    fails(400, 'not a JSON object', '/predict', '{"images": [')
    fails(400, 'not a JSON object', '/predict', '7')
    fails(400, 'is a list of images', '/predict', '{}')
    fails(400, 'image 2 has 1', '/predict', json.encode{images = {images(1, 1)[1], {5}}})
    fails(400, 'image 1 has no numbers', '/predict', '{"images": [null]}')
    local bad = images(1, 1)[1]
    bad[9] = 17
    fails(400, 'not a number from 0 to 16', '/predict', json.encode{images = {bad}})
    fails(413, 'more than 262144 bytes', '/predict', (' '):rep(2 ^ 18 + 1))
    local status, answer = ask('/?x=1')
    assert.are.equal(200, status)
    assert.are.equal('digits', answer.service)
  end)

  it('ends on request', function()
    os.execute('kill -TERM ' .. process)
    address = nil
    assert.are.equal('ended\n', server:read '*a')
  end)

  it('does not start with an invalid network', function()
    for message, name in pairs {['its w1 is not'] = examples .. 'data/digits-mean.binaryproto',
                                ['cannot open'] = file .. '.nosuch'} do
      local output, status = shell(('%s %shttp/serve.lua --model %s --port 0')
                                   :format(launcher, examples, name))
      assert.are.equal(1, status)
      assert.is_truthy(output:find(message, 1, true), output)
    end
  end)
end)
