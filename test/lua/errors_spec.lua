-- Wrong calls: the message, the line that it blames, and that nothing has changed.

local tensor = require 'tensor'
local elements = require 'support.elements'
local rules = require 'support.rules'

local T = tensor.DoubleTensor

-- Runs call, which must fail; returns the message.
local function message_of(call)
  local ok, message = pcall(call)
  assert.is_false(ok, 'no error')
  assert.is_string(message)
  return message
end

-- The message must begin with the line of the call, and hold the words.
local function fails(call, ...)
  local message = message_of(call)
  local line = debug.getinfo(call, 'S').linedefined
  local last = debug.getinfo(call, 'S').lastlinedefined
  local at = tonumber(message:match('errors_spec%.lua:(%d+): '))
  assert.is_truthy(at and at >= line and at <= last, message)
  for _, word in ipairs { ... } do
    assert.is_truthy(message:find(word, 1, true), word .. ' is missing in: ' .. message)
  end
end

describe('calls with wrong arguments', function()
  it('name the function, what was got and what is accepted', function()
    local t = T(2)
    local accepted = 'expected arguments:'
    fails(function() t:add('a') end, 'add', 'DoubleTensor', 'string', accepted)
    fails(function() t:add(nil) end, 'add', 'nil', accepted)
    fails(function() t:add() end, 'add', 'DoubleTensor', accepted)
    fails(function() t:add({}) end, 'add', 'table', accepted)
    fails(function() t:add(1, 2, 3, 4) end, 'add', 'number', accepted)
    fails(function() t:int():add(tensor.FloatTensor(2)) end, 'add', 'FloatTensor', accepted)
    fails(function() tensor.add() end, 'add', accepted)
    fails(function() tensor.abs('x') end, 'abs', 'string', accepted)
    fails(function() tensor.mm(T(2, 2), 3) end, 'mm', 'number', '*DoubleTensor*')
    fails(function() tensor.cat({}) end, 'cat')
    fails(function() tensor.cat({ T(2), 3 }) end, 'cat', '2', 'number')
    fails(function() tensor.zeros('x') end, 'zeros')
    fails(function() tensor.zeros(2, 'x') end, 'zeros')
    fails(function() t:fill('x') end, 'fill')
    fails(function() t:fill(tensor.LongStorage { 1 }) end, 'fill', 'LongStorage')
    fails(function() t:trace(3) end, 'trace')
    fails(function() tensor.sort(t, 'x') end, 'sort')
    fails(function() t:maskedFill(T(2), 1) end, 'maskedFill', 'ByteTensor')
    fails(function() t:index(1, T { 1 }) end, 'index', 'LongTensor')
    fails(function() tensor.bitand(t, 1) end, 'bitand', 'DoubleTensor')
    fails(function() tensor.exp(tensor.IntTensor(2)) end, 'exp', 'IntTensor')
    fails(function() tensor.norm(tensor.IntTensor(2)) end, 'norm', 'IntTensor')
    fails(function() tensor.add(coroutine.create(function() end), 1) end, 'add', 'thread')
  end)

  it('are refused where an argument makes no sense', function()
    local t = T { 1, 2 }
    fails(function() tensor.eye(3, -3) end, 'eye', '-3')
    fails(function() tensor.uniform(3, -1) end, 'uniform', '3', '-1')
    fails(function() t:uniform(3, -1) end, 'uniform', 'lower bound 3')
    for _, range in ipairs { { 0, math.huge }, { -1e308, 1e308 }, { math.huge, math.huge } } do
      local low, high = range[1], range[2]
      fails(function() tensor.uniform(low, high) end, 'uniform', 'is not finite')
      fails(function() t:uniform(low, high) end, 'uniform', 'is not finite')
    end
    fails(function() tensor.cauchy(0, 0) end, 'cauchy', 'sigma', '0')
    fails(function() t:cauchy(0, -1) end, 'cauchy', 'sigma', '-1')
    for _, e in ipairs { elements.Int, elements.Half, elements.Double } do
      local one = e.Tensor { 1 }
      fails(function() tensor.isclose(one, one, -1, 0) end, 'isclose', 'tolerances', '-1')
      fails(function() tensor.isclose(one, one, 0, -1) end, 'isclose', '-1')
      fails(function() tensor.isclose(one, one, 0 / 0, 1) end, 'isclose', 'nan')
      fails(function() tensor.allclose(one, one, 0, -1) end, 'allclose', 'tolerances')
    end
    fails(function() tensor.clone(t, t) end, 'clone: too many arguments')
    fails(function() t:clone(3) end, 'clone')
    assert.are.same({ 1, 2 }, t:totable())
    assert.are.same({ 1, 1 }, t:uniform(1, 1):totable())
    rules.set 'torch7'
    finally(function() rules.set 'tensor' end)
    assert.are.same({ 1, 1 }, t:clone(t):totable())
    assert.is_true(tensor.uniform(3, -1) <= 3)
    assert.is_number(tensor.uniform(0, math.huge))
    assert.are.equal(0, tensor.cauchy(0, 0))
    fails(function() tensor.eye(3, -3) end, 'eye')
  end)

  it('are refused with too many arguments', function()
    local many = {}
    for i = 1, 200 do many[i] = i end
    assert.has_error(function() tensor.add(unpack(many)) end)
    assert.has_error(function() tensor.zeros(unpack(many)) end)
    assert.has_error(function() T(2):add(unpack(many)) end)
    for i = 1, 20 do many[i] = T(1) end
    assert.has_error(function() tensor.cat(unpack(many)) end)
  end)

  it('are rejected with invalid sizes, dimensions or indices', function()
    local t = T(2, 3):fill(1)
    for _, bad in ipairs { 0 / 0, math.huge, -math.huge, 2 ^ 63, -2 ^ 70 } do
      fails(function() t:narrow(bad, 1, 1) end)
      fails(function() t:narrow(1, bad, 1) end)
      fails(function() t:narrow(1, 1, bad) end)
      fails(function() t:sum(bad) end)
      fails(function() t:resize(bad) end)
      fails(function() tensor.zeros(2, bad) end)
      fails(function() tensor.eye(bad) end)
      fails(function() t:view(bad) end)
      fails(function() t:diag(bad) end)
    end
    for _, bad in ipairs { 0, 3, -3, 100, -100 } do
      fails(function() t:sum(bad) end, 'sum')
      fails(function() t:max(bad) end, 'max')
      fails(function() t:cumsum(bad) end, 'cumsum')
      fails(function() t:sort(bad) end, 'sort')
      fails(function() t:select(bad, 1) end, 'select')
    end
    fails(function() tensor.range(1, math.huge) end, 'range')
    fails(function() tensor.range(1, 5, 0) end, 'range')
    fails(function() tensor.range(1, 5, -1) end, 'range')
    fails(function() tensor.range(1, 0 / 0) end, 'range')
    fails(function() tensor.linspace(0, 1, -1) end, 'linspace')
    assert.are.equal(6, t:sum())
  end)

  it('on something else than a tensor name its type', function()
    local t = T(2)
    for _, bad in ipairs { 'x', {}, true, print, io.stdout, tensor.LongStorage(2),
                           tensor.Generator() } do
      for _, name in ipairs { 'size', 'dim', 'copy', 'clone', 'storage', 'totable', 'resizeAs',
                              'isContiguous', 'set', 'sub', 'add', 'sum', 'narrow' } do
        local ok, message = pcall(t[name], bad)
        assert.is_false(ok, name)
        assert.is_string(message)
      end
      assert.is_false((pcall(t.copy, t, bad)))
      assert.is_false((pcall(t.resizeAs, t, bad)))
    end
    for _, name in ipairs { 'size', 'copy', 'storage', 'add' } do
      assert.is_false((pcall(t[name])))
    end
  end)
end)

