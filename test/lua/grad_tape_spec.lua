-- A function under tensor.grad may write in place, use views, yield and fail. Accesses that the
-- tape cannot record raise errors. Memory and recordings end with the call.

local tensor = require 'tensor'
local gradients = require 'fuzz.gradients'
local D = tensor.DoubleTensor
local tracked = require 'support.tracked'
local same, check, square_sum = tracked.same, tracked.check, tracked.square_sum

-- Operations are not recorded.
local function is_plain()
  local x = D{ 1, 2 }
  assert.are.equal('number', type(x:sum()))
  assert.are.equal('number', type(x[1]))
  x:apply(function(v) return v + 1 end)
  assert.are.equal(5, x:sum())
end

describe('writes in place', function()
  it('have right gradients', function()
    check({ 6, 6, 6 }, function(x) return x:clone():mul(2):add(x):mul(2):sum() end)
    check({ 2, 4, 6 }, function(x) local y = x:clone() y:cmul(x) return y:sum() end)
    check({ 0, 0, 0 }, function(x) return (x * 2):fill(3):sum() end)
    check({ 0, 2, 2 }, function(x) local y = x * 2 y[1] = 5 return y:sum() end)
  end)
  it('keep elements that rules read', function()
    for _, write in ipairs{ function(t) t:fill(7) end, function(t) t:zero() end,
                            function(t) t:mul(2) end, function(t) t:copy(D{ 7, 7, 7 }) end,
                            function(t) t[2] = 7 end, function(t) t[{ { 1, 2 } }] = 7 end,
                            function(t) t[t:gt(1)] = 7 end, function(t) t:storage()[2] = 7 end,
                            function(t) t:storage():fill(7) end, function(t) t:resize(2, 2) end,
                            function(t) t:view(-1):narrow(1, 2, 1):fill(7) end,
                            function(t) tensor.add(t, t, t) end, function(t) t:uniform() end,
                            function(t) t:map(t, function() return 7 end) end } do
      -- `c` is a constant, and the rule of cmul reads it.
      check({ 4, 5, 6 }, function(x)
        local c = D{ 4, 5, 6 }
        local y = tensor.cmul(x, c)
        write(c)
        return y:sum()
      end)
    end
    for _, write in ipairs{ function(t) t:fill(7) end, function(t) t[{ { 1, 2 } }] = 7 end,
                            function(t) t:view(-1):narrow(1, 1, 2):fill(7) end } do
      check({ 2, 4, 6 }, function(x)
        local c = x:clone()
        local y = tensor.cmul(c, c)
        write(c)
        return y:sum()
      end)
    end
  end)
  it('may change an argument', function()
    local x = D{ 1, 2, 3 }
    local g = tensor.grad(function(t) t:mul(2) return square_sum(t) end)(x)
    same({ 8, 16, 24 }, g)
    same({ 2, 4, 6 }, x)
    g = tensor.grad(function(t) t:resize(2, 3):fill(1) return t:sum() end)(x)
    same({ 0, 0, 0 }, g)
    assert.are.equal(1, g:dim())
  end)
  it('to elements that share memory are refused', function()
    assert.error_matches(function()
      check({}, function(x) return x:view(1, 3):expand(2, 3):mul(2):sum() end)
    end, 'mul: a tensor whose elements share memory is written')
  end)
  it('to given results are right', function()
    check({ 4, 5, 6 }, function(x)
      local r = x * 3
      tensor.cmul(r, x, D{ 4, 5, 6 })
      return r:sum()
    end)
    check({ 2, 4, 6 }, function(x)
      local r = x * 3
      tensor.cmul(r:resize(1), x, x)
      return r:sum()
    end)
  end)
  it('to a result that was empty do not reach views of it', function()
    -- An empty tensor has no storage, which its views could share.
    check({ 1, 1, 1 }, function(x)
      local y = x:maskedSelect(x:gt(9))
      local view = y:new():set(y)
      tensor.mul(y, x, 1)
      tensor.mul(view, x, 5)
      return y:sum()
    end)
  end)
  it('that an error hides are refused', function()
    assert.error_matches(function()
      check({}, function(x)
        local y = x:view(1, 3):expand(2, 3)
        pcall(y.mul, y, 2)
        return x:sum()
      end)
    end, 'an operation was not recorded, and its error was ignored: mul')
  end)
end)

