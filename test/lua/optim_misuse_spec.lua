-- tensor.optim: calls that would train something else than the program means, and small helpers.

local tensor = require 'tensor'
local optim = require 'tensor.optim'
local tree = require 'tensor.tree'

local V = tensor.DoubleTensor

local function ones_like(params)
  return tree.map(function(t) return t:clone():fill(1) end, params)
end

describe('parameters that share elements', function()
  local w
  before_each(function() w = tensor.zeros(6, 4) end)

  it('are errors', function()
    local message = 'optim.%s: params.1 and params.2 share elements, which would be updated twice: '
      .. 'keep one of them, and compute the other from it in a layer'
    for _, params in ipairs {
      {w, w:t()}, {w, w:narrow(1, 2, 1)}, {w[1], w:select(2, 1)}, {w:view(-1), w},
      {w:narrow(2, 1, 2), w:narrow(2, 2, 2)}, {w:view(4, 6), w[2], tensor.ones(1)},
    } do
      local step = optim.adam{rate = 1}
      assert.has_error(function() step(params, ones_like(params)) end, message:format 'adam')
      assert.are.equal(0, step:steps())
      assert.are.equal(0, w:sum())
    end
    local params = {w, w:t()}
    assert.has_error(function()
      optim.lbfgs{}(params, function() return ones_like(params), 1 end)
    end, message:format 'lbfgs')
  end)

  it('are accepted if only one of them has a gradient', function()
    local params = {w, w:t()}
    optim.sgd{rate = 1}(params, {ones_like(w), false})
    assert.are.equal(-24, w:sum())
  end)

  it('are errors in a compiled step, too', function()
    local step, params = optim.sgd{rate = 0.1}, {w, w:t()}
    local compiled = tensor.compile(function() step(params, {ones_like(w), ones_like(w):t()}) end)
    for _ = 1, 3 do
      assert.error_matches(compiled, 'params.1 and params.2 share elements')
      assert.are.equal(0, w:sum())
    end
    params = {w:narrow(1, 1, 3), w:narrow(1, 4, 3)}
    compiled = tensor.compile(function() step(params, ones_like(params)) end)
    for _ = 1, 4 do compiled() end
    assert.matches('done 1 times', compiled:explain())
  end)

  it('are not found in disjoint views', function()
    local blocks = w:view(2, 3, 4)
    for _, params in ipairs {
      {w[1], w[2], w[3]}, {w:select(2, 1), w:select(2, 2), w:select(2, 4)},
      {w:narrow(2, 1, 2), w:narrow(2, 3, 2)},
      {w:narrow(1, 1, 3):narrow(2, 1, 2), w:narrow(1, 4, 3):narrow(2, 3, 2),
       w:narrow(1, 1, 3):narrow(2, 3, 2), w:narrow(1, 4, 3):narrow(2, 1, 2)},
      {blocks:select(2, 1), blocks:select(2, 2):t(), w[3], tensor.DoubleTensor()},
    } do
      w:zero()
      local step = optim.sgd{rate = 1}
      step(params, ones_like(params))
      step(params, ones_like(params))
      assert.are.equal(-2 * tree.count(params), w:sum())
    end
  end)

  it('are found as marks in memory show', function()
    local first_pair = require 'tensor.optim.overlap'.pair_in
    tensor.manualSeed(1)
    local function any(least, most) return tensor.random(least, most) end
    local counts = {[true] = 0, [false] = 0}
    for _ = 1, 300 do
      local marks, views = tensor.ByteTensor(150):zero(), {}
      for k = 1, 2 do
        local size, stride = {}, {}
        for d = 1, any(1, 3) do
          size[d], stride[d] = any(1, 4), any(0, 9)
        end
        views[k] = tensor.ByteTensor(marks:storage(), any(1, 40), tensor.LongStorage(size),
                                     tensor.LongStorage(stride))
      end
      views[1]:fill(1)
      local is_shared = views[2]:max() == 1
      assert.are.equal(is_shared, first_pair(views) ~= nil)
      counts[is_shared] = counts[is_shared] + 1
    end
    assert.is_true(counts[true] > 20 and counts[false] > 20)
  end)

  it('at two places of a Blob are one parameter', function()
    local blob = tensor.DoubleBlob(2)
    blob:data():zero()
    blob:diff():fill(1)
    optim.sgd{rate = 1}({blob, blob}, {blob, blob})
    assert.are.same({-1, -1}, blob:data():totable())
  end)
end)