describe('shapes that do not fit', function()
  it('are named', function()
    fails(function() tensor.mm(T(2, 3), T(2, 3)) end, 'mm', '2', '3')
    fails(function() tensor.mv(T(2, 3), T(2)) end, 'mv')
    fails(function() tensor.dot(T(2), T(3)) end, 'dot')
    fails(function() tensor.addmm(T(2, 2), T(2, 3), T(2, 3)) end, 'addmm')
    fails(function() tensor.bmm(T(2, 2, 2), T(3, 2, 2)) end, 'bmm')
    fails(function() tensor.ger(T(2, 2), T(2)) end, 'ger')
    fails(function() T(2):copy(T(3)) end, 'copy', '2', '3')
    fails(function() tensor.cat(T(2, 2), T(3, 3), 1) end, 'cat', '[2 x 2]', '[3 x 3]')
    fails(function() tensor.trace(T(2)) end, 'trace')
    fails(function() tensor.diag(T(2, 2, 2)) end, 'diag', '[2 x 2 x 2]')
    fails(function() T(3):sum(2) end, 'sum', '2')
    fails(function() T():max() end, 'max')
    fails(function() T():min() end, 'min')
    fails(function() T(0):max() end, 'max')
    fails(function() T():mean() end, 'mean')
    fails(function() T(2, 0):max(2) end, 'max', '[2 x 0]')
    fails(function() T(2, 3):t():t():view(7) end, 'view')
    fails(function() T(2, 2):gather(1, tensor.LongTensor { { 1, 3 } }) end, 'gather')
    fails(function() T(2, 2):gather(1, tensor.LongTensor { 1 }) end, 'gather')
    fails(function() T(2, 2):scatter(1, tensor.LongTensor { { 0, 1 } }, 1) end, 'scatter')
    fails(function() T(2, 2):indexCopy(1, tensor.LongTensor { 1 }, T(2, 2)) end, 'indexCopy')
    fails(function() T(2, 2):indexAdd(1, tensor.LongTensor { 1, 5 }, T(2, 2)) end, 'indexAdd')
    fails(function() T(3):maskedCopy(tensor.ByteTensor { 1, 1, 0 }, T(1)) end, 'maskedCopy')
  end)
end)

