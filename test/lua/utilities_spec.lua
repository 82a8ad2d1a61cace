-- Timer, terminals, heap tracking, files of packages, and callable values.

local tensor = require 'tensor'
local child = require 'support.child'
local files = require 'support.files'

-- Uses about this many seconds of CPU time.
local function work(seconds)
  local finish = os.clock() + seconds
  while os.clock() < finish do end  -- luacheck: ignore 542
end

describe('Timer', function()
  it('counts seconds that pass, and of the processor', function()
    local timer = tensor.Timer()
    local started = os.clock()
    work(0.05)
    local t = timer:time()
    local taken = os.clock() - started
    -- Both clocks count the time of the processor.
    assert.is_true(t.real >= 0.045)
    assert.is_true(t.user + t.sys >= 0.04 and t.user + t.sys < taken + 0.02)
    assert.is_true(t.user >= 0 and t.sys >= 0)
    local later = timer:time()
    assert.is_true(later.real >= t.real and later.user >= t.user)
  end)

  it('does not count the processor while others work', function()
    local started = os.clock()
    local timer = tensor.Timer()
    os.execute 'sleep 0.1'
    local t = timer:time()
    assert.is_true(t.real >= 0.1)
    assert.is_true(t.user + t.sys < os.clock() - started + 0.02)
  end)

  it('stops, goes on, and begins anew', function()
    local timer = tensor.Timer()
    assert.are.equal('torch.Timer [status: running]', tostring(timer))
    assert.are.equal(timer, timer:stop())
    assert.are.equal('torch.Timer [status: stopped]', tostring(timer))
    local t = timer:time().real
    work(0.02)
    assert.are.equal(t, timer:time().real)
    timer:stop()
    assert.are.equal(t, timer:time().real)
    assert.are.equal(timer, timer:resume())
    work(0.02)
    timer:resume()
    local more = timer:time().real
    assert.is_true(more >= t + 0.015)
    local start = tensor.tic()
    assert.are.equal(timer, timer:reset())
    local since = timer:time().real
    assert.is_true(since <= tensor.toc(start))
    timer:stop():reset()
    assert.are.same({ real = 0, user = 0, sys = 0 }, timer:time())
  end)

  it('is an object of a class', function()
    local timer = tensor.Timer()
    assert.are.equal('torch.Timer', tensor.type(timer))
    assert.is_true(tensor.isTypeOf(timer, 'torch.Timer'))
    assert.are.equal('userdata', type(timer))
    for _, name in ipairs { 'time', 'stop', 'resume', 'reset', '__tostring__' } do
      for _, wrong in ipairs { 5, {}, tensor.Tensor(), tensor.Generator() } do
        assert.has_error(function() timer[name](wrong) end)
      end
    end
    getmetatable(timer).__gc(timer)
    assert.has_error(function() timer:time() end)
    getmetatable(timer).__gc(timer)
  end)
end)

describe('tic and toc', function()
  it('count seconds', function()
    local start = tensor.tic()
    work(0.02)
    local seconds = tensor.toc(start)
    assert.is_true(seconds >= 0.015)
  end)
end)

describe('isatty', function()
  it('tells files from terminals', function()
    local path = os.tmpname()
    local file = io.open(path)
    assert.is_false(tensor.isatty(file))
    file:close()
    os.remove(path)
    assert.is_false(tensor.isatty(file))
    assert.has_error(function() tensor.isatty(5) end)
    assert.has_error(function() tensor.isatty(tensor.Tensor(1)) end)
    -- script runs a program in a terminal.
    if os.execute 'command -v script >/dev/null' == 0 then
      local code = os.tmpname()
      files.write(code, ('package.path, package.cpath = %q, %q\n')
                        :format(package.path, package.cpath),
                  "print(require 'tensor'.isatty(io.stdout))")
      local pipe = io.popen(("script -qec 'luajit %s' /dev/null </dev/null"):format(code))
      assert.matches('true', pipe:read '*a')
      pipe:close()
      os.remove(code)
    end
  end)
end)

describe('setheaptracking', function()
  it('has the collector run while memory grows, or not', function()
    assert.is_true(tensor._heaptracking)
    local code = [[
      collectgarbage 'setpause' collectgarbage('setpause', 1000)
      local large = tensor.ByteTensor(2^26):fill(1)
      for _ = 1, 5 do
        tensor.ByteTensor(2^22):fill(1)
      end
      tensor.setheaptracking(%s)
      large = nil  -- freed memory does not switch it on
      collectgarbage()
      local most = 0
      for _ = 1, 40 do
        tensor.ByteTensor(2^22):fill(1)
        most = math.max(most, tensor.memory().bytes)
      end
      print(tensor._heaptracking, most >= 40 * 2^22)
    ]]
    assert.are.equal('true\tfalse\n', (child.run(code:format 'true')))
    assert.are.equal('false\ttrue\n', (child.run(code:format 'false')))
    assert.has_error(function() tensor.setheaptracking() end)
    assert.has_error(function() tensor.setheaptracking(1) end)
  end)
end)