describe('views and assignments', function()
  it('of all kinds have right gradients', function()
    check({ 0, 4, 6 }, function(x) return square_sum(x:narrow(1, 2, 2)) end)
    check({ 1, 5, 2 }, function(x)
      local y = tensor.zeros(2, 3):double()
      y[1]:copy(x)
      y[2][2] = x[2] * 4
      y[{ {}, 3 }] = x[3]
      return y:sum()
    end)
    check({ 0, 2, 0 }, function(x)
      local y = x:clone()
      y[tensor.ByteTensor{ 1, 0, 1 }] = 4
      return square_sum(y) / 2
    end)
    check({ 3, 2, 0 }, function(x)
      local y = x:clone()
      y[{ { 2, 3 } }] = x[{ { 1, 2 } }]
      return y[1] + y[2] * 2 + y[3] * 2
    end)
    check({ 1, 2, 1 }, function(x) return x:unfold(1, 2, 1):sum() end)
    check({ 2, 2, 2 }, function(x) return x:view(1, 3):expand(2, 3):sum() end)
    check({ 5, 0, 1 }, function(x)
      local y = D(x:storage(), 1, tensor.LongStorage{ 2 }, tensor.LongStorage{ 2 })
      x:narrow(1, 1, 1):mul(5)
      return y:sum()
    end)
  end)
  it('change with their base', function()
    check({ 10, 2, 3 }, function(x)
      local y = x:clone()
      local first = y:narrow(1, 1, 1)
      y:cmul(D{ 10, 2, 3 })
      return first:sum() + y:narrow(1, 2, 2):sum()
    end)
  end)
end)

describe('control flow', function()
  it('is Lua\'s', function()
    check({ 8, 1, 1 }, function(x)
      local y = x:narrow(1, 1, 1)
      for _ = 1, 3 do y = y * 2 end
      if y:sum():item() > 7 then y = y + x[2] end
      local ok = pcall(function() y = y + x[3] error('stop') end)
      return ok or y:sum()
    end)
  end)
  it('may resume coroutines', function()
    check({ 1, 2, 3 }, function(x)
      local sum = 0
      for k in coroutine.wrap(function() for k = 1, 3 do coroutine.yield(x[k] * k) end end) do
        sum = sum + k
      end
      return sum
    end)
  end)
  it('may run in a coroutine, and yield', function()
    local thread = coroutine.wrap(function(start)
      local df = tensor.grad(function(x)
        local y = x * 2
        local factor = coroutine.yield('first', y)
        return (y * factor):sum() + coroutine.yield('second')
      end)
      local g, loss = df(start)
      return 'end', g, loss
    end)
    local what, y = thread(D{ 1, 2 })
    assert.are.equal('first', what)
    is_plain()
    assert.are.equal('number', type(y:sum()))
    assert.are.equal('second', thread(3))
    is_plain()
    local g, loss
    what, g, loss = thread(10)
    assert.are.equal('end', what)
    same({ 6, 6 }, g)
    assert.are.equal(28, loss)
    is_plain()
  end)
  it('may leave a coroutine suspended', function()
    local thread = coroutine.wrap(function()
      tensor.grad(function(x)
        return tensor.grad(function(y) coroutine.yield() return y:sum() end)(x)
      end)(D{ 1 })
    end)
    thread()
    is_plain()
    thread = nil  -- luacheck: ignore
    collectgarbage()
    collectgarbage()
    is_plain()
  end)
  it('alternates between coroutines', function()
    local function made(factor)
      return coroutine.wrap(function()
        local g = tensor.grad(function(x)
          local y = x * factor
          coroutine.yield()
          y:cmul(x)
          coroutine.yield()
          return y:sum()
        end)(D{ 1, 2 })
        return g
      end)
    end
    local one, two = made(1), made(10)
    one() two() one() two()
    same({ 2, 4 }, one())
    same({ 20, 40 }, two())
    is_plain()
  end)
end)