describe('after an error', function()
  it('operands and results are as they were', function()
    local r = T { 1, 2, 3 }
    local a, b = T { { 1, 2 }, { 3, 4 } }, T { 5, 6, 7 }
    local calls = {
      function() tensor.add(r, a, b) end, function() tensor.cmul(r, a, b) end,
      function() r:add(a) end, function() tensor.mm(r, a, b) end,
      function() tensor.cat(r, a, b, 1) end, function() tensor.sum(r, a, 5) end,
      function() tensor.cumsum(r, a, 5) end,
      function() tensor.index(r, b, 1, tensor.LongTensor { 9 }) end,
      function() tensor.gather(r, a, 1, tensor.LongTensor { { 9, 1 } }) end,
      function() tensor.lt(r, a, b) end, function() tensor.sort(r, a, 3) end,
      function() b:indexFill(1, tensor.LongTensor { 1, 4 }, 0) end,
      function() b:indexCopy(1, tensor.LongTensor { 1, 4 }, T { 0, 0 }) end,
      function() b:indexAdd(1, tensor.LongTensor { 2, 4 }, T { 1, 1 }) end,
      function() b:scatter(1, tensor.LongTensor { 1, 4 }, 0) end,
      function() b:scatterAdd(1, tensor.LongTensor { 1, 4 }, T { 1, 1 }) end,
      function() b:maskedFill(tensor.ByteTensor(2), 0) end,
      function() b:maskedCopy(tensor.ByteTensor { 1, 1, 1 }, T { 0, 0 }) end,
      function() tensor.reshape(r, a, 5) end, function() tensor.diag(r, T(2, 2, 2)) end,
      function() tensor.linspace(r, 0, 1, -5) end, function() tensor.range(r, 1, 5, -1) end,
      function() tensor.addmm(r, a, a, b) end, function() r:resize(2, -1) end,
      function() tensor.max(r, tensor.LongTensor(), a, 7) end, function() r:zeros(-1) end,
    }
    for i, call in ipairs(calls) do
      assert.is_false((pcall(call)), 'call ' .. i)
      assert.are.same({ 1, 2, 3 }, r:totable(), 'call ' .. i)
      assert.are.same({ { 1, 2 }, { 3, 4 } }, a:totable(), 'call ' .. i)
      assert.are.same({ 5, 6, 7 }, b:totable(), 'call ' .. i)
    end
  end)
end)

