-- tensor.compile of gradients and of training steps: replays give the same bits as the program, and
-- leave the same bits in the tensors that it writes.

local tensor = require 'tensor'
local nn, optim = require 'tensor.nn', require 'tensor.optim'
local tree = require 'tensor.tree'
local fuzz = require 'fuzz.gradients'
local D = tensor.DoubleTensor

local same = require('support.compiled').same

-- Calls a step `count` times, as it is and compiled, each with arguments of its own, and compares
-- results and arguments. make(): the step and its arguments, equal each time.
local function compare(make, count)
  tensor.manualSeed(7)
  local plain = { make() }
  tensor.manualSeed(7)
  local other = { make() }
  local compiled = tensor.compile(other[1])
  local function run(f, arguments)
    tensor.manualSeed(8)
    local results = {}
    for k = 1, count or 5 do
      results[k] = { f(unpack(arguments, 2)) }
    end
    return results
  end
  local expected, found = run(plain[1], plain), run(compiled, other)
  assert.is_true(same(expected, found), compiled:explain())
  assert.is_true(same({ unpack(plain, 2) }, { unpack(other, 2) }))
  assert.matches('done %d times', compiled:explain())
  return compiled
end

local function refused(reason, make)
  local f, x = make()
  local c = tensor.compile(f)
  for _ = 1, 4 do c(x) end
  assert.is_truthy(c:explain():find('not compiled: the function ' .. reason, 1, true), c:explain())
end

local function square_sum(x) return tensor.cmul(x, x):sum() end