describe('a step without parameters or gradients', function()
  it('is an error that counts no step', function()
    local step, p, params = optim.adam{rate = 1}, tensor.ones(2), {}
    local function fails(message, ...)
      local fine, text = pcall(step, ...)
      assert.is_false(fine)
      assert.matches('optim.adam: ' .. message, text, 1, true)
      assert.are.equal(0, step:steps())
    end
    fails('params: a table of tensors is expected, got nil')
    fails('params: a table of tensors is expected, got nil', nil, nil)
    fails('params: a table of tensors is expected, got nil', params.encodr, params.encodr)
    fails('params: a table of tensors is expected, got a number', 3, 4)
    fails('a table of gradients is expected, got false', {p}, false)
    fails('a table of gradients is expected, got false', p, false)
    assert.error_matches(function() optim.lbfgs{}(nil, function() return nil, 1 end) end,
                         'optim.lbfgs: params: a table of tensors is expected, got nil')
    assert.are.same({1, 1}, p:totable())
  end)
end)

describe('a parameter without elements', function()
  for _, name in ipairs{'sgd', 'adam', 'adamW', 'adamax', 'nadam', 'radam', 'rmsprop', 'adagrad',
                        'adadelta', 'lion'} do
    it('is left alone by ' .. name, function()
      for _, none in ipairs{tensor.Tensor(), tensor.HalfTensor(), tensor.Tensor(0, 3)} do
        local params, alone = {tensor.ones(2), none:clone()}, {tensor.ones(2)}
        local step, other = optim[name]{rate = 0.1}, optim[name]{rate = 0.1}
        for _, rate in ipairs{0.1, tensor.Tensor{0.1}} do
          step(params, {tensor.ones(2), none:clone()}, rate)
          other(alone, {tensor.ones(2)}, rate)
        end
        assert.are.same(none:size():totable(), params[2]:size():totable())
        assert.are.same(alone[1]:totable(), params[1]:totable())
      end
    end)
  end
end)

describe('the loss of other gradients is not taken for a rate', function()
  local function sum_of_squares(p) return tensor.cmul(p.w, p.w):sum() end

  -- Returns the parameter after a step of rate 0.5 from 3. gradients_of returns gradients and loss.
  local function after_step(gradients_of)
    local params = {w = V {3}}
    optim.sgd{rate = 0.5}(params, gradients_of(params))
    return params.w[1]
  end

  it('with results of tree.map', function()
    for _, options in ipairs {{}, {tensors = true}} do
      local df = tensor.grad(sum_of_squares, options)
      local function doubled(p)
        local gradients, loss = df(p)
        return tree.map(function(t) return t * 2 end, gradients), loss
      end
      assert.are.equal(-3, after_step(doubled))
      local compiled = tensor.compile(doubled)
      for _ = 1, 4 do assert.are.equal(-3, after_step(compiled)) end
    end
  end)

  it('with results of vjp', function()
    assert.are.equal(0, after_step(function(p)
      local list, loss = tensor.vjp(sum_of_squares, {p}, {1})
      tensor.grad(sum_of_squares)({w = V {1}})
      return list[1], loss
    end))
  end)

  it('but other numbers are rates', function()
    local df = tensor.grad(sum_of_squares)
    assert.are.equal(1.5, after_step(function(p) return df(p), 0.25 end))
    assert.are.equal(2.75, after_step(function(p)
      df(p)
      return {w = V {1}}, 0.25
    end))
  end)
end)