describe('packages', function()
  local folder, path

  setup(function()
    folder = files.new_folder()
    os.execute(('mkdir -p %s/apack/sub'):format(folder))
    local function put(name, text)
      files.write(folder .. '/apack/' .. name, text)
    end
    put('init.lua', "include 'a.lua' include 'sub/b.lua' return 'apack'")
    put('a.lua', "included = {'a'}")
    put('sub/b.lua', "included[2] = 'b' include 'c.lua' paths.dofile('c.lua')")
    put('sub/c.lua', "included[#included + 1] = 'c'")
    path = package.path
    package.path = folder .. '/?.lua;' .. folder .. '/?/init.lua;' .. path
  end)
  teardown(function()
    package.path = path
    os.execute('rm -rf ' .. folder)
  end)

  it('are found where package.path has them', function()
    assert.are.equal(folder .. '/apack', tensor.packageLuaPath 'apack')
    assert.is_nil(tensor.packageLuaPath 'nosuchpackage')
    assert.matches('/torch$', tensor.packageLuaPath 'torch')
    assert.are.equal(tensor.packageLuaPath 'torch', tensor.packageLuaPath() .. '/torch')
    assert.is_nil(tensor.packageLuaPath 'a%pack')
    assert.has_error(function() tensor.packageLuaPath(5) end)
  end)

  it('have their files included', function()
    _G.included = {}
    tensor.include('apack', 'sub/c.lua')
    assert.are.same({ 'c' }, _G.included)
    _G.included = nil
    assert.has_error(function() tensor.include('nosuchpackage', 'a.lua') end,
                     'include: package nosuchpackage not found in package.path')
    assert.has_error(function() tensor.include('apack', 'd.lua') end)
    assert.has_error(function() tensor.include 'apack' end)
    local text = child.run(([[
      package.path = %q
      require 'torch'
      print(require 'apack', table.concat(included, ' '))
    ]]):format(package.path))
    assert.are.equal('apack\ta b c c\n', text)
  end)
end)

describe('callable values', function()
  local x, twice = tensor.Tensor { 1, 2 }, tensor.fuse 'x * 2'
  local function object(f)
    return setmetatable({}, { __call = function(_, ...) return f(...) end })
  end

  it('are accepted by functions that call functions', function()
    assert.are.equal(4, tensor.scope(twice, x)[2])
    assert.are.equal(4, tensor.withDevice('cpu', twice, x)[2])
    local in_coroutine = coroutine.wrap(function() return tensor.withDevice('cpu', twice, x) end)
    assert.are.equal(4, in_coroutine()[2])
    local print_ = _G.print
    _G.print = function() end
    local rows = tensor.profile(tensor.compile(function(t) return t * 2 end), x)
    _G.print = print_
    assert.is_true(#rows > 0)
  end)

  it('are accepted by apply, map and map2', function()
    for _, n in ipairs { 3, 2000 } do
      local t = tensor.ones(n)
      t:apply(object(function(value) return value + 1 end))
      t:map(t, object(function(a, b) return a * b end))
      t:map2(t, t, object(function(a, b, c) return a + b + c end))
      assert.are.equal(12 * n, t:sum())
    end
  end)

  it('are accepted as layers, options, rates and hooks', function()
    local nn, optim = require 'tensor.nn', require 'tensor.optim'
    local model = nn.sequential { twice, tensor.compile(function(t) return t + 1 end) }
    assert.are.equal(5, model(model.init(), x)[2])
    local rows = require 'tensor.data'.batches({ x }, { size = 2, shuffle = false,
                                                        transform = twice })
    for batch in rows() do assert.are.equal(6, batch:sum()) end

    local loss = object(function(p) return p:sum(), tensor.ones(2) end)
    local p = x:clone()
    optim.sgd(loss, p, { learningRate = 0.5 }, {})
    assert.are.equal(1.5, p[2])
    local half = object(function() return 0.5 end)
    optim.sgd { rate = optim.schedule.warmup(0, half) }({ p }, { tensor.ones(2) })
    optim.sgd { rate = half }({ p }, { tensor.ones(2) })
    assert.are.equal(0.5, p[2])

    local file = tensor.MemoryFile()
    file:writeObject({ 1 }, nil, object(function() return { 'hook' } end))
    file:seek(1)
    assert.are.equal('hook', file:readObject()[1])
  end)

  it('are functions, constructors, and objects with the operator', function()
    local is_callable = require 'tensor.versions'.is_callable
    local module = {}
    local Class = tensor.class('torch.SpecCallable', module)
    assert.is_true(is_callable(module.SpecCallable) and is_callable(tensor.Timer))
    assert.is_false(is_callable(module.SpecCallable()))
    function Class:__call__() return self end
    assert.is_true(is_callable(module.SpecCallable()))
    assert.is_false(is_callable(x) or is_callable 'name' or is_callable(nil) or is_callable {})
  end)
end)