describe('integers', function()
  for _, e in ipairs(elements) do
    if e.integral then
      it('of ' .. e.name .. ' are not divided by 0', function()
        local t, zero = e.Tensor { 5, 6 }, e.Tensor { 1, 0 }
        for _, name in ipairs { 'div', 'fmod', 'remainder' } do
          local message = message_of(function() tensor[name](t, 0) end)
          assert.is_truthy(message:find(name, 1, true), message)
          message_of(function() t[name](t, 0) end)
          message_of(function() t[name](t, 0.5) end)
          local by_tensor = 'c' .. name
          message = message_of(function() tensor[by_tensor](t, zero) end)
          assert.is_truthy(message:find(by_tensor, 1, true), message)
          message_of(function() t[by_tensor](t, zero) end)
        end
        message_of(function() tensor.addcdiv(t, t, zero) end)
        assert.are.same({ 5, 6 }, t:totable())
        assert.are.same({ 1, 0 }, zero:totable())
        local lowest = e.Tensor(1):fill(e.lowest)
        if e.signed then
          assert.are.equal(e.lowest, tensor.div(lowest, -1)[1])
          assert.are.equal(0, tensor.fmod(lowest, -1)[1])
          assert.are.equal(0, tensor.remainder(lowest, -1)[1])
          assert.are.equal(e.lowest, tensor.abs(lowest)[1])
          assert.are.equal(e.lowest, (-lowest)[1])
        end
      end)
    end
  end
end)

