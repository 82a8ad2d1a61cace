-- tensor.customGradient and tensor.checkpoint.

local tensor = require 'tensor'
local D = tensor.DoubleTensor
local tracked = require 'support.tracked'
local same, check, square_sum = tracked.same, tracked.check, tracked.square_sum

describe('tensor.customGradient', function()
  local double = tensor.customGradient(function(t) return t * 1 end,
                                       function(g) return { g[1] * 2 } end)
  it('replaces the gradient', function()
    check({ 2, 2, 2 }, function(x) return double(x):sum() end)
    same({ 1, 2 }, double(D{ 1, 2 }))
  end)
  it('passes gradients, results and arguments to the rule', function()
    local seen
    local f = tensor.customGradient(function(p, n, text)
      return { p.a * n, text }, p.b + 1, n * 2
    end, function(g, results, arguments)
      seen = { g, results, arguments }
      return { { a = g[1][1] * arguments[2], b = g[2] or nil }, g[3] * 2 + 100 }
    end)
    local g = tensor.grad(function(p)
      local r, _, m = f({ a = p.a, b = p.b }, p.n, 'text')
      return r[1]:sum() + m * 5
    end){ a = D{ 1, 2 }, b = D{ 3 }, n = 4 }
    same({ 4, 4 }, g.a)
    same({ 0 }, g.b)
    assert.are.equal(110, g.n)
    same({ 1, 1 }, seen[1][1][1])
    assert.is_false(seen[1][2])
    assert.are.equal(5, seen[1][3])
    assert.are.equal('text', seen[2][1][2])
    same({ 4, 8 }, seen[2][1][1])
    assert.are.equal(8, seen[2][3])
    same({ 1, 2 }, seen[3][1].a)
    assert.are.equal(4, seen[3][2])
  end)
  it('keeps the values of arguments and results', function()
    local f = tensor.customGradient(function(t) return t * 3 end,
      function(g, r, t) return { tensor.cmul(g[1], r[1] + t[1]) } end)
    check({ 4, 8, 12 }, function(x)
      local c = x:clone()
      local y = f(c)
      local sum = y:sum()
      c:fill(0)
      y:fill(0)
      return sum
    end)
  end)
  it('may write to an argument that it returns', function()
    local f = tensor.customGradient(function(t) return t:mul(3) end,
                                    function(g) return { g[1] * 30 } end)
    check({ 30, 30, 30 }, function(x) return f(x:clone()):sum() end)
    check({ 30, 30, 30 }, function(x) f(x) return x:sum() end)
    local hidden = tensor.customGradient(function(t) t:mul(3) return t * 1 end,
                                         function(g) return { g[1] } end)
    local problem = 'the function writes to a tensor that the gradient depends on, but does not '
    assert.error_matches(function() check({}, function(x) return hidden(x):sum() end) end,
                         'customGradient: ' .. problem)
    local in_place = tensor.checkpoint(function(t) return t:exp():sum() end)
    assert.error_matches(function() check({}, function(x) return in_place(x) end) end,
                         'checkpoint: ' .. problem)
  end)
  it('may return an argument', function()
    local f = tensor.customGradient(function(t) return t end, function(g) return { g[1] * 5 } end)
    check({ 6, 6, 6 }, function(x) return f(x):sum() + x:sum() end)
  end)
  it('refuses to lose a gradient', function()
    check({ 2, 2, 2 }, function(x)
      local f = tensor.customGradient(function(t) return t + tensor.stopGradient(x) end,
                                      function(g) return { g[1] * 2 } end)
      return f(x:clone()):sum()
    end)
    assert.error_matches(function()
      check({}, function(x)
        local f = tensor.customGradient(function(t) return t + x end, function(g) return g end)
        return f(x:clone()):sum()
      end)
    end, 'that is not among its arguments: pass it, as in tensor.checkpoint%(net%)%(params, x%)$')
  end)
  it('is differentiated again', function()
    local cube = tensor.customGradient(function(t) return tensor.pow(t, 3) end,
      function(g, _, t) return { tensor.cmul(g[1], tensor.pow(t[1], 2)) * 3 } end)
    local df = tensor.grad(function(x) return cube(x):sum() end)
    check({ 6, 12, 18 }, function(x) return (df(x)):sum() end)
    check({ 6, 6, 6 }, function(x)
      return (tensor.grad(function(y) return (df(y)):sum() end)(x)):sum()
    end)
  end)
  it('may differentiate and nest', function()
    local f = tensor.customGradient(function(t)
      return (tensor.grad(function(y) return double(y):sum() end)(t)) + double(t)
    end, function(g) return { g[1] * 7 } end)
    local _, y = tensor.vjp(f, { D{ 1 } }, { D{ 1 } })
    same({ 3 }, y)
    check({ 7, 7, 7 }, function(x) return f(x):sum() end)
  end)
  it('passes errors of the rule on', function()
    local f = tensor.customGradient(function(t) return t * 1 end, function() error('wrong', 0) end)
    assert.has_error(function() check({}, function(x) return f(x):sum() end) end, 'wrong')
    assert.are.equal('number', type(D{ 1 }:sum()))
  end)
  it('refuses gradients of another form', function()
    for expected, gradients in pairs{
      ['a list of gradients, got a tensor of size %[3%]'] = function(g) return g[1] end,
      ['a list of gradients, got nil'] = function() end,
      ['argument 1: a tensor of size %[3%] is expected, got a tensor of size %[1%]'] =
        function() return { D{ 1 } } end,
      ['argument 1: a tensor of size %[3%] is expected, got a number'] =
        function() return { 1 } end,
      ['argument 2: a table is expected, got a number'] = function() return { false, 1 } end,
      ['argument 2.n: a number is expected, got a string'] =
        function() return { false, { n = 'x' } } end,
    } do
      local f = tensor.customGradient(function(t) return t * 1 end, gradients)
      local _, message = pcall(check, {}, function(x) return f(x, { n = x:sum() }):sum() end)
      assert.matches('customGradient: .*' .. expected, message)
    end
  end)
  it('may return nil before other results', function()
    local f = tensor.customGradient(function(t) return nil, t * 1 end,
                                    function(g) return { g[2] * 3 } end)
    check({ 3, 3, 3 }, function(x) return select(2, f(x)):sum() end)
  end)
  it('may yield', function()
    local f = tensor.customGradient(function(t) coroutine.yield() return t * 1 end,
                                    function(g) return { g[1] * 4 } end)
    local thread = coroutine.wrap(function()
      return (tensor.grad(function(x) return (f(x) + x):sum() end)(D{ 1 }))
    end)
    thread()
    assert.are.equal('number', type(D{ 1 }:sum()))
    same({ 5 }, thread())
  end)
end)