describe('a compiled gradient', function()
  before_each(function() tensor.setdefaulttensortype 'torch.DoubleTensor' end)

  it('of a mean of 16-bit elements has the digits of its type', function()
    local x, y = tensor.randn(1000) * 100, tensor.randn(1000)
    for _, class in ipairs { 'torch.HalfTensor', 'torch.BFloat16Tensor', 'torch.FloatTensor' } do
      for _, loss in ipairs { tensor.mse, tensor.huber, tensor.binaryCrossEntropy } do
        compare(function()
          local target = y:type(class):clamp(0, 1)
          local df = tensor.grad(function(p) return loss(p, target) * 0.37 end, { tensors = true })
          return df, x:type(class)
        end)
      end
    end
    local p = tensor.HalfTensor(1000000):fill(1000)
    local df = tensor.grad(function(t) return tensor.mse(t, p * 0) end)
    assert.are.equal(tensor.HalfTensor { 0.002 }[1], df(p)[1])
  end)

  it('has its loss, also beside recordings without one', function()
    local df = tensor.grad(square_sum, { tensors = true })
    local f = tensor.compile(function(x)
      if x:dim() == 1 then return df(x) end
      x:mul(2)
    end)
    local m, w, step = D{ { 1, 1 } }, D{ 1, 2 }, optim.sgd{ rate = 0.1 }
    for _ = 1, 4 do
      f(m)
      step(w, f(w))
    end
    assert.are.same({ { 16, 16 } }, m:totable())
    assert.is_true(w:allclose(D{ 1, 2 } * 0.8 ^ 4, 1e-12))
  end)

  it('has a tensor as its loss for an empty batch, too', function()
    local df = tensor.grad(function(p, x) return tensor.mm(x, p):sum() end, { tensors = true })
    local p = D{ { 1 }, { 2 } }
    for _, f in ipairs { df, tensor.compile(df) } do
      for _, rows in ipairs { 2, 0, 2, 0, 0 } do
        local g, loss = f(p, tensor.ones(rows, 2))
        assert.are.equal(3 * rows, loss[1])
        assert.are.equal(rows, g[1][1])
      end
    end
  end)

  it('has the form of the argument', function()
    compare(function()
      local df = tensor.grad(function(p, x)
        local y = tensor.tanh(x * p.layers[1] + p.bias):mul(p.scale)
        return y:mean(), y
      end)
      return df, { layers = { tensor.rand(3, 2) }, bias = tensor.rand(1, 2), scale = 0.5 },
        tensor.rand(4, 3)
    end)
  end)

  it('returns numbers that are computed each time', function()
    local df = tensor.compile(tensor.grad(square_sum))
    for k = 1, 5 do
      local g, loss = df(D{ k, 2 })
      assert.are.same({ 2 * k, 4 }, g:totable())
      assert.are.equal(k * k + 4, loss)
    end
    local of_number = tensor.compile(tensor.grad(function(n, x) return (x * n):sum() end))
    for k = 1, 4 do
      local g, loss = of_number(3, D{ k, 1 })
      assert.are.same({ k + 1, 3 * (k + 1) }, { g, loss })
    end
    assert.matches('done 2 times', of_number:explain())
  end)

  it('of random programs has the same bits', function()
    local settings = require 'support.settings'
    local count = (settings.gc or settings.device) and 20 or 40
    local done, failures = fuzz.runs_compiled(1, count)
    assert.are.equal('', table.concat(failures, '\n'))
    assert.is_true(done > 4, done)
  end)

  it('of second order and of other functions has the same bits', function()
    compare(function()
      local df = tensor.grad(function(x) return tensor.sin(x):sum() end)
      return tensor.grad(function(x) return tensor.cmul((df(x)), x):sum() end), D{ 1, 2, 3 }
    end)
    compare(function()
      return function(x, v)
        return tensor.vjp(tensor.tanh, { x }, { v })
      end, D{ 1, 2 }, D{ 3, 4 }
    end)
    compare(function()
      local f = tensor.customGradient(function(x) return tensor.exp(x) end, function(g, r)
        return { tensor.cmul(g[1], r[1]) * 2 }
      end)
      return tensor.grad(function(x) return f(tensor.checkpoint(tensor.tanh)(x)):sum() end), D{ 1 }
    end)
  end)

  it('of other element types has the same bits', function()
    for _, class in ipairs{ tensor.FloatTensor, tensor.HalfTensor, tensor.BFloat16Tensor } do
      for _, tensors in ipairs{ false, true } do
        compare(function()
          return tensor.grad(function(x) return tensor.tanh(x):mean() end, { tensors = tensors }),
            class{ 1, 2, -3 }
        end)
      end
    end
  end)

  it('knows the function inside of tensor.grad', function()
    local factor = 2
    local df = tensor.compile(tensor.grad(function(x) return (x * factor):sum() end))
    collectgarbage()
    for _ = 1, 4 do assert.are.same({ 2, 2 }, (df(D{ 1, 2 })):totable()) end
    factor = 3
    for _ = 1, 4 do assert.are.same({ 3, 3 }, (df(D{ 1, 2 })):totable()) end
    assert.matches('done 2 times.*done 2 times', df:explain())
  end)
end)