describe('errors are blamed on the caller', function()
  it('through the module\'s own Lua functions', function()
    require 'support.dialect'.since('5.2', 'Lua 5.1 takes tail calls for callers')
    local t = T(4)
    fails(function() t:split(0) end, 'split')
    fails(function() t:chunk(-1) end, 'chunk')
    fails(function() t:split(2, 3) end)
    fails(function() t:repeatTensor() end, 'repeatTensor')
    fails(function() t:apply(3) end, 'apply')
    fails(function() t:type('x') end, 'type')
    fails(function() tensor.setdefaulttensortype('x') end, 'setdefaulttensortype')
    fails(function() tensor.repeatTensor(t, -1) end)
    fails(function() tensor.setnumthreads(0) end)
    fails(function() tensor.setnumthreads(1e9) end)
  end)

  it('inside coroutines and nested calls', function()
    local function inner() return T(2):add('x') end
    local co = coroutine.create(function() inner() end)
    local ok, message = coroutine.resume(co)
    assert.is_false(ok)
    assert.is_truthy(message:find('errors_spec%.lua:%d+: add'), message)
    fails(function() return #tensor.mm(T(2, 3), T(2, 3)) end, 'mm')
  end)

  it('show the line of the caller of a coroutine without lines of its own', function()
    local function f(x) return tensor.view(x, 7, 7) end
    local function batches()
      for x in require 'tensor.data'.batches({T(2, 2)}, {size = 2, transform = f})() do f(x) end
    end
    local function with_device() tensor.withDevice('cpu', f, T(2, 2)) end
    local function gradient() tensor.grad(f)(T(2, 2)) end
    for _, call in ipairs {batches, with_device, gradient} do
      local ok, message = coroutine.resume(coroutine.create(call))
      assert.is_false(ok)
      assert.matches('errors_spec%.lua:%d+: view', message)
    end
  end)
end)

it('methods that are called with a dot name the colon, in the line of the program', function()
  local optim = require 'tensor.optim'
  local figure, other = tensor.plot.line{1, 2}, {1, 2}
  local batches = require 'tensor.data'.batches(tensor.ones(3), {size = 1})
  local file = tensor.MemoryFile()
  local step, lbfgs = optim.sgd{rate = 1}, optim.lbfgs{}
  local compiled, scope = tensor.compile(function(x) return x end), tensor.scope()
  for name, f in pairs {
    svg = function() figure.svg() end, set = function() figure.set{title = 'a'} end,
    line = function() figure.line(other) end, save = function() figure.save 'a.svg' end,
    explain = function() compiled.explain() end, close = function() scope.close() end,
    stop = function() batches.stop() end, steps = function() step.steps() lbfgs.steps() end,
    readObject = function() file.readObject() end, writeObject = function() file.writeObject{} end,
    referenced = function() file.referenced(true) end,
  } do
    local _, message = pcall(f)
    assert.matches(('^%%S*errors_spec.lua:%%d+: %s: a method is called with a colon$'):format(name),
                   message)
  end
  assert.has_error(function() lbfgs.steps() end, 'steps: a method is called with a colon')
  scope:close()
end)

describe('arguments that are taken for others', function()
  -- Compiled loops do not look for names, and LuaJIT may begin to compile anywhere.
  it('a name in a list of positions', function()
    local t, jit = T { { 1, 2 }, { 3, 4 } }, rawget(_G, 'jit')
    if jit then jit.off() end
    finally(function()
      tensor.setRule('arguments', 'tensor')
      if jit then jit.on() end
    end)
    local text = "indexing: arguments have no names: a list is expected, got a table with the key"
    fails(function() return t[{ 1, 2, dim = 2 }] end, text)
    fails(function() t[{ 1, 2, dim = 2 }] = 5 end, text)
    assert.are.equal(2, t[{ 1, 2, n = 2 }])
    tensor.setRule('arguments', 'torch7')
    assert.are.equal(2, t[{ 1, 2, dim = 2 }])
  end)

  it('a LongTensor of dimensions', function()
    local t = T { { 1, 2 }, { 3, 4 } }
    for _, name in ipairs { 'flip', 'fftshift', 'ifftshift' } do
      fails(function() t[name](t, tensor.LongTensor { 1, 2 }) end, name,
            'dimensions are numbers, a table or a LongStorage, got a LongTensor')
    end
    assert.are.same({ { 1, 2 }, { 3, 4 } }, t:totable())
    fails(function() t:squeeze(tensor.LongTensor { 1 }) end, 'squeeze', 'got a LongTensor')
    fails(function() tensor.squeeze(t, tensor.LongTensor { 1 }) end, 'got a LongTensor')
    assert.are.same({ 1, 2 }, tensor.squeeze(tensor.Tensor(), T { { 1, 2 } }):totable())
    local dims = tensor.LongTensor { 1, 2 }
    assert.are.same({ 2, 1 }, tensor.flip(tensor.LongTensor(), dims):totable())
  end)

  it('a number in the place of a flag', function()
    local t, mean, variance = T { { 1, 2 }, { 3, 4 } }, tensor.zeros(2), tensor.ones(2)
    fails(function() tensor.batchNorm(t, mean, variance, nil, nil, 1) end, 'batchNorm')
    fails(function() tensor.batchNorm(t, mean, variance, 1) end, 'batchNorm')
    fails(function() tensor.attention(t, t, t, 1) end, 'attention')
    fails(function() tensor.istft(tensor.ones(3, 3, 2), tensor.ones(4), 1, 1) end, 'istft')
    local want = tensor.batchNorm(t, mean, variance, nil, nil, false, 0.1, 3)
    assert.is_true(want:equal(tensor.batchNorm(t, mean, variance, nil, nil, false, nil, 3)))
  end)

  it('nil in the place of the dimension of a reduction', function()
    local t = T { { 3, 1 }, { 2, 9 } }
    for _, name in ipairs { 'median', 'mode', 'nanmedian', 'max' } do
      fails(function() t[name](t, nil) end, name, 'is nil')
    end
    fails(function() t:kthvalue(1, nil) end, 'kthvalue', 'is nil')
    tensor.setRule('medians', 'torch7')
    finally(function() tensor.setRule('medians', 'tensor') end)
    assert.are.same({ { 1 }, { 2 } }, (t:median(nil)):totable())
  end)

  it('a number before the tensor of a comparison', function()
    fails(function() tensor.lt(5, T { 1, 9 }) end, 'lt', 'the tensor comes first: 5 < t is t:gt(5)')
    fails(function() tensor.eq(256, tensor.ByteTensor(2)) end, 'eq', 'the tensor comes first')
  end)

  it('a dimension that does not exist', function()
    local a, b = T { 1, 0, 0 }, T { 0, 1, 0 }
    assert.are.same({ 0, 0, 1 }, tensor.cross(a, b):totable())
    for _, dimension in ipairs { -2000, -1000, -2, 2 } do
      fails(function() tensor.cross(a, b, dimension) end, 'cross', 'dimension ' .. dimension)
    end
  end)
end)
