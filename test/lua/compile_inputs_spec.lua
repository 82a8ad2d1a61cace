-- tensor.compile: everything that a function can read and that can change between calls, how its
-- arguments and results share memory, and what runs in the middle of a call.

local tensor = require 'tensor'
local support = require 'support.compiled'
local same, is_compiled, is_called = support.same, support.is_compiled, support.is_called

describe('compile', function()
  it('notices constants wherever the function finds them', function()
    local x, scale = tensor.ones(2), 2
    local function helper(a) return a * scale end
    local inner = tensor.compile(function(a) return a * scale + 1 end)
    local class = { scaled = function(object, a) return a * object.k end }
    local object = setmetatable({ k = 2 }, { __index = class })
    local config, list = { rate = 2, deep = { rate = 2 } }, { 2 }
    local environment = setmetatable({ rate = 2, more = { rate = 2 } }, { __index = _G })
    local function in_environment(text)
      return setfenv(assert(loadstring('return function(a) ' .. text .. ' end')), environment)()
    end
    local uses_global = in_environment 'return a * rate'
    local cases = {
      { function(a) return helper(a) end, function(n) scale = n end },
      { function(a) return inner(a) - 1 end, function(n) scale = n end },
      { function(a) return helper(inner(a)) - helper(a) * scale end, function(n) scale = n end },
      { function(a) return a * config.rate end, function(n) config.rate = n end },
      { function(a) return a * config.rate end, function(n) config = { rate = n } end },
      { function(a) return a * config.deep.rate end, function(n) config.deep = { rate = n } end },
      { function(a) return a * list[1] end, function(n) list[1] = n end },
      { function(a) return a * (list[2] or 2) end, function(n) list[2] = n end },
      { function(a) return object:scaled(a) end, function(n) object.k = n end },
      { function(a) return object:scaled(a) end, function(n)
        setmetatable(object, { __index = { scaled = function(_, b) return b * n end } })
      end },
      { in_environment 'return a * rate', function(n) environment.rate = n end },
      { in_environment 'return a * _G.some_rate', function(n) _G.some_rate = n end },
      { in_environment 'return a * some_rate', function(n) environment.some_rate = n end },
      { in_environment 'return a * more.rate', function(n) environment.more = { rate = n } end },
      { in_environment 'return (function() return a * rate end)()',
        function(n) environment.rate = n end },
      { function(a) return uses_global(a) end, function(n) environment.rate = n end },
      { function(a) return uses_global(a) end, function(n)
        setfenv(uses_global, setmetatable({ rate = n }, { __index = _G }))
      end },
    }
    _G.some_rate = 2
    for number, case in ipairs(cases) do
      case[2](2)
      local f = tensor.compile(case[1])
      is_compiled(f, x)
      for _, n in ipairs { 3, 5 } do
        case[2](n)
        for _ = 1, 3 do assert.same({ number, n, n }, { number, unpack(f(x):totable()) }) end
      end
      case[2](2)
      assert.same({2, 2}, f(x):totable())
    end
    _G.some_rate = nil
  end)

  -- Checks that f, a function of x, is compiled and gives its results after each change.
  local function follows(f, x, ...)
    local compiled = tensor.compile(f)
    is_compiled(compiled, x)
    for k = 1, select('#', ...) do
      select(k, ...)()
      for _ = 1, 3 do assert.is_true(same(f(x), compiled(x)), k) end
    end
  end

  it('notices fields that the program adds to a class of tensors', function()
    local x, scale = tensor.ones(2), 2
    local class = tensor.getmetatable 'torch.DoubleTensor'
    function class.scaled(t) return t * scale end
    class.factor = 2
    follows(function(a) return a:scaled() end, x, function() scale = 3 end,
            function() function class.scaled(t) return t * 7 end end)
    follows(function(a) return a * a.factor end, x, function() class.factor = 3 end)
    class.scaled, class.factor = nil, nil
  end)

  it('notices functions of the program in functions and objects of the module', function()
    local slope, nn = 2, require 'tensor.nn'
    local function activation(t) return t * slope end
    local x = tensor.rand(1, 3, 2)
    for _, options in ipairs {
      { activation = activation },
      { activation = setmetatable({}, { __call = function(_, t) return activation(t) end }) },
    } do
      local block = nn.transformerBlock(2, 1, options)
      local params = block.init()
      follows(function(a) return block(params, a) end, x, function() slope = slope + 1 end)
    end
    local object = setmetatable({ k = 2 }, { __call = function(self, a) return a * self.k end })
    follows(object, x, function() object.k = 3 end)
  end)

  it('notices fields of modules whose keys are numbers, tables and others', function()
    local x, key = tensor.ones(2), {}
    local weights = { 2, 3, [true] = 4, [key] = { 5 }, name = 'w' }
    package.loaded.weights = weights
    follows(function(a) return a * require 'weights'[1] end, x, function() weights[1] = 6 end)
    follows(function(a)
      for _, w in ipairs(weights) do a = a * w end
      return a
    end, x, function() weights[2] = 7 end, function() weights[3] = 8 end)
    follows(function(a) return a * (weights[4] or weights[true]) end, x,
            function() weights[true] = 9 end, function() weights[4] = 2 end)
    follows(function(a) return a * weights[key][1] end, x, function() weights[key][1] = 3 end,
            function() weights[key] = { 4 } end)
    package.loaded.weights = nil
  end)

  it('notices methods of strings that the program adds', function()
    local x, scale = tensor.ones(2), 2
    rawset(string, 'scaled', function(_, t) return t * scale end)
    local function f(a)
      local name = 'w'
      return name:scaled(a)
    end
    follows(f, x, function() scale = 3 end, function()
      rawset(string, 'scaled', function(_, t) return t * 7 end)
    end)
    rawset(string, 'scaled', nil)
    local strings = getmetatable ''
    local before = strings.__index
    function strings.__index(s, key) return before[key] or key == 'scale' and #s * scale end
    local fine, failure = pcall(follows, function(a) return a * ('w').scale end, x, function()
      scale = 4
    end)
    strings.__index = before
    assert(fine, failure)
  end)

  it('replays for tensors that take the place of others', function()
    local held, x = { w = tensor.ones(2) }, tensor.Tensor{1, 2}
    local f = tensor.compile(function(a) return tensor.cmul(a, held.w) end)
    is_compiled(f, x)
    for k = 1, 5 do
      held.w = tensor.Tensor{k, k}
      assert.same({k, 2 * k}, f(x):totable())
    end
    assert.equal('(Double[2]): 1 operations in 1 expression, done 6 times', f:explain())
    -- A view that the function makes of a tensor that is another one later.
    held.w = tensor.Tensor{{1, 2}, {3, 4}}
    local rows = tensor.compile(function(a) return tensor.cmul(a, held.w[1]) end)
    is_compiled(rows, x)
    held.w:set(tensor.Tensor{{5, 6}, {7, 8}})
    for _ = 1, 3 do assert.same({5, 12}, rows(x):totable()) end
  end)

  it('tells arguments apart by all that a function can see', function()
    local s = tensor.range(1, 12)
    local function compare(f, ...)
      local compiled = tensor.compile(f)
      for _ = 1, 3 do
        for k = 1, select('#', ...) do
          local a = select(k, ...)
          assert.is_true(same(f(a), compiled(a)))
        end
      end
    end
    local slices = { s:narrow(1, 1, 3), s:narrow(1, 5, 3), tensor.Tensor{7, 8, 9},
                     s:narrow(1, 2, 3) }
    compare(function(a) return a + a:storageOffset() end, unpack(slices))
    compare(function(a) return a + a:storage():size() end, unpack(slices))
    compare(function(a) return a + tensor.Tensor(a:storage(), 1, 3) end, unpack(slices))
    compare(function(a) return a * (a:device() == 'cpu' and 2 or 3) end, unpack(slices))
    local there, copy = pcall(function() return slices[1]:clone():to 'soft' end)
    if there then compare(function(a) return a * #a:device() end, slices[1], copy) end
    -- Slices of one storage are replayed, wherever they lie.
    local f = tensor.compile(function(a) return a * 2 end)
    for k = 1, 10 do assert.equal(2 * k, f(s:narrow(1, k, 3))[1]) end
    assert.matches('done 8 times', f:explain())
    -- Which of the arguments are one.
    local g = tensor.compile(function(a, b, c) return a + (rawequal(b, c) and 1 or 2), c end)
    local a, b = s:narrow(1, 1, 3), s:narrow(1, 1, 3)
    for _ = 1, 3 do
      assert.same({2, 3, 4}, g(a, b, b):totable())
      local y, c = g(s, b, a)
      assert.is_true(rawequal(c, a) and y[1] == 3)
    end
  end)

  it('calls what writes to overlapping elements, or returns shared memory', function()
    local x = tensor.Tensor{{1, 2}, {3, 4}, {5, 6}}
    is_called('writes to a tensor whose elements overlap', function(a)
      return tensor.Tensor(4):unfold(1, 2, 1):copy(a) * 1
    end, x)
    local f = tensor.compile(function(a)
      local y = a + 1
      return y, y:view(3, 2)
    end)
    for _ = 1, 3 do
      local y, z = f(x)
      y:fill(7)
      assert.equal(7, z[1][1])
    end
    assert.matches('returns tensors that share memory', f:explain())
  end)

  it('keeps no arguments', function()
    local f = tensor.compile(function(a) return a:narrow(1, 2, 100) * 2 end)
    local held = { x = tensor.ones(1) }
    local g = tensor.compile(function(a) return a * 2 + held.x end)
    for k = 1, 12 do
      f(tensor.ones(1000 + k, 100))
      f(tensor.ones(1000 + k, 100))
      held = { x = tensor.ones(k, 10000) }
      g(tensor.ones(1))
      g(tensor.ones(1))
    end
    held = nil
    for _ = 1, 3 do collectgarbage() end
    local before = tensor.memory().bytes
    f, g = nil, nil  -- luacheck: ignore
    for _ = 1, 3 do collectgarbage() end
    assert.is_true(before - tensor.memory().bytes < 100000, before - tensor.memory().bytes)
  end)

  it('is left by errors of hooks', function()
    local f = tensor.compile(function(a) return a + 1 end)
    local x, calls = tensor.ones(2), 0
    for after = 1, 120 do
      local compiled = tensor.compile(function(a) return a + 1 end)
      pcall(function()
        debug.sethook(function()
          debug.sethook()
          error 'a hook'
        end, '', after)
        compiled(x)
      end)
      debug.sethook()
      -- Recorded as a whole, as nothing else is being recorded.
      for _ = 1, 3 do f(x) end
      calls = calls + 3
    end
    assert.matches(('done %d times'):format(calls - 2), f:explain())
  end)

  it('is called by finalizers while it is being called', function()
    if not newproxy then return end
    local f, live, calls = nil, true, 0
    local function attack(count)
      for _ = 1, count do
        getmetatable(newproxy(true)).__gc = function()
          if live then
            calls = calls + 1
            local t = tensor.ones(calls % 3 + 1, 2)
            f(t, t, t, calls % 3)
          end
        end
      end
    end
    local w = tensor.ones(1)
    f = tensor.compile(function(a, ...) return a + w, a, 'text', w, ... end)
    local pause, step = collectgarbage('setpause', 0), collectgarbage('setstepmul', 10000)
    collectgarbage()
    for k = 1, 300 do
      attack(3)
      local x = tensor.ones(k % 3 + 2, 2)
      local y, again, text, v, five = f(x, 5)
      assert.is_true(rawequal(again, x) and rawequal(v, w) and text == 'text' and five == 5)
      assert.equal(4 * x:size(1), y:sum())
    end
    collectgarbage('setpause', pause)
    collectgarbage('setstepmul', step)
    live = false
    assert.is_true(calls > 100, calls)
  end)

  it('may be written, where each write reads other inputs, in any order of them', function()
    local bodies = {
      function(h, x, v)
        local q = x:clone()
        x:add(tensor.cmul(h, v))
        v:add(-tensor.cmul(h, q))
        h:mul(0.5)
      end,
      function(h, x, v) v:add(x) x:add(v, 1, h) h:mul(-2) end,
      function(h, x, v)
        local q = x:clone()
        x:copy(v):add(h)
        v:copy(q)
        h:mul(2)
      end,
    }
    for k, body in ipairs(bodies) do
      for _, order in ipairs { { 1, 2, 3 }, { 1, 3, 2 }, { 2, 1, 3 }, { 2, 3, 1 }, { 3, 1, 2 },
                               { 3, 2, 1 } } do
        local function permuted(...)
          local given, own = { ... }, {}
          for i, place in ipairs(order) do own[place] = given[i] end
          body(own[1], own[2], own[3])
        end
        local compiled, plain, fused = tensor.compile(permuted), {}, {}
        for i = 1, 3 do
          plain[i] = tensor.Tensor { 3 * i, 1 - i }
          fused[i] = plain[i]:clone()
        end
        for _ = 1, 3 do
          permuted(plain[1], plain[2], plain[3])
          compiled(fused[1], fused[2], fused[3])
          for i = 1, 3 do assert.is_true(plain[i]:equal(fused[i]), k .. ': ' .. i) end
        end
      end
    end
  end)
end)

it('assignments by subscripts are compiled', function()
  local i, rows = tensor.LongTensor { 2 }, tensor.ByteTensor { 1, 0, 1 }
  local z = tensor.range(1, 3)
  local functions = {
    function(y) y[i] = 3 end, function(y) y[{ { 2, -1 } }] = y[{ { 1, -2 } }] end,
    function(y) y[{ { 1 } }] = z end, function(y) y[{ { 1, -1, 2 } }] = z end,
    function(y) y[{ { -1, 1, -1 } }] = y * 2 end, function(y) y[rows] = 5 end,
    function(y) y[{ i, { 1, 2 } }] = 7 end,
  }
  for k, assign in ipairs(functions) do
    local function f(x)
      local y = x * 1
      assign(y)
      return y + 1
    end
    local compiled = tensor.compile(f)
    for call = 1, 4 do
      local x = tensor.range(1, 9):view(3, 3) * call
      assert.is_true(compiled(x):equal(f(x)), k)
    end
    assert.is_nil(compiled:explain():find 'not compiled', compiled:explain())
  end
end)

it('conversions of indices are compiled, and check them in replays', function()
  local L = tensor.LongTensor
  local positions = tensor.compile(function(i, j)
    return tensor.ravelMultiIndex({ i, j }, { 2, 3 }) * 2
  end)
  local subscripts = tensor.compile(function(k)
    local i, j = tensor.unravelIndex(k, { 2, 3 })
    return i * 10 + j
  end)
  for _ = 1, 2 do
    assert.are.same({ 2, 12 }, positions(L { 1, 2 }, L { 1, 3 }):totable())
    assert.are.same({ 8, 2 }, positions(L { 2, 1 }, L { 1, 1 }):totable())
    assert.are.same({ 11, 23 }, subscripts(L { 1, 6 }):totable())
    assert.are.same({ 13, 21 }, subscripts(L { 3, 4 }):totable())
  end
  for _, i in ipairs { L { 1, 3 }, L { 0, 1 }, L { 1, -1 } } do
    assert.error_matches(function() positions(i, L { 1, 1 }):totable() end, 'out of range')
  end
  assert.error_matches(function() positions(L { 1, 1 }, L { 4, 1 }):totable() end,
                       'out of range')
  for _, k in ipairs { L { 1, 7 }, L { 0, 1 }, L { 1, -1 } } do
    assert.error_matches(function() subscripts(k):totable() end, 'out of range')
  end
  for _, compiled in ipairs { positions, subscripts } do
    assert.matches('done %d+ times', compiled:explain())
    assert.is_nil(compiled:explain():find 'not compiled')
  end
  assert.error_matches(function()
    return tensor.compile(tensor.unravelIndex)(L { 7 }, { 2, 3 }):totable()
  end, 'out of range')
end)

-- Words such as `test` are names of functions whose calls are not compiled.
it('names of variables, files and words in texts are not the names of functions', function()
  local source = [[
    local tensor, memory = ...
    return function(a, seed)
      local test, text = a * 2, 'load or save'
      return tensor.exp(test) + seed + memory + #text
    end]]
  for _, file in ipairs { '@/home/me/test/plot.lua', '=load', '@Timer' } do
    local f = assert(loadstring(source, file))(tensor, tensor.ones(2))
    is_compiled(tensor.compile(f), tensor.ones(2), tensor.ones(2))
  end
  for _, name in ipairs { 'seed', 'tic', 'help' } do
    local f = assert(loadstring(([[
      local tensor = ...
      return function(a) if #a == 5 then (function() tensor.%s() end)() end return a + 1 end
    ]]):format(name)))(tensor)
    is_called(("uses '%s'"):format(name), f, tensor.ones(2))
  end
end)

it('names the path of what a call cannot repeat', function()
  local x, file = tensor.ones(2), io.stdout
  local advice = '; keep what the function uses in local variables of its own'
  local s = { loader = { { threads = file } }, k = 2 }
  local timed = setmetatable({ k = 2, timer = tensor.Timer() },
                             { __index = { step = function(self, a) return a * self.k end } })
  local function inner(a) return file and a end
  local logs = { s = { log = print } }
  for reason, f in pairs {
    ["reads 'threads', a userdata (upvalue s, field loader[1].threads)" .. advice] =
      function(a) return a * s.k end,
    ["reads 'timer', a torch.Timer (upvalue timed, field timer)" .. advice] =
      function(a) return timed:step(a) end,
    ["reads 'file', a userdata (upvalue inner, upvalue file)"] = function(a) return inner(a) end,
    ["uses 'log' (upvalue logs, field s.log), whose effect or result is not repeated"] =
      function(a) return logs.s and a * 2 end,
  } do
    local c = tensor.compile(f)
    c(x)
    assert.are.equal('(Double[2]): not compiled: the function ' .. reason, c:explain())
  end
end)

it('names the path of a value in an environment that contains itself', function()
  local env = { tensor = tensor, ns = { timer = tensor.Timer(), k = 2 } }
  env.ns.parent = env
  local f = setfenv(assert(loadstring 'return function(x) return x * ns.k end'), env)()
  local c = tensor.compile(f)
  c(tensor.ones(2))
  assert.matches("reads 'timer', a torch.Timer", c:explain(), 1, true)
end)

it('compile accepts thousands of arguments, captured tensors and results', function()
  local unpack = require('tensor.versions').unpack
  local function list_of(count)
    local list = {}
    for k = 1, count do list[k] = tensor.Tensor{ k } end
    return list
  end
  local list, captured = list_of(3990), list_of(1990)
  local function sum(l) return l[1] + l[3990] + captured[1990] end
  local function all(l) return unpack(l) end
  local function both(l) return captured[1], unpack(l) end
  for _, f in ipairs{ sum, all, both } do
    local c = tensor.compile(f)
    local expected = { f(list) }
    for _ = 1, 4 do
      local got = { c(list) }
      assert.are.equal(#expected, #got)
      assert.is_true(same(expected[#got], got[#got]))
    end
  end
  local flat = tensor.compile(function(...) return (...) + 1 end)
  for _ = 1, 3 do assert.are.equal(2, flat(unpack(list))[1]) end
  assert.matches('done 1 times', flat:explain())
end)

it('compile finds tensors and storages that occur again among many', function()
  local function list_of(last)
    local list = {}
    for k = 1, 40 do list[k] = tensor.zeros(2) end
    list[40] = last and last(list) or list[40]
    return list
  end
  local compiled = tensor.compile(function(l)
    l[40]:add(1)
    return l[35] + l[40]
  end)
  for _ = 1, 5 do
    assert.are.same({ 1, 1 }, compiled(list_of()):totable())
    assert.are.same({ 2, 2 }, compiled(list_of(function(l) return l[35] end)):totable())
    assert.are.same({ 2, 2 }, compiled(list_of(function(l) return l[35]:view(2) end)):totable())
  end
  assert.matches('done 3 times.*done 3 times.*done 3 times', compiled:explain())
end)

it('compile calls functions that read the running coroutine as usual', function()
  local of_thread = setmetatable({}, { __mode = 'k' })
  local function scale(x)
    local t = tensor.isTensor(x) and x or x[1]
    return t * of_thread[coroutine.running() or 'main']
  end
  for _, x in ipairs{ tensor.ones(1), { tensor.ones(1) } } do
    local compiled = tensor.compile(scale)
    local function call(factor)
      of_thread[coroutine.running() or 'main'] = factor
      for _ = 1, 4 do assert.are.equal(factor, compiled(x)[1]) end
    end
    call(2)
    coroutine.wrap(call)(3)
    assert.matches('not compiled', compiled:explain())
  end
  if not coroutine.isyieldable then return end
  local function direction(x) return coroutine.isyieldable() and x + 1 or x - 1 end
  local compiled = tensor.compile(direction)
  for _ = 1, 4 do
    assert.are.equal(direction(tensor.ones(1))[1], compiled(tensor.ones(1))[1])
  end
end)

it('compile passes errors with the position of the caller', function()
  local compiled = tensor.compile(function() error('bad x', 2) end)
  for _, x in ipairs{ tensor.ones(1), { tensor.ones(1) } } do
    for _ = 1, 2 do
      local line = debug.getinfo(1, 'l').currentline + 1
      local ok, message = pcall(function() local y = compiled(x) return y end)
      assert.is_false(ok)
      assert.matches(('compile_inputs_spec.lua:%d: bad x$'):format(line), message)
    end
  end
end)