describe('optim.schedule', function()
  local schedule = optim.schedule

  local function list(f)
    local rates = {}
    for k = 1, 6 do
      rates[k] = math.floor(f(k) * 1e5 + 0.5)
    end
    return rates
  end

  it('has the rates of ExponentialLR and LinearLR', function()
    -- PyTorch: ExponentialLR(gamma = 0.5) of 0.8, LinearLR(start_factor = 0.5, total_iters = 4) of
    -- 0.05, and LinearLR(1, 0.2, 5) of 1.
    assert.are.same({80000, 40000, 20000, 10000, 5000, 2500}, list(schedule.exponential(0.8, 0.5)))
    assert.are.same({2500, 3125, 3750, 4375, 5000, 5000}, list(schedule.linear(0.025, 0.05, 4)))
    assert.are.same({100000, 84000, 68000, 52000, 36000, 20000}, list(schedule.linear(1, 0.2, 5)))
    assert.error_matches(function() schedule.linear(1, 0.1, 0) end,
                         'optim.schedule.linear: steps: a number of at least 1 is expected, got 0')
    assert.error_matches(function() schedule.exponential(1) end,
                         'optim.schedule.exponential: factor: a number')
  end)

  it('refuses a schedule without rates', function()
    local rate = schedule.warmup(3, function() end)
    for step = 1, 5 do
      assert.has_error(function() rate(step) end,
                       'optim.schedule.warmup: the schedule must return a number, got nil')
    end
    rate = schedule.warmup(2, function(step) return V {step} end)
    assert.are.same({0.5, 3}, {rate(1)[1], rate(5)[1]})
  end)

  it('refuses unknown names', function()
    local function message_of(name)
      return select(2, pcall(function() return schedule[name] end))
    end
    assert.matches("tensor.optim.schedule has no function or field 'cosin': .*cosine",
                   message_of 'cosin')
    assert.matches('instead of StepLR, use step(rate, every, factor)', message_of 'StepLR', 1, true)
    assert.matches("no function or field 'triangular'", message_of 'triangular')
  end)
end)

describe('options with which training diverges', function()
  it('are errors', function()
    for name, option in pairs {
      rmsprop = {'alpha', 1, 'below 1'}, sgd = {'momentum', 1.2, 'at most 1'},
    } do
      assert.has_error(function() optim[name]{rate = 1, [option[1]] = option[2]} end,
                       ('optim.%s: option %s must be at least 0 and %s, got %s'):format(
                         name, option[1], option[3], option[2]))
    end
    assert.has_error(function() optim.sgd{rate = 1, momentum = 0.5, dampening = 2} end)
    assert.has_error(function() optim.sgd{rate = 1, momentum = 0 / 0} end)
    optim.sgd{rate = 1, momentum = 1, dampening = 1}
  end)
end)

describe('optim.clipValue', function()
  it('limits each element', function()
    local gradients = {V {-3, 1, 5}, {x = tensor.HalfTensor {9}, y = false}, tensor.LongTensor {7}}
    assert.are.equal(gradients, optim.clipValue(gradients, 2))
    assert.are.same({-2, 1, 2}, gradients[1]:totable())
    assert.are.equal(2, gradients[2].x[1])
    assert.are.equal(7, gradients[3][1])
    assert.is_true(optim.clipValue({V {0 / 0}}, 1)[1]:isnan():all())
    assert.has_error(function() optim.clipValue(gradients, -1) end,
                     'optim.clipValue: a limit of at least 0 is expected, got -1')
    assert.error_matches(function() optim.clipValue({V {1}:expand(2)}, 1) end,
                         'optim.clipValue: elements of .* share memory')
  end)
end)

describe('an optimizer as text', function()
  it('is the call that makes it', function()
    local step = optim.sgd{rate = 0.5, momentum = 0.9}
    assert.are.equal('optim.sgd{rate = 0.5, dampening = 0, decay = 0, momentum = 0.9, '
                     .. 'nesterov = false}', tostring(step))
    step.rate = function() return 1 end
    assert.matches('^optim.sgd{rate = function, ', tostring(step))
    assert.matches('^optim.lbfgs{rate = 1, .*history = 5, iterations = 20}$',
                   tostring(optim.lbfgs{history = 5}))
  end)
end)

