-- tensor.optim: updates against loops in plain Lua.

local tensor = require 'tensor'
local optim = require 'tensor.optim'
local tree = require 'tensor.tree'
local figures = require 'support.figures'

-- The updates of one parameter p by the gradient g in step k, as PyTorch's documentation states
-- them. s: what is remembered.
local updates = {}

function updates.sgd(o, s, p, g)
  g = g + (o.decay or 0) * p
  if o.momentum then
    s.v = s.v and o.momentum * s.v + (1 - (o.dampening or 0)) * g or g
    g = o.nesterov and g + o.momentum * s.v or s.v
  end
  return p - o.rate * g
end

function updates.adam(o, s, p, g, k)
  g = g + (o.decay or 0) * p
  local b1, b2 = o.beta1 or 0.9, o.beta2 or 0.999
  s.m = b1 * (s.m or 0) + (1 - b1) * g
  s.v = b2 * (s.v or 0) + (1 - b2) * g * g
  local m, v = s.m / (1 - b1 ^ k), s.v / (1 - b2 ^ k)
  return p - o.rate * m / (math.sqrt(v) + (o.epsilon or 1e-8))
end

function updates.adamW(o, s, p, g, k)
  p = p - o.rate * (o.decay or 0.01) * p
  return updates.adam({rate = o.rate, beta1 = o.beta1, beta2 = o.beta2}, s, p, g, k)
end

function updates.lion(o, s, p, g)
  local b1, b2, m = o.beta1 or 0.9, o.beta2 or 0.99, s.m or 0
  local c = b1 * m + (1 - b1) * g
  s.m = b2 * m + (1 - b2) * g
  return p - o.rate * ((c > 0 and 1 or c < 0 and -1 or 0) + (o.decay or 0) * p)
end

function updates.rmsprop(o, s, p, g)
  g = g + (o.decay or 0) * p
  local alpha = o.alpha or 0.99
  s.v = alpha * (s.v or 0) + (1 - alpha) * g * g
  s.b = (o.momentum or 0) * (s.b or 0) + g / (math.sqrt(s.v) + (o.epsilon or 1e-8))
  return p - o.rate * s.b
end

-- A function whose gradients by a and b are a and 2 b, which are not 0 at the beginning.
local function start()
  return {a = tensor.DoubleTensor{1, -2}, {b = tensor.DoubleTensor{{0.5}}}}
end
local function gradients_of(params)
  return {a = params.a:clone(), {b = params[1].b * 2}}
end

local function values(params)
  return {params.a[1], params.a[2], params[1].b[1][1]}
end