describe('errors in f', function()
  it('are passed on and leave no tape behind', function()
    for _, wrong in ipairs{ function() error('wrong', 0) end, function() error{ 1 } end,
                            function(x) return x:narrow(1, 5, 1) end } do
      local expected = select(2, pcall(wrong, D{ 1 }))
      local ok, message = pcall(tensor.grad(function(x) return wrong(x * 2) end), D{ 1 })
      assert.is_false(ok)
      if type(expected) == 'table' then
        assert.are.same(expected, message)
      else
        assert.matches(expected:gsub('^.*: ', ''):sub(1, 10), message, 1, true)
      end
      is_plain()
    end
    pcall(tensor.grad(function(x)
      return tensor.grad(function() error() end)(x)
    end), D{ 1 })
    is_plain()
    pcall(tensor.grad(tensor.customGradient(function() error() end, print)), D{ 1 })
    is_plain()
    pcall(tensor.jvp, function() error() end, { D{ 1 } }, { D{ 1 } })
    is_plain()
  end)
  it('free what was recorded', function()
    local function leak()
      pcall(tensor.grad(function(x)
        for _ = 1, 10 do x = tensor.tanh(x) end
        error()
      end), tensor.ones(1e5))
      collectgarbage()
      collectgarbage()
      return tensor.memory().bytes
    end
    leak()
    local before = leak()
    for _ = 1, 3 do leak() end
    assert.is_true(leak() < before + 8e6)
  end)
end)

describe('finalizers', function()
  it('may run during f', function()
    local count = 0
    local function object()
      local proxy = newproxy and newproxy(true) or setmetatable({}, {})
      getmetatable(proxy).__gc = function()
        count = count + 1
        local t = D{ 1, 2 }
        t:add(1):mul(3)
      end
    end
    check({ 16, 16, 16 }, function(x)
      for _ = 1, 4 do
        object()
        if not newproxy then setmetatable({}, { __gc = function() count = count + 1 end }) end
        x = x * 2
        collectgarbage()
      end
      return x:sum()
    end)
    assert.is_true(count > 0)
  end)
end)

describe('accesses that cannot be recorded', function()
  local ffi = type(jit) == 'table' and require 'ffi'
  local function refused(message, f)
    assert.error_matches(function() check({}, f) end, message)
    is_plain()
  end
  it('raise an error if they write elements that the gradient depends on', function()
    refused('apply: writes elements that the gradient depends on', function(x)
      return (x * 2):apply(function(v) return v end):sum()
    end)
    refused('map: writes elements', function(x)
      return (x * 2):map(x, function(v) return v end):sum()
    end)
    refused('readDouble: writes elements', function(x)
      local file = tensor.MemoryFile('rw')
      file:writeDouble(tensor.DoubleStorage{ 1, 2, 3 })
      file:seek(1)
      file:readDouble((x * 2):storage())
    end)
  end)
  it('raise an error if they compute with them', function()
    refused('map: reads elements', function(x)
      return x:sum() + D(3):map(x, function(_, v) return v end):sum()
    end)
  end)
  it('raise an error if they hand out pointers', function()
    if not ffi then return end
    refused('data: exposes elements', function(x) return x:data() end)
    refused('data: exposes elements', function(x) return x:storage():data() end)
    refused('cdata: exposes elements', function(x) return x:cdata() end)
    refused('a raw pointer to the elements of the result was handed out', function(x)
      local y = D(3)
      local p = y:data()
      y:copy(x)
      p[0] = 7
      return y:sum()
    end)
  end)
  it('of constants are right', function()
    check({ 4, 5, 6 }, function(x)
      local c = D(3):apply(function() return 1 end)
      c:map(D{ 4, 5, 6 }, function(_, v) return v end)
      local y = tensor.cmul(x, c)
      c:apply(function() return 9 end)
      return y:sum()
    end)
    if not ffi then return end
    check({ 4, 5, 6 }, function(x)
      local c = D{ 4, 5, 6 }
      local p = c:data()
      local y = tensor.cmul(x, c)
      p[0] = 9
      return y:sum()
    end)
  end)
  it('of a storage are operations', function()
    check({ 1, 0, 1 }, function(x) local y = x:clone() y:storage()[2] = 5 return y:sum() end)
    check({ 2, 1, 1 }, function(x) return x:sum() + x:storage()[1] end)
    check({ 0, 0, 0 }, function(x) local y = x * 2 y:storage():fill(3) return y:sum() end)
    check({ 1, 1, 1 }, function(x) local y = D(3) y:storage():copy(x:storage()) return y:sum() end)
  end)
  it('that only inspect elements are allowed', function()
    check({ 6, 6, 6 }, function(x)
      assert.are.same({ 1, 2, 3 }, x:totable())
      assert.matches('%[torch.DoubleTensor of size 3%]', tostring(x))
      local sum = 0
      for _, v in ipairs(x:totable()) do sum = sum + v end
      return (x * sum):sum()
    end)
  end)
end)