describe('tensor.checkpoint', function()
  local function layer(p, x) return tensor.tanh(tensor.cmul(p.w, x) + p.b) end
  local lean = tensor.checkpoint(layer)
  local function loss_of(f)
    return function(p)
      local x = D{ 0.5, -0.5 }
      for _ = 1, 3 do x = f(p, x) end
      return x:sum()
    end
  end
  it('has the same gradients of all orders', function()
    local p = { w = D{ 1, 2 }, b = D{ 0.1, 0.2 } }
    local plain, found = tensor.grad(loss_of(layer)), tensor.grad(loss_of(lean))
    same(plain(p).w:totable(), found(p).w)
    same(plain(p).b:totable(), found(p).b)
    local function second(df)
      return tensor.grad(function(q) return square_sum(df(q).w) end)(p)
    end
    same(second(plain).b:totable(), second(found).b)
  end)
  it('works if the arguments change, share memory or are written', function()
    check({ 2, 4, 6 }, function(x)
      local c = x:clone()
      local y = tensor.checkpoint(function(t) return tensor.cmul(t, t) end)(c):sum()
      c:fill(0)
      return y
    end)
    check({ 2, 4, 6 }, function(x)
      return tensor.checkpoint(function(a, b) return tensor.cmul(a, b) end)(x, x):sum()
    end)
    check({ 2, 4, 6 }, function(x)
      return tensor.checkpoint(function(t) return t:cmul(t) end)(x:clone()):sum()
    end)
  end)
  it('draws the same random numbers again', function()
    local dropout = tensor.checkpoint(function(x)
      return tensor.cmul(x, D(3):uniform():gt(0.5):double()) * tensor.uniform()
    end)
    for seed = 1, 5 do
      tensor.manualSeed(seed)
      local mask = (D(3):uniform():gt(0.5):double() * tensor.uniform()):totable()
      local after = tensor.uniform()
      tensor.manualSeed(seed)
      check(mask, function(x) return dropout(x):sum() end)
      assert.are.equal(after, tensor.uniform())
    end
  end)
  it('restores the random generator after an error in the second run', function()
    local n = 0
    local f = tensor.checkpoint(function(x)
      n = n + 1
      local mask = n == 2 and error('second', 0) or tensor.uniform()
      return x * mask
    end)
    tensor.manualSeed(1)
    tensor.uniform()
    local expected = tensor.uniform()
    tensor.manualSeed(1)
    assert.has_error(function() check({}, function(x) return f(x):sum() end) end, 'second')
    assert.are.equal(expected, tensor.uniform())
  end)
  it('refuses other results of the second run', function()
    local t = 'a tensor of size %[3%] of type torch.DoubleTensor is expected, got '
    local function other(message, first, second)
      local n = 0
      local f = tensor.checkpoint(function(x)
        n = n + 1
        return (n == 1 and first or second)(x)
      end)
      local df = tensor.grad(function(x)
        local y = f(x)
        return (type(y) == 'table' and y[1] or y):sum()
      end)
      local ok, found = pcall(df, D{ 1, 2, 3 })
      assert.is_false(ok)
      assert.matches('checkpoint: the second run of the function returned other results: '
                     .. message, found)
    end
    local function twice(x) return x * 2 end
    other('result 1: ' .. t .. 'a string', twice, function() return 'x' end)
    other('result 1: ' .. t .. 'nil', twice, function() end)
    other('result 1: ' .. t .. 'a number', twice, function(x) return x:sum() end)
    other('result 1: ' .. t .. 'a tensor of size %[2%]', twice,
          function(x) return x:narrow(1, 1, 2) end)
    other('result 1: ' .. t .. 'a tensor of size %[3%] of type torch.FloatTensor', twice,
          function(x) return x:float() end)
    other('result 1.1: ' .. t .. 'a boolean', function(x) return { x * 2 } end,
          function() return { true } end)
    other('result 1.more: nil is expected, got a number', function(x) return { x * 2 } end,
          function(x) return { x * 2, more = 1 } end)
    other('result 2: nil is expected, got a number', twice, function(x) return x * 2, 1 end)
    other('result 2: a number is expected, got nil', function(x) return x * 2, x:sum() end, twice)
    check({ 2, 2, 2 }, function(x)
      return tensor.checkpoint(function(y) return { y * 2, 'x', { y:sum() } }, 1 end)(x)[1]:sum()
    end)
  end)
  it('draws the same numbers again while the function yields', function()
    require 'support.dialect'.since('5.3', 'Lua 5.1 does not yield across pcall')
    local f = tensor.checkpoint(function(x)
      local noise = tensor.rand(3)
      coroutine.yield()
      return tensor.cmul(x, noise):sum() * tensor.uniform()
    end)
    tensor.manualSeed(1)
    local noise = tensor.rand(3)
    local expected = { tensor.uniform(), tensor.uniform(), tensor.uniform() }
    tensor.manualSeed(1)
    local gradient
    local thread = coroutine.create(function() gradient = tensor.grad(f)(tensor.ones(3)) end)
    local function draw()
      assert(coroutine.resume(thread))
      return tensor.uniform()
    end
    assert.are.same({ expected[1], expected[3] }, { draw(), draw() })
    assert(coroutine.resume(thread))
    -- The second run does not skip the number that the program drew between two of the first run.
    assert.is_true((gradient - noise * expected[1]):abs():max() < 1e-12)
  end)
  it('works in a scope that ends before the reverse pass', function()
    local block = tensor.checkpoint(function(x)
      return tensor.cmul(x, tensor.dropout(tensor.ones(6), 0.5))
    end)
    tensor.manualSeed(1)
    local df = tensor.grad(function(x)
      return tensor.scope(function() return block(x):sum() end)
    end)
    local gradient, sum = df(tensor.ones(6))
    assert.are.equal(sum, gradient:sum())
  end)
  it('keeps less', function()
    local function live_bytes()
      collectgarbage()
      collectgarbage()
      return tensor.memory().bytes
    end
    local function kept(f)
      local before, bytes = live_bytes(), nil
      tensor.grad(function(x)
        for _ = 1, 4 do x = f(x) end
        bytes = live_bytes() - before
        return x:sum()
      end)(tensor.ones(1e5):double())
      return bytes
    end
    local function f(x)
      for _ = 1, 10 do x = tensor.tanh(x) end
      return x
    end
    assert.is_true(kept(tensor.checkpoint(f)) < kept(f) / 4)
  end)
end)