describe('tensor.optim', function()
  before_each(function()
    tensor.setdefaulttensortype 'torch.DoubleTensor'
    tensor.manualSeed(3)
  end)

  for _, case in ipairs{
    {'sgd', {rate = 0.1}}, {'sgd', {rate = 0.1, momentum = 0.9}},
    {'sgd', {rate = 0.1, momentum = 0.9, dampening = 0.5, decay = 0.1}},
    {'sgd', {rate = 0.1, momentum = 0.9, nesterov = true}},
    {'adam', {rate = 0.1}}, {'adam', {rate = 0.1, beta1 = 0.8, beta2 = 0.9, decay = 0.1}},
    {'adam', {rate = 0.1, epsilon = 0.1}},
    {'adamW', {rate = 0.1}}, {'adamW', {rate = 0.1, decay = 0.2, beta1 = 0.5}},
    {'lion', {rate = 0.1}}, {'lion', {rate = 0.3, beta1 = 0.5, beta2 = 0.8, decay = 0.2}},
    {'rmsprop', {rate = 0.1}}, {'rmsprop', {rate = 0.1, alpha = 0.9, momentum = 0.9, decay = 0.1}},
  } do
    local name, options = case[1], case[2]
    it(name .. ' updates as its formula says', function()
      local params, step = start(), optim[name](options)
      local expected, state = values(params), {{}, {}, {}}
      for k = 1, 5 do
        assert.are.equal(params, step(params, gradients_of(params)))
        for i = 1, 3 do
          local gradient = expected[i] * (i == 3 and 2 or 1)
          expected[i] = updates[name](options, state[i], expected[i], gradient, k)
        end
        for i, value in ipairs(values(params)) do
          assert.is_true(math.abs(value - expected[i]) < 1e-12, ('step %d: %.17g, not %.17g')
            :format(k, value, expected[i]))
        end
      end
      assert.are.equal(5, step:steps())
    end)
  end

  it('the steps of adam count for each parameter', function()
    local state, expected = {{}, {}}, {a = 1, b = 1}
    local step, params = optim.adam{rate = 0.1}, {a = tensor.ones(1), b = tensor.ones(1)}
    for k, present in ipairs{'a', 'a', 'ab', 'b', 'ab', 'ab'} do
      local p, g = {}, {}
      for i, name in ipairs{'a', 'b'} do
        if present:find(name) then
          p[name], g[name] = params[name], tensor.ones(1):mul(k)
          state[i].k = (state[i].k or 0) + 1
          expected[name] = updates.adam({rate = 0.1}, state[i], expected[name], k, state[i].k)
        end
      end
      step(p, g)
      for name, value in pairs(expected) do
        assert.is_true(math.abs(params[name][1] - value) < 1e-12, k .. name)
      end
    end
    assert.are.equal(6, step:steps())
  end)

  it('a state that is restored continues with the same bits', function()
    for _, name in ipairs{'sgd', 'adam', 'adamW', 'adamax', 'nadam', 'radam', 'lion', 'adadelta',
                          'rmsprop'} do
      local options = {rate = 0.1, decay = 0.1}
      if name == 'sgd' or name == 'rmsprop' then
        options.momentum = 0.9
      end
      local params, step = start(), optim[name](options)
      step(params, gradients_of(params))
      local text = tensor.serialize{params = params, state = step.state}
      step(params, gradients_of(params))
      local loaded, other = tensor.deserialize(text), optim[name](options)
      other.state = loaded.state
      other(loaded.params, gradients_of(loaded.params))
      assert.are.same(values(params), values(loaded.params))
    end
  end)

  it('the rate may be a function of the step, or an argument', function()
    local params = {tensor.zeros(1)}
    local step = optim.sgd{rate = function(k) return 10 ^ -k end}
    for _ = 1, 3 do
      step(params, {tensor.ones(1)})
    end
    step(params, {tensor.ones(1)}, 5)
    assert.is_true(math.abs(params[1][1] + 5.111) < 1e-12)
  end)

  it('the loss after the gradients is not taken for a rate', function()
    local function fit(f, x, options)
      local params, step = { w = x }, optim.sgd{ rate = 0.1 }
      local df = tensor.grad(function(p) return f(p.w) end, options)
      local compiled = tensor.compile(function(p) step(p, df(p)) end)
      step(params, df(params))
      for _ = 1, 5 do compiled(params) end
      return params.w
    end
    local function squares(w) return tensor.cmul(w, w):sum() end
    for _, options in ipairs { false, { tensors = true } } do
      local w = fit(squares, tensor.Tensor { 1, 2 }, options or nil)
      assert.is_true(w:allclose(tensor.Tensor { 1, 2 } * 0.8 ^ 6, 1e-12))
    end
    for _, options in ipairs { false, { tensors = true } } do
      local w, step = tensor.Tensor { 1, 2 }, optim.sgd{ rate = 0.1 }
      local compiled = tensor.compile(tensor.grad(squares, options or nil))
      for _ = 1, 6 do step(w, compiled(w)) end
      assert.matches(jit and 'done 4 times' or 'Double', compiled:explain())
      assert.is_true(w:allclose(tensor.Tensor { 1, 2 } * 0.8 ^ 6, 1e-12))
    end
    assert.is_true(fit(function(w) return squares(w) * 0 / 0 end, tensor.ones(1)):isnan():all())
    local x = tensor.ones(1)
    local gradient, loss = tensor.grad(squares)(x)
    optim.sgd{ rate = 0.1 }(x, gradient, loss / 4)  -- other numbers are rates
    assert.are.equal(0.5, x[1])
  end)

  it('parameters of 16 bits have masters of type float', function()
    for kind, name in pairs{BFloat16 = 'adam', Half = 'nadam'} do
      local p = tensor[kind .. 'Tensor']{1, -2}
      local x, step = tensor.FloatTensor{1, -2}, optim[name]{rate = 1e-4}
      local reference = optim[name]{rate = 1e-4}
      for _ = 1, 200 do
        step({p}, {p:clone():fill(1)})
        reference(x, tensor.FloatTensor{1, 1})
      end
      assert.are.same(x:totable(), step.state[1].master:totable())
      assert.are.same(x:type(p:type()):float():totable(), p:float():totable())
      assert.is_true(p:float()[1] < 0.99)
      -- Elements that the program has changed are updated from there; the other keeps its master.
      p[2] = 4
      x[2] = 4
      step({p}, {p:clone():fill(1)})
      reference(x, tensor.FloatTensor{1, 1})
      assert.are.same(x:totable(), step.state[1].master:totable())
    end
  end)

  it('parameters after several steps are those of PyTorch', function()
    local x = tensor.DoubleTensor{{1, 2, -1}, {0.5, -1, 2}, {3, 1, 0}}
    local y = tensor.DoubleTensor{{1, 0}, {0, 1}, {2, -1}}
    local rates = optim.schedule
    local others = {rate = 0.05, beta1 = 0.8, beta2 = 0.95, epsilon = 1e-3, decay = 0.1}
    local steps = {
      sgd = optim.sgd{rate = 0.05},
      momentum = optim.sgd{rate = 0.05, momentum = 0.9},
      nesterov = optim.sgd{rate = 0.05, momentum = 0.9, nesterov = true},
      dampening = optim.sgd{rate = 0.05, momentum = 0.9, dampening = 0.3, decay = 0.1},
      adam = optim.adam{rate = 0.05},
      ['adam options'] = optim.adam(others),
      adamW = optim.adamW{rate = 0.05},
      ['adamW options'] = optim.adamW{rate = 0.05, beta1 = 0.8, beta2 = 0.95, epsilon = 1e-3,
                                      decay = 0.2},
      rmsprop = optim.rmsprop{rate = 0.05},
      ['rmsprop options'] = optim.rmsprop{rate = 0.05, alpha = 0.9, epsilon = 1e-4, decay = 0.1,
                                          momentum = 0.9},
      amsgrad = optim.adam{rate = 0.05, beta1 = 0.8, beta2 = 0.5, epsilon = 1e-3, amsgrad = true},
      adagrad = optim.adagrad{rate = 0.05},
      ['adagrad options'] = optim.adagrad{rate = 0.05, decay = 0.1, epsilon = 1e-3},
      adamax = optim.adamax{rate = 0.05},
      ['adamax options'] = optim.adamax{rate = 0.05, beta1 = 0.8, beta2 = 0.7, epsilon = 1e-3,
                                        decay = 0.1},
      nadam = optim.nadam{rate = 0.05},
      ['nadam options'] = optim.nadam{rate = 0.05, beta1 = 0.8, beta2 = 0.95, epsilon = 1e-3,
                                      decay = 0.1, momentumDecay = 0.5},
      radam = optim.radam{rate = 0.05},
      ['radam options'] = optim.radam(others),
      adadelta = optim.adadelta{},
      ['adadelta options'] = optim.adadelta{rate = 0.05, alpha = 0.8, epsilon = 0.1, decay = 0.1},
      lbfgs = optim.lbfgs{iterations = 3, history = 2},
      ['lbfgs evaluations'] = optim.lbfgs{rate = 0.5, iterations = 8, evaluations = 4},
      step = optim.sgd{rate = rates.step(0.05, 3, 0.5)},
      cosine = optim.sgd{rate = rates.cosine(0.05, 10, 0.001)},
      tied = optim.sgd{rate = 0.05, momentum = 0.9},
    }
    local count = 0
    for name, elements in pairs(figures.read 'optimizers.txt') do
      local step, lbfgs = steps[name], name:find 'lbfgs'
      local p = {w = tensor.DoubleTensor{{1, -2, 3}, {0.5, 0.25, -1}},
                 b = tensor.DoubleTensor{0.1, -0.3}}
      p.same = name == 'tied' and p.w or nil
      local df = tensor.grad(function(q)
        local out = x * q.w:t() + tensor.expand(q.b:view(1, 2), 3, 2)
        if q.same then
          out = out * q.same * q.w:t()
        end
        return tensor.mse(out, y) + tensor.pow(q.w, 4):sum() * 0.01
      end)
      for _ = 1, lbfgs and 4 or 9 do
        local gradients = not lbfgs and df(p) or nil
        if p.same then
          optim.clipNorm(gradients, 1)
        end
        step(p, lbfgs and df or gradients)
        assert.is_true(step:steps() > 0)
      end
      local got = tensor.cat({p.w:view(6), p.b}, 1)
      assert.are.equal(8, #elements)
      for k, want in ipairs(elements) do
        assert.is_true(math.abs(got[k] - want) <= 1e-9 * (1 + math.abs(want)),
                       ('%s: element %d is %.17g, not %.17g'):format(name, k, got[k], want))
      end
      count = count + 1
    end
    assert.are.equal(26, count)
  end)

  it('a tensor at several places is one parameter', function()
    local t = tensor.ones(2)
    local p = {a = t, b = {t, tensor.ones(1)}}
    assert.are.equal(2, #tree.leaves(p))
    assert.are.equal(3, tree.count(p))
    local copy = tree.clone(p)
    assert.is_true(rawequal(copy.a, copy.b[1]) and not rawequal(copy.a, t))
    tree.copy(p, {a = tensor.zeros(2), b = {tensor.zeros(2):fill(5), tensor.ones(1)}})
    assert.are.same({5, 5}, t:totable())
    local gradients = tensor.grad(function(q)
      return (q.a * 2 + q.b[1] * 3):sum() + q.b[2]:sum()
    end)(p)
    assert.is_true(rawequal(gradients.a, gradients.b[1]))
    assert.are.same({5, 5}, gradients.a:totable())
    optim.sgd{rate = 1}(p, {a = gradients.a, b = {gradients.a:clone(), gradients.b[2]}})
    assert.are.same({0, 0}, t:totable())
    -- In a nested gradient, too.
    local second = tensor.grad(function(x)
      local g = tensor.grad(function(q) return tensor.cmul(q[1], q[2]):sum() end){x, x}
      return g[2]:sum()
    end)(tensor.DoubleTensor{3})
    assert.are.same({2}, second:totable())
  end)

  it('clipNorm limits the norm of all gradients', function()
    local gradients = {tensor.Tensor{3, 0}, {x = tensor.Tensor{{4}}}}
    assert.are.equal(5, optim.clipNorm(gradients, 10))
    assert.are.equal(3, gradients[1][1])
    assert.are.equal(5, optim.clipNorm(gradients, 1))
    assert.is_true(math.abs(tree.norm(gradients) - 1) < 1e-6)
    assert.is_true(math.abs(gradients[2].x[1][1] - 0.8) < 1e-6)
  end)

  -- The iterations of PyTorch's documentation for a function of two numbers, in plain Lua.
  local function bfgs(df, x, options, count)
    local function dot(a, b) return a[1] * b[1] + a[2] * b[2] end
    local function plus(a, k, b) return {a[1] + k * b[1], a[2] + k * b[2]} end
    local pairs_of, scale, last, move = {}, 1, nil, nil
    for k = 1, count do
      local g = df(x)
      if last then
        local change = plus(g, -1, last)
        if dot(change, move) > 1e-10 then
          table.insert(pairs_of, {y = change, s = move, rho = 1 / dot(change, move)})
          if #pairs_of > options.history then
            table.remove(pairs_of, 1)
          end
          scale = dot(change, move) / dot(change, change)
        end
      end
      local q, a = {-g[1], -g[2]}, {}
      for i = #pairs_of, 1, -1 do
        a[i] = pairs_of[i].rho * dot(pairs_of[i].s, q)
        q = plus(q, -a[i], pairs_of[i].y)
      end
      q = {q[1] * scale, q[2] * scale}
      for i = 1, #pairs_of do
        q = plus(q, a[i] - pairs_of[i].rho * dot(pairs_of[i].y, q), pairs_of[i].s)
      end
      local rate = options.rate
      if k == 1 then
        rate = rate * math.min(1, 1 / (math.abs(g[1]) + math.abs(g[2])))
      end
      last, move = g, {q[1] * rate, q[2] * rate}
      x = plus(x, 1, move)
    end
    return x
  end

  -- (1 - x)^2 + 5 (y - x^2)^2, whose minimum is at 1, 1.
  local function valley(p)
    local x, y = p.x, p[1]
    local a, b = 1 - x, y - tensor.cmul(x, x)
    return tensor.cmul(a, a):sum() + tensor.cmul(b, b):sum() * 5
  end

  it('lbfgs moves as its formula says, and continues in the next call', function()
    local options = {rate = 0.5, iterations = 4, history = 3}
    local step, df = optim.lbfgs(options), tensor.grad(valley)
    local params = {x = tensor.Tensor{-0.5}, tensor.Tensor{0.3}}
    local first = valley(params)
    local _, losses = step(params, df)
    assert.are.equal(4, #losses)
    assert.are.equal(first, losses[1])
    local text = tensor.serialize(step.state)
    step = optim.lbfgs(options)
    step.state = tensor.deserialize(text)
    step(params, df)
    local expected = bfgs(function(p)
      local slope = 10 * (p[1] - p[2] ^ 2)
      return {slope, -2 * (1 - p[2]) - 2 * p[2] * slope}
    end, {0.3, -0.5}, options, 8)
    assert.is_true(math.abs(expected[1] - params[1][1]) < 1e-10)
    assert.is_true(math.abs(expected[2] - params.x[1]) < 1e-10)
    for _ = 1, 20 do
      step(params, df)
    end
    assert.is_true(valley(params) < 1e-9)
  end)

  it('the limits of lbfgs may be infinite', function()
    local function count_of(options)
      local p, count = {x = tensor.Tensor{3, -2}}, 0
      options.iterations, options.changeTolerance = options.iterations or 4, 0
      options.gradientTolerance = options.gradientTolerance or 0
      local df = tensor.grad(function(q) return tensor.pow(q.x, 4):sum() end)
      optim.lbfgs(options)(p, function(q)
        count = count + 1
        return df(q)
      end)
      return count
    end
    assert.are.equal(4, count_of{evaluations = math.huge, history = math.huge})
    assert.are.equal(7, count_of{iterations = math.huge, evaluations = 7})
    assert.are.equal(1, count_of{gradientTolerance = math.huge})
  end)

  it('errors name the optimizer and the parameter', function()
    assert.has_error(function() optim.sgd{} end, 'optim.sgd: the option rate is missing')
    assert.has_error(function() optim.sgd(0.1) end,
                     'optim.sgd: a table of options is expected, got a number; ' ..
                     'the options are dampening, decay, momentum, nesterov, rate')
    assert.has_error(function() optim.adam{rate = 1, beta1 = 'x'} end,
                     'optim.adam: option beta1 must be a number, got a string')
    assert.has_error(function() optim.adam{rate = 1, momentum = 0.9} end,
      'optim.adam: unknown option momentum; the options are amsgrad, beta1, beta2, decay, epsilon, '
      .. 'rate')
    assert.has_error(function() optim.adam{rate = 1, beta1 = 1} end,
                     'optim.adam: option beta1 must be at least 0 and below 1, got 1')
    assert.has_error(function() optim.lbfgs{history = 0} end,
                     'optim.lbfgs: option history must be at least 1, got 0')
    assert.has_error(function() optim.sgd{rate = -1} end,
                     'optim.sgd: option rate must be at least 0, got -1')
    assert.has_error(function() optim.sgd{rate = math.huge} end,
                     'optim.sgd: option rate must be finite, got inf')
    assert.has_error(function() optim.sgd{rate = 1, dampening = -1} end,
                     'optim.sgd: option dampening must be at least 0 and at most 1, got -1')
    assert.has_error(function() optim.lbfgs{history = 1.5} end,
                     'optim.lbfgs: option history must be a whole number, got 1.5')
    assert.has_error(function() optim.sgd{rate = 1, nesterov = true} end,
                     'optim.sgd: nesterov needs a momentum above 0, and a dampening of 0')
    assert.has_error(function() optim.clipNorm({}, -1) end,
                     'optim.clipNorm: a limit of at least 0 is expected, got -1')
    assert.has_error(function() optim.schedule.cosine(0.1, 0) end,
                     'optim.schedule.cosine: steps: a number of at least 1 is expected, got 0')
    assert.has_error(function() optim.schedule.warmup(3, 0.1) end,
                     'optim.schedule.warmup: a schedule is expected, got number')
  end)

  it('a step that fails changes nothing', function()
    local step, p = optim.adam{rate = 1}, {a = tensor.ones(2, 3), b = {tensor.ones(1)}}
    local function fails(expected, gradients, rate)
      assert.has_error(function() step(p, gradients, rate) end, 'optim.adam: ' .. expected)
    end
    local g = tensor.ones(2, 3)
    fails('params: a table of gradients is expected, got nil; the arguments are step(params, '
          .. 'gradients)')
    fails('params.b.1: a tensor of size [1] is expected as the gradient, got nil', {a = g, b = {}})
    fails('params.a: a tensor of size [2 x 3] is expected as the gradient, got a tensor of size '
          .. '[3 x 2]', {a = tensor.ones(3, 2), b = {tensor.ones(1)}})
    fails('params: there is a gradient of c, but no parameter',
          {a = g, b = {tensor.ones(1)}, c = tensor.ones(1)})
    fails('the rate must be a number or a tensor of one element, got string',
          {a = g, b = {tensor.ones(1)}}, 'x')
    p.b[1] = 5
    fails('params.b.1: a number cannot be updated in place; a tensor of one element can',
          {a = g, b = {2}})
    fails('params.b.1: a number cannot be updated in place; a tensor of one element can',
          (tensor.grad(function(q) return q.a:sum() * q.b[1] end, {tensors = true})(p)))
    p.b[1] = tensor.ones(1)
    fails('params.b.1: a gradient of a floating-point type is expected, got torch.LongTensor',
          {a = g, b = {tensor.LongTensor(1)}})
    p.b[1] = 5
    assert.are.equal(0, step:steps())
    assert.is_true(p.a:equal(tensor.ones(2, 3)))
    step(p, {a = g, b = {0}})  -- a number that the loss does not depend on
    assert.are.equal(1, step:steps())
    p.a = p.a:view(3, 2)
    fails('parameter 1 has size [3 x 2], but had size [2 x 3] in the last step',
          {a = g:view(3, 2), b = {0}})
    assert.are.equal(1, step:steps())
  end)

  it('a parameter whose elements share memory is refused', function()
    local message = 'elements of a tensor of size [2 x 3] share memory, as those of expand do'
    local gradient = tensor.ones(1, 3):expand(2, 3)
    for _, t in ipairs{gradient, tensor.ones(4):unfold(1, 3, 1)} do
      assert.has_error(function() optim.sgd{rate = 1}({a = t}, {a = gradient}) end,
                       'optim.sgd: params.a: ' .. message)
      assert.has_error(function() optim.clipNorm({t}, 9) end, 'optim.clipNorm: ' .. message)
      assert.are.same({1, 1, 1}, t[1]:totable())
    end
    local view = tensor.ones(6, 4):t():narrow(1, 1, 2):unfold(2, 1, 2):select(3, 1)
    optim.sgd{rate = 1}({a = view}, {a = gradient})
    assert.are.equal(0, view:clone():abs():max())
  end)

  it('a state has the types of the parameters, whatever those of the gradients', function()
    local types = {a = 'torch.DoubleTensor', b = 'torch.FloatTensor'}
    local function step_of(name, options, gradients)
      local p = {a = tensor.ones(2), b = tensor.FloatTensor{1, 2}}
      local step = optim[name](options)
      for _ = 1, 2 do
        step(p, name == 'lbfgs' and function() return gradients, 1 end or gradients)
      end
      return p, step.state
    end
    for name, options in pairs{sgd = {rate = 0.5, momentum = 0.9}, adam = {rate = 0.5},
                               nadam = {rate = 0.5}, radam = {rate = 0.5},
                               rmsprop = {rate = 0.5, momentum = 0.9},
                               adagrad = {rate = 0.5}, lbfgs = {}} do
      local a, b = tensor.DoubleTensor{0.5, -2}, tensor.FloatTensor{1, 4}
      local expected = step_of(name, options, {a = a, b = b})
      local p, state = step_of(name, options, {a = a:float(), b = b:double()})
      for k, key in ipairs{'a', 'b'} do
        assert.are.equal(types[key], p[key]:type())
        assert.is_true(expected[key]:equal(p[key]), name)
        for field, value in pairs(name == 'lbfgs' and {} or state[k]) do
          assert.are.equal(field == 'product' and types.a or types[key], value:type())
        end
      end
    end
  end)

  it('tensors of integers are constants, and Blobs parameters', function()
    local blob, step = tensor.DoubleBlob(2), optim.sgd{rate = 0.5}
    blob:data():fill(3)
    local p = {w = tensor.ones(3), index = tensor.LongTensor{2, 2}, blob = blob}
    local gradients = tensor.grad(function(q)
      return q.w:index(1, q.index):sum() + (q.blob:data() * 4):sum()
    end)(p)
    step(p, gradients)
    assert.are.same({1, 0, 1}, p.w:totable())
    assert.are.same({2, 2}, p.index:totable())
    assert.are.same({1, 1}, blob:data():totable())
  end)
end)
