-- The form of Torch7's package optim: optim.sgd(f, x, config, state) and so on.

local tensor = require 'tensor'
local optim = require 'tensor.optim'
local fails = require 'support.raises'.text

-- The loss is the square of the length of x.
local function square(x) return x:dot(x), x * 2 end

local function near(expected, t)
  t = tensor.isTensor(t) and t:totable() or t
  assert.are.equal(#expected, #t)
  for k, value in ipairs(expected) do
    assert.is_true(math.abs(value - t[k]) < 1e-12, ('%s ~= %s'):format(value, t[k]))
  end
end

describe('the form of Torch7', function()
  it('updates a tensor by a function of loss and gradient', function()
    local function f(x) return tensor.cmul(x, x):sum(), x * 2 end
    local function run(config, state, name)
      local x, losses = tensor.Tensor{1, -2}, nil
      for _ = 1, 3 do
        local same
        same, losses = optim[name or 'sgd'](f, x, config, state)
        assert.are.equal(x, same)
      end
      return x, losses[1]
    end
    -- Plain Lua: dampening is the momentum, the rate decreases.
    local function expected(x)
      local v, loss
      for k = 1, 3 do
        local g = 2 * x
        v = v and 0.9 * v + 0.1 * g or g
        x, loss = x - 0.1 / (1 + (k - 1) * 0.5) * v, x
      end
      return x, loss
    end
    local config = {learningRate = 0.1, momentum = 0.9, learningRateDecay = 0.5}
    local state = {}
    local x, loss = run(config, state)
    assert.is_nil(config.updates)
    assert.are.equal(3, state.updates.step[1])
    local a, b = expected(1)
    local c, d = expected(-2)
    assert.is_true(math.abs(x[1] - a) + math.abs(x[2] - c) < 1e-12)
    assert.is_true(math.abs(loss - b ^ 2 - d ^ 2) < 1e-12)
    assert.are.same(x:totable(), (run(config)):totable())

    for _, name in ipairs{'adam', 'adamW', 'rmsprop', 'adagrad'} do
      -- adagrad has no such option in Torch7.
      local epsilon = name ~= 'adagrad' and 0 or nil
      local step, y = optim[name]{rate = 0.1, epsilon = epsilon}, tensor.Tensor{1, -2}
      for _ = 1, 3 do
        step(y, y * 2)
      end
      near(y:totable(), (run({learningRate = 0.1, epsilon = epsilon}, nil, name)))
    end
    local z = tensor.Tensor{1, -2}
    local _, losses = optim.lbfgs(f, z, {maxIter = 5})
    assert.are.equal(5, losses[1])
    assert.is_true(z:norm() < 1e-6)
  end)

  it('sgd has a rate for each element', function()
    local x = tensor.ones(3)
    optim.sgd(square, x, {learningRate = 0.1, learningRates = tensor.Tensor{1, 0, 2}})
    near({0.8, 1, 0.6}, x)
    -- The velocity has no rates. The values may be of another type and shape.
    local y, config = tensor.ones(1, 2), {
      learningRate = 0.1, momentum = 0.5, dampening = 0, learningRates = tensor.LongTensor{1, 2},
    }
    optim.sgd(square, y, config)
    near({0.8, 0.6}, y:view(2))
    optim.sgd(square, y, config)
    near({0.8 - 0.1 * (1 + 1.6), 0.6 - 0.2 * (1 + 1.2)}, y:view(2))
    local half = tensor.ones(2):type 'torch.HalfTensor'
    optim.sgd(square, half, {learningRate = 0.5, learningRates = tensor.Tensor{1, 0.5}})
    near({0, 0.5}, half)
  end)

  it('sgd has a decay for each element', function()
    local x, gradient = tensor.ones(3), nil
    local function f(t)
      local loss
      loss, gradient = square(t)
      return loss, gradient
    end
    local config = {learningRate = 0.1, weightDecay = 0, weightDecays = tensor.Tensor{1, 0, 2}}
    optim.sgd(f, x, config)
    near({0.7, 0.8, 0.6}, x)
    near({2, 2, 2}, gradient)
    config.weightDecay = 0.1
    fails('optim.sgd: only one of the options weightDecay and weightDecays', optim.sgd, f, x,
          config)
  end)

  it('adam adds epsilon before it corrects the mean of squares', function()
    local x, config = tensor.ones(1), {learningRate = 0.1, epsilon = 1}
    local expected, m, v = 1, 0, 0
    for k = 1, 3 do
      optim.adam(square, x, config)
      local g = 2 * expected
      m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
      expected = expected - 0.1 * math.sqrt(1 - 0.999 ^ k) / (1 - 0.9 ^ k) * m / (math.sqrt(v) + 1)
      near({expected}, x)
    end
  end)

  it('rmsprop has a first mean of squares', function()
    local x, config = tensor.ones(1), {learningRate = 0.1, initialMean = 1}
    optim.rmsprop(square, x, config)
    local expected = 1 - 0.2 / (math.sqrt(0.99 + 0.04) + 1e-8)
    near({expected}, x)
    local g, mean = 2 * expected, 0.99 * 1.03 + 0.01 * (2 * expected) ^ 2
    optim.rmsprop(square, x, config)
    near({expected - 0.1 * g / (math.sqrt(mean) + 1e-8)}, x)
    for _, value in ipairs{-1, '1', 0 / 0} do
      fails('optim.rmsprop: option initialMean must be a number of at least 0, got ',
            optim.rmsprop, square, tensor.ones(1), {initialMean = value})
    end
  end)

  -- Returns x after steps from 1. Tensors of `state` have one element.
  local function run(name, count, config, state)
    local x = tensor.ones(1)
    for _ = 1, count do
      optim[name](square, x, config, state)
    end
    return x[1]
  end

  it('has no effect of options that Torch7 does not have', function()
    local plain = run('rmsprop', 3, {learningRate = 0.1})
    assert.are.equal(plain, run('rmsprop', 3, {learningRate = 0.1, momentum = 0.9}))
    assert.are.equal(plain, run('rmsprop', 3, {learningRate = 0.1, learningRateDecay = 1}))
    assert.are.equal(run('adagrad', 3, {learningRate = 0.1}),
                     run('adagrad', 3, {learningRate = 0.1, epsilon = 10}))
  end)

  it('continues a state of Torch7', function()
    local config = {learningRate = 0.1, learningRateDecay = 1}
    near({1 - 2 * 0.1 / 101}, {run('sgd', 1, config, {evalCounter = 100})})
    -- The state may be in the configuration.
    config.momentum, config.evalCounter, config.dfdx = 0.5, 9, tensor.Tensor{4}
    near({1 - 0.1 / 10 * (0.5 * 4 + 0.5 * 2)}, {run('sgd', 1, config)})

    local m, v = 0.9 * 4 + 0.1 * 2, 0.999 * 9 + 0.001 * 4
    local length = math.sqrt(1 - 0.999 ^ 501) / (1 - 0.9 ^ 501) * m / (math.sqrt(v) + 1e-8)
    local state = {
      t = 500, m = tensor.Tensor{4}, v = tensor.Tensor{9}, denom = tensor.Tensor{3}, mine = 1,
    }
    near({1 - 0.1 / 501 * length}, {run('adam', 1, {learningRate = 0.1, learningRateDecay = 1},
                                        state)})
    near({1 - 0.1 * 2 / (math.sqrt(0.99 * 9 + 0.01 * 4) + 1e-8)},
         {run('rmsprop', 1, {learningRate = 0.1}, {m = tensor.Tensor{9}, tmp = tensor.Tensor{3}})})
    near({1 - 0.1 / 3 * 2 / (math.sqrt(5 + 4) + 1e-10)},
         {run('adagrad', 1, {learningRate = 0.1, learningRateDecay = 1},
              {evalCounter = 2, paramVariance = tensor.Tensor{5}})})
  end)

  it('writes the state of Torch7', function()
    local fields = {
      sgd = {count = 'evalCounter', 'dfdx'}, adam = {count = 't', 'm', 'v'},
      adamW = {count = 't', 'm', 'v'}, rmsprop = {'m'},
      adagrad = {count = 'evalCounter', 'paramVariance'},
    }
    for name, names in pairs(fields) do
      local config = {learningRate = 0.1, learningRateDecay = 1}
      if name == 'sgd' then
        config.momentum = 0.5
      end
      local expected, state, x = run(name, 5, config, {}), {}, tensor.ones(1)
      for k = 1, 5 do
        optim[name](square, x, config, state)
        -- Only the fields of Torch7 are saved and restored.
        local restored = {}
        if names.count then
          assert.are.equal(k, state[names.count])
          restored[names.count] = state[names.count]
        end
        for _, field in ipairs(names) do
          restored[field] = state[field]:clone()
        end
        state = restored
      end
      near({expected}, x)
    end
    -- Without a state, the fields are in the configuration. The state of ours comes first.
    local config = {learningRate = 0.1, learningRateDecay = 1}
    run('sgd', 2, config)
    assert.are.equal(2, config.evalCounter)
    assert.is_nil(config.dfdx)
    config.evalCounter = 7
    run('sgd', 1, config)
    assert.are.equal(3, config.evalCounter)
  end)

  it('converts a state of Torch7 to the type of x', function()
    for _, name in ipairs{'torch.FloatTensor', 'torch.HalfTensor'} do
      local x, state = tensor.ones(2):type(name), {dfdx = tensor.Tensor{2, 4}}
      optim.sgd(square, x, {learningRate = 0.25, momentum = 0.5}, state)
      near({0.5, 0.25}, x)
      assert.are.equal('torch.FloatTensor', state.dfdx:type())
    end
  end)

  it('refuses a state of Torch7 that does not fit', function()
    local x = tensor.ones(2)
    for field, name in pairs{dfdx = 'sgd', m = 'rmsprop', v = 'adam', paramVariance = 'adagrad'} do
      for _, value in ipairs{tensor.ones(3), tensor.ones(2, 1), 1} do
        local state = {[field] = value}
        fails(('optim.%s: the state of Torch7: %s must have the size of x, '):format(name, field),
              optim[name], square, x, {}, state)
        assert.is_nil(state.updates)
      end
    end
    for _, value in ipairs{-1, 1.5, 1 / 0, '1', 0 / 0, x} do
      fails('optim.adam: the state of Torch7: t must be a whole number of at least 0, got ',
            optim.adam, square, x, {t = value})
    end
    near({1, 1}, x)
  end)

  it('lbfgs compares tolerances with sums of absolute values', function()
    -- The loss is scale / 2 times the square of the length. Returns the number of evaluations.
    local function count(scale, start, config)
      local _, losses = optim.lbfgs(function(x) return scale / 2 * x:dot(x), x * scale end,
                                    tensor.Tensor(4):fill(start), config)
      return #losses
    end
    -- The sum for the first gradient is 0.96, the largest value 0.24.
    assert.are.equal(1, count(0.3, 0.8, {tolFun = 0.97}))
    assert.are.equal(3, count(0.3, 0.8, {tolFun = 0.5}))
    -- The sum for the first move is 1, the largest value 0.25. The loss changes by 1.875.
    assert.are.equal(2, count(1, 2, {tolX = 1}))
    assert.are.equal(3, count(1, 2, {tolX = 0.5}))
    -- The default of tolFun is 1e-5.
    assert.are.equal(1, count(0.3, 8e-6, {tolX = 0}))
    assert.is_true(count(0.3, 9e-6, {tolX = 0}) > 1)
    -- Our form compares with the largest value.
    local _, losses = optim.lbfgs{gradientTolerance = 0.25}(tensor.Tensor(4):fill(0.8),
                                                           function(x) return x * 0.3, 1 end)
    assert.are.equal(1, #losses)
  end)

  it('refuses a config or state that is not a table', function()
    local x = tensor.ones(3)
    for _, name in ipairs{'sgd', 'adam', 'adamW', 'rmsprop', 'adagrad', 'lbfgs'} do
      for text, value in pairs{
        ['a number'] = 0.5, ['a string'] = 'x', ['a boolean'] = true, ['a function'] = print,
        ['a tensor of size [2]'] = tensor.ones(2),
      } do
        local line = debug.getinfo(1, 'l').currentline + 1
        local function call(...) return (optim[name](square, x, ...)) end
        local place = ('torch7_optim_spec.lua:%d: optim.%s: '):format(line, name)
        fails(place .. 'config must be a table, got ' .. text, call, value)
        fails(place .. 'config must be a table, got ' .. text, call, value, {})
        fails(place .. 'state must be a table, got ' .. text, call, nil, value)
        fails(place .. 'state must be a table, got ' .. text, call, {}, value)
      end
      near({1, 1, 1}, x)
    end
    optim.sgd(square, x, false, false)
    near({0.998, 0.998, 0.998}, x)
  end)

  it('refuses options that it cannot apply', function()
    local x = tensor.ones(3)
    for _, values in ipairs{2, tensor.ones(2), true} do
      fails('optim.sgd: option learningRates: a tensor of 3 elements is expected, got a ',
            optim.sgd, square, x, {learningRates = values})
      fails('optim.sgd: option weightDecays: a tensor of 3 elements is expected, got a ',
            optim.sgd, square, x, {weightDecays = values})
    end
    fails('optim.lbfgs: option lineSearch of Torch7 is not supported', optim.lbfgs, square, x,
          {lineSearch = print})
    near({1, 1, 1}, x)
    -- Other names are fields of the state.
    optim.sgd(square, x, {learningRate = 0.1, mine = 1, lineSearch = print})
    for _, name in ipairs {'learningRate', 'learningRateDecay'} do
      for _, value in ipairs {function() return 1 end, {}, '0.1'} do
        fails(('optim.adam: option %s must be a number, got a %s'):format(name, type(value)),
              optim.adam, square, x, {[name] = value})
      end
    end
    near({0.8, 0.8, 0.8}, x)
  end)
end)
