-- Batches of tensor.data that threads prepare.

local tensor = require 'tensor'
local child = require 'support.child'
local files = require 'support.files'
local data = require 'tensor.data'

-- The tensors of all batches of an epoch.
local function all(batches, epoch)
  local list = {}
  for x, y in batches(epoch) do
    list[#list + 1] = {x, y}
  end
  return list
end

local function assert_equal(a, b)
  assert.are.equal(#a, #b)
  for k = 1, #a do
    assert.is_true(a[k][1]:equal(b[k][1]))
    assert.is_true(a[k][2]:equal(b[k][2]))
  end
end

local function failure(f, ...)
  local done, message = pcall(f, ...)
  assert.is_false(done)
  return message
end

-- Returns the message without the position, which is in this file.
local function cause(f, ...)
  return failure(f, ...):match '^%S*data_threads_spec.lua:%d+: (data.batches: .*)$'
end

describe('threads of data.batches', function()
  local x, y = tensor.range(1, 40):view(10, 4), tensor.range(1, 10):long()
  local function noisy(a, b)
    return a + tensor.randn(a:size()), b * tensor.random(1, 100)
  end

  it('prepare the same batches as the program itself, whatever their number', function()
    for _, partial in ipairs{true, false} do
      local function make(threads, ahead)
        return data.batches({x, y}, {size = 3, seed = 5, transform = noisy, threads = threads,
                                     ahead = ahead, partial = partial})
      end
      local plain = make()
      local first, second = all(plain, 1), all(plain, 2)
      assert.are.equal(partial and 4 or 3, #first)
      assert.is_false(first[1][1]:equal(second[1][1]))
      for _, settings in ipairs{{1}, {3}, {2, 1}, {2, 20}} do
        local batches = make(settings[1], settings[2])
        assert_equal(first, all(batches, 1))
        assert_equal(second, all(batches))
        assert_equal(first, all(batches, 1))
        batches:stop()
      end
    end
  end)

  it('leave the random numbers of the program alone', function()
    tensor.manualSeed(1)
    local number = tensor.random()
    for threads = 0, 1 do
      tensor.manualSeed(1)
      all(data.batches({x, y}, {size = 3, seed = 5, transform = noisy, threads = threads}), 1)
      assert.are.equal(number, tensor.random())
    end
  end)

  it('get functions that share their variables', function()
    require 'support.dialect'.since('5.2', 'Lua 5.1 has no debug.upvaluejoin')
    local rows = tensor.range(1, 4):view(4, 1)
    for threads = 0, 1 do
      local scale, list = 1, {}
      local function apply(v) return v * scale end
      for a in data.batches(rows, {size = 2, shuffle = false, threads = threads,
          transform = function(v)
            scale = v:max()
            return apply(v)
          end})(1) do
        list[#list + 1] = a[{1, 1}]
      end
      assert.are.same({2, 12}, list)
    end
  end)

  it('of no thread end by stop in the loop, too', function()
    for threads = 0, 1 do
      local batches, count = data.batches(tensor.ones(10, 1), {size = 2, threads = threads}), 0
      local done, message = pcall(function()
        for _ in batches(1) do
          count = count + 1
          batches:stop()
        end
      end)
      assert.is_true(not done and count == 1)
      assert.matches('stop or an error has ended this loop', message, 1, true)
    end
  end)

  it('get copies of what the functions use, and share tensors', function()
    local classes = {}
    local Scale = tensor.class('DataThreadsScale', classes)
    function Scale:__init(factor) self.factor = factor end
    local weight, sizes = tensor.ones(4), tensor.LongStorage{1, 4}
    local scales, floor, gather = {}, math.floor, tensor.gather
    scales.self, scales[1] = scales, setmetatable({by = 2}, {__index = {more = 3}})
    local function power(n) return n == 0 and 1 or 2 * power(n - 1) end
    local source = {count = 10, get = function(indices)
      local list = indices:double():view(-1, 1) * weight:view(sizes)
      return list * scales.self[1].by * scales[1].more * floor(power(3) + 0.5)
    end}
    local batches = data.batches(source, {size = 5, shuffle = false, threads = 2,
      transform = function(a)
        local order = tensor.LongTensor(a:size(1), 1):fill(1)
        return a, gather(a, 2, order):view(-1), data.shift ~= nil, nil, 'text', {a:size(), {2.5}}
      end})
    for round = 1, 2 do
      weight:fill(round)
      local k = 0
      for a, first, found, none, text, list in batches() do
        local expected = tensor.range(5 * k + 1, 5 * k + 5):view(-1, 1):expand(5, 4) * 48 * round
        assert.is_true(a:equal(expected))
        assert.is_true(first:equal(expected:select(2, 1)))
        assert.is_true(found)
        assert.is_nil(none)
        assert.are.equal('text', text)
        assert.are.same({5, 4}, list[1]:totable())
        assert.are.same({2.5}, list[2])
        k = k + 1
      end
      assert.are.equal(2, k)
    end
    -- A class is known in threads only if a module defines it.
    local scale = classes.DataThreadsScale(3)
    assert.matches('unknown class DataThreadsScale', failure(all, data.batches(x, {
      size = 5, threads = 1, transform = function(a) return a * scale.factor end})), 1, true)
  end)

  it('get tables with a protected metatable', function()
    for _, protected in ipairs{'locked', false, {}} do
      local class = {__metatable = protected, __index = {factor = 3}}
      local object = setmetatable({offset = 1}, class)
      local batches = data.batches({x}, {size = 5, shuffle = false, threads = 1,
                                         transform = function(a)
        assert(getmetatable(object) == class.__metatable)
        return a * object.factor + object.offset
      end})
      assert.is_true(batches()():equal(x:narrow(1, 1, 5) * 3 + 1))
      batches:stop()
    end
  end)

  it('use functions of tensor.fuse and tensor.compile', function()
    local twice = tensor.fuse('2 * a')
    local more = tensor.compile(function(a) return twice(a) + 1 end)
    local function transform(a, b) return more(a) + twice(a), b end
    local batches = data.batches({x, y}, {size = 10, shuffle = false, threads = 2,
                                          transform = transform})
    assert.is_true(all(batches)[1][1]:equal(x * 4 + 1))
    batches:stop()
    local box = {}
    box.own = tensor.compile(function(a) return box and a end)
    local own = box.own
    batches = data.batches({x, y}, {size = 10, threads = 1,
                                    transform = function(a, b) return own(a), b end})
    assert.is_truthy(failure(all, batches):find('it refers to itself', 1, true))
    local slope = tensor.grad(function(a) return a:sum() end)
    batches = data.batches({x, y}, {size = 10, threads = 1,
                                    transform = function(a, b) return slope(a), b end})
    assert.is_truthy(failure(all, batches):find('slope of transform', 1, true))
  end)

  it('have the settings of the program', function()
    local before = tensor.getdefaulttensortype()
    tensor.setdefaulttensortype 'torch.FloatTensor'
    local broadcast = tensor.setBroadcast 'torch7'
    local batches = data.batches(x, {size = 10, threads = 1, transform = function()
      return tensor.ones(2):type(), tensor.getBroadcast(), tensor.getGenerator()
    end})
    local kind = tensor.getGenerator()
    for of_type, rule, generator in batches() do
      assert.are.equal('torch.FloatTensor', of_type)
      assert.are.equal('torch7', rule)
      assert.are.equal(kind, generator)
    end
    tensor.setBroadcast(broadcast)
    tensor.setdefaulttensortype(before)
  end)

  it('get global functions, but no fields that exist in the program only', function()
    rawset(_G, 'zeroed', function(a) return a * 0 end)
    local batches = data.batches(x, {size = 10, threads = 1, transform = rawget(_G, 'zeroed')})
    rawset(_G, 'zeroed', nil)
    assert.are.equal(0, (batches()()):sum())
    local versions = require 'tensor.versions'
    versions.of_this_test = function(a) return a end
    batches = data.batches(x, {size = 10, threads = 1, transform = versions.of_this_test})
    local message = failure(function() return batches()() end)
    versions.of_this_test = nil
    assert.matches('tensor.versions.of_this_test does not exist in a thread', message, 1, true)
  end)

  it('refuse tensors that exceed their storage', function()
    local t = tensor.ones(10, 2)
    t:storage():resize(5)
    local batches = data.batches(t, {size = 2, threads = 1})
    assert.matches('resized to 5 elements', failure(function() return batches()() end), 1, true)
    assert.are.equal(5, t:storage():size())
  end)

  it('pass on errors, after which the batches can be used again', function()
    local bad = tensor.LongTensor{7}
    local batches = data.batches({x, y}, {size = 2, shuffle = false, threads = 2,
      transform = function(a, b)
        if b:eq(bad[1]):any() then
          error('row ' .. bad[1] .. ' is bad')
        end
        return a, b
      end})
    local seen = 0
    local message = failure(function()
      for _ in batches() do seen = seen + 1 end
    end)
    assert.are.equal(3, seen)
    assert.matches('data_threads_spec.lua:%d+: row 7 is bad$', message)
    bad:fill(100)
    assert.are.equal(5, #all(batches))
    local function error_of(object)
      return failure(all, data.batches(x, {size = 2, threads = 1,
        transform = function() error(object, 0) end}))
    end
    assert.are.same({code = 7, where = {'a', 'b'}}, error_of {code = 7, where = {'a', 'b'}})
    local shown = setmetatable({code = 7}, {__tostring = function(e) return 'code ' .. e.code end})
    assert.are.equal('code 7', tostring(error_of(shown)))
    assert.matches('^table: .* %(error 1.thread cannot be passed to a thread: it is a thread%)$',
      failure(all, data.batches(x, {size = 2, threads = 1,
        transform = function() error {thread = coroutine.create(print)} end})))
    assert.matches('index', failure(all, data.batches(x, {size = 2, threads = 1,
      transform = function(a) return a[100] end})))
    assert.matches('result 1 cannot be passed to a thread: it is a thread',
      failure(all, data.batches(x, {size = 2, threads = 1,
        transform = function() return coroutine.create(print) end})), 1, true)
  end)

  it('name what they cannot get', function()
    local file = io.tmpfile()
    local function start(transform)
      local batches = data.batches(x, {size = 2, threads = 1, transform = transform})
      return cause(batches)
    end
    assert.are.equal('data.batches: threads: upvalue file of transform cannot be passed to a '
      .. 'thread: it is a userdata', start(function(a) return file and a end))
    file:close()
    local list = {{make = coroutine.wrap(print)}}
    local message = start(function(a) return list[1].make(a) end)
    assert.matches('upvalue list of transform.1.make cannot be passed to a thread: it is a C '
                   .. 'function of no module', message, 1, true)
    local options = {size = 2, threads = 0.5}
    assert.are.equal('data.batches: threads: a whole number of at least 0 is expected, got 0.5',
                     cause(data.batches, x, options))
    options = {size = 2, threads = 2, ahead = 0}
    assert.are.equal('data.batches: ahead: a whole number of at least 1 is expected, got 0',
                     cause(data.batches, x, options))
  end)

  it('report what fails in their own beginning', function()
    local path = package.path
    package.path = ''
    local batches = data.batches(x, {size = 2, threads = 2})
    local next_batch = batches()
    package.path = path
    assert.matches("module 'tensor.data.workers' not found", failure(next_batch), 1, true)
  end)

  it('stop early, one loop at a time, and begin again', function()
    local batches = data.batches({x, y}, {size = 1, seed = 1, transform = noisy, threads = 2})
    local expected = all(data.batches({x, y}, {size = 1, seed = 1, transform = noisy}), 4)
    for epoch = 1, 3 do
      batches(epoch)()
    end
    local old = batches(3)
    old()
    assert_equal(expected, all(batches, 4))
    assert.are.equal('data.batches: a later loop has ended this one: threads prepare the batches '
      .. 'of one loop at a time', cause(old))
    old = batches(3)
    batches:stop()
    assert.are.equal('data.batches: stop or an error has ended this loop', cause(old))
    assert_equal(expected, all(batches, 4))
    batches:stop()
    batches:stop()
  end)

  it('keep no memory after they end', function()
    local rows = tensor.ByteTensor(100, 10000)
    local function use()
      local batches = data.batches(rows, {size = 10, threads = 2, ahead = 8})
      for _ = 1, 2 do
        batches()()
      end
    end
    use()
    collectgarbage()
    collectgarbage()
    local before = tensor.memory().bytes
    for _ = 1, 5 do use() end
    collectgarbage()
    collectgarbage()
    assert.is_true(tensor.memory().bytes < before + 1e5)
  end)

  it('refuse tensors that a gradient depends on', function()
    local df = tensor.grad(function(p)
      local sum = 0
      for a in data.batches(p, {size = 5, threads = 1})() do sum = sum + a:sum() end
      return sum
    end)
    assert.matches('a thread', failure(df, tensor.ones(10, 2)))
  end)

  it('do not keep a program from ending', function()
    local begin = [[
      local data = require 'tensor.data'
      local x = tensor.rand(100, 10)
      local batches = data.batches(x, {size = 1, threads = 3, transform = function(a)
        for _ = 1, 20 do a = a:t():contiguous():t() + tensor.randn(1, 10) end
        return a
      end})
      for a in batches() do break end
      ]]
    for _, rest in ipairs{'', 'os.exit(0)', "io.stderr:write 'x' os.exit(3)", "error 'x'",
                          'batches = nil collectgarbage() collectgarbage() os.exit(0)',
                          'local next_batch = batches(2) next_batch() next_batch()'} do
      local output, status = child.run(begin .. rest, {seconds = 60})
      local expected = rest:find 'exit%(3%)' and 3 or rest:find 'error' and 1 or 0
      assert.are.equal(expected, status, output)
    end
  end)

  it('end with a program that a preparing function ends', function()
    for _ = 1, 5 do
      local output, status = child.run([[
        local data, x = require 'tensor.data', tensor.rand(100, 10)
        local options = {size = 1, threads = 3, transform = function() os.exit(3) end}
        for _ in data.batches(x, options)() do end]], {seconds = 60})
      assert.is_true(status == 3 or status == 1 and output:find('os.exit', 1, true) ~= nil, output)
    end
    -- The process waits for the second thread.
    local output, status = child.run([[
      local options = {size = 1, threads = 2, shuffle = false, transform = function(x)
        require 'tensor.native'.sleep(x[1][1])
        if x[1][1] == 0 then os.exit(3) end
        return x
      end}
      local batches = require 'tensor.data'.batches(tensor.range(0, 1):view(2, 1), options)
      print(pcall(function() for _ in batches() do end end))
      io.stdout:flush()]], {seconds = 60})
    assert.is_truthy(output:find('false\ta thread of the pool has ended the program by os.exit', 1,
                                 true), output)
    assert.is_true(status == 3 or status == 0, status)
  end)

  it('end with a program even if a function never returns', function()
    local folder = files.new_folder()
    os.execute(('mkfifo %s/begun %s/never'):format(folder, folder))
    local output, status = child.run(([[
      local folder = %q
      local batches = require 'tensor.data'.batches(tensor.ones(4), {size = 1, threads = 2,
        transform = function(x)
          io.open(folder .. '/begun', 'w'):close()
          io.open(folder .. '/never'):close()
          return x
        end})
      batches:start()
      batches.pool:submit(1, tensor.LongTensor{1})
      io.open(folder .. '/begun'):close()
      io.open(folder .. '/file', 'w'):write 'not lost'
      io.write 'end'
      os.exit(7, true)]]):format(folder), {seconds = 60})
    assert.are.equal('end', output)
    assert.are.equal(7, status)
    assert.are.equal('not lost', io.open(folder .. '/file'):read '*a')
    os.execute('rm -r ' .. folder)
  end)

  it('do not keep Ctrl-C from ending a script that waits for them', function()
    local output, status = child.run([[
      local batches = require 'tensor.data'.batches(tensor.ones(4), {size = 1, threads = 1,
        transform = function()
          os.execute '(sleep 0.2; kill -INT $PPID) &'
          while true do require 'tensor.native'.sleep(1) end
        end})
      for _ in batches() do end]], {seconds = 30})
    assert.are.equal(1, status, output)
    assert.is_truthy(output:find('interrupted', 1, true), output)
  end)

  it('do not exist after a fork, which neither hangs nor fails', function()
    local output, status = child.run([[
      local ffi = require 'ffi'
      ffi.cdef 'int fork(void); int waitpid(int, int *, int);'
      local batches = require 'tensor.data'.batches(tensor.rand(20, 2), {size = 2, threads = 2})
      local next_batch = batches()
      next_batch()
      local pid = ffi.C.fork()
      if pid == 0 then
        local done, message = pcall(next_batch)
        batches, next_batch = nil, nil
        collectgarbage()
        os.exit(not done and message:find 'before fork' and 5 or 6)
      end
      local result, count = ffi.new 'int[1]', 1
      ffi.C.waitpid(pid, result, 0)
      while next_batch() do count = count + 1 end
      print(result[0] / 256, count)]], {seconds = 60})
    assert.are.equal(0, status, output)
    assert.are.equal('5\t10\n', output)
  end)
end)