it('lbfgs drops the oldest pairs of a state with more than its history', function()
  local df = tensor.grad(function(p)
    return tensor.cmul(p, p):sum() + tensor.pow(p, 4):sum()
  end)
  local p = tensor.range(1, 4)
  local step = optim.lbfgs{iterations = 8, rate = 0.1}
  step(p, df)
  assert.are.equal(7, #step.state.history)
  local other = optim.lbfgs{iterations = 1, rate = 0.1, history = 2}
  local newest = step.state.history[7]
  other.state = step.state
  other(p, df)
  assert.are.equal(2, #other.state.history)
  assert.are.equal(newest, other.state.history[1])
end)

describe('the state of another optimizer', function()
  it('is an error that changes nothing', function()
    local options = {sgd = {rate = 1, momentum = 0.9}, adam = {rate = 1}, rmsprop = {rate = 1},
                     adagrad = {rate = 1}, adamax = {rate = 1}, nadam = {rate = 1},
                     lion = {rate = 1}, adadelta = {}, lbfgs = {}}
    for name, own in pairs(options) do
      for other, others in pairs(options) do
        local p, step, wrong = {V {1, 2}}, optim[name](own), optim[other](others)
        local g = name == 'lbfgs' and function(q) return {q[1] * 1}, q[1]:norm() end or {V {1, 1}}
        step(p, g)
        wrong.state = step.state
        if name ~= other and other ~= 'lbfgs' then
          local before, steps = p[1]:clone(), step:steps()
          assert.error_matches(function() wrong(p, {V {1, 1}}) end,
            ('optim.%s: the state is that of another optimizer: it %%l+ the field'):format(other))
          assert.is_true(before:equal(p[1]))
          assert.are.equal(steps, step:steps())
        elseif name == other then
          wrong(p, g)
        end
      end
    end
  end)

  it('continues if only the options differ', function()
    local p, step = {V {1, 2}}, optim.adam{rate = 1}
    step(p, {V {1, 1}})
    local with_amsgrad = optim.adam{rate = 1, amsgrad = true}
    for _, continued in ipairs {optim.adamW{rate = 2}, with_amsgrad, step} do
      continued.state = step.state
      continued(p, {V {1, 1}})
    end
    assert.are.equal(4, step:steps())
  end)

  it('in a table of Torch7 is not used', function()
    local function f(x) return x:dot(x), x * 2 end
    local x, y, config = V {1, 2}, V {1, 2}, {learningRate = 0.1, momentum = 0.5}
    optim.sgd(f, x, config)
    optim.adam(f, x, config)
    assert.are.equal(1, config.t)
    optim.sgd(f, y, {learningRate = 0.1, momentum = 0.5})
    optim.adam(f, y, {learningRate = 0.1})
    assert.is_true(x:equal(y))
  end)
end)

describe('a step with an invalid state', function()
  local function adam_after_step()
    local step, p, g = optim.adam{rate = 0.1}, {a = V {1, 2}, b = V {3, 4}}, {a = V {1, 1}}
    g.b = V {1, 1}
    step(p, g)
    return step, p, g
  end

  -- Checks that a step fails and that it changes neither the parameters nor the state.
  local function refuses(message, change)
    local step, p, g = adam_after_step()
    change(step.state, p)
    local a, b, count = p.a:clone(), p.b:clone(), step.state.step
    local mean = step.state[1].mean:clone()
    local compiled = tensor.compile(function() step(p, g) end)
    for _, call in ipairs {function() step(p, g) end, compiled} do
      for _ = 1, 2 do
        assert.error_matches(call, 'optim.adam: ' .. message, nil, true)
      end
    end
    assert.is_true(p.a:equal(a) and p.b:equal(b) and step.state[1].mean:equal(mean))
    assert.is_true(count ~= count or rawequal(count, step.state.step))
  end

  it('is an error if the number of steps is invalid', function()
    for value, text in pairs {[-5] = '-5', [1.5] = '1.5'} do
      local message = 'the number of steps in the state must be a whole number of at least 0, got '
      refuses(message .. text, function(state) state.step = value end)
      refuses(message .. text, function(state) state.step = V {value} end)
      refuses(message .. text, function(state) state[2].step = V {value} end)
    end
    refuses('the number of steps in the state must be', function(state) state.step = 0 / 0 end)
    refuses('the number of steps in the state must be', function(state) state.step = V {0 / 0} end)
    for _, value in ipairs {tensor.LongTensor {1}, tensor.ones(1, 1), tensor.ones(2)} do
      refuses('a state is a table with the number of steps, got a tensor of size [',
              function(state) state.step = value end)
      refuses('parameter 1: its step is a tensor of size [',
              function(state) state[1].step = value end)
    end
    local step, p, g = adam_after_step()
    step.state.step = tensor.FloatTensor {7}
    step(p, g)
    assert.are.equal(8, step:steps())
  end)

  it('is an error if tensors share elements', function()
    refuses('params.a and the mean of params.a in the state share elements',
            function(state, p) state[1].mean = p.a end)
    refuses('params.a and the mean of params.b in the state share elements',
            function(state, p) state[2].mean = p.a:narrow(1, 1, 2) end)
    local step, p, g = adam_after_step()
    step.state[1].square = step.state[1].mean
    assert.error_matches(function() step(p, g) end, 'of params.a in the state share elements')
    refuses('elements of the mean of params.a in the state share memory, as those of expand do',
            function(state) state[1].mean = V {1}:expand(2) end)
  end)

  it('is an error if the paths are not strings', function()
    refuses('a string is expected as path 1 in the state, got a number',
            function(state) state.paths = {0 / 0} end)
    refuses('a string is expected as path 2 in the state, got a table',
            function(state) state.paths = {'.a', {}} end)
  end)
end)

describe('a rate of several dimensions', function()
  it('is one element', function()
    for name, options in pairs {sgd = {}, adam = {}, rmsprop = {momentum = 0.5}, adagrad = {},
                                adamax = {}, nadam = {}, radam = {}, lion = {}, adadelta = {}} do
      options.rate = 1
      local results = {}
      for k, rate in ipairs {0.1, V {{0.1}}, tensor.FloatTensor {{{0.5}}}:mul(0.2)} do
        local step, p = optim[name](options), {a = V {1, 2}, b = V {{3}}}
        step(p, ones_like(p), rate)
        results[k] = {p.a:sum(), p.b:sum()}
        assert.is_true(math.abs(results[k][1] - results[1][1]) < 1e-6)
        assert.is_true(math.abs(results[k][2] - results[1][2]) < 1e-6)
      end
    end
  end)
end)

describe('gradients', function()
  it('without elements are not clipped', function()
    for _, empty in ipairs {tensor.Tensor(), tensor.ones(0, 3), tensor.HalfTensor()} do
      for _, options in ipairs {{}, {tensors = true}} do
        local g = {a = V {3, 4}, b = empty, c = V {0}}
        optim.clipNorm(g, 1, options)
        assert.is_true(math.abs(g.a:norm() - 1) < 1e-5)
        optim.clipValue(g, 0.1)
        assert.are.equal(0.1, g.a:max())
      end
    end
  end)

  it('outside tables are errors of the functions that clip', function()
    for _, name in ipairs {'clipNorm', 'clipValue'} do
      for _, value in ipairs {'abc', 3, true, false} do
        assert.error_matches(function() optim[name](value, 1) end,
                             ('optim.%s: a table of gradients is expected, got a '):format(name))
      end
      assert.error_matches(function() optim[name](nil, 1) end, 'is expected, got nil')
      optim[name]({}, 1)
      optim[name]({a = 'text', b = false}, 1)
    end
  end)

  it('of strings, booleans and numbers are errors', function()
    local step, p = optim.adam{rate = 0.1}, {a = V {1, 2}, b = 'text'}
    local function refuses(message, b)
      assert.has_error(function() step(p, {a = V {1, 1}, b = b}) end, 'optim.adam: ' .. message)
      assert.are.same({1, 2}, p.a:totable())
    end
    local message = 'params.b: there is a gradient, but the parameter is a '
    refuses(message .. 'string', V {1})
    refuses(message .. 'string', {V {1}})
    p.b = true
    refuses(message .. 'boolean', V {1})
    p.b = 3
    message = 'params.b: a number cannot be updated in place; a tensor of one element can'
    refuses(message, {V {1}})
    refuses(message, V {1})
    p.b = 'text'
    step(p, {a = V {1, 1}, b = 'text'})
    step(p, {a = V {1, 1}})
    assert.are.equal(2, step:steps())
  end)
end)