describe('tensor.compile', function()
  it('works inside of f', function()
    local f = tensor.compile(function(x) return tensor.tanh(x * 2) end)
    local c = D{ 1, 2, 3 }
    local expected = tensor.grad(function(x) return tensor.tanh(x * 2):sum() end)(c):totable()
    for _ = 1, 4 do check(expected, function(x) return f(x):sum() end) end
    for _ = 1, 4 do f(c) end
    for _ = 1, 4 do check(expected, function(x) return f(x):sum() end) end
  end)
end)

describe('memory', function()
  it('of kept elements is freed by the reverse pass', function()
    local count, size, peak, start = 200, 1e4, 0, nil
    -- Keeps one tensor per operation.
    local watch = tensor.customGradient(function(t) return t * 1 end, function(g)
      collectgarbage()
      collectgarbage()
      peak = math.max(peak, tensor.memory().bytes - start)
      return g
    end)
    collectgarbage()
    collectgarbage()
    start = tensor.memory().bytes
    local recorded
    tensor.grad(function(x)
      x = watch(x)
      for _ = 1, count do x = tensor.tanh(x) end
      collectgarbage()
      collectgarbage()
      recorded = tensor.memory().bytes - start
      return x:sum()
    end)(D(size):fill(0.5))
    assert.is_true(recorded < (count + 10) * size * 8, recorded)
    assert.is_true(recorded > count * size * 8, recorded)
    -- At the end of the reverse pass.
    assert.is_true(peak < 12 * size * 8, peak)
  end)
  it('of copies before writes is counted', function()
    local function copies(f)
      tensor.resetStats()
      tensor.grad(f)(D{ 1, 2, 3 })
      return tensor.stats().kept
    end
    assert.are.same({ copies = 0, bytes = 0 }, copies(square_sum))
    assert.are.same({ copies = 0, bytes = 0 }, copies(function(x)
      return x:clone():mul(2):sum()
    end))
    assert.are.same({ copies = 1, bytes = 24 }, copies(function(x)
      local y = tensor.tanh(x)
      local z = y * 2
      y:fill(3)
      return z:sum()
    end))
    assert.are.same({ copies = 1, bytes = 24 }, copies(function(x)
      local c, y = D{ 4, 5, 6 }, x
      for _ = 1, 10 do y = tensor.cmul(y, c) end
      c:fill(3)
      return y:sum()
    end))
  end)
  it('is not used by operations that keep nothing', function()
    local recorded
    local x = D(1e5):fill(1)
    local start = tensor.memory().bytes
    tensor.grad(function(t)
      for _ = 1, 100 do t = (t + 1) * 0.5 end
      collectgarbage()
      collectgarbage()
      recorded = tensor.memory().bytes - start
      return t:sum()
    end)(x)
    assert.is_true(recorded < 2e6, recorded)
  end)
end)

