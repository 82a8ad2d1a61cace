-- tensor.compile: compiled functions give the same bits as uncompiled ones. Functions that cannot
-- be compiled are called, and the reason is reported.

local tensor = require 'tensor'
local checks = require 'support.compiled'
local elements = require 'support.elements'
local same, is_compiled, is_called = checks.same, checks.is_compiled, checks.is_called

-- A random program of tensors and a number, in which results change in place: as a function.
local function program(int, captured, floating)
  local unary = { 'exp', 'tanh', 'sigmoid', 'abs', 'sqrt', 'floor' }
  local forms = {
    function(a, _, k) return a + k end,
    function(a, b) return tensor.cmul(a, b) end,
    function(a, b) return tensor.csub(a, b) end,
    function(a, _, k) return k - a end,
    function(a) return a:clone() end,
    function(a, b, k, own) if own[a] and a:isSameSizeAs(b) then a:add(k, b) end end,
    function(a, _, k, own) if own[a] then a:mul(k) end end,
    function(a, _, k) return a:sum(k % 2 + 1) end,
    function(a, _, k) return (a:max(k % 2 + 1)) end,
    function(a, b) return tensor.where(a:lt(b), a, b) end,
    function(a, b) return a:ge(b):typeAs(a) end,
    function(a, _, _, own, x)
      local zero = a.new():resizeAs(x):fill(0)
      own[zero] = true
      return zero:add(x)
    end,
    function(a, _, k) return tensor.clamp(a, -1, k) end,
    function(a, _, _, _, _, s) return a * s end,
    function(a) return a:cumsum(1) end,
    function(a) return a:cumsum(1):t():clone():t() end,
    function(a) return (a * 2):narrow(1, 1, 1) end,
    function(a) return a:index(1, tensor.LongTensor(2):fill(1)) end,
    function(a) return a:gt(1):sum(1):typeAs(a) end,
    function(a, b) return tensor.cdiv(a, b) end,
    function(a) return a:mean(2) end,
    function(a) return a:var(2) end,
    function(a, _, k) return tensor.pow(a, k) end,
    function(a, _, k) return tensor[unary[k + 1]](a) end,
    function(a, _, k) return tensor[unary[k + 1]](a) end,
  }
  local steps = {}
  for k = 1, int(8) do
    steps[k] = { forms[int(floating and #forms or 19)], int(50), int(50), int(5) }
  end
  return function(x, y, s)
    local values, own = { x, y, captured }, {}
    for _, step in ipairs(steps) do
      local a, b = values[step[2] % #values + 1], values[step[3] % #values + 1]
      local result = step[1](a, b, step[4], own, x, s)
      if result then
        values[#values + 1] = result
        own[result] = true
      end
    end
    return values[#values], s, values[#values - 1]
  end
end

describe('compile', function()
  local threads, broadcast = tensor.getnumthreads(), tensor.getBroadcast()
  before_each(function() tensor.setBroadcast 'numpy' end)
  after_each(function()
    tensor.setnumthreads(threads)
    tensor.setBroadcast(broadcast)
  end)

  it('gives what random functions give, of every type and layout', function()
    local random = elements.generator(5)
    local function int(n) return math.floor(random() * n) + 1 end
    local compiled_ones, rounds = 0, require('support.settings').gc and 20 or 60
    for round = 1, rounds do
      local e = elements[round % #elements + 1]
      local rows, columns = int(4), round % 20 == 0 and 700 or int(20)
      local function filled(t)
        local flat = t:storage()
        for i = 1, flat:size() do
          flat[i] = e.integral and math.floor(random() * 9) + 1 or random() * 4 - 1.5
        end
        return t
      end
      local layouts = {
        function() return e.Tensor(rows, columns) end,
        function() return e.Tensor(columns, rows):t() end,
        function() return e.Tensor(rows, columns + 2):narrow(2, 2, columns) end,
        function() return e.Tensor(1, columns):expand(rows, columns) end,
        function() return e.Tensor(1, columns) end,
      }
      local x_layout, y_layout = layouts[int(4)], layouts[int(5)]
      local captured = filled(layouts[int(5)]())
      local f = program(int, captured, not e.integral)
      local compiled = tensor.compile(f)
      for call = 1, 4 do
        local x, y = filled(x_layout()), filled(y_layout())
        local want, got = { f(x, y, 3) }, { compiled(x, y, 3) }
        local what = ('%s, round %d, call %d: %s'):format(e.name, round, call, compiled:explain())
        for k = 1, 3 do assert.is_true(same(want[k], got[k]), what) end
        filled(captured)
      end
      if compiled:explain():find ' operations in ' then compiled_ones = compiled_ones + 1 end
    end
    assert.is_true(compiled_ones > rounds / 2, compiled_ones)
  end)

  it('gives the same with any number of threads', function()
    local x = tensor.linspace(-1, 1, 300000):float():view(300, 1000)
    local function standardized(t)
      local e = tensor.exp(t - t:max(2))
      return e:cdiv(e:sum(2)), tensor.pow(t, 2):sum(2)
    end
    local f = tensor.compile(standardized)
    local want = { standardized(x) }
    for n = 1, 3 do
      tensor.setnumthreads(n)
      for _ = 1, 2 do
        local got = { f(x) }
        assert.is_true(same(want[1], got[1]) and same(want[2], got[2]))
      end
    end
    is_compiled(f, x)
  end)

  it('reads what tensors from elsewhere contain now, and takes upvalues as they are', function()
    local held = { w = tensor.ones(3) }
    local scale, b = 2, tensor.zeros(3)
    local f = tensor.compile(function(x) return tensor.cmul(x, held.w) * scale + b end)
    local x = tensor.Tensor{1, 2, 3}
    is_compiled(f, x)
    held.w:fill(10)
    assert.same({20, 40, 60}, f(x):totable())
    b = tensor.ones(3)
    assert.same({21, 41, 61}, f(x):totable())
    b:fill(2)
    for _ = 1, 3 do assert.same({22, 42, 62}, f(x):totable()) end
    scale = 3
    for _ = 1, 3 do assert.same({32, 62, 92}, f(x):totable()) end
  end)

  it('knows an argument from the same tensor elsewhere once they differ', function()
    local held = { w = tensor.Tensor{1, 2} }
    local f = tensor.compile(function(x) return tensor.cmul(x, held.w) end)
    for _ = 1, 3 do assert.same({1, 4}, f(held.w):totable()) end
    for _ = 1, 3 do assert.same({5, 12}, f(tensor.Tensor{5, 6}):totable()) end
    local g = tensor.compile(function(x, y) return x - y end)
    local a, b = tensor.Tensor{1, 2}, tensor.Tensor{5, 5}
    for _ = 1, 3 do assert.same({0, 0}, g(a, a):totable()) end
    for _ = 1, 3 do assert.same({-4, -3}, g(a, b):totable()) end
  end)

  it('records anew where tensors from elsewhere become views of other memory', function()
    local rows, held = tensor.Tensor{{1, 2}, {3, 4}}, { w = tensor.ones(2) }
    local f = tensor.compile(function(x) return tensor.cmul(x, held.w) end)
    local x = tensor.Tensor{10, 100}
    is_compiled(f, x)
    held.w:set(rows:storage(), 3, 2, 1)
    for _ = 1, 3 do assert.same({30, 400}, f(x):totable()) end
    -- An argument in the place of another one of the same memory.
    held.rows = rows:narrow(1, 1, 2)
    local g = tensor.compile(function(y) return tensor.cmul(y, held.rows:narrow(1, 1, 1)) end)
    for _ = 1, 3 do assert.same({ {1, 4} }, g(rows:narrow(1, 1, 1)):totable()) end
    for _ = 1, 3 do assert.same({ {3, 8} }, g(rows:narrow(1, 2, 1)):totable()) end
  end)

  it('gives new results, which stay; arguments themselves; and other values', function()
    local f = tensor.compile(function(x) return x + 1, x, nil, 'text', 2, true, nil end)
    local x = tensor.ones(2)
    local kept = {}
    for k = 1, 4 do
      local function check(count, y, same_x, ...)
        kept[k] = y
        assert.equal(7, count)
        assert.is_true(rawequal(same_x, x))
        assert.same({ n = 5, nil, 'text', 2, true, nil }, { n = select('#', ...), ... })
      end
      local function counted(...) return check(select('#', ...), ...) end
      counted(f(x))
      x:add(1)
      collectgarbage()
    end
    for k = 1, 4 do assert.same({k + 1, k + 1}, kept[k]:totable()) end
    local twice = tensor.compile(function(t) local y = t * 2; return y, y end)
    for _ = 1, 3 do assert.is_true(rawequal(twice(x))) end
    assert.is_truthy(twice:explain():find '1 expression')
  end)

  it('compiles once for each kind of arguments, up to a limit', function()
    local f = tensor.compile(function(x, k) return k > 2 and x * k or x + k end)
    for k = 1, 4 do
      for _ = 1, 3 do assert.same({k > 2 and 3 * k or 3 + k}, f(tensor.Tensor{3}, k):totable()) end
    end
    for _, line in ipairs { 1, 2, 3, 4 } do
      assert.is_truthy(f:explain():find(line .. '): 1 operations in 1 expression, done 1 times', 1,
                                        true))
    end
    assert.equal('torch.IntTensor', f(tensor.IntTensor{3}, 1):type())
    assert.same({ {4, 4} }, f(tensor.Tensor(1, 2):fill(3), 1):totable())
    for k = 1, 40 do
      assert.same({k > 2 and 3 * k or 3 + k}, f(tensor.Tensor{3}, k):totable())
    end
    assert.is_truthy(f:explain():find 'not compiled: 16 kinds are kept')
  end)

  it('calls operations again that are not element-wise', function()
    local x, w = tensor.Tensor{{1, 2}, {3, 4}}, tensor.Tensor{{2, 1}, {0, 3}}
    local divisor, flat = tensor.IntTensor{2, 3}, tensor.range(1, 4)
    local function replays(f, a, operations, steps)
      local compiled = tensor.compile(f)
      for _ = 1, 4 do
        local want, got = { f(a) }, { compiled(a) }
        assert.equal(#want, #got)
        for k = 1, #want do assert.is_true(same(want[k], got[k])) end
      end
      assert.equal(('%d operations in %s, done 2 times'):format(operations, steps),
                   compiled:explain():match '^%b(): (.*)')
    end
    replays(function(a) return tensor.tanh(tensor.mm(a * 2, w) + 1) * 3 end, x, 5,
            '2 expressions and 1 call')
    replays(function(a) return (a * w + 1) * w:t() end, x, 3, '1 expression and 2 calls')
    replays(function(a) return tensor.cumsum(a + 1) end, x, 2, '1 expression and 1 call')
    replays(function(a) return (a + 1):float() end, x, 2, '1 expression and 1 call')
    replays(function(a) return tensor.cdiv(a, divisor) + 1 end, tensor.IntTensor{7, 8}, 2,
            '1 expression and 1 call')
    replays(function(a) return (a + 1):t() * 2 end, x, 2, '2 expressions')
    replays(function(a) return (a + 1)[1] * 2 end, x, 2, '2 expressions')
    replays(function(a) return (a + 1):view(4):expand(2, 4) * 2 end, x, 2, '2 expressions')
    replays(function(a) return tensor.cmul(a:view(4, 1):squeeze(2), a:view(-1)) end, x, 1,
            '1 expression')
    replays(function(a) return tensor.einsum('ij,jk->ik', a, w) + 1 end, x, 2,
            '1 expression and 1 call')
    replays(function(a) return tensor.sort(a + 1, 2) end, x, 2, '1 expression and 1 call')
    replays(function(a) return tensor.cat({a, a + 1, w}, 1) end, x, 2, '1 expression and 1 call')
    replays(function(a) return tensor.mm(a, tensor.ones(2, 2)) end, x, 1, '2 calls')
    replays(function(a)
      local y = a * 2
      y:indexFill(1, tensor.LongTensor(1):fill(1), 7)
      return y:addmm(1, 2, a, w)
    end, x, 3, '1 expression and 3 calls')
    replays(function(a) return a:gt(2):sum(1), a[a:gt(2)] end, x, 4, '1 expression and 2 calls')
    replays(function(a) return (a * 2):max(2) end, x, 2, '2 expressions and 1 call')
    tensor.setBroadcast 'torch7'
    replays(function(a) return a + flat end, x, 1, '1 call')
  end)

  it('calls the function if a result has another shape or an operation fails', function()
    local f = tensor.compile(function(a) return a[a:gt(2)] * 2, tensor.uniform(a.new(2), 0, 1) end)
    local function check(a, ...)
      tensor.manualSeed(1)
      local want = { f.f(a) }
      tensor.manualSeed(1)
      local got = { f(a) }
      assert.same({...}, got[1]:totable())
      assert.is_true(same(want[2], got[2]))
    end
    for _ = 1, 3 do check(tensor.Tensor{1, 3, 4}, 6, 8) end
    check(tensor.Tensor{3, 4, 5}, 6, 8, 10)
    check(tensor.Tensor{5, 4, 1}, 10, 8)
    assert.matches('done 2 times', f:explain())
    local index = tensor.LongTensor{1, 2}
    local g = tensor.compile(function(a) return a:index(1, index) + 1 end)
    is_compiled(g, tensor.Tensor{1, 2})
    index[1] = 5
    local ok, text = pcall(g, tensor.Tensor{1, 2})
    assert.is_false(ok)
    assert.matches('^index: index 5 is out of range', text:gsub('^%S+:%d+: ', ''))
    index[1] = 2
    assert.same({3, 3}, g(tensor.Tensor{1, 2}):totable())
  end)

  it('calls functions that do anything else', function()
    local x, w = tensor.Tensor{{1, 2}, {3, 4}}, tensor.ones(2, 2)
    is_called("calls 'sum', which returns a number", function(a) return a / a:sum() end, x)
    local by_elements = 'accesses elements directly'
    is_called(by_elements, function(a) return a * a[1][1] end, x)
    is_called(by_elements, function(a) return a * w[2][2] end, x)
    is_called(by_elements, function(a) return a * a:totable()[1][1] end, x)
    is_called('uses the storage', function(a) return a * a:storage()[2] end, x)
    is_called('uses the storage', function(a) return a * a:storageOffset() end, x)
    is_called(by_elements, function(a) local y = a * 2; y[1][1] = 7; return y end, x)
    is_called(by_elements, function(a)
      local n = 0
      w:apply(function(e) n = n + e end)
      return a * n
    end, x)
    is_called('', function(a) return a + (#tostring(a) > 0 and 1 or 0) end, x)
    is_called('uses the storage', function(a)
      local y = a * 2
      y:storage():resize(1)
      y:storage():resize(4)
      return y
    end, x)
    is_called('reads a tensor that it did not write', function(a)
      return tensor.Tensor(2, 2) + a
    end, x)
    is_called('reads a tensor that is not an argument, an upvalue or a result', function(a)
      return a + tensor.Tensor{1, 2}
    end, x)
    is_called('uses a number that an operation returns', function(a)
      return a + tensor.random(1, 9) * 0
    end, x)
    is_called('returns a view', function(a) return a:t() end, x)
    is_called('returns a part of a result with gaps', function(a)
      return (a + 1):narrow(2, 1, 1)
    end, x)
    is_called('returns a table', function(a) return setmetatable({ a + 1 }, {}) end, x)
    is_called('returns no new tensor', function(a) return a end, x)
    is_called('handles errors', function(a) return a + #select(2, pcall(a.sum, a, 9)) end, x)
    local empty = tensor.Tensor(0, 2)
    is_called('reads a tensor without elements', function(a) return a + 1 end, empty)
  end)

  it('calls what changes anything', function()
    local last
    local keeps = tensor.compile(function(a) last = a * 2; return a * 3 end)
    for k = 1, 4 do
      keeps(tensor.Tensor{k})
      assert.same({2 * k}, last:totable())
    end
    local buffer = tensor.Tensor()
    local into = tensor.compile(function(a) return tensor.add(buffer, a, 1) end)
    for k = 1, 4 do assert.is_true(rawequal(into(tensor.Tensor{k}), buffer)) end
    local shape = tensor.compile(function(a) a:resize(3); return a + 1 end)
    for _ = 1, 3 do assert.same({2, 2, 2}, shape(tensor.ones(3, 1)):totable()) end
    assert.matches('changes the sizes of its arguments', shape:explain())
    assert.matches('or assigns tensors to variables', keeps:explain())
  end)

  it('calls what does another thing each time', function()
    local f = tensor.compile(function(a) return a + a.new():resizeAs(a):uniform() end)
    tensor.manualSeed(1)
    local want = { f.f(tensor.ones(2)), f.f(tensor.ones(2)) }
    for _ = 1, 3 do
      tensor.manualSeed(1)
      assert.is_true(same(want[1], f(tensor.ones(2))))
      assert.is_true(same(want[2], f(tensor.ones(2))))
    end
    assert.matches('1 expression and 1 call, done 4 times', f:explain())
    is_called("calls 'sum', which", function(a) return a + tensor.randint(1, 2, 2):sum() * 0 end,
              tensor.ones(2))
    is_called("uses 'manualSeed', whose effect or result is not repeated", function(a)
      tensor.manualSeed(1)
      return a + 1
    end, tensor.ones(2))
    local x = tensor.ones(2)
    is_called("uses 'random', whose", function(a) return a + math.random() * 0 end, x)
    is_called("uses 'time', whose", function(a) return a + os.time() * 0 end, x)
    is_called("uses 'tic', whose", function(a) tensor.tic() return a + 1 end, x)
    is_called("uses 'write', whose", function(a) io.write('') return a + 1 end, x)
    is_called("uses 'print', whose", function(a) return a + (print and 1 or 0) end, x)
    local lines = io.lines
    is_called("uses 'lines', whose", function(a) return a + (lines and 1 or 0) end, x)
    local file = io.stdout
    is_called("reads 'file', a userdata", function(a) return a + (file and 1 or 0) end, x)
    local many = {}
    for k = 1, 20000 do many[k] = k end
    is_called('can read more than 20000 values', function(a) return a + many[3] end, x)
    local state = { step = 0 }
    local counts = tensor.compile(function(a)
      state.step = state.step + 1
      return a * state.step
    end)
    for k = 1, 5 do assert.same({k}, counts(tensor.ones(1)):totable()) end
    assert.is_truthy(counts:explain():find "changes 'state.step', on which it depends")
  end)

  it('passes errors, and goes on', function()
    local x = tensor.ones(2)
    local object = setmetatable({}, { __tostring = function() return 'mine' end })
    local flag = { fail = true }
    local f = tensor.compile(function(a)
      local y = a + 1
      if flag.fail then error(object) end
      return y
    end)
    assert.is_true(rawequal(select(2, pcall(f, x)), object))
    flag.fail = false
    is_compiled(f, x)
    assert.same({2, 2}, f(x):totable())
    local ok, text = pcall(tensor.compile(function(a) return a + tensor.ones(3) end), x)
    assert.is_false(ok)
    assert.is_truthy(text:find('sizes [2] and [3] do not broadcast', 1, true), text)
    for _, wrong in ipairs { {}, { 'f' }, { x }, { 3 } } do
      local done, message = pcall(tensor.compile, wrong[1])
      assert.is_false(done)
      assert.is_truthy(message:find 'compile: a function is expected, got')
    end
    for _, field in ipairs { 'f', 'core' } do
      for _, wrong in ipairs { x, 3, io.stdout } do
        local broken = tensor.compile(function(a) return a + 1 end)
        broken[field] = wrong
        assert.is_false(pcall(broken, x))
      end
    end
    -- No observer is active.
    assert.equal(1, x[1])
  end)

  it('passes through others, coroutines and itself', function()
    local x = tensor.Tensor{1, 2}
    local inner = tensor.compile(function(a) return a * 2 end)
    local outer = tensor.compile(function(a) return inner(a + 1) - 1 end)
    for _ = 1, 4 do assert.same({3, 5}, outer(x):totable()) end
    is_compiled(outer, x)
    local yields = tensor.compile(function(a)
      local b = coroutine.yield(a + 1)
      return a + b
    end)
    for _ = 1, 3 do
      local thread = coroutine.wrap(function() return yields(x) end)
      local y = thread()
      y:mul(10)
      assert.same({2, 4}, (x * 2):totable())
      assert.same({21, 32}, thread(y):totable())
    end
    assert.is_truthy(yields:explain():find 'yields')
    local itself
    itself = tensor.compile(function(a, n) return n == 0 and a or itself(a + n, n - 1) end)
    for _ = 1, 4 do assert.same({7, 8}, itself(x, 3):totable()) end
    local generator = tensor.compile(function(a)
      local sum = a * 0
      local numbers = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end)
      for k in numbers do sum = sum + k end
      return sum
    end)
    for _ = 1, 3 do assert.same({6, 6}, generator(x):totable()) end
    is_compiled(generator, x)
  end)

  it('works on devices', function()
    local device = require('support.settings').device or 'soft'
    local there, x = pcall(function() return tensor.ones(2):to(device) end)
    if not there then return end
    local f = tensor.compile(function(a) return a * 2 + 1 end)
    local on_host = tensor.ones(2):to 'cpu'
    for _, a in ipairs{x, tensor.getDefaultDevice() == 'cpu' and on_host or nil} do
      is_compiled(f, a)
      local y = f(a)
      assert.equal(a:device(), y:device())
      assert.same({3, 3}, y:totable())
    end
    -- Values without operands, parts, sums, masks, products, and an argument that is written.
    local g = tensor.compile(function(a, b)
      local filled, parts = a:clone():fill(3), a:clone()
      parts:narrow(1, 1, 1):mul(5)
      b:add(a)
      return filled, parts, a:sum(1), a:gt(0), tensor.ger(a, b), b
    end)
    local b = tensor.zeros(2):to(device)
    for k = 1, 4 do
      for j, r in ipairs{g(x, b)} do
        local expected = {{3, 3}, {5, 1}, {2}, {1, 1}, {{k, k}, {k, k}}, {k, k}}
        assert.equal(x:device(), r:device())
        assert.same(expected[j], r:totable())
      end
    end
    is_compiled(g, x, b)
    is_compiled(tensor.compile(function(a) return a + on_host end), x)
  end)

  it('indexes with several tensors', function()
    local x = tensor.range(1, 20):view(4, 5)
    local get = tensor.compile(function(a, i, j) return a[{i, j}] * 2 end)
    local put = tensor.compile(function(a, i, j)
      local b = a:clone()
      b[{i, j}] = 0
      return b + 1
    end)
    local L = tensor.LongTensor
    local function check(f, i, j) assert.same(f.f(x, i, j):totable(), f(x, i, j):totable()) end
    for _, f in ipairs{get, put} do
      for _ = 1, 3 do check(f, L{1, 2}, L{5, 1}) end
      is_compiled(f, x, L{1, 2}, L{5, 1})
      check(f, L{-1, 3}, L{2, -5})
      for _, wrong in ipairs{0, 6, -6} do
        local ok, message = pcall(f, x, L{1, 2}, L{1, wrong})
        assert.is_false(ok)
        assert.is_truthy(message:find(('index %d is out of range'):format(wrong), 1, true), message)
      end
      assert.is_false((pcall(f, x, L{5, 1}, L{1, 1})))
    end
  end)

  it('may be a table that can be called', function()
    local double = setmetatable({}, {__call = function(_, a) return a * 2 + 0 end})
    local f = tensor.compile(double)
    local x = tensor.ones(2)
    is_compiled(f, x)
    assert.same({2, 2}, f(x):totable())
    assert.has_error(function() tensor.compile({}) end)
  end)

  it('is seen by the profiler as one operation, and prints', function()
    local f = tensor.compile(function(a) return tensor.exp(a * 2) + 1 end)
    local x = tensor.ones(2)
    is_compiled(f, x)
    assert.equal('(Double[2]): 3 operations in 1 expression, done 1 times', f:explain())
    assert.is_truthy(tostring(f):find '^compile%(function: ')
  end)
end)