describe('a compiled training step', function()
  before_each(function() tensor.setdefaulttensortype 'torch.DoubleTensor' end)

  for _, case in ipairs{
    { 'sgd', { rate = 0.1 } }, { 'sgd', { rate = 0.1, momentum = 0.9, nesterov = true } },
    { 'sgd', { rate = 0.1, momentum = 0.9, decay = 0.1 } }, { 'adam', { rate = 0.1 } },
    { 'adamW', { rate = 0.1 } }, { 'rmsprop', { rate = 0.1, momentum = 0.5 } },
    { 'adam', { rate = 0.1, amsgrad = true } }, { 'adagrad', { rate = 0.1 } },
    { 'adamax', { rate = 0.1 } }, { 'nadam', { rate = 0.1, decay = 0.1 } },
    { 'radam', { rate = 0.1, beta2 = 0.8 } }, { 'lion', { rate = 0.1, decay = 0.1 } },
    { 'adadelta', { rate = 0.5 } },
  } do
    it('with ' .. case[1] .. ' leaves the same parameters and state', function()
      local states = {}
      compare(function()
        local model = nn.sequential{ nn.linear(3, 4), tensor.tanh, nn.linear(4, 2) }
        local step = optim[case[1]](case[2])
        states[#states + 1] = step
        local df = tensor.grad(function(p, x, classes)
          return nn.crossEntropy(model(p, x), classes)
        end, { tensors = true })
        return function(p, x, classes)
          local g, loss = df(p, x, classes)
          step(p, g)
          return loss
        end, model.init(), tensor.rand(5, 3), tensor.LongTensor{ 1, 2, 1, 2, 2 }
      end, 7)
      assert.are.equal(7, states[2]:steps())
      assert.is_true(same(states[1].state, states[2].state))
    end)
  end

  it('takes the rate as a tensor', function()
    compare(function()
      local step = optim.adam{ rate = 0.1 }
      local rate = D{ 0.1 }
      return function(p)
        step(p, { x = p.x * 2 }, rate)
        rate:mul(0.5)
      end, { x = D{ 1, -2 } }
    end)
  end)

  it('of networks leaves the same bits', function()
    local networks = {
      function()
        return nn.sequential{ nn.conv2d(1, 2, 3, { padding = 1 }), tensor.relu, nn.maxPool2d(2),
                              function(x) return x:reshape(2, 8) end, nn.linear(8, 2) },
          tensor.rand(2, 1, 4, 4)
      end,
      function()
        return nn.sequential{ nn.linear(3, 4), nn.layerNorm(4), tensor.gelu, nn.dropout(0.5),
                              nn.batchNorm(4), nn.linear(4, 2) }, tensor.rand(2, 3)
      end,
      function()
        return nn.sequential{ nn.embedding(5, 3), nn.lstm(3, 4, { layers = 2 }), nn.gru(4, 3),
                              function(x) return x:select(1, x:size(1)) end, nn.linear(3, 2) },
          (tensor.rand(4, 2) * 5):floor():long() + 1
      end,
    }
    for _, network in ipairs(networks) do
      local states = {}
      compare(function()
        local model, x = network()
        states[#states + 1] = model.state or {}
        local step = optim.sgd{ rate = 0.1, momentum = 0.9 }
        local df = tensor.grad(function(p, input)
          return nn.crossEntropy(model(p, input, { train = true }), tensor.LongTensor(2):fill(1))
        end, { tensors = true })
        return function(p, input)
          local g, loss = df(p, input)
          step(p, g)
          return loss, p
        end, model.init(), x
      end, 6)
      assert.is_true(same(states[1], states[2]))
    end
  end)
end)

describe('a compiled function', function()
  before_each(function() tensor.setdefaulttensortype 'torch.DoubleTensor' end)

  it('writes to arguments and to tensors from elsewhere', function()
    compare(function()
      local sum = tensor.zeros(2)
      return function(a, b)
        sum:add(a)
        a:add(b):mul(0.5)  -- reads b before b is written
        b:copy(a * 3)
        return sum * 1
      end, D{ 1, 2 }, D{ 3, 4 }
    end)
    -- Each reads what the other one had.
    compare(function()
      return function(a, b)
        local sum = a + b
        a:copy(tensor.csub(a, b))
        b:copy(sum)
      end, D{ 1, 2 }, D{ 3, 4 }
    end)
    compare(function()
      return function(a)
        a:copy(a:t():clone())
        a:narrow(1, 2, 1):fill(7)
        a[1]:mul(2)
      end, D{ { 1, 2 }, { 3, 4 } }
    end)
    compare(function()
      return function(a) a:t():add(1):tanh() return a:view(4) * 1 end, D{ { 1, 2 }, { 3, 4 } }
    end)
    -- Parameters that are parts of one vector.
    compare(function()
      local flat = tensor.rand(6)
      return function(p)
        p[1]:add(0.1, p[2])
        p[2]:mul(0.9)
        return p[1] * 1
      end, { flat:narrow(1, 1, 3), flat:narrow(1, 4, 3) }
    end, 3)
  end)

  it('writes parts of what it made', function()
    compare(function()
      return function(x)
        local y = x * 2
        y:narrow(1, 1, 1):fill(1)
        local z = x.new(3, 2):zero()
        z:select(1, 2):copy(x:select(1, 1))
        z:narrow(2, 1, 1):add(1)
        return y + 1, z, y
      end, D{ { 1, 2 }, { 3, 4 } }
    end)
  end)

  it('returns nested tables, and those among its arguments', function()
    local f = tensor.compile(function(t) return { y = t.x * 2, { 3, 'text' } }, t.inner, t end)
    for k = 1, 4 do
      local t = { x = D{ k }, inner = {} }
      local r, inner, all = f(t)
      assert.are.equal(2 * k, r.y[1])
      assert.are.same({ 3, 'text' }, r[1])
      assert.is_true(rawequal(inner, t.inner) and rawequal(all, t))
    end
    assert.matches('done 2 times', f:explain())
    for k = 1, 4 do
      local t = { x = D{ k }, inner = {}, more = 1 }
      assert.is_true(rawequal(select(3, f(t)), t))
    end
  end)

  it('writes nothing if a replay cannot go on', function()
    local index = tensor.LongTensor{ 1 }
    local function step(p)
      p.a:add(1)
      p.b:copy(tensor.cmul(p.b:index(1, index), p.a))
    end
    local c = tensor.compile(step)
    local p = { a = D{ 1 }, b = D{ 2 } }
    for _ = 1, 4 do c(p) end
    index[1] = 9
    local q = tree.clone(p)
    local _, expected = pcall(step, q)
    local ok, message = pcall(c, p)
    assert.is_false(ok)
    assert.are.equal(expected:gsub('^.-: ', ''), message:gsub('^.-: ', ''))
    assert.is_true(same(q, p))
  end)

  it('has the rates of a schedule that a tensor passes', function()
    local schedule = optim.schedule.cosine(0.1, 10)
    local plain, compiled = { w = D{ 1, 2 } }, { w = D{ 1, 2 } }
    local step, other = optim.adam{ rate = schedule }, optim.adam{ rate = 1 }
    local rate = D(1)
    local c = tensor.compile(function(p, r) other(p, { w = p.w * 2 }, r) end)
    for _ = 1, 6 do
      step(plain, { w = plain.w * 2 })
      rate[1] = schedule(other:steps() + 1)
      c(compiled, rate)
    end
    -- Numbers and tensors are raised to powers by different functions.
    assert.is_true(tensor.allclose(plain.w, compiled.w, 1e-14, 0))
    assert.matches('done 3 times', c:explain())
  end)

  it('replays operations on constants as a whole', function()
    local a, image = tensor.rand(4, 6), tensor.rand(1, 1, 4, 6)
    local other = tensor.rand(4, 6)
    for _, constant in ipairs{
      function() return tensor.cdist(a, a) end,
      function() return tensor.avgPool2d(image, 2):view(2, 3) end,
      function() return tensor.upsample(image, 2, 'bilinear'):view(8, 12) end,
      function() return tensor.pad(a, { 1, 1, 2, 2 }, 'reflect') end,
      function() return tensor.full({ 4, 6 }, 0.5) end,
      function() return tensor.full(tensor.FloatTensor(), 4, 0.5):double() end,
    } do
      local function f(x)
        local c = constant()
        return tensor.cmul(x, x):sum() * 2 + tensor.cmul(c, c):sum(1):sum(-1):view(-1)
      end
      local df = tensor.grad(f, { tensors = true })
      local c = tensor.compile(df)
      for k = 1, 4 do
        other:fill(k)
        a:copy(tensor.rand(4, 6))
        local gradient, loss = df(other)
        local gradient2, loss2 = c(other)
        assert.is_true(gradient:equal(gradient2))
        assert.is_true(loss:equal(loss2))
      end
      assert.matches('done 2 times', c:explain())
    end
  end)

  it('keeps values before an operation on constants overwrites them', function()
    local x, buffer, zeros = D{ 1, 2, 3 }, D(1, 3), tensor.zeros(1, 3)
    local function f(a)
      buffer:copy(tensor.pow(a, 2):view(1, 3))
      local y = tensor.cmul(buffer, buffer):sum()
      tensor.repeatTensor(buffer, zeros, 1, 1)
      return y + tensor.cmul(a, tensor.exp(a)):sum()
    end
    local scratch = D(1, 3)
    local function g(a)
      scratch:fill(3)
      local y = tensor.cmul(a:view(1, 3), scratch):sum()
      tensor.tile(scratch, zeros, 1, 1)
      return y
    end
    assert.is_true(tensor.gradcheck(f, { x }))
    assert.same({ 3, 3, 3 }, tensor.grad(g)(x):totable())
  end)

  it('names operations whose derivative depends on elements', function()
    for name, f in pairs{
      cumprod = function(x) return x:cumprod(2):sum() end,
      det = function(x) return tensor.det(x) end,
    } do
      refused("computes the derivative of '" .. name .. "', which depends on elements", function()
        return tensor.grad(f, { tensors = true }), D{ { 1, 2 }, { 3, 5 } }
      end)
    end
  end)

  it('is called for what a replay would not repeat', function()
    local x = D{ 1, 2 }
    local df = tensor.grad(square_sum)
    refused('accesses elements directly', function()
      return function(a)
        local g, loss = df(a)
        return loss > 3 and g or g * 2
      end, x
    end)
    refused('computes the rate of optim.sgd from the number of the step; pass the rate as a tensor '
            .. 'of one element: step(params, gradients, rate)', function()
      local step = optim.sgd{ rate = function(k) return 0.1 / k end }
      return function(a) step(a, a * 2) end, x:clone()
    end)
    refused('changes a table among its arguments', function()
      return function(t) t.x = t.x * 2 return t.x * 2 end, { x = D{ 1 } }
    end)
    refused("calls 'sum', which returns a number; over a dimension it returns a tensor, as "
            .. 't:sum(1) does', function()
      return function(a) return a * a:sum() end, x
    end)
    refused('writes to an argument that shares elements with another one', function()
      local v = tensor.rand(4)
      local part = v:narrow(1, 1, 3)
      return function(a) part:add(1) return a * 2 end, v
    end)
    refused('writes to a part of an argument with gaps', function()
      return function(a) a:narrow(1, 1, 1):add(1) end, tensor.rand(2, 2):t()
    end)
    refused('resizes a tensor that it did not make', function()
      return function(a) return tensor.add(a, tensor.rand(3), 1) end, x:clone()
    end)
  end)
end)

describe('a compiled gradient of a matrix function', function()
  local function compiled_and_plain(name)
    local function f(t) return tensor[name](t):sum() end
    return tensor.compile(tensor.grad(f, { tensors = true })), tensor.grad(f)
  end

  it('is that of other matrices, too', function()
    for _, name in ipairs { 'logdet', 'det', 'matrixExp' } do
      local df, plain = compiled_and_plain(name)
      local t = tensor.Tensor{ { { 2, 1 }, { 1, 3 } }, { { 1, 0.5 }, { 0.25, 1 } } }
      for _, factor in ipairs { 1, 1, 1, 20, 0.01 } do
        local want = plain(t * factor)
        assert.is_true(df(t * factor):equal(want))
      end
      assert.matches(name == 'logdet' and 'done 3 times' or 'not compiled', df:explain())
    end
  end)

  it('has NaN only for matrices that are not finite', function()
    local df, plain = compiled_and_plain 'logdet'
    local t = tensor.eye(2):view(1, 2, 2):repeatTensor(2, 1, 1)
    for _ = 1, 3 do df(t) end
    t[2][1][1] = 0 / 0
    local got, want = df(t), (plain(t))
    assert.is_true(got[1]:equal(tensor.eye(2)) and want[1]:equal(tensor.eye(2)))
    assert.are_not.equal(got[2][1][1], got[2][1][1])
  end)
end)

it('a gradient of many conjugated numbers is compiled', function()
  local df = tensor.compile(tensor.grad(function(t)
    return tensor.complexMul(t, tensor.complexConj(t)):sum()
  end, { tensors = true }))
  local t = tensor.randn(2000, 2)
  for _ = 1, 4 do df(t) end
  assert.matches('done 2 times', df:explain())
  assert.is_true(df(t):allclose(t * 2))
end)