describe('the coroutine of a function', function()
  it('may be resumed by the program', function()
    local inner, outer
    local function f(x)
      inner = coroutine.running()
      coroutine.yield(1)
      if x:nElement() == 1 then return x:sum() end
      local ok, message = coroutine.resume(outer)  -- which waits for this coroutine
      assert.is_false(ok)
      assert.matches('cannot resume', message)
      return x:sum()
    end
    for _, call in pairs { grad = tensor.grad(f),
                           withDevice = function(x) return tensor.withDevice('cpu', f, x) end } do
      outer = coroutine.create(call)
      assert.is_true(coroutine.resume(outer, tensor.ones(1)))
      assert.is_true(coroutine.resume(inner))
      local ok, message = coroutine.resume(outer)
      assert.is_false(ok)
      assert.matches('cannot resume', message)

      outer = coroutine.create(call)
      assert.is_true(coroutine.resume(outer, tensor.ones(2)))
      assert.is_true(coroutine.resume(inner))
    end
  end)
end)

describe('variables of Lua 5.4 that are closed', function()
  local close = rawget(coroutine, 'close')
  if not close then return it('are of Lua 5.4', function() pending 'an older Lua' end) end
  local closed
  local function closing(code)
    return assert(load('local note = ... return function(x) local c <close> = note ' .. code ..
                       ' end'))(setmetatable({}, { __close = function() closed = true end }))
  end
  local x = tensor.ones(2)

  it('are closed after an error of the function', function()
    local f = closing "error 'oops'"
    for name, g in pairs {
      grad = tensor.grad(f), compile = tensor.compile(f),
      vjp = function() return tensor.vjp(f, { x }, { x }) end,
      jvp = function() return tensor.jvp(f, { x }, { x }) end,
      withDevice = coroutine.wrap(function() return tensor.withDevice('cpu', f, x) end),
    } do
      closed = false
      local ok, message = pcall(g, x)
      assert.is_false(ok)
      assert.matches('oops', message)
      assert.is_true(closed, name)
    end
  end)

  it('are closed with the coroutine of the caller', function()
    local f = closing 'coroutine.yield(1) return x:sum()'
    local compiled = tensor.compile(f)
    for _, g in ipairs { tensor.grad(f), function() return compiled(x) end,
                         function() return tensor.withDevice('cpu', f, x) end } do
      closed = false
      local thread = coroutine.create(g)
      assert.are.same({ true, 1 }, { coroutine.resume(thread, x) })
      assert.is_false(closed)
      assert.is_true(close(thread))
      assert.is_true(closed)
      closed = false
      thread = coroutine.create(g)
      coroutine.resume(thread, x)
      assert.is_false(closed)
      assert.is_true(coroutine.resume(thread))
      assert.is_true(closed)
    end
  end)

  it('may replace the error', function()
    local f = assert(load [[return function()
      local c <close> = setmetatable({}, { __close = function() error('other', 0) end })
      error 'oops'
    end]])()
    assert.are.same({ false, 'other' }, { pcall(tensor.grad(f), x) })
    assert.are.same({ false, 'other' }, { pcall(tensor.compile(f), x) })
  end)

  it('end scopes', function()
    local kept = {}
    local f = assert(load [[local tensor, kept = ... return function()
      local s <close> = tensor.scope()
      kept[1] = tensor.ones(10)
      error 'oops'
    end]])(tensor, kept)
    assert.is_false(pcall(tensor.grad(f), x))
    assert.error_matches(function() kept[1]:size() end, 'tensor.scope has freed it')
  end)
end)