describe('random programs', function()
  it('agree with differences', function()
    local numbers, failures = gradients.runs(1, 60)
    assert.are.equal(0, #failures, table.concat(failures, '\n'))
    assert.is_true(numbers.agrees > 40 and numbers.second > 4)
  end)
end)

describe('the argument of tensor.grad', function()
  it('may be a Blob, whose diff receives the gradient', function()
    local blob = tensor.FloatBlob(2, 3)
    blob:data():fill(2)
    local df = tensor.grad(function(p)
      return tensor.cmul(p.b:data(), p.b:data()):sum() * p.n
    end)
    local g, loss = df{ b = blob, n = 3 }
    assert.are.equal(72, loss)
    assert.are.equal(24, g.n)
    assert.are.same({ { 12, 12, 12 }, { 12, 12, 12 } }, g.b:totable())
    assert.are.same({ { 12, 12, 12 }, { 12, 12, 12 } }, blob:diff():totable())
    assert.has_error(function()
      tensor.grad(function(b) return (select(2, df{ b = b, n = 3 })) end)(blob)
    end, 'grad: the data of a Blob cannot be the argument of nested gradients')
  end)
  it('has zeros as its gradient if the loss is one of empty tensors', function()
    local df = tensor.grad(function(w) return (D(0, 2) * w):sum() end)
    local g, loss = df(D(2, 3):fill(1))
    assert.are.same({ { 0, 0, 0 }, { 0, 0, 0 } }, g:totable())
    assert.are.equal(0, loss)
  end)
  it('has a gradient without the rest of its storage', function()
    local function size_of(view, f)
      local g = tensor.grad(f)(view)
      assert.is_true(g:isSameSizeAs(view) and g:isContiguous())
      return g:storage():size(), g:totable()
    end
    local all = D(6, 2):fill(1)
    local rows, columns = all[{ { 3, 4 } }], all:narrow(2, 2, 1)
    assert.are.equal(4, (size_of(rows, square_sum)))
    assert.are.equal(6, (size_of(columns, square_sum)))
    -- Other elements count, too, also if they are used first.
    for _, f in ipairs{
      function(x) return x:sum() + all[{ { 3 } }]:sum() end,
      function(x) return all:narrow(1, 1, 3):sum() + x:sum() end,
      function(x) return all[{ { 4, 6 } }]:sum() + x:sum() + all[{ { 1, 3 } }]:sum() * 0 end,
      function(x) return tensor.mm(x, D{ { 1, 0 }, { 0, 1 } }):sum() + all:t()[1]:sum() end,
    } do
      local size, g = size_of(rows, f)
      assert.are.equal(4, size)
      assert.are.equal(6, g[1][1] + g[1][2] + g[2][1] + g[2][2])
    end
  end)
  it('has a gradient of its own if others share its storage', function()
    local w = D{ { 1, 2 }, { 3, 4 } }
    local function f(p) return p.a:sum() + tensor.cmul(p.b, D{ { 1, 2 }, { 3, 4 } }):sum() end
    for _, options in ipairs{ {}, { ready = function(g) g:mul(2) end } } do
      local factor = options.ready and 2 or 1
      local g = tensor.grad(f, options){ a = w, b = w:t() }
      assert.are.same({ { 2, 4 }, { 3, 5 } }, (g.a / factor):totable())
      assert.are.same({ { 2, 3 }, { 4, 5 } }, (g.b / factor):totable())
    end
    local all, parts = D(100):fill(1), {}
    for k = 1, 50 do parts[k] = all:narrow(1, 2 * k - 1, 2) end
    local slopes = tensor.grad(function(p)
      local sum = 0
      for k = 1, 50 do sum = sum + square_sum(p[k]) * k end
      return sum
    end)(parts)
    for k = 1, 50 do
      assert.are.same({ 2 * k, 2 * k }, slopes[k]:totable())
      assert.are.equal(2, slopes[k]:storage():size())
    end
  end)
end)
